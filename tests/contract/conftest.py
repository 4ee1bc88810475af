"""Real servers for the contract suites, and a proxy that counts, measures and cuts what passes through it."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from bot.adapters.store import connect, redis_store
from bot.adapters.store.clients import standalone
from bot.adapters.store.embedded import ensure_running, stop_embedded
from bot.adapters.store.launch import place_for, server_program
from bot.adapters.store.redis_store import RedisConversations
from bot.adapters.store.server import Script, Server
from bot.core.event import Origin
from tests.machine import free_port

PASSWORD = "s3cret-of-the-store"  # noqa: S105 - of a server that lives as long as the tests
DEADLINE = 10.0


@dataclass
class Backend:
    """One running server: how a store connects to it, and a hand on it for the test."""

    kind: str
    url: str | None
    data_dir: Path
    address: str | tuple[str, int]
    admin: redis.Redis
    start: Callable[[], None]

    def restart(self) -> None:
        """Stop the server in an orderly way, which forgets its scripts, and start it again."""
        self.admin.shutdown()
        self.start()
        if self.kind == "cluster":
            wait_for_slots(self.admin)

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """The process stops where it is: connections stay, nothing answers."""
        pid = int(self.admin.info()["process_id"])
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def keys(self, tenant: str = "") -> list[str]:
        """All keys, or those of one workspace."""
        return sorted(key.decode() for key in self.admin.scan_iter(match=f"*{tenant}*", count=1000))


def wait_for(client: redis.Redis) -> None:
    """Wait until a server answers."""
    deadline = time.monotonic() + DEADLINE
    while True:
        try:
            client.ping()
        except redis.RedisError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def raw(client: redis.Redis, *words: str | int) -> bytes:
    """Send a command redis-py has no method for."""
    answer = client.execute_command(*words)  # type: ignore[no-untyped-call]
    assert isinstance(answer, bytes | str)
    return answer if isinstance(answer, bytes) else answer.encode()


def wait_for_slots(client: redis.Redis) -> None:
    """Wait until a cluster's only node serves; it holds back for two seconds after a start."""
    deadline = time.monotonic() + DEADLINE
    while b"cluster_state:ok" not in raw(client, "CLUSTER", "INFO"):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _embedded(folder: Path) -> Iterator[Backend]:
    data_dir = folder / "data"
    path = str(place_for(data_dir).socket)
    ensure_running(data_dir)
    # As long as this client is connected, no store is the last one that closes.
    admin = redis.Redis(unix_socket_path=path, single_connection_client=True, retry=Retry(NoBackoff(), 0))

    def start() -> None:
        ensure_running(data_dir)
        wait_for(admin)

    yield Backend("embedded", None, data_dir, path, admin, start)
    admin.close()
    stop_embedded(data_dir)


def _process(kind: str, program: str, folder: Path, *options: str, password: str = "") -> Iterator[Backend]:
    port = free_port()
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "", *options]
    admin = redis.Redis(port=port, password=password or None, retry=Retry(NoBackoff(), 0))
    running: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        for stopped in running:
            stopped.wait(DEADLINE)
        with (folder / "log").open("ab") as log:
            running[:] = [subprocess.Popen(command, stdout=log, stderr=log)]  # noqa: S603 - a server of ours
        wait_for(admin)

    start()
    yield Backend(kind, f"redis://:{password}@127.0.0.1:{port}/0", folder / "unused", ("127.0.0.1", port), admin, start)
    admin.close()
    running[0].terminate()
    running[0].wait(DEADLINE)


def _cluster(folder: Path) -> Iterator[Backend]:
    options = ("--cluster-enabled", "yes", "--cluster-port", str(free_port()))
    for backend in _process("cluster", str(server_program()), folder, *options):
        raw(backend.admin, "CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        wait_for_slots(backend.admin)
        yield backend


def _redis(folder: Path) -> Iterator[Backend]:
    program = shutil.which("redis-server")
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI has to have a redis-server: apt-get install redis-server")
        pytest.skip("no redis-server on PATH: the suite ran on Valkey only")
    yield from _process("redis", program, folder, "--requirepass", PASSWORD, password=PASSWORD)


_BACKENDS = {"embedded": _embedded, "cluster": _cluster, "redis": _redis}


@pytest.fixture(scope="session", params=_BACKENDS)
def backend(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    """Every kind of server the store promises to work on."""
    yield from _BACKENDS[request.param](tmp_path_factory.mktemp(request.param))


@pytest.fixture
async def open_store(backend: Backend) -> AsyncIterator[Callable[[], Awaitable[RedisConversations]]]:
    """Open stores as separate processes would have them; closed at the end."""
    opened: list[RedisConversations] = []

    async def opening() -> RedisConversations:
        opened.append(await connect(backend.url, backend.data_dir))
        return opened[-1]

    yield opening
    for store in opened:
        await store.close()


@pytest.fixture
async def store(open_store: Callable[[], Awaitable[RedisConversations]]) -> RedisConversations:
    """A store of one replica."""
    return await open_store()


@pytest.fixture
async def other(open_store: Callable[[], Awaitable[RedisConversations]]) -> RedisConversations:
    """A store of another replica."""
    return await open_store()


@pytest.fixture
def place() -> Origin:
    """Somewhere nobody has been yet: a workspace of this test's own."""
    return Origin("slack", f"T{uuid.uuid4().hex[:9]}", "C0SUPPORT", "U0ALICE", "1764515000.000100")


@dataclass
class Proxy:
    """Stands between a store and its server. A trip is what is sent after an answer, in however many pieces."""

    upstream: str | tuple[str, int]
    trips: int = 0
    sent: int = 0
    received: int = 0
    cut_answers: int = 0
    carrying: set[asyncio.Task[None]] = field(default_factory=set)

    def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one more connection."""
        task = asyncio.create_task(self._carry(reader, writer))
        self.carrying.add(task)
        task.add_done_callback(self.carrying.discard)

    def reset(self) -> None:
        """Start counting from nought."""
        self.trips = self.sent = self.received = 0

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Until either side or `cut_answers` ends it.
        if isinstance(self.upstream, str):
            upstream = await asyncio.open_unix_connection(self.upstream)
        else:
            upstream = await asyncio.open_connection(*self.upstream)
        asking = asyncio.Event()
        pumps = [
            asyncio.create_task(self._ask(reader, upstream[1], asking)),
            asyncio.create_task(self._answer(upstream[0], writer, asking)),
        ]
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)
        for end in (writer, upstream[1]):
            end.close()
            with contextlib.suppress(ConnectionError):
                await end.wait_closed()

    async def _ask(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, asking: asyncio.Event) -> None:
        while data := await source.read(65536):
            self.trips += not asking.is_set()
            self.sent += len(data)
            asking.set()
            sink.write(data)

    async def _answer(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, asking: asyncio.Event) -> None:
        while data := await source.read(65536):
            if self.cut_answers:
                self.cut_answers -= 1
                return
            self.received += len(data)
            asking.clear()
            sink.write(data)


@dataclass
class Proxied:
    """A store whose traffic can be watched."""

    store: RedisConversations
    proxy: Proxy


@pytest.fixture
async def proxied(backend: Backend) -> AsyncIterator[Proxied]:
    """A store behind a proxy, with a connection that is already open."""
    proxy = Proxy(backend.address)
    listening = await asyncio.start_server(proxy.connected, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    password = PASSWORD if backend.kind == "redis" else ""
    client = standalone(f"redis://:{password}@127.0.0.1:{port}/0")
    server = Server(client, "the proxy")
    # A server that does not know a script yet is sent it, which is a trip more.
    for _, script in inspect.getmembers(redis_store, lambda one: isinstance(one, Script)):
        await server.command("SCRIPT", "LOAD", script.body)
    proxy.reset()
    yield Proxied(RedisConversations(server), proxy)
    with contextlib.suppress(Exception):
        await client.aclose()
    listening.close()
    await listening.wait_closed()
    await asyncio.wait_for(asyncio.gather(*proxy.carrying), DEADLINE)
