"""Any sequence of documents, crashes between any two steps, several replicas, a platform that fails: nothing is lost.

Every update has a mark of its own in its words. A channel was told it by the message whose first version shows it: the
post, for what was there then, or a reply. In the end each mark must be there exactly once, and nothing left red.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.adapters.console.plain import as_text
from bot.adapters.rehearsal.pages import Kept, MemoryPages
from bot.core.status.announcement_view import Notice, Tone
from bot.core.status.statuspage import parse_incidents
from bot.core.status.subscription import Choice, Place, Subscription
from bot.core.status.watch import Known, Page, Reading, Standing, merge
from bot.ports.announcing import Channels
from bot.ports.pages import Lease, PageStore
from handlers.announce import Announcer, Office
from handlers.subscriptions import listen
from tests.fakes.nasty import Died, Fragile, Life, Nasty
from tests.scenarios.announcing import CLAUDE, DAY, HOUR, Town
from tests.scenarios.vendor import MARK, OPEN_STATES, VENDOR, Vendor

STILL = re.compile(r"(?:Trouble i\d+[^\n]* · )?Still open[^\n]*")
"""What is said once a day of an incident that stays open; in a thread about several, with its name."""
MOODS = (Choice(), Choice(least="critical"), Choice(general=False), Choice(least="major"))
PATIENCE = 40
STEADY = 0.7
"""How often a replica that does not die is one that was there before."""
LOST = 60.0
"""Seconds a replica may be behind when it takes over."""


class Generous(MemoryPages):
    """A lease only saves work: to prove it, everybody gets it."""

    async def lease(self, page: str, name: str, holder: str, seconds: float) -> Lease | None:  # noqa: ARG002 - the port's
        return Lease(page, name, holder, 1)


class World:
    """A page, a platform, two channels of which one wants less, and replicas that come and go."""

    def __init__(self, town: Town, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - to be repeated
        self.town, self.clock = town, town.clock
        self.pages = Generous(self.clock)
        self.platform = Nasty(self.clock, self.chance)
        self.vendor = Vendor(self.chance)
        self.kept: list[tuple[float, Kept]] = []
        self.lost = False
        self.steady = [Announcer(self.office(Life(None))) for _ in range(3)]

    async def begin(self) -> None:
        for channel, choice in (
            ("ALL", Choice(daily=True)),
            ("GRAVE", Choice(least="major")),
            ("EDITS", Choice(replies=False)),
            ("MOODY", MOODS[0]),
        ):
            before = await self.pages.page(CLAUDE)
            new = Subscription(Place("nasty", "W", channel), CLAUDE, before.page.revision + 1, choice)
            assert await self.pages.subscribe(before, new)
        await self.read()

    async def chooses(self, mood: int) -> None:
        """One channel wants to hear of something else from now on."""
        await listen(self.office(Life(None)), Subscription(Place("nasty", "W", "MOODY"), CLAUDE, 0, MOODS[mood]))

    def office(self, life: Life) -> Office:
        pages = cast("PageStore", Fragile(self.pages, self.chance, life))
        channels = cast("Channels", Fragile(self.platform, self.chance, life))
        return Office(pages, {"nasty": channels}, lambda _: self.town.names, replica=str(self.chance.random()))

    async def passes(self, seconds: float) -> None:
        self.clock.now += seconds
        self.vendor.now = self.clock.now
        self.platform.land()

    async def read(self, steps: int | None = None) -> None:
        """A replica reads the page; it may die in the middle."""
        office = self.office(Life(steps))
        try:
            before = await office.pages.page(CLAUDE)
            listed = parse_incidents(self.vendor.document(), page_id=CLAUDE)
            await office.pages.put(before, merge(before.page, Reading(self.clock.now, listed)))
        except Died:
            pass

    async def walk(self, *lives: int | None) -> None:
        """Replicas walk at the same time; those with a number of steps die after as many."""
        # Those who live on remember who had to wait; of those who are begun again, none does.
        stays = [steps is None and self.chance.random() < STEADY for steps in lives]
        begun = [Announcer(self.office(Life(steps))) for steps in lives]
        announcers = [old if stay else new for stay, old, new in zip(stays, self.steady, begun, strict=False)]
        outcomes = await asyncio.gather(*(a.walk(CLAUDE, "nasty") for a in announcers), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException) and not isinstance(outcome, Died):
                raise outcome

    def keeps(self) -> None:
        """A replica of the store is up to here."""
        self.kept.append((self.clock.now, self.pages.kept()))

    def fails_over(self) -> None:
        """That replica takes over: what was written since is lost."""
        recent = [kept for kept in self.kept if self.clock.now - kept[0] <= LOST]
        if recent:
            at, kept = recent[-1]
            self.pages.loses(kept, at - 1)
            self.lost = True
            self.kept.clear()

    async def is_emptied(self) -> None:
        """All is gone; the settings file's subscriptions come back."""
        self.pages.loses(None)
        self.lost = True
        self.kept.clear()
        await self.begin()

    async def lives(self, what: str, how: Any) -> None:  # noqa: ANN401 - as each act has it
        """One of the things that happen."""
        match what:
            case "vendor":
                self.vendor.does(how)
            case "read":
                await self.passes(1)
                await self.read(how)
            case "walk":
                await self.walk(*how)
            case "choose":
                await self.chooses(how)
            case "time":
                await self.passes(how)
            case "trouble":
                self.platform.trouble = how
            case "keep" | "fail over":
                (self.keeps if what == "keep" else self.fails_over)()
            case "empty":
                await self.is_emptied()

    async def calms_down(self) -> Page:
        """The platform works again, everything ends, and there is time."""
        self.platform.trouble = 0.0
        for incident in list(self.vendor.incidents.values()):
            if incident["status"] in OPEN_STATES:
                self.vendor.says(incident, "resolved")
        for _ in range(3):
            await self.passes(60)
            await self.read()
        for _ in range(PATIENCE):
            await self.walk(None)
            await self.passes(31)
            page = (await self.pages.page(CLAUDE)).page
            if await self.pages.settled(CLAUDE, "nasty") == page.revision:
                return page
            # Edits are damped; an hour later they go on.
            await self.passes(HOUR / 4)
        raise AssertionError("it never settles")

    def judge(self, page: Page) -> None:
        """Every channel has everything exactly once, and shows the end."""
        bundled = {i for bundle in page.bundles for i in bundle.incidents}
        for channel, wants in (("ALL", Choice()), ("GRAVE", Choice(least="major"))):
            first = self.stands(channel) if self.lost else self.told(channel)
            assert all(count == 1 for count in first.values()), (channel, first)
            for known in page.incidents.values():
                announced = any(known.incident.id in self.names(m) for m in self.here(channel) if not m.parent)
                due = known.news and known.incident.id not in bundled and wants.wants(known)
                if announced or (due and known.standing is Standing.LISTED):
                    missing = {m for m in self.marks(known) if m not in first}
                    assert known.incident.id in bundled or not missing, (channel, known, first)
        self.judge_threads()
        self.judge_moody(page)
        for channel in ("ALL", "GRAVE", "EDITS"):
            assert channel == "ALL" or not any(STILL.search(words(m.shows[-1])) for m in self.here(channel))
            for message in self.here(channel):
                if not message.parent:
                    last = message.shows[-1]
                    assert last.tone in {Tone.OVER, Tone.GONE}, (channel, message)
                    named = [page.incidents[i].incident.name for i in self.names(message)]
                    assert all(name in words(last) for name in named), (named, last)
                    assert not any(f"{name} more" in words(last) for name in named), (named, last)
        posts = Counter(name for m in self.here("EDITS") for name in self.names(m))
        assert all(count == 1 for count in posts.values()), posts
        shown = " ".join(words(m.shows[-1]) for m in self.here("EDITS"))
        for known in page.incidents.values():
            if known.incident.id in posts and known.incident.id not in bundled:
                assert all(mark in shown for mark in self.marks(known)), "what is only edited shows it all"

    def judge_moody(self, page: Page) -> None:
        """Who wants this today and that tomorrow hears of what was begun to its end, and of nothing twice."""
        first = self.stands("MOODY") if self.lost else self.told("MOODY")
        assert all(count == 1 for count in first.values()), first
        for post in (m for m in self.here("MOODY") if not m.parent):
            assert post.shows[-1].tone in {Tone.OVER, Tone.GONE}, post
            # In a message about what was open when it chose, what was said before is not repeated.
            if "Trouble" in words(post.shows[0]).partition("\n")[0]:
                missing = {m for i in self.names(post) for m in self.marks(page.incidents[i]) if m not in first}
                assert not missing, (missing, post)

    def judge_threads(self) -> None:
        """What is said below a message is said in order, and that it is still open once a day."""
        if not self.lost:
            # Of several incidents nobody knows which of two updates of one moment came first.
            for post in (m for m in self.here("ALL") if not m.parent and len(self.names(m)) == 1):
                thread = [post, *(m for m in self.here("ALL") if m.parent == post.ref)]
                order = [int(mark[2:-1]) for m in thread for mark in MARK.findall(words(m.shows[0]))]
                assert order == sorted(order), "told in the order in which it was said"
        still = Counter((m.parent, line) for m in self.here("ALL") for line in STILL.findall(words(m.shows[-1])))
        assert all(count == 1 for count in still.values()), still

    def told(self, channel: str) -> Counter[str]:
        """How often each update was told: by the first version of a message."""
        return Counter(mark for m in self.here(channel) for mark in MARK.findall(words(m.shows[0])))

    def stands(self, channel: str) -> Counter[str]:
        """How often each update can be read now: in a reply, or, if in none, in a post at any time.

        What was told by a message the store forgot is not known: it may have been moved to a later one by an edit.
        """
        replies = Counter(mark for m in self.here(channel) if m.parent for mark in MARK.findall(words(m.shows[-1])))
        posts = {mark for m in self.here(channel) if not m.parent for v in m.shows for mark in MARK.findall(words(v))}
        return Counter(dict.fromkeys(posts, 1) | dict(replies))

    def here(self, channel: str) -> list[Any]:
        return [m for m in self.platform.messages.values() if m.place.channel == channel]

    def names(self, message: Any) -> set[str]:  # noqa: ANN401 - a Message
        # A message that a store forgot may have been about more; each of those has one of its own now.
        return set(re.findall(r"Trouble (i\d+)", words(message.shows[-1 if self.lost else 0])))

    def marks(self, known: Known) -> list[str]:
        return [mark for u in known.incident.updates for mark in MARK.findall(u.body)]


def words(notice: Notice) -> str:
    return as_text(notice.view, grades={"official": "official"}, width=0)


steps = st.none() | st.integers(0, 40)
act = st.one_of(
    st.tuples(st.just("vendor"), st.sampled_from(VENDOR)),
    st.tuples(st.just("vendor"), st.sampled_from(VENDOR)),
    st.tuples(st.just("read"), st.none() | st.integers(0, 3)),
    st.tuples(st.just("walk"), st.lists(steps, min_size=1, max_size=3)),
    st.tuples(st.just("walk"), st.lists(steps, min_size=1, max_size=3)),
    st.tuples(st.just("time"), st.sampled_from([1.0, 5.0, 20.0, 31.0, 60.0, 26 * HOUR, 3 * DAY])),
    st.tuples(st.just("choose"), st.integers(0, len(MOODS) - 1)),
    st.tuples(st.just("trouble"), st.sampled_from([0.0, 0.3, 0.8])),
    st.tuples(st.just("keep"), st.none()),
    st.tuples(st.just("fail over"), st.none()),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), acts=st.lists(act, min_size=3, max_size=40))
def test_whatever_happens_every_update_is_told_once_and_nothing_stays_red(
    seed: int, acts: list[tuple[str, Any]]
) -> None:
    asyncio.run(lived(seed, acts))


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_hundreds_of_bad_days(first: int) -> None:
    """Longer lives than hypothesis invents, in which most things go wrong."""
    for seed in range(first, first + 100):
        asyncio.run(lived(seed, list(bad_day(random.Random(seed)))))  # noqa: S311 - to be repeated


@pytest.mark.parametrize("first", range(0, 200, 100))
def test_a_store_that_fails_over_and_forgets_its_last_writes(first: int) -> None:
    """The same, with a store that goes back to what it was up to a minute ago."""
    for seed in range(first, first + 100):
        acts = list(bad_day(random.Random(seed), "keep", "keep", "fail over"))  # noqa: S311 - to be repeated
        asyncio.run(lived(seed, acts))


@pytest.mark.parametrize("first", range(0, 100, 50))
def test_a_store_that_is_emptied_while_the_subscriptions_come_back(first: int) -> None:
    """What stands in the channels is taken up again: no open post is posted again, or stays red."""
    for seed in range(first, first + 50):
        asyncio.run(lived(seed, list(bad_day(random.Random(seed), "empty"))))  # noqa: S311 - to be repeated


def bad_day(chance: random.Random, *stores: str) -> Iterator[tuple[str, Any]]:
    """A few incidents, and a platform that fails while replicas die."""
    yield "trouble", chance.choice([0.2, 0.5, 0.8])
    for _ in range(chance.randrange(20, 60)):
        what = chance.choices(
            ("vendor", "read", "walk", "time", "trouble", "choose", *stores),
            (3, 3, 5, 4, 0.3, 0.5, *(0.7,) * len(stores)),
        )[0]
        match what:
            case "vendor":
                yield what, chance.choice(VENDOR)
            case "read":
                yield what, chance.choice([None, None, None, 0, 1, 2])
            case "walk":
                yield what, [chance.choice([None, None, chance.randrange(40)]) for _ in range(chance.randrange(1, 4))]
            case "keep" | "fail over" | "empty":
                yield what, None
            case "choose":
                yield what, chance.randrange(len(MOODS))
            case "time":
                yield what, chance.choice([1.0, 5.0, 12.0, 20.0, 28.0, 31.0, 31.0, 60.0, HOUR])
            case _:
                yield what, chance.choice([0.2, 0.5, 0.8])


async def lived(seed: int, acts: list[tuple[str, Any]]) -> World:
    """Live through these acts, and be judged."""
    world = World(await Town.build(), seed)
    await world.begin()
    # Of what a store forgot, and the vendor deleted before the page was read again, nobody can know any more.
    deletes = not any(what in {"fail over", "empty"} for what, _ in acts)
    for what, how in acts:
        await world.lives(what, "update" if (what, how) == ("vendor", "delete") and not deletes else how)
    world.judge(await world.calms_down())
    return world


def test_where_nobody_may_look_a_message_of_unknown_fate_is_not_sent_again() -> None:
    async def live() -> None:
        for seed in range(30):
            world = World(await Town.build(), seed)
            await world.begin()
            world.platform.blind, world.platform.trouble = True, 0.5
            for _ in range(6):
                world.vendor.does(world.chance.choice(VENDOR))
                await world.passes(31)
                await world.read()
                await world.walk(None, None)
            await world.calms_down()
            for channel in ("ALL", "GRAVE"):
                told = world.told(channel)
                assert all(count == 1 for count in told.values()), (seed, channel, told)

    asyncio.run(live())


async def test_an_edit_of_unknown_fate_is_repeated_although_the_page_went_back_to_what_stood_before() -> None:
    world = World(await Town.build(), 1)
    await world.begin()
    world.vendor.does("begin")
    incident = world.vendor.incidents["i1"]
    incident["impact"] = "minor"
    await world.read()
    await world.walk(None)
    incident["impact"] = "critical"
    await world.read()
    post = next(m for m in world.here("EDITS") if not m.parent)
    world.platform.chance = Late()
    world.platform.trouble = 1.0
    await world.walk(None)
    world.platform.trouble = 0.0
    incident["impact"] = "minor"
    await world.read()
    await world.passes(29)
    assert world.here("EDITS")[0].shows[-1].tone is Tone.CRITICAL, "the late edit has arrived"
    for _ in range(3):
        await world.passes(31)
        await world.walk(None)
    assert post.shows[-1].tone is Tone.MINOR


class Late(random.Random):
    """A chance by which every request arrives after 28 seconds, and nobody is told."""

    def choice(self, seq: Any) -> Any:  # noqa: ANN401 - as Random has it
        return "late" if "late" in seq else super().choice(seq)

    def uniform(self, a: float, b: float) -> float:  # noqa: ARG002 - as Random has it
        return 28.0


async def test_what_was_withdrawn_after_the_store_forgot_its_post_is_found_and_says_so() -> None:
    world = World(await Town.build(), 1)
    await world.begin()
    world.vendor.does("begin")
    await world.passes(1)
    await world.read()
    world.keeps()
    await world.walk(None)
    world.fails_over()
    world.vendor.does("delete")
    page = await world.calms_down()
    assert page.incidents["i1"].standing is Standing.WITHDRAWN
    (post,) = [m for m in world.here("ALL") if not m.parent]
    assert post.shows[-1].tone is Tone.GONE
