"""What people in conversations notice while ten thousand channels are told of an incident, and the memory that takes.

In real time, unlike the rest of the fan-out: turns are whole presses in Slack, announcements real posts at the pace
that is Discord's by default, all in one process. A walk goes on for minutes; its beginning takes turns with quiet.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
import tracemalloc
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field

from bot.core.status.statuspage import parse_incidents
from bot.core.status.subscription import Place, Subscription
from bot.core.status.watch import Reading, merge
from bot.ports.pages import PageStore
from bot.runtime.settings import DiscordSettings
from handlers.announce import Announcer, Office
from handlers.pacing import Budget, Pacer
from tests.bench import slack
from tests.bench.measuring import Figure, Tick, quantile, scaled
from tests.bench.world import Bot, Outside, bot, outside
from tests.scenarios.announcing import CLAUDE, OLD, Town, made, page_of

CHANNELS = 10_000
ANNOUNCED = "one announcement, with its store and its post"
_APART = 0.02
"""Seconds between two turns."""
_LATER = 7200.0


@dataclass
class Fan:
    """A page in the store and the channels that listen to it."""

    pages: PageStore
    office: Office
    news: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    async def reads(self, *incidents: Mapping[str, object]) -> None:
        """The page says this now."""
        before = await self.pages.page(CLAUDE)
        listed = parse_incidents(page_of(*incidents, *OLD), page_id=CLAUDE)
        assert await self.pages.put(before, merge(before.page, Reading(time.time(), listed)))

    @contextlib.asynccontextmanager
    async def told(self) -> AsyncIterator[None]:
        """While this lasts, everybody is being told of something new."""
        # What began soon after the store is looked for before it is told: the store might have forgotten that it was.
        await self.reads(made(f"new{next(self.news)}", impact="major", at=time.time() + _LATER))
        walking = asyncio.create_task(Announcer(self.office).walk(CLAUDE, "slack"))
        try:
            yield
        finally:
            assert not walking.done(), "there was not enough to tell"
            walking.cancel()
            await asyncio.gather(walking, return_exceptions=True)


def run(tick: Tick) -> list[Figure]:
    """Talk to Redial while it announces."""
    return asyncio.run(_run(tick))


async def _run(tick: Tick) -> list[Figure]:
    triage = {"triage_channels": [slack.CHANNEL]}
    people, times, turns = scaled(200, 40), 2, scaled(450, 60)
    async with outside() as world, bot(world, slack=triage) as one, slack.crowd(one, world, people) as crowd:
        tick(f"{scaled(CHANNELS, 500)} channels begin to listen")
        fan = await _listened(one, crowd, scaled(CHANNELS, 500))
        quiet, busy, posted = list[tuple[float, float]](), list[tuple[float, float]](), 0
        await _talked(crowd, turns)
        for number in range(times):
            tick(f"window {number + 1} of {times}")
            quiet += await _talked(crowd, turns)
            before = (await world.counts())["chat.postMessage"]
            async with fan.told():
                busy += await _talked(crowd, turns)
            posted += (await world.counts())["chat.postMessage"] - before - turns
        assert posted > _APART * turns * times * DiscordSettings().announcements_a_second / 2, "it was announced"
        tick("memory")
        memory = await _needed(fan)
        tick("nothing but announcements")
        cost = await _cost(fan, world)
    return [*_figures(quiet, busy, posted), memory, cost]


async def _listened(one: Bot, crowd: slack.Crowd, channels: int) -> Fan:
    pages, town = one.desk.pages, await Town.build()
    assert pages is not None
    pacer = Pacer(Budget(second=DiscordSettings().announcements_a_second))
    fan = Fan(pages, Office(pages, {"slack": crowd.running.channels}, lambda _: town.names, {"slack": pacer}))
    # A store that is new may be one that has lost its memory, until it was compared with what stands in channels.
    paper = Announcer(Office(pages, {"slack": town.paper}, lambda _: town.names, replica=fan.office.replica))
    for name in ("one", "two"):
        await fan.reads(made("first", "resolved", name=name))
        assert not (await paper.walk(CLAUDE, "slack")).left
    for n in range(channels):
        before = await pages.page(CLAUDE)
        place = Place("slack", slack.TEAM, f"A{n:05d}")
        assert await pages.subscribe(before, Subscription(place, CLAUDE, before.page.revision + 1))
    return fan


async def _talked(crowd: slack.Crowd, turns: int) -> list[tuple[float, float]]:
    """Play turns one after another; return how long each took by the clock, and what this process did meanwhile."""
    requests = [crowd.press(number % len(crowd.ids)) for number in range(turns)]
    found = list[tuple[float, float]]()
    for request in requests:
        await asyncio.sleep(_APART)
        began = time.perf_counter(), time.thread_time()
        await slack.deliver(crowd.running.app, request, crowd.bot.expect(request.id))
        found.append((time.perf_counter() - began[0], time.thread_time() - began[1]))
    await crowd.bot.desk.store.flush()
    return found


def _figures(quiet: list[tuple[float, float]], busy: list[tuple[float, float]], posted: int) -> list[Figure]:
    figures, counts = list[Figure](), {"turns": len(busy), "posts of announcements meanwhile": posted}
    for column, unit in enumerate(("ms", "ms CPU")):
        idle, meanwhile = (quantile([one[column] for one in took], 0.99) * 1e3 for took in (quiet, busy))
        name = "p99 of a turn while channels are told" + (": what this process does meanwhile" if column else "")
        ratio = round(meanwhile / idle, 3)
        floor = "the same with nothing to tell"
        figures.append(Figure("fan-out", name, round(meanwhile, 2), unit, floor, ratio, goal=2.0, counts=counts))
    return figures


async def _cost(fan: Fan, world: Outside) -> Figure:
    """Return what this process does for one announcement: read who listens, write the intent, post, write what came."""
    async with fan.told():
        await asyncio.sleep(1.0)
        posts, began = (await world.counts())["chat.postMessage"], time.process_time()
        await asyncio.sleep(scaled(15, 3))
        cpu, posts = time.process_time() - began, (await world.counts())["chat.postMessage"] - posts
    counts = {"posts": posts}
    return Figure("fan-out", ANNOUNCED, round(cpu / posts * 1e6, 1), "µs CPU", counts=counts)


async def _needed(fan: Fan) -> Figure:
    """Return how much more the process needs at most while a walk gets under way."""
    async with fan.told():
        await asyncio.sleep(0.5)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    async with fan.told():
        await asyncio.sleep(scaled(20, 3))
        _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Figure("fan-out", "more memory while channels are told", round((peak - before) / 1e6, 2), "MB", goal=5.0)
