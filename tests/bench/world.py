"""What a benchmark runs in: the outside, a store of its own, and Redial put together as `redial run` does it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import sys
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

import structlog

from bot.adapters.store.launch import server_program
from bot.adapters.store.redis_store import RedisConversations
from bot.core.event import InboundEvent
from bot.ports.chat import Chat
from bot.ports.meters import Meters
from bot.ports.platform import House
from bot.runtime import logs
from bot.runtime.dispatcher import Dispatcher
from bot.runtime.limits import Limits
from bot.runtime.settings import Settings, load_settings
from bot.runtime.wiring import desk as open_desk
from handlers.commands import read
from handlers.desk import Desk
from handlers.turns import handle

MANY = 10**9
"""A limit that is judged and never reached."""


@dataclass
class Outside:
    """The process behind the platforms' addresses."""

    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def counts(self) -> Counter[str]:
        """What it was asked so far."""

        def ask() -> Counter[str]:
            with urllib.request.urlopen(  # noqa: S310 - an address of this process's own
                f"{self.address}/counts", timeout=10
            ) as answer:
                return Counter(json.load(answer))

        return await asyncio.to_thread(ask)


@contextlib.asynccontextmanager
async def outside() -> AsyncIterator[Outside]:
    """Start it, and end it afterwards."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.outside", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout
    assert process.stdin
    try:
        async with asyncio.timeout(60):
            port = int(await process.stdout.readline())
        yield Outside(port)
    finally:
        process.stdin.close()
        await process.wait()


EACH = 64
"""Turns in two seconds, at a rate a machine is far from being busy with; then confirmations are written."""


class Trips(Meters):
    """Counts the round trips that turns wait for. writing: tasks that write a batch, which no turn does."""

    def __init__(self, writing: set[asyncio.Task[Any] | None]) -> None:
        self.trips = 0
        self._writing = writing

    def tripped(self, seconds: float, *, failed: bool) -> None:  # noqa: ARG002 - counted, not timed
        if asyncio.current_task() not in self._writing:
            self.trips += 1


@dataclass
class Bot:
    """Redial without a platform: the desk, the intake, and who waits for the end of a turn."""

    desk: Desk
    dispatcher: Dispatcher
    settings: Settings
    ends: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    drops: bool = False
    taken: int = 0
    writing: set[asyncio.Task[Any] | None] = field(default_factory=set)

    @property
    def house(self) -> House:
        titles = {guide.id: guide.title for guide in self.desk.library.guides.values()}
        return House(self, self.desk.library.messages, read, titles, self.desk.leases)

    def submit(self, event: InboundEvent, chat: Chat, done: Callable[[], None] | None = None) -> bool:
        """Take an event in as the dispatcher does, or let it go where only the way to here is measured."""
        self.taken += 1
        return self.drops or self.dispatcher.submit(event, chat, done)

    async def trailing(self, number: int) -> None:
        """Write what turns leave to be written, as the process does each two seconds: here after each so many."""
        if number % EACH == EACH - 1:
            task = asyncio.current_task()
            self.writing.add(task)
            await self.desk.store.flush()
            self.writing.discard(task)

    def expect(self, event_id: str) -> asyncio.Future[None]:
        """What is done when the turn of this event has been played to its end."""
        found = self.ends[event_id] = asyncio.get_running_loop().create_future()
        return found


@contextlib.asynccontextmanager
async def redis() -> AsyncIterator[str]:
    """Start a Valkey as a server of a team would be run: over TCP, with nothing written to disk before it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--logfile", os.devnull]
    process = await asyncio.create_subprocess_exec(server_program(), *words)
    try:
        async with asyncio.timeout(20):
            while not await _answers(port):  # noqa: ASYNC110 - a server that starts sets no event here
                await asyncio.sleep(0.02)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        await process.wait()


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    await writer.wait_closed()
    return True


@contextlib.asynccontextmanager
async def bot(world: Outside, *, drops: bool = False, **over: object) -> AsyncIterator[Bot]:
    """Put Redial together as `redial run` does, with the log it writes in service thrown away."""
    async with redis() as url:
        settings = load_settings(REDIS_URL=url, status={"hosts": (world.address,)}, **over)
        with quiet():
            async with open_desk(settings) as desk:
                await desk.status.board()
                ends: dict[str, asyncio.Future[None]] = {}
                dispatcher = Dispatcher(partial(_handled, desk, ends), Limits(MANY, MANY))
                yield Bot(desk, dispatcher, settings, ends, drops)
                await dispatcher.close(within=8.0)


async def _handled(desk: Desk, ends: dict[str, asyncio.Future[None]], event: InboundEvent, chat: Chat) -> None:
    await handle(desk, event, chat)
    if end := ends.pop(event.id, None):
        end.set_result(None)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Write the log of `redial run` to nowhere: what it costs is part of a turn."""
    before = structlog.get_config()
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        with contextlib.redirect_stderr(nowhere):
            logs.lines()
        yield
    structlog.configure(**before)


def metered(bot: Bot) -> Trips:
    """Count from now on."""
    store = bot.desk.store
    assert isinstance(store, RedisConversations)
    found = store.server.meters = Trips(bot.writing)
    return found


SENT = 1536
"""Bytes a turn may send to the store."""


class Traffic:
    """What a store's server has read and written since, without these questions."""

    def __init__(self, bot: Bot) -> None:
        store = bot.desk.store
        assert isinstance(store, RedisConversations)
        self._server, self._before, self._own = store.server, {"bytes to Redis": 0, "bytes from Redis": 0}, {"": 0}

    async def begin(self) -> None:
        """Count from now on."""
        first = await self._read()
        self._before = await self._read()
        self._own = {name: value - first[name] for name, value in self._before.items()}

    async def each(self, turns: int) -> dict[str, float]:
        """What one turn came to."""
        now = await self._read()
        return {name: (now[name] - self._before[name] - self._own[name]) / turns for name in now}

    async def _read(self) -> dict[str, int]:
        told = cast("dict[str, int]", await self._server.command("INFO", "stats"))
        return {"bytes to Redis": told["total_net_input_bytes"], "bytes from Redis": told["total_net_output_bytes"]}
