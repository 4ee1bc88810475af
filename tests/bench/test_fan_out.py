"""Thousands of channels: nobody is forgotten, no limit is broken, and a channel that hangs holds up no other.

`REDIAL_FAN_OUT` sets how many channels; the pace is three times the real one, which a busy machine keeps up with.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter, deque

import pytest

from bot.adapters.rehearsal.channels import PaperChannels
from bot.adapters.rehearsal.pages import MemoryPages
from bot.core.announcement_view import Notice
from bot.core.subscription import Place, Subscription
from bot.ports.announcing import Delivery, Failed, Why
from handlers.announce import Announcer, Office
from handlers.pacing import Budget, Pacer
from tests.scenarios.announcing import CLAUDE, OLD, Town, made, page_of

CHANNELS = int(os.environ.get("REDIAL_FAN_OUT", "400"))
PACE = 120.0
WORKSPACES = 25
HANGS = 5


class Strict(PaperChannels):
    """Takes a while, refuses what is too fast, and leaves some channels hanging."""

    def __init__(self) -> None:
        super().__init__()
        self.refused, self.full = 0, asyncio.Event()
        self._recent: deque[float] = deque()

    async def post(self, place: Place, key: str, notice: Notice) -> Delivery:
        if place.channel.startswith("HANGS"):
            await asyncio.sleep(60)
        now = time.monotonic()
        while self._recent and self._recent[0] < now - 1:
            self._recent.popleft()
        if len(self._recent) > PACE * 1.25:
            self.refused += 1
            return Failed(Why.WAIT, wait=1.0)
        self._recent.append(now)
        await asyncio.sleep(0.05)
        posted = await super().post(place, key, notice)
        if len(self.messages) >= CHANNELS:
            self.full.set()
        return posted


@pytest.mark.parametrize("hanging", [0, HANGS])
async def test_every_channel_hears_of_it_within_the_budget(hanging: int) -> None:
    town = await Town.build()
    platform, pages = Strict(), MemoryPages(time.time)
    town.pages = pages
    pacer = Pacer(Budget(second=PACE))
    town.office = Office(pages, {"bench": platform}, lambda _: town.names, {"bench": pacer})
    town.clock.now = time.time()
    for n in range(CHANNELS + hanging):
        before = await pages.page(CLAUDE)
        channel = f"HANGS{n}" if n >= CHANNELS else f"C{n}"
        place = Place("bench", f"W{n % WORKSPACES}", channel)
        assert await pages.subscribe(before, Subscription(place, CLAUDE, before.page.revision + 1))
    await town.reads(page_of(*OLD))
    await town.reads(page_of(made("new", impact="critical", at=town.clock.now), *OLD))
    began = time.monotonic()
    walking = asyncio.create_task(Announcer(town.office).walk(CLAUDE, "bench"))
    await asyncio.wait_for(platform.full.wait(), 10 + 2 * CHANNELS / PACE)
    took = time.monotonic() - began
    if hanging:
        walking.cancel()
        await asyncio.gather(walking, return_exceptions=True)
    else:
        assert (await walking).left == 0
    heard = Counter(m.place.channel for m in platform.messages.values())
    assert heard == {f"C{n}": 1 for n in range(CHANNELS)}
    assert platform.refused == 0, "no limit was broken"
    assert took <= 1.1 * CHANNELS / PACE + 3.0, f"{took:.1f} s for {CHANNELS} channels at {PACE}/s"
