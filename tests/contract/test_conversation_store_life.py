"""What goes on, when its silence is to be looked at, and whom others' conversations name."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bot.adapters.store import connect
from bot.adapters.store.redis_store import RedisConversations
from bot.adapters.store.registry import DAY
from bot.adapters.store.tallies import RedisTallies
from bot.core.event import Origin
from bot.core.guides.guide import Outcome
from bot.core.triage.conversation import GONE, Handoff, Visit
from bot.ports.store import Conflict, Stored
from tests.contract.conftest import Backend, Proxied
from tests.contract.conversations import OPENED, event, triage, turned, written

HALF = OPENED + 1800


class TestSilence:
    async def test_it_is_looked_at_when_it_is_due(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(store, triage(place, due=HALF))
        assert await other.due(place, HALF - 1) == ()
        assert await other.due(place, HALF) == (first,)
        later = await written(store, turned(first, due=HALF + 60))
        assert await other.due(place, HALF) == ()
        assert await other.due(place, HALF + 60) == (later,)

    async def test_what_has_ended_or_waits_is_not(self, store: RedisConversations, place: Origin) -> None:
        for n, outcome in enumerate((Outcome.FIXED, Outcome.LEFT, Outcome.WAITING, Outcome.HANDED_OFF)):
            first = await written(store, triage(place, guide=f"g{n}", due=HALF))
            await written(store, turned(first, outcome=outcome, due=0.0))
        assert await store.due(place, HALF * 2) == ()

    async def test_it_can_be_put_off_but_not_brought_back(self, store: RedisConversations, place: Origin) -> None:
        first = await written(store, triage(place, due=HALF))
        await store.put_off(first, HALF + 300)
        assert await store.due(place, HALF + 299) == ()
        assert await store.due(place, HALF + 300) == (first,)
        await written(store, turned(first, outcome=Outcome.LEFT))
        await store.put_off(first, HALF)
        assert await store.due(place, HALF) == ()
        assert await store.going(place) == ()


async def test_where_nothing_is_to_be_shown_nothing_is_owed(store: RedisConversations, place: Origin) -> None:
    first = await written(store, triage(place))
    assert await store.owed(place, older_than=0) == (first,)
    await store.commit(event(), turned(first, outcome=Outcome.LEFT), shows=False)
    assert await store.owed(place, older_than=0) == ()


async def test_it_is_kept_for_as_long_as_is_set(backend: Backend, place: Origin) -> None:
    store = await connect(backend.url, backend.data_dir, days=3)
    await written(store, triage(place, due=HALF, helpers=("U0BOB",)))
    await store.close()
    lives = {key.split("}:")[1].split(":")[0]: backend.admin.ttl(key) for key in backend.keys(place.workspace)}
    assert set(lives) == {"claim", "conversation", "person", "kept", "owed", "going", "named"}
    kept = {name: ttl for name, ttl in lives.items() if name != "claim"}
    assert all(3 * DAY - 60 < ttl <= 3 * DAY for ttl in kept.values()), kept


async def test_what_goes_on_is_listed_for_operators(store: RedisConversations, place: Origin) -> None:
    opened = await written(store, triage(place, guide="a", due=HALF))
    parked = await written(store, triage(place, guide="b"))
    parked = await written(store, turned(parked, outcome=Outcome.WAITING))
    handed = await written(store, triage(replace(place, user="U0BOB")))
    handed = await written(store, turned(handed, outcome=Outcome.HANDED_OFF, handoff=Handoff(2, "posted", message="m")))
    ended = await written(store, triage(place, guide="c"))
    await written(store, turned(ended, outcome=Outcome.FIXED))
    assert {one.id for one in await store.going(place)} == {opened.id, parked.id, handed.id}
    await store.forget(place)
    assert await store.going(place) == (handed,)


class TestWhomItNames:
    async def test_a_helper_who_is_forgotten_stands_in_nobodys_conversation(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        bob = replace(place, user="U0BOB")
        first = await written(store, triage(place))
        visits = (Visit("g", "s", "c", "U0BOB", OPENED), Visit("g", "s", "c", place.user, OPENED))
        hand = Handoff(2, "take", "U0BOB", OPENED, "U0BOB", "m1", "https://x")
        last = await written(store, turned(first, helpers=("U0BOB", "U0EVE"), history=visits, handoff=hand))
        assert await other.get(place, first.id) == last
        assert await store.forget(bob) == 0, "the conversation is not theirs"
        (after,) = await other.of(place)
        assert after.others == {"U0EVE"}
        assert [visit.by for visit in after.history] == [GONE, place.user]
        assert after.handoff == replace(hand, by=GONE, holder=GONE)
        assert after.revision == last.revision + 1, "who remembers the old one has to read again"
        assert isinstance(await other.commit(event(), turned(last)), Conflict)

    async def test_turns_meanwhile_are_not_overwritten(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(store, triage(place, helpers=("U0BOB",)))

        forgetting = asyncio.create_task(store.forget(replace(place, user="U0BOB")))
        here, done, met, more = first, list[str](), 0, 3
        for n in range(1000):
            result = await other.commit(event(), turned(here, step=f"s{n}"))
            if isinstance(result, Stored):
                here, done = result.conversation, [*done, f"s{n}"]
            else:
                assert isinstance(result, Conflict)
                assert result.current
                here, met = result.current, met + 1
            more -= forgetting.done()
            if not more:
                break
        await forgetting
        (after,) = await store.of(place)
        assert after.helpers == ()
        assert (met, after.step) == (1, done[-1]), "one turn met the other writer, and nothing else was lost"

    async def test_one_more_trip_the_first_time_and_none_later(self, proxied: Proxied, place: Origin) -> None:
        store, proxy = proxied.store, proxied.proxy
        first = await written(store, triage(place))
        proxy.reset()
        second = await written(store, turned(first, helpers=("U0BOB",)))
        assert proxy.trips <= 3, "naming, its script the first time, and the turn"
        proxy.reset()
        await written(store, turned(second))
        assert proxy.trips == 1


class TestTallies:
    @pytest.fixture
    def tallies(self, store: RedisConversations) -> RedisTallies:
        return RedisTallies(store.server)

    async def test_what_two_processes_count_is_added_up(
        self, tallies: RedisTallies, other: RedisConversations, place: Origin
    ) -> None:
        theirs = RedisTallies(other.server)
        for one in (tallies, theirs):
            one.count(place, "2026-11-30", ["opened", "opened", "ended"])
            await one.flush()
            await one.flush()
        tallies.count(place, "2026-11-23", ["opened"])
        await tallies.flush()
        weeks = ("2026-11-30", "2026-11-23", "2026-11-16")
        assert await theirs.read(place, weeks) == ({"opened": 4, "ended": 2}, {"opened": 1}, {})

    async def test_an_answer_that_was_lost_counts_nothing_twice(self, proxied: Proxied, place: Origin) -> None:
        tallies = RedisTallies(proxied.store.server)
        tallies.count(place, "w", ["warm"])
        await tallies.flush()
        tallies.count(place, "w", ["opened"])
        proxied.proxy.cut_answers = 1
        await tallies.flush()
        assert (await tallies.read(place, ["w"]))[0]["opened"] == 1
