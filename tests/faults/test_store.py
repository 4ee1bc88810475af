"""The store breaks in every way while people talk: each gets an answer or a clear word, and all goes on by itself.

`redial run` in this process, a real Redis beside it. What a contract promises of each call is in tests/contract.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters.store import connect
from bot.adapters.store.embedded import stop_embedded
from bot.adapters.store.redis_store import RedisConversations
from bot.core.bounds import Bounds
from bot.core.event import InboundEvent, Origin, Said
from bot.core.text import plain
from bot.core.view import View
from bot.runtime.rhythm import Rhythm
from bot.runtime.settings import LimitSettings, Settings, StatusSettings
from bot.runtime.wiring import desk
from handlers.desk import Desk
from handlers.turns import handle
from tests.faults import servers
from tests.faults.servers import Redis
from tests.machine import until
from tests.runtime.line import ALICE, CUT_OFF, Line, served

TROUBLE = "can't reach my memory"
DEADLINE = 40.0
"""Seconds, on a machine that does much else."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Redis]:
    one = Redis(tmp_path / "redis")
    one.start()
    yield one
    one.send(signal.SIGCONT)
    one.kill()


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Redis) -> Settings:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REDIS_URL", server.url)
    return Settings(
        data_dir=tmp_path / "data",
        limits=LimitSettings(person=10_000, channel=10_000),
        status=StatusSettings(hosts=("http://127.0.0.1:9",)),
    )


def says(view: View) -> str:
    return plain(view.lead)


def said(line: Line, number: int, text: str, who: Origin = ALICE) -> bool:
    assert line.house
    return line.house.intake.submit(InboundEvent(f"e{number}", who, Said(text, "direct")), line)


async def told(line: Line, number: int, text: str, who: Origin = ALICE) -> View:
    before = len(line.views)
    assert said(line, number, text, who)
    await until(lambda: len(line.views) > before)
    return line.views[before]


async def answered(line: Line, number: int) -> View:
    """Say the same until it is answered: what a person does who was told "in a moment"."""
    async with asyncio.timeout(DEADLINE):
        while True:
            view = await told(line, number, "1")
            number += 1
            if TROUBLE not in says(view):
                return view


BREAKS: dict[str, tuple[Callable[[Redis], AbstractContextManager[None]], bool]] = {
    "stopped": (servers.stopped, True),
    "emptied": (servers.emptied, False),
    "hung": (servers.hung, True),
    "full": (servers.full, True),
    "read-only": (servers.read_only, True),
    "without replicas": (servers.without_replicas, True),
    "disk full": (servers.disk_full, True),
    "busy": (servers.busy, True),
    "locked out": (servers.locked_out, True),
}
"""How it breaks, and whether what it held is there afterwards."""


@pytest.mark.parametrize("name", BREAKS)
async def test_people_get_a_clear_word_and_it_goes_on_by_itself(settings: Settings, server: Redis, name: str) -> None:
    breaks, kept = BREAKS[name]
    line = Line()
    async with served(settings, line, []) as serving:
        opening = await told(line, 1, CUT_OFF)
        assert opening.conversation
        with breaks(server):
            began = time.monotonic()
            view = await told(line, 2, "1")
            assert TROUBLE in says(view), says(view)
            assert time.monotonic() - began < 8.0
            assert TROUBLE in says(await told(line, 3, CUT_OFF, replace(ALICE, user="U2")))
        view = await answered(line, 10)
        assert (view.conversation == opening.conversation) is kept
        assert not serving.done(), "no process ends for it"
        os.kill(os.getpid(), signal.SIGTERM)
        assert await serving == 0


async def test_a_store_that_is_slow_is_waited_for(settings: Settings, server: Redis) -> None:
    line = Line()
    async with served(settings, line, []):
        await told(line, 1, CUT_OFF)
        with server.admin as client:
            client.client_pause(1200, all=False)
        began = time.monotonic()
        assert TROUBLE not in says(await told(line, 2, "1"))
        assert time.monotonic() - began > 0.5, "it was slow indeed"


async def nothing_owed(store: RedisConversations) -> bool:
    return await store.owed(ALICE, older_than=0) == ()


async def test_an_answer_that_could_not_be_confirmed_is_not_shown_again(settings: Settings, server: Redis) -> None:
    """Posted, and then the store goes before that is noted: found when it is back, or confirmed from memory."""
    go_on = asyncio.Event()
    line, quick = Line(pause=go_on.wait), Rhythm(written=0.2, owed=0.2, bounds=Bounds(owed=0.5))
    async with served(settings, line, [], rhythm=quick):
        said(line, 1, CUT_OFF)
        await line.begun.wait()
        with servers.stopped(server):
            go_on.set()
            await until(lambda: line.views)
        store = await connect(server.url, settings.data_dir)
        await until(lambda: nothing_owed(store))
        await store.close()
        assert len(line.views) == 1


async def test_a_thousand_people_in_one_second(settings: Settings) -> None:
    """Each is answered, or told at once that there is too much; afterwards everything is as always."""
    line = Line()
    async with served(settings, line, []):
        people = [replace(ALICE, user=f"U{n}", channel=f"D{n}") for n in range(1000)]
        taken = Counter(said(line, n, CUT_OFF, who) for n, who in enumerate(people))
        assert taken[True] >= 200
        await until(lambda: len(line.views) == taken[True], within=120.0)
        assert len({view.conversation for view in line.views}) == taken[True], "each has one of their own"
        assert TROUBLE not in says(await told(line, 2000, CUT_OFF, replace(ALICE, user="late")))


async def answer(one: Desk, number: int, text: str) -> View:
    line = Line()
    await handle(one, InboundEvent(f"e{number}", ALICE, Said(text, "direct")), line)
    return line.views[-1]


@pytest.mark.parametrize("jump", [-86_400.0, 86_400.0 * 400], ids=["a day back", "a year on"])
async def test_a_clock_that_jumps_breaks_no_conversation(settings: Settings, jump: float) -> None:
    async with desk(settings) as one:
        opening = await answer(one, 1, CUT_OFF)
        one.clock = lambda: time.time() + jump
        view = await answer(one, 2, "1")
        assert view.conversation == opening.conversation
        assert view.step != opening.step
        one.clock = time.time
        again = await answer(one, 3, "back")
        assert again.conversation == opening.conversation


class TestOurOwnStore:
    """The one that runs without REDIS_URL."""

    async def test_its_disk_fills_up_and_is_made_room_on(self, tmp_path: Path, settings: Settings) -> None:
        data = tmp_path / "small"
        own = settings.model_copy(update={"redis_url": None, "data_dir": data})
        try:
            with servers.small_disk(data, "5m"):
                line = Line()
                async with served(own, line, []):
                    opening = await told(line, 1, CUT_OFF)
                    filler = data / "somebody-elses"
                    filled = await asyncio.to_thread(fill, filler)
                    assert filled > 1000
                    await until_trouble(line)
                    await asyncio.to_thread(filler.unlink)
                    view = await answered(line, 5000)
                    assert view.conversation == opening.conversation, "what was answered was kept"
                await asyncio.to_thread(stop_embedded, data)
        except PermissionError as error:
            pytest.skip(str(error))


def fill(path: Path) -> int:
    """Write until the disk is full; return how much went in."""
    size = 0
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                size += file.write(b"x" * 4096)
        except OSError:
            return size


async def until_trouble(line: Line) -> None:
    """Talk until what is said no longer fits on the disk."""
    for number in range(100, 400):
        if TROUBLE in says(await told(line, number, f"my note {'x' * 900} {number}")):
            return
    raise AssertionError("the disk did not fill")
