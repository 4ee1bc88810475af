"""Redial's own Valkey, for when no `REDIS_URL` names a server: found or started in the data directory.

The server is a process of its own (it daemonizes), so it outlives whoever started it and serves every Redial that
uses the directory. Three things in the directory keep it single:

- `start.lock` is held by whoever looks for, starts or stops the server;
- `server.lock` is held by the server itself: it inherits the locked file, so the kernel frees the lock when the
  server is gone, however it went. A free lock means: nobody writes the append-only file;
- the socket answers, or the server is hung, starting, or gone.

Every answered write has been flushed to disk (`appendfsync always`): neither a killed process nor a crashed machine
loses it, short of a disk that lies about flushing.
"""

from __future__ import annotations

import os
import shutil
import signal
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

from redis import Redis
from redis import exceptions as redis_errors
from redis.backoff import NoBackoff
from redis.retry import Retry

from bot.adapters.store.faults import unavailable
from bot.adapters.store.launch import NO_SERVER, Place, launch, log_end, place_for, server_program
from bot.core.errors import SettingsError, StoreUnavailable
from bot.core.frozen import frozen

PATIENCE = 60.0
"""How long a start, a stop or another process's start may take, in seconds: a big file takes a while to load."""
ANSWERS = 2.0
"""Seconds a running server has for a PING."""
POLL = 0.01
SPACE = 1_000_000
"""Least free bytes on the disk for a start."""


@frozen
class EmbeddedStatus:
    """What is known of the server of a data directory; figures are None while it does not run or answer."""

    directory: Path
    running: bool
    answers: bool = False
    pid: int | None = None
    version: str | None = None
    clients: int | None = None
    memory: int | None = None
    keys: int | None = None

    def __str__(self) -> str:
        if not self.running:
            return f"The store in {self.directory} does not run."
        if not self.answers:
            return f"The store in {self.directory} runs (process {self.pid}) but does not answer."
        return (
            f"The store in {self.directory} runs: Valkey {self.version}, process {self.pid}, "
            f"{self.clients} connections, {self.keys} keys, {(self.memory or 0) / 1e6:.1f} MB."
        )


def ensure_running(data_dir: Path, *, space: int = SPACE) -> Place:
    """Attach to the server of `data_dir`, or start it if there are `space` bytes free; blocks for as long as it takes.

    Raises `SettingsError` for a directory or a platform that cannot be used, `StoreUnavailable` for the rest.
    """
    place = _prepared(data_dir)
    with _locked(place):
        if _ping(place):
            return place
        if _alive(place):
            _recover(place)
        if not _ping(place):
            _start(place, space)
    return place


def stop_embedded(data_dir: Path) -> bool:
    """Stop the server of `data_dir`, whoever uses it; returns whether one was running."""
    place = place_for(data_dir)
    if not place.directory.is_dir():
        return False
    with _locked(place):
        if not _alive(place):
            return False
        _shut_down(place)
        return True


def leave(data_dir: Path, name: str) -> bool:
    """Stop the server if no client is left but those called `name`; returns whether it was stopped."""
    place = place_for(data_dir)
    if not place.directory.is_dir():
        return False
    with _locked(place):
        try:
            with _client(place, name=name) as client:
                clients = cast("list[dict[str, str]]", client.client_list())
                if any(other["name"] != name for other in clients):
                    return False
        except redis_errors.RedisError:
            return False
        _shut_down(place)
        return True


def embedded_status(data_dir: Path) -> EmbeddedStatus:
    """Look at the server of `data_dir` without starting it."""
    place = place_for(data_dir)
    if not place.directory.is_dir():
        return EmbeddedStatus(place.directory, running=False)
    with _locked(place):
        if not _alive(place):
            return EmbeddedStatus(place.directory, running=False)
    try:
        with _client(place) as client:
            info = cast("dict[str, int | str]", client.info())
            keys = cast("int", client.dbsize())
    except redis_errors.RedisError:
        return EmbeddedStatus(place.directory, running=True, pid=_pid(place))
    return EmbeddedStatus(
        place.directory,
        running=True,
        answers=True,
        pid=int(info["process_id"]),
        version=str(info.get("valkey_version", info["redis_version"])),
        clients=int(info["connected_clients"]) - 1,
        memory=int(info["used_memory"]),
        keys=keys,
    )


def _prepared(data_dir: Path) -> Place:
    place = place_for(data_dir)
    try:
        place.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"The data directory {place.directory} cannot be created: {error.strerror}. "
            "Name another, or a server with REDIS_URL."
        ) from error
    return place


@contextmanager
def _private(place: Place) -> Iterator[None]:
    """See to it that the socket's folder, where it is a temporary one, is ours alone; it goes when it is empty."""
    folder = place.socket.parent
    if folder == place.directory:
        yield
        return
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise SettingsError(f"{folder} belongs to somebody else. Name a data directory with a shorter path.")
    try:
        yield
    finally:
        with suppress(OSError):
            folder.rmdir()


@contextmanager
def _locked(place: Place) -> Iterator[None]:
    handle = _opened(place.directory / "start.lock")
    try:
        deadline = time.monotonic() + PATIENCE
        while not _try_lock(handle):
            if time.monotonic() > deadline:
                raise StoreUnavailable(f"Another process has held {place.directory / 'start.lock'} for too long.")
            time.sleep(POLL)
        with _private(place):
            yield
    finally:
        os.close(handle)


def _opened(lock: Path) -> int:
    try:
        return os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise SettingsError(
            f"The data directory {lock.parent} cannot be written to: {error.strerror}. "
            "Name another, or a server with REDIS_URL."
        ) from error


def _try_lock(handle: int) -> bool:
    try:
        import fcntl  # noqa: PLC0415 - only Unix has it, and only here is it needed

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError as error:
        raise SettingsError(NO_SERVER) from error
    except BlockingIOError:
        return False
    except OSError as error:
        raise SettingsError(
            f"Files in the data directory cannot be locked: {error.strerror}. "
            "Name one on a local disk, or a server with REDIS_URL."
        ) from error
    return True


def _server_lock(place: Place) -> int | None:
    """Take the server's lock, for a server to inherit; None while a server lives."""
    handle = _opened(place.directory / "server.lock")
    if _try_lock(handle):
        return handle
    os.close(handle)
    return None


def _alive(place: Place) -> bool:
    handle = _server_lock(place)
    if handle is None:
        return True
    os.close(handle)
    return False


def _client(place: Place, name: str = "") -> Redis:
    return Redis(
        unix_socket_path=str(place.socket),
        socket_timeout=ANSWERS,
        socket_connect_timeout=ANSWERS,
        retry=Retry(NoBackoff(), 0),
        protocol=2,
        driver_info=None,
        client_name=name or None,
        single_connection_client=False,
    )


def _ping(place: Place) -> bool:
    """Say whether the server answers; waits for one that is loading, raises for one that hangs."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with _client(place) as client:
                return bool(client.ping())
        except redis_errors.BusyLoadingError as error:
            if time.monotonic() > deadline:
                raise unavailable(error, str(place.directory)) from error
            time.sleep(POLL)
        except redis_errors.TimeoutError as error:
            raise StoreUnavailable(
                f"The server of {place.directory} (process {_pid(place)}) is there but does not answer."
            ) from error
        except redis_errors.RedisError:
            return False


def _recover(place: Place) -> None:
    """Deal with a server that lives but cannot be reached: it is coming up, on its way out, or lost its socket file."""
    deadline = time.monotonic() + ANSWERS
    while _alive(place):
        if _ping(place):
            return
        if time.monotonic() > deadline:
            break
        time.sleep(POLL)
    if not place.socket.exists():
        _terminate(place)
    _wait_gone(place)


def _start(place: Place, space: int) -> None:
    program = server_program()
    _check_space(place, space)
    handle = _server_lock(place)
    if handle is None:
        raise StoreUnavailable(f"A server of {place.directory} (process {_pid(place)}) is there but cannot be reached.")
    try:
        size = place.log.stat().st_size if place.log.exists() else 0
        place.socket.unlink(missing_ok=True)
        launch(place, program, handle)
    except OSError as error:
        raise StoreUnavailable(f"The store in {place.directory} cannot be started: {error.strerror}.") from error
    finally:
        os.close(handle)
    _wait_ready(place, size)


def _check_space(place: Place, space: int) -> None:
    """Refuse to start on a full disk: the server ends when a write fails, and would be started again for each turn."""
    free = shutil.disk_usage(place.directory).free
    if free < space:
        raise StoreUnavailable(f"The disk of {place.directory} is full: {free // 1024} KB are left.")


def _wait_ready(place: Place, log_size: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while not _ping(place):
        if not _alive(place):
            raise StoreUnavailable(
                f"The store in {place.directory} did not start. Its files are as they were: keep them, or move them "
                f"away to begin anew. Its log {place.log} ends: {log_end(place, log_size)}"
            )
        if time.monotonic() > deadline:
            raise StoreUnavailable(f"The store in {place.directory} did not start in time; see {place.log}.")
        time.sleep(POLL)


def _shut_down(place: Place) -> None:
    with suppress(redis_errors.RedisError), _client(place) as client:
        client.shutdown()
    if _alive(place):
        _terminate(place)
    _wait_gone(place)


def _terminate(place: Place) -> None:
    """Ask the server to end by its process id; the lock it holds says that the id is still its own."""
    pid = _pid(place)
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


def _wait_gone(place: Place) -> None:
    deadline = time.monotonic() + ANSWERS * 5
    while _alive(place):
        if time.monotonic() > deadline:
            raise StoreUnavailable(f"The server of {place.directory} (process {_pid(place)}) does not end.")
        time.sleep(POLL)


def _pid(place: Place) -> int | None:
    try:
        return int(place.pidfile.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
