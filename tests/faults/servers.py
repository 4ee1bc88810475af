"""A Redis that can be broken in every way a Redis breaks, and mended again."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from bot.adapters.store.launch import server_program
from tests.contract.conftest import wait_for
from tests.machine import free_port

ENDLESS = "while true do end"
DEADLINE = 15.0


@dataclass
class Redis:
    """One server process with an append-only file, which a restart reads again."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def admin(self) -> redis.Redis:
        return redis.Redis(port=self.port, retry=Retry(NoBackoff(), 0), socket_timeout=DEADLINE)

    def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        program = shutil.which("redis-server") or str(server_program())
        options = (
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "yes",
            "--appendfsync",
            "always",
            "--dir",
            str(self.folder),
        )
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603 - a server of ours
                [program, "--port", str(self.port), *options], stdout=log, stderr=log, restore_signals=False
            )
        with self.admin as client:
            wait_for(client)

    def kill(self) -> None:
        assert self.process
        self.process.kill()
        self.process.wait(DEADLINE)

    def send(self, number: int) -> None:
        assert self.process
        self.process.send_signal(number)

    def set(self, **options: str) -> None:
        with self.admin as client:
            for name, value in options.items():
                client.config_set(name.replace("_", "-"), value)


@contextmanager
def stopped(server: Redis) -> Iterator[None]:
    """Killed, and some time later started on the same files."""
    server.kill()
    yield
    server.start()


@contextmanager
def emptied(server: Redis) -> Iterator[None]:
    """Killed, and started on an empty disk."""
    server.kill()
    shutil.rmtree(server.folder)
    yield
    server.start()


@contextmanager
def hung(server: Redis) -> Iterator[None]:
    """Connections stay, nothing answers."""
    server.send(signal.SIGSTOP)
    yield
    server.send(signal.SIGCONT)


@contextmanager
def full(server: Redis) -> Iterator[None]:
    """Out of memory, with a policy that refuses writes."""
    server.set(maxmemory_policy="noeviction", maxmemory="1")
    yield
    server.set(maxmemory="0")


@contextmanager
def read_only(server: Redis) -> Iterator[None]:
    """It has become a replica, of a primary nobody reaches."""
    with server.admin as client:
        client.replicaof("127.0.0.1", 1)
        yield
        client.replicaof("NO", "ONE")


@contextmanager
def without_replicas(server: Redis) -> Iterator[None]:
    """It has lost the replicas without which it takes no writes."""
    server.set(min_replicas_to_write="1")
    yield
    server.set(min_replicas_to_write="0")


@contextmanager
def disk_full(server: Redis) -> Iterator[None]:
    """Its append-only file cannot grow: the server says MISCONF until it can."""
    assert server.process
    pid, grown = server.process.pid, sum(p.stat().st_size for p in server.folder.rglob("*.aof"))
    server.set(appendfsync="everysec")
    _limit(pid, grown)
    with server.admin as client, suppress(redis.RedisError):
        for n in range(100):
            client.set("filler", "x" * 200, ex=1)
            time.sleep(0.02 * (n > 20))
    yield
    _limit(pid, -1)
    deadline = time.monotonic() + DEADLINE
    while True:
        with server.admin as client:
            if client.info("persistence")["aof_last_write_status"] == "ok":
                return
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _limit(pid: int, size: int) -> None:
    import resource  # noqa: PLC0415 - not on every system

    most = resource.RLIM_INFINITY
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (most if size < 0 else size, most))


@contextmanager
def busy(server: Redis) -> Iterator[None]:
    """Somebody else's script does not end."""
    server.set(busy_reply_threshold="50")

    def endless() -> None:
        with server.admin as client, suppress(redis.RedisError):
            client.eval(ENDLESS, 0)

    thread = threading.Thread(target=endless)
    thread.start()
    _until_busy(server)
    yield
    with server.admin as client:
        client.script_kill()
    thread.join(DEADLINE)


def _until_busy(server: Redis) -> None:
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        with server.admin as client:
            try:
                client.get("x")
            except redis.ResponseError:
                return
        time.sleep(0.02)
    raise AssertionError("the script did not begin")


@contextmanager
def locked_out(server: Redis) -> Iterator[None]:
    """The password was changed, and every connection cut."""
    with server.admin as client:
        client.config_set("requirepass", "another")
        client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        yield
        client.config_set("requirepass", "")


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """`folder` is on a disk of its own; raises `OSError` where we may not mount one."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(words, check=False, capture_output=True).returncode:  # noqa: S603
        raise PermissionError("a small disk cannot be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S603, S607
