"""Ten thousand channels at the real budgets: nobody is forgotten, no limit is broken, and a slow one holds up no other.

The clock is virtual: it jumps to whatever is waited for next, so that minutes pass in the time of the work. What is
measured is therefore the order and the waiting, which is what budgets are about, and not this machine.
`REDIAL_FAN_OUT` sets how many channels; half are on Discord, half on Slack in workspaces of fifty.
"""

from __future__ import annotations

import asyncio
import json
import os
import tracemalloc
from collections import Counter, defaultdict, deque
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.adapters.rehearsal.channels import PaperChannels
from bot.adapters.rehearsal.pages import MemoryPages
from bot.core.status.announcement_view import Notice, Tone
from bot.core.status.subscription import Place, Subscription
from bot.core.status.watch import Page
from bot.ports.announcing import Delivery, Failed, Why
from bot.runtime.settings import DiscordSettings, SlackSettings
from handlers.announce import Announcer, Office
from handlers.pacing import Budget, Pacer
from tests.fakes.virtual import VirtualLoop
from tests.scenarios.announcing import CLAUDE, OLD, START, Town, made, page_of, said

CHANNELS = int(os.environ.get("REDIAL_FAN_OUT", "10000")) // 2
EACH = 50
"""Channels of a Slack workspace."""
TAKES = 0.15
"""Seconds a request takes."""


@dataclass
class Limit:
    """So many in so many seconds, counted as the platform does."""

    most: int
    seconds: float
    recent: deque[float] = field(default_factory=deque)

    def takes(self, now: float) -> bool:
        while self.recent and self.recent[0] <= now - self.seconds:
            self.recent.popleft()
        if len(self.recent) >= self.most:
            return False
        self.recent.append(now)
        return True


class Strict(PaperChannels):
    """A platform that refuses what is too fast. busy: channels it refuses for half a minute; hanging: no answer."""

    def __init__(self, limits: dict[str, tuple[int, float]]) -> None:
        super().__init__()
        self.refused, self.first = Counter[str](), dict[str, float]()
        self.busy, self.hanging, self.asked = set[str](), set[str](), Counter[str]()
        self._limits: defaultdict[tuple[str, str], Limit] = defaultdict()
        self._kinds = limits

    async def post(self, place: Place, key: str, notice: Notice) -> Delivery:
        return await self._sent(place, "posts", super().post(place, key, notice))

    async def reply(self, place: Place, parent: str, key: str, notice: Notice) -> Delivery:
        return await self._sent(place, "posts", super().reply(place, parent, key, notice))

    async def edit(self, place: Place, ref: str, key: str, notice: Notice) -> Delivery:
        return await self._sent(place, "edits", super().edit(place, ref, key, notice))

    async def _sent(self, place: Place, kind: str, sending: Coroutine[Any, Any, Delivery]) -> Delivery:
        self.asked[place.channel] += 1
        now = asyncio.get_running_loop().time()
        places = {"all": "", "posts": place.workspace, "edits": place.workspace, "channel": place.channel}
        for name in ("channel", kind, "all"):
            if name in self._kinds and not self._limit(name, places[name]).takes(now):
                self.refused[name] += 1
                sending.close()
                return Failed(Why.WAIT, wait=1.0)
        if place.channel in self.busy:
            sending.close()
            return Failed(Why.WAIT, wait=30.0)
        if place.channel in self.hanging:
            sending.close()
            await asyncio.sleep(60)
        await asyncio.sleep(TAKES)
        self.first.setdefault(place.channel, asyncio.get_running_loop().time())
        return await sending

    def _limit(self, name: str, place: str) -> Limit:
        most, seconds = self._kinds[name]
        return self._limits.setdefault((name, place), Limit(most, seconds))


def discord() -> Strict:
    """Fifty a second in all, five in five seconds in a channel."""
    return Strict({"all": (50, 1.0), "channel": (5, 5.0)})


def slack() -> Strict:
    """300 posts and 50 edits a minute in a workspace, one a second in a channel, give or take what a request takes."""
    return Strict({"posts": (301, 60.0), "edits": (51, 60.0), "channel": (1, 0.99)})


@dataclass
class Country:
    """Two platforms, a page, and everybody who listens."""

    town: Town
    discord: Strict
    slack: Strict
    announcers: dict[str, Announcer]
    begun: float = 0.0

    @classmethod
    async def build(cls, channels: int = CHANNELS) -> Country:
        town, platforms = await Town.build(), {"discord": discord(), "slack": slack()}
        loop = asyncio.get_running_loop()
        town.pages = MemoryPages(lambda: START + loop.time())
        town.office = Office(town.pages, platforms, lambda _: town.names, pacers())
        for n in range(channels):
            for place in (Place("discord", f"S{n}", f"D{n}"), Place("slack", f"T{n // EACH}", f"C{n}")):
                before = await town.pages.page(CLAUDE)
                assert await town.pages.subscribe(before, Subscription(place, CLAUDE, before.page.revision + 1))
        await town.reads(page_of(*OLD))
        return cls(town, platforms["discord"], platforms["slack"], {p: Announcer(town.office) for p in platforms})

    async def reads(self, *incidents: dict[str, Any]) -> Page:
        """The page says this now."""
        self.town.clock.now = START + asyncio.get_running_loop().time()
        return await self.town.reads(page_of(*incidents, *OLD), after=0.001)

    async def walks(self, platform: str) -> float:
        """Walk as the process does, until everybody has everything; return how long that took."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        while True:
            left = (await self.announcers[platform].walk(CLAUDE, platform)).left
            if not left and await self.town.pages.settled(CLAUDE, platform) == await self.town.pages.revision(CLAUDE):
                return loop.time() - began
            await asyncio.sleep(2.0)


def pacers() -> dict[str, Pacer]:
    """The default budgets, as `redial run` has them."""
    slack_, discord_ = SlackSettings(), DiscordSettings()
    return {
        "slack": Pacer(Budget(0, slack_.posts_a_minute, slack_.edits_a_minute, slack_.channel_seconds)),
        "discord": Pacer(Budget(second=discord_.announcements_a_second, channel=discord_.channel_seconds)),
    }


def lived(living: Coroutine[Any, Any, None]) -> None:
    """Run it on the virtual clock."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(living)


def test_every_channel_hears_of_it_and_of_its_end_within_the_budgets(record_property: Any) -> None:  # noqa: ANN401 - pytest's
    async def living() -> None:
        country = await Country.build()
        await country.reads(made("new", impact="major", at=START))
        took = dict(zip(country.announcers, await asyncio.gather(*map(country.walks, country.announcers)), strict=True))
        floors = {"discord": CHANNELS / 40, "slack": EACH / 300 * 60}
        for platform, strict in (("discord", country.discord), ("slack", country.slack)):
            heard = Counter(m.place.channel for m in strict.messages.values())
            assert len(heard) == CHANNELS, "0 lost"
            assert set(heard.values()) == {1}, "0 doubled"
            assert not strict.refused, f"avoidable refusals on {platform}: {strict.refused}"
            assert took[platform] <= 1.1 * floors[platform] + 2.0, (platform, took[platform], floors[platform])
        figures = {"channels": 2 * CHANNELS, "seconds": took, "floors": floors}
        record_property("fan-out", json.dumps(figures))
        print(figures)  # noqa: T201 - shown with -s
        ended = made("new", "resolved", at=START, impact="major")
        ended["incident_updates"].append(said("newu0", "investigating", "It began.", START - 1))
        await country.reads(ended)
        await asyncio.gather(*map(country.walks, country.announcers))
        for strict in (country.discord, country.slack):
            posts = [m for m in strict.messages.values() if not m.parent]
            assert {m.shows.tone for m in posts} == {Tone.OVER}, "none left red"
            assert not strict.refused

    lived(living())


def test_a_walk_that_has_told_everybody_leaves_nobody() -> None:
    async def living() -> None:
        country = await Country.build(1500)
        await country.reads(made("new", impact="major", at=START))
        walked = await country.announcers["discord"].walk(CLAUDE, "discord")
        assert (walked.acts, walked.left) == (1500, 0), "the last one may end in the moment it is looked at"

    lived(living())


def test_what_a_walk_needs_itself_does_not_grow_with_the_channels() -> None:
    async def living(channels: int) -> None:
        country = await Country.build(channels)
        await country.reads(made("new", impact="major", at=START))
        tracemalloc.start()
        await country.walks("discord")
        after, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        # What stays is what the store and the platform have got, which are in this process here.
        needed[channels] = (peak - after) / 1e6

    needed = dict[int, float]()
    for channels in (600, 1800):
        lived(living(channels))
    print(needed)  # noqa: T201 - shown with -s
    assert needed[1800] < 10
    assert needed[1800] < 1.8 * needed[600], needed


@pytest.mark.parametrize("trouble", ["busy", "hanging"])
def test_a_channel_that_is_busy_or_hangs_delays_nobody(trouble: str) -> None:
    async def living() -> None:
        country = await Country.build(500)
        broken = {f"{kind}{n}" for kind in "DC" for n in (0, 101, 202)}
        for strict in (country.discord, country.slack):
            getattr(strict, trouble).update(broken)
        await country.reads(made("new", impact="major", at=START))
        walking = [asyncio.create_task(country.walks(platform)) for platform in country.announcers]
        await asyncio.sleep(500 / 40 * 1.1 + 2)
        for strict, kind in ((country.discord, "D"), (country.slack, "C")):
            heard = {m.place.channel for m in strict.messages.values()}
            assert heard == {f"{kind}{n}" for n in range(500)} - broken
            assert max(strict.asked.values()) <= 2, "who asked to be left alone is"
            getattr(strict, trouble).clear()
        await asyncio.sleep(120)
        await asyncio.gather(*walking)
        for strict in (country.discord, country.slack):
            assert Counter(m.place.channel for m in strict.messages.values()).most_common(1)[0][1] == 1
            assert len(strict.messages) == 500
            assert not strict.refused

    lived(living())


def test_what_is_critical_overtakes_what_is_not_and_edits_collapse_to_the_newest() -> None:
    async def living() -> None:
        country = await Country.build(1000)
        country.discord.hanging |= {"D3", "D4"}
        await country.reads(made("small", at=START))
        walking = asyncio.create_task(country.walks("discord"))
        await asyncio.sleep(10)
        names = ["Trouble small, one", "Trouble small, two", "Trouble small, three"]
        for name in names:
            await country.reads(made("small", at=START, name=name))
            await asyncio.sleep(1)
        await country.reads(made("big", at=START, impact="critical"), made("small", at=START, name=names[-1]))
        at = asyncio.get_running_loop().time()
        country.discord.hanging.clear()
        await walking
        big = [m for m in country.discord.messages.values() if "big" in str(m.history[0].view.lead)]
        assert len(big) == 1000
        order = list(country.discord.messages.values())
        after = order[order.index(big[0]) :]
        assert sum("big" in str(m.history[0].view.lead) for m in after[:995]) == 995, "before all that is left"
        assert asyncio.get_running_loop().time() - at < 1.2 * (2 * 1000 + 400) / 40
        shown = Counter(len(m.history) for m in order if m not in big)
        assert max(shown) <= 5
        assert sum(count for versions, count in shown.items() if versions > 1) <= 700, "who heard late heard it once"
        assert not country.discord.refused

    lived(living())
