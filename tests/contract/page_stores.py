"""What every `PageStore` promises."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import replace

import pytest

from bot.core.status.announcement import Announcement, Doing, Head, Intent, Note, Sent, What
from bot.core.status.incident import Component, Incident, Move, Update
from bot.core.status.subscription import Choice, Place, Standing, Subscription
from bot.core.status.watch import Bundle, Kind, Known, Page, Trouble
from bot.core.status.watch import Standing as Listed
from bot.ports.pages import Lease, PageStore, Snapshot

UPDATE = Update("u1", "investigating", "Looking — ☎\n\x00<b>", 1000.5, ("c1",), (Move("c1", "API", "operational", ""),))
INCIDENT = Incident("i1", "Errors", "investigating", "major", 1000.0, 1000.5, None, "https://x", ("c1",), (UPDATE,))
PLACE = Place("slack", "T1", "C1")


def a_page(**incidents: Known) -> Page:
    bundle = Bundle("open-1", Kind.OPEN, 1, tuple(incidents))
    parts = {"c1": Component("c1", "API", "operational")}
    trouble = Trouble(5.0, "cannot be read", challenged=True)
    return Page("", 1, 999.25, incidents, (bundle,), parts, "https://status.claude.com", trouble)


def an_announcement(**changes: object) -> Announcement:
    head = Head("Errors", "major", "investigating", Listed.WITHDRAWN, 5.5, soon=True, quiet=3)
    post = Sent("C1/1.2", "key", "mark", ("i1/u1",), (Note("i1", What.IMPACT, "minor", "major"),))
    full = Announcement("i1", ("i1",), post, (replace(post, ref="r"),), {"i1": head}, frozenset({"a", "b"}), 3, (7, 2))
    return replace(full, **changes)  # type: ignore[arg-type]


def an_intent(attempt: str = "t") -> Intent:
    return Intent(Doing.REPLY, Sent("", "key2", "mark2"), {"i1": Head("Errors", "major", "x")}, 0, attempt)


class PageStoreContract:
    """The promises; a subclass says of which store."""

    @pytest.fixture
    def page_id(self) -> str:
        return uuid.uuid4().hex[:12]

    async def listening(self, pages: PageStore, page_id: str, place: Place = PLACE) -> Subscription:
        before = await pages.page(page_id)
        new = Subscription(place, page_id, before.page.revision + 1)
        assert await pages.subscribe(before, new)
        stored = await pages.subscription(page_id, place)
        assert stored is not None
        return stored

    async def test_of_a_page_nobody_has_read_nothing_is_known(self, pages: PageStore, page_id: str) -> None:
        assert await pages.page(page_id) == Snapshot(Page(page_id), 0)
        assert await pages.revision(page_id) == 0
        assert await pages.subscriptions(page_id) == ()
        assert await pages.subscription(page_id, PLACE) is None

    async def test_what_was_written_is_read_by_another_replica(
        self, pages: PageStore, other: PageStore, page_id: str
    ) -> None:
        known = Known(INCIDENT, 1, 999.0, news=1, missing=1, missing_since=5.0, standing=Listed.UNLISTED, soon=True)
        known = replace(known, quiet=2, reached=(replace(INCIDENT.reach, impact="minor"),))
        page = replace(a_page(i1=known, i2=replace(known, news=0)), id=page_id, published=998.5)
        assert await pages.put(await pages.page(page_id), page)
        assert await other.page(page_id) == Snapshot(page, 1)
        assert await other.revision(page_id) == 1
        after = replace(page, revision=2, incidents={"i1": replace(known, changed=2)})
        assert await other.put(await other.page(page_id), after)
        assert await pages.page(page_id) == Snapshot(after, 2)

    async def test_of_replicas_that_read_the_page_at_once_one_writes(
        self, pages: PageStore, other: PageStore, page_id: str
    ) -> None:
        before = await pages.page(page_id)
        one, two = (replace(a_page(), id=page_id, read_at=float(n)) for n in range(2))
        outcomes = await asyncio.gather(pages.put(before, one), other.put(before, two))
        assert sorted(outcomes) == [False, True]
        assert (await pages.page(page_id)).page == (one if outcomes[0] else two)

    async def test_a_new_subscription_makes_who_read_the_page_before_read_again(
        self, pages: PageStore, other: PageStore, page_id: str
    ) -> None:
        before = await other.page(page_id)
        await self.listening(pages, page_id)
        assert not await other.put(before, replace(a_page(), id=page_id))
        assert await pages.revision(page_id) == 1
        assert not await other.subscribe(before, Subscription(PLACE, page_id, 1))

    async def test_a_subscription_keeps_all_that_was_chosen(
        self, pages: PageStore, other: PageStore, page_id: str
    ) -> None:
        choice = Choice(
            frozenset({"a", "b"}),
            general=False,
            least="major",
            maintenance=False,
            mention="<!here>",
            mention_from="major",
            replies=False,
            locale="de",
            daily=True,
        )
        new = Subscription(
            PLACE,
            page_id,
            1,
            choice,
            by="U1",
            declared=True,
            standing=Standing.PAUSED,
            trouble="gone",
            openings=(Bundle("open-1", Kind.OPEN, 1, ("i1",)),),
            keeps=frozenset({"i2"}),
        )
        assert await pages.subscribe(await pages.page(page_id), new)
        (stored,) = await other.subscriptions(page_id)
        assert stored == replace(new, version=1)
        assert await other.subscription(page_id, PLACE) == stored
        assert await other.subscription(page_id, replace(PLACE, channel="C2")) is None

    async def test_of_two_changes_of_a_subscription_one_is_made(
        self, pages: PageStore, other: PageStore, page_id: str
    ) -> None:
        before = await self.listening(pages, page_id)
        paused = replace(before, standing=Standing.PAUSED)
        ending = replace(before, standing=Standing.ENDING)
        assert sorted(await asyncio.gather(pages.change(before, paused), other.change(before, ending))) == [False, True]
        now = await pages.subscription(page_id, PLACE)
        assert now is not None
        assert now.version == before.version + 1
        assert await pages.change(now, None)
        assert await pages.change(now, None), "gone is gone"
        assert await pages.subscriptions(page_id) == ()

    async def test_who_may_be_concerned_is_found_by_their_wishes(
        self, pages: PageStore, other: PageStore, page_id: str
    ) -> None:
        async def wishing(channel: str, choice: Choice, platform: str = "slack") -> Subscription:
            before = await pages.page(page_id)
            place = replace(PLACE, channel=channel, platform=platform)
            assert await pages.subscribe(before, Subscription(place, page_id, before.page.revision + 1, choice))
            stored = await pages.subscription(page_id, place)
            assert stored is not None
            return stored

        async def found(since: int, *least: str, named: tuple[str, ...] = ()) -> set[str]:
            who = await other.concerned(page_id, "slack", since, lambda choice: choice.least in least, named)
            return {one.place.channel for one in await other.subscriptions(page_id, who)}

        parts = Choice(frozenset({"b", "a\n"}), general=False, maintenance=False, least="major", mention="<!here>")
        one, _, three = await wishing("C1", parts), await wishing("C2", Choice()), await wishing("C3", Choice())
        await wishing("C1", Choice(), "discord")
        last = (await wishing("C9", Choice(least="critical"))).since
        told: list[Choice] = []

        def asked(choice: Choice) -> bool:
            told.append(choice)
            return False

        await other.concerned(page_id, "slack", last, asked)
        assert set(told) == {parts.wish, Choice(), Choice(least="critical")}, "the same wish is asked about once"
        assert len(told) == 3
        assert await found(last) == set()
        assert await found(last, "major") == {"C1"}
        assert await found(last, "major", "none") == {"C1", "C2", "C3"}
        assert await found(last - 1) == {"C9"}, "who began since"
        assert await found(last, named=(three.id, "slack:T1:nobody")) == {"C3"}
        last = (await wishing("C1", Choice(least="minor"))).since
        assert await found(last, "major") == {"C1"}, "it may have been told of what it wished for then"
        assert await found(last, "minor") == {"C1"}
        now = await pages.subscription(page_id, one.place)
        assert now is not None
        assert await pages.change(now, replace(now, standing=Standing.ENDING))
        who = await other.concerned(page_id, "slack", last, lambda choice: choice.least == "minor")
        (ending,) = await other.subscriptions(page_id, who)
        assert ending.standing is Standing.ENDING
        assert await pages.change(ending, None)
        assert await found(0, "major", "minor") == {"C2", "C3", "C9"}

    async def test_an_announcement_is_read_as_it_was_written(
        self, pages: PageStore, other: PageStore, page_id: str
    ) -> None:
        here = await self.listening(pages, page_id)
        record = an_announcement()
        assert await pages.record(page_id, here.id, record) == replace(record, version=1)
        found = await other.announced(page_id, {here.id: ["i0", "i1"], "slack:T1:C9": ["i1"]})
        assert found.records.get(here.id) == {"i1": replace(record, version=1)}
        assert not found.records.get("slack:T1:C9")
        assert await other.topics(page_id, here.id) == ("i1",)
        assert found.at <= await pages.now()

    async def test_an_intent_has_the_time_of_the_store(self, pages: PageStore, page_id: str) -> None:
        here = await self.listening(pages, page_id)
        before = await pages.now()
        stored = await pages.record(page_id, here.id, an_announcement(intent=an_intent()))
        assert stored is not None
        assert stored.intent is not None
        assert before <= stored.intent.at <= await pages.now()
        assert replace(stored.intent, at=0.0) == an_intent()
        found = await pages.announced(page_id, {here.id: ["i1"]})
        assert found.records[here.id]["i1"] == stored

    async def test_of_two_replicas_that_intend_the_same_one_may_send(
        self, pages: PageStore, other: PageStore, page_id: str
    ) -> None:
        here = await self.listening(pages, page_id)
        records = [an_announcement(intent=an_intent(token)) for token in "ab"]
        outcomes = await asyncio.gather(
            pages.record(page_id, here.id, records[0]), other.record(page_id, here.id, records[1])
        )
        (winner,) = [o for o in outcomes if o is not None]
        assert await pages.record(page_id, here.id, replace(winner, version=0, intent=an_intent("c"))) is None
        assert await pages.record(page_id, here.id, replace(winner, intent=None)) is not None

    async def test_nothing_is_recorded_of_a_channel_that_no_longer_listens(
        self, pages: PageStore, page_id: str
    ) -> None:
        here = await self.listening(pages, page_id)
        await pages.record(page_id, here.id, an_announcement())
        assert await pages.change(here, None)
        assert await pages.record(page_id, here.id, an_announcement(topic="i2")) is None
        assert await pages.topics(page_id, here.id) == ()

    async def test_what_nobody_needs_any_more_is_dropped(self, pages: PageStore, page_id: str) -> None:
        here = await self.listening(pages, page_id)
        for topic in ("i1", "i2"):
            await pages.record(page_id, here.id, an_announcement(topic=topic))
        await pages.drop(page_id, here.id, ["i1", "never"])
        await pages.drop(page_id, here.id, [])
        assert await pages.topics(page_id, here.id) == ("i2",)

    async def test_of_a_page_that_is_forgotten_nothing_stays(
        self, pages: PageStore, other: PageStore, page_id: str
    ) -> None:
        here = await self.listening(pages, page_id)
        await pages.put(await pages.page(page_id), replace(a_page(i1=Known(INCIDENT, 1, 1.0)), id=page_id))
        await pages.settle(page_id, "slack", 1)
        await pages.lineage(page_id)
        assert await pages.change(here, None)
        await pages.forget(page_id)
        assert await other.page(page_id) == Snapshot(Page(page_id), 0)
        assert await other.settled(page_id, "slack") == 0
        assert await other.subscriptions(page_id) == ()

    async def test_settled_never_falls_and_is_each_platforms_own(self, pages: PageStore, page_id: str) -> None:
        for revision in (3, 2):
            await pages.settle(page_id, "slack", revision)
        assert await pages.settled(page_id, "slack") == 3
        assert await pages.settled(page_id, "discord") == 0

    async def test_a_turn_is_one_replicas_until_it_is_given_back_or_runs_out(
        self, pages: PageStore, other: PageStore, page_id: str
    ) -> None:
        first = await pages.lease(page_id, "poll", "a", 60)
        assert first == Lease(page_id, "poll", "a", 1)
        assert await pages.lease(page_id, "poll", "a", 60) == first, "going on"
        assert await other.lease(page_id, "poll", "b", 60) is None
        assert await other.lease(page_id, "announce", "b", 60) is not None, "other work is another turn"
        await pages.release(first)
        second = await other.lease(page_id, "poll", "b", 0.001)
        assert second == Lease(page_id, "poll", "b", 2)
        await pages.release(first)
        await asyncio.sleep(0.01)
        assert await pages.lease(page_id, "poll", "a", 60) == Lease(page_id, "poll", "a", 3)

    async def test_who_lost_the_turn_writes_no_page(self, pages: PageStore, other: PageStore, page_id: str) -> None:
        mine = await pages.lease(page_id, "poll", "a", 0.001)
        assert mine is not None
        before = await pages.page(page_id)
        await asyncio.sleep(0.01)
        theirs = await other.lease(page_id, "poll", "b", 60)
        assert not await pages.put(before, replace(a_page(), id=page_id), mine)
        assert await other.put(before, replace(a_page(), id=page_id), theirs)
