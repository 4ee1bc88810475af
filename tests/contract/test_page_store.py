"""What every `PageStore` promises, in memory and on every server it may run on."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.adapters.rehearsal.pages import MemoryPages
from bot.adapters.store.clients import open_server
from bot.adapters.store.keys import page_keys
from bot.adapters.store.pages import RedisPages
from bot.adapters.store.registry import spec_of
from bot.core.errors import RecordTooNew, StoreError
from bot.core.status.announcement import Announcement, Doing, Head, Intent, Note, Sent, What
from bot.core.status.incident import Component, Incident, Move, Update
from bot.core.status.subscription import Choice, Place, Standing, Subscription
from bot.core.status.watch import Bundle, Kind, Known, Page, Trouble
from bot.core.status.watch import Standing as Listed
from bot.ports.pages import Doubt, Lease, Loss, PageStore, Snapshot

if TYPE_CHECKING:
    from tests.contract.conftest import Backend

UPDATE = Update("u1", "investigating", "Looking — ☎\n\x00<b>", 1000.5, ("c1",), (Move("c1", "API", "operational", ""),))
INCIDENT = Incident("i1", "Errors", "investigating", "major", 1000.0, 1000.5, None, "https://x", ("c1",), (UPDATE,))
PLACE = Place("slack", "T1", "C1")


def a_page(**incidents: Known) -> Page:
    bundle = Bundle("open-1", Kind.OPEN, 1, tuple(incidents))
    parts = {"c1": Component("c1", "API", "operational")}
    trouble = Trouble(5.0, "cannot be read", challenged=True)
    return Page("", 1, 999.25, incidents, (bundle,), parts, "https://status.claude.com", trouble)


def an_announcement(**changes: object) -> Announcement:
    head = Head("Errors", "major", "investigating", Listed.WITHDRAWN, 5.5, soon=True)
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
        page = replace(a_page(i1=known, i2=replace(known, news=0)), id=page_id)
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
            return {one.place.channel for one in who}

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
        (ending,) = await other.concerned(page_id, "slack", last, lambda choice: choice.least == "minor")
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


class TestOnServers(PageStoreContract):
    @pytest.fixture
    async def pages(self, backend: Backend) -> AsyncIterator[RedisPages]:
        server = await open_server(backend.url, backend.data_dir)
        yield RedisPages(server)
        await server.close()

    @pytest.fixture
    async def other(self, backend: Backend) -> AsyncIterator[RedisPages]:
        server = await open_server(backend.url, backend.data_dir)
        yield RedisPages(server)
        await server.close()

    async def test_every_key_is_in_the_registry_and_none_expires(
        self, pages: RedisPages, backend: Backend, page_id: str
    ) -> None:
        here = await self.listening(pages, page_id)
        await pages.put(await pages.page(page_id), replace(a_page(i1=Known(INCIDENT, 1, 1.0)), id=page_id))
        await pages.record(page_id, here.id, an_announcement())
        await pages.settle(page_id, "slack", 1)
        await pages.lease(page_id, "poll", "a", 60)
        await pages.lineage(page_id)
        await pages.trust(page_id, "slack", 1)
        keys = backend.keys(page_id)
        assert len(keys) == 9
        for key in keys:
            spec = spec_of(key)
            assert spec is not None
            assert backend.admin.type(key) == spec.type.encode()
            assert backend.admin.ttl(key) == -1

    async def test_subscriptions_of_an_earlier_version_are_filed_when_they_are_first_asked_for(
        self, pages: RedisPages, backend: Backend, page_id: str
    ) -> None:
        keys = page_keys(page_id)
        here = [await self.listening(pages, page_id, replace(PLACE, channel=f"C{n}")) for n in range(3)]
        backend.admin.delete(keys.wishes)
        backend.admin.delete(keys.began)
        backend.admin.zadd(keys.began, {"slack:T1:long gone": 1})
        assert set(await pages.concerned(page_id, "slack", 9, lambda _: False)) == set(here), "everybody, this once"
        assert await pages.concerned(page_id, "slack", 9, lambda _: False) == ()
        assert set(await pages.concerned(page_id, "slack", 9, lambda _: True)) == set(here)
        assert set(await pages.concerned(page_id, "slack", here[1].since, lambda _: False)) == {here[2]}

    async def test_a_new_store_may_have_forgotten_all_there_was_until_it_was_compared(
        self, pages: RedisPages, other: RedisPages, page_id: str
    ) -> None:
        before = await pages.page(page_id)
        lineage = await pages.lineage(page_id)
        doubt = lineage.doubt("slack")
        assert doubt == lineage.doubt("discord") == Doubt(lineage.last, Loss(before.reads, 0.0))
        assert lineage.noted
        await pages.trust(page_id, "slack", lineage.last)
        again = await other.lineage(page_id)
        assert again.id == lineage.id
        assert again.doubt("slack") is None
        assert again.doubt("discord") == doubt

    async def test_who_knew_nothing_of_it_may_look_first_into_a_store_that_was_emptied(
        self, pages: RedisPages, other: RedisPages, backend: Backend, page_id: str
    ) -> None:
        await pages.lineage(page_id)
        backend.admin.delete(page_keys(page_id).lineage)
        fresh = await other.lineage(page_id)
        doubt = fresh.doubt("slack")
        assert doubt is not None
        assert doubt.loss.at == 0
        told = await pages.lineage(page_id)
        assert told.noted
        doubt = told.doubt("slack")
        assert doubt is not None
        assert doubt.loss.at > 0, "now it is known that somebody may have been sending"
        assert not (await other.lineage(page_id)).noted

    async def test_how_often_a_page_was_read_is_counted(self, pages: RedisPages, page_id: str) -> None:
        await self.listening(pages, page_id)
        assert (await pages.page(page_id)).reads == 0
        for at in (1.0, 2.0, 2.0):
            before = await pages.page(page_id)
            assert await pages.put(before, replace(a_page(), id=page_id, read_at=at))
        assert (await pages.page(page_id)).reads == 2, "what changed nothing but the trouble is none"

    async def test_what_was_brought_in_from_elsewhere_is_compared_first(
        self, pages: RedisPages, other: RedisPages, page_id: str
    ) -> None:
        await pages.distrust(page_id)
        lineage = await other.lineage(page_id)
        assert lineage.doubt("slack") == Doubt(lineage.last, Loss(0, 0.0))
        await pages.trust(page_id, "slack", lineage.last)
        await self.listening(pages, page_id)
        await pages.distrust(page_id)
        after = await other.lineage(page_id)
        assert after.last > lineage.last
        assert after.doubt("slack") == Doubt(after.last, Loss(0, 0.0))

    async def test_a_server_whose_data_got_a_new_name_may_have_lost_its_last_writes(
        self, pages: RedisPages, backend: Backend, page_id: str
    ) -> None:
        first = await pages.lineage(page_id)
        await self.listening(pages, page_id)
        await pages.trust(page_id, "slack", first.last)
        backend.admin.hset(page_keys(page_id).lineage, "server", "what it was called before")
        asked = await pages.now()
        lineage = await pages.lineage(page_id)
        doubt = lineage.doubt("slack")
        assert lineage.id == first.id
        assert doubt is not None
        assert doubt.number > first.last
        assert doubt.loss.reads == 0, "a new subscription is no reading"
        assert asked - 200 < doubt.loss.since < asked - 150
        assert asked <= doubt.loss.at
        here = lineage.doubt("discord")
        assert here is not None
        assert (here.number, here.loss.since) == (doubt.number, 0.0), (
            "the older loss still counts where nothing was compared since"
        )
        assert await pages.lineage(page_id) == replace(lineage, noted=False), "asked again, nothing was lost"

    async def test_a_store_that_is_empty_all_of_a_sudden_is_not_a_new_one(
        self, pages: RedisPages, backend: Backend, page_id: str
    ) -> None:
        first = await pages.lineage(page_id)
        backend.admin.delete(page_keys(page_id).lineage)
        after = await pages.lineage(page_id)
        assert after.id != first.id
        (loss,) = after.losses.values()
        assert loss.at > 0, "somebody may have been sending"
        # Whoever had compared everything with what was before says so now.
        await pages.trust(page_id, "slack", first.last)
        assert (await pages.lineage(page_id)).doubt("slack") is not None

    async def test_a_write_whose_answer_was_lost_may_be_repeated(self, pages: RedisPages, page_id: str) -> None:
        here = await self.listening(pages, page_id)
        record = an_announcement(intent=an_intent())
        first = await pages.record(page_id, here.id, record)
        assert await pages.record(page_id, here.id, record) == first
        paused = replace(here, standing=Standing.PAUSED)
        assert await pages.change(here, paused)
        assert await pages.change(here, paused)

    async def test_a_record_of_a_newer_schema_is_refused_and_hides_no_other(
        self, pages: RedisPages, backend: Backend, page_id: str
    ) -> None:
        here = await self.listening(pages, page_id)
        keys = page_keys(page_id)
        backend.admin.hset(keys.subscriptions, "slack:T1:C2", b"1 99 \x80")
        backend.admin.hset(keys.subscriptions, "slack:T1:C3", b"1 1 nonsense")
        assert await pages.subscriptions(page_id) == (here,)
        with pytest.raises(RecordTooNew):
            await pages.subscription(page_id, replace(PLACE, channel="C2"))
        with pytest.raises(StoreError):
            await pages.subscription(page_id, replace(PLACE, channel="C3"))

    async def test_a_hundred_channels_are_read_in_one_go(self, pages: RedisPages, page_id: str) -> None:
        subscribed = [await self.listening(pages, page_id, replace(PLACE, channel=f"C{n}")) for n in range(100)]
        for here in subscribed[::2]:
            await pages.record(page_id, here.id, an_announcement())
        found = await pages.announced(page_id, {s.id: ["i1", "i2"] for s in subscribed})
        assert [set(found.records[s.id]) for s in subscribed] == [{"i1"} if n % 2 == 0 else set() for n in range(100)]


class TestInMemory(PageStoreContract):
    @pytest.fixture
    def pages(self) -> MemoryPages:
        return MemoryPages(time.time)

    @pytest.fixture
    def other(self, pages: MemoryPages) -> MemoryPages:
        return pages
