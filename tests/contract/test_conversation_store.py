"""What every `ConversationStore` promises, on every server it may run on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.adapters.store.keys import keys_of
from bot.adapters.store.redis_store import RedisConversations
from bot.core.event import Origin
from bot.core.guides.guide import Outcome
from bot.core.triage.conversation import Remark, Visit
from bot.ports.store import Conflict, Duplicate, Stored
from tests.contract.conversations import OPENED, event, triage, turned, written

if TYPE_CHECKING:
    from tests.contract.conftest import Backend, Proxied


class TestCommit:
    async def test_what_was_stored_is_read_by_another_replica(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        conversation = await written(
            store,
            triage(
                place,
                locale="de",
                report="API Error: Connection closed mid-response",
                because="Connection closed",
                step="doing",
                asking="browser",
                candidates=("a", "b"),
                facts={"tool_ran": "yes"},
                details={"request": "req_1"},
                stated={"os": "macos"},
                history=(
                    Visit("connection-lost", "doing", "tools", "U0ALICE", OPENED),
                    Visit("x", "y", "", "", OPENED),
                ),
                notes=(Remark(OPENED, "it happened twice ☎"),),
                cause="connection-lost#cut",
                incident="inc1",
            ),
        )
        assert await other.get(place, conversation.id) == conversation
        assert await other.here(place) == conversation
        assert await other.of(place) == (conversation,)

    async def test_an_event_is_handled_once(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        first = triage(place)
        assert await store.commit("1764515000.1", first) == Stored(first)
        assert await store.commit("1764515000.1", turned(first)) == Duplicate()
        assert await other.commit("1764515000.1", turned(first)) == Duplicate()
        assert await other.get(place, first.id) == first

    async def test_the_same_event_id_elsewhere_is_another_event(self, store: RedisConversations, place: Origin) -> None:
        elsewhere = replace(place, workspace=f"{place.workspace}X")
        await store.commit("1764515000.1", triage(place))
        assert isinstance(await store.commit("1764515000.1", triage(elsewhere)), Stored)

    async def test_of_replicas_that_got_one_event_one_stores_it(
        self, open_store: Callable[[], Awaitable[RedisConversations]], place: Origin
    ) -> None:
        stores = [await open_store() for _ in range(4)]
        turns = [triage(place, guide="") for _ in stores]
        outcomes = await asyncio.gather(*(s.commit("one", t) for s, t in zip(stores, turns, strict=True)))
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Duplicate"] * 3 + ["Stored"]
        assert len(await stores[0].of(place)) == 1

    async def test_who_comes_second_gets_what_stands_and_may_use_the_event_again(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(store, triage(place))
        assert await other.get(place, first.id) == first
        second = await written(store, turned(first, step="a"))
        late = turned(first, step="b")
        assert await other.commit("press", late) == Conflict(second)
        assert await other.get(place, first.id) == second
        third = turned(second, step="b")
        assert await other.commit("press", third) == Stored(third)

    async def test_of_replicas_that_turn_one_revision_one_wins(
        self, open_store: Callable[[], Awaitable[RedisConversations]], place: Origin
    ) -> None:
        stores = [await open_store() for _ in range(4)]
        first = await written(stores[0], triage(place))
        turns = [turned(first, step=f"s{n}") for n, _ in enumerate(stores)]
        outcomes = await asyncio.gather(*(s.commit(event(), t) for s, t in zip(stores, turns, strict=True)))
        (winner,) = [outcome.conversation for outcome in outcomes if isinstance(outcome, Stored)]
        assert [outcome for outcome in outcomes if not isinstance(outcome, Stored)] == [Conflict(winner)] * 3

    async def test_a_revision_from_the_future_is_refused(self, store: RedisConversations, place: Origin) -> None:
        first = await written(store, triage(place))
        assert await store.commit(event(), turned(first, revision=3)) == Conflict(first)

    async def test_what_no_longer_exists_is_not_brought_back(self, store: RedisConversations, place: Origin) -> None:
        first = await written(store, triage(place))
        await store.forget(place)
        assert await store.commit("press", turned(first)) == Conflict(None)
        assert await store.of(place) == ()

    async def test_hundreds_at_once_are_served(self, store: RedisConversations, place: Origin) -> None:
        turns = [triage(replace(place, user=f"U{n}")) for n in range(400)]
        assert await asyncio.gather(*(store.commit(t.id, t) for t in turns)) == [Stored(t) for t in turns]


class TestOneConversationAGuide:
    async def test_a_second_one_is_refused_with_the_first(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(store, triage(place))
        again = triage(replace(place, thread="1764515999.1"))
        assert await other.commit("again", again) == Conflict(first)
        assert await other.get(place, again.id) is None
        assert await other.get(place, first.id) == first
        assert isinstance(await other.commit("again", replace(again, guide="other-guide")), Stored)

    @pytest.mark.parametrize(
        "elsewhere", [{"channel": "C0OTHER"}, {"user": "U0BOB"}, {"workspace": "T0OTHER"}], ids=lambda e: next(iter(e))
    )
    async def test_elsewhere_is_not_the_same(
        self, store: RedisConversations, place: Origin, elsewhere: dict[str, str]
    ) -> None:
        await written(store, triage(place))
        there = triage(replace(place, **elsewhere))
        assert isinstance(await store.commit(event(), there), Stored)
        await store.forget(there.origin)

    @pytest.mark.parametrize("outcome", list(Outcome))
    async def test_after_its_end_another_may_begin(
        self, store: RedisConversations, place: Origin, outcome: Outcome
    ) -> None:
        first = await written(store, triage(place))
        await written(store, turned(first, outcome=outcome))
        await written(store, triage(place))

    async def test_the_place_moves_with_the_guide(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(store, triage(place, guide="a"))
        moved = await written(other, turned(first, guide="b"))
        assert await store.commit(event(), triage(place, guide="b")) == Conflict(moved)
        await written(store, triage(place, guide="a"))

    async def test_moving_to_a_guide_of_another_one_is_allowed(self, store: RedisConversations, place: Origin) -> None:
        await written(store, triage(place, guide="a"))
        second = await written(store, triage(place, guide="b"))
        await written(store, turned(second, guide="a"))

    async def test_without_a_guide_there_may_be_several(self, store: RedisConversations, place: Origin) -> None:
        one = await written(store, triage(place, guide="", step="@what"))
        two = await written(store, triage(place, guide="", step="@which", touched=OPENED + 1))
        assert await store.of(place) == (two, one)

    async def test_expired_ones_do_not_stand_in_the_way(
        self, store: RedisConversations, other: RedisConversations, place: Origin, backend: Backend
    ) -> None:
        first = await written(store, triage(place))
        moved = await written(store, triage(place, guide="other-guide"))
        await written(store, turned(moved, guide=first.guide))
        for expired in (first, moved):
            backend.admin.delete(keys_of(place).conversation(expired.id))
        second = await written(other, triage(place))
        assert await other.of(place) == (second,)


class TestFreeText:
    async def test_it_belongs_to_the_author_in_the_thread(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(store, triage(place))
        for replica in (store, other):
            assert await replica.here(place) == first
            assert await replica.here(replace(place, thread="1.0")) is None
            assert await replica.here(replace(place, thread="")) is None
            assert await replica.here(replace(place, user="U0BOB")) is None
            assert await replica.here(replace(place, channel="C0OTHER")) is None

    async def test_the_first_post_opens_the_thread(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        top = replace(place, thread="")
        first = await written(store, triage(top))
        threaded = await written(store, turned(first, origin=place))
        for replica in (store, other):
            assert await replica.here(top) is None
            assert await replica.here(place) == threaded

    async def test_without_threads_it_is_the_one_touched_last(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        top = replace(place, thread="")
        older = await written(store, triage(top, guide="a"))
        newer = await written(store, triage(top, guide="b", touched=OPENED + 1))
        assert await store.here(top) == await other.here(top) == newer
        older = await written(store, turned(older))
        assert await store.here(top) == older
        await written(store, turned(older, outcome=Outcome.LEFT))
        assert await store.here(top) == newer

    @pytest.mark.parametrize("outcome", list(Outcome))
    async def test_what_has_ended_is_not_answered(
        self, store: RedisConversations, other: RedisConversations, place: Origin, outcome: Outcome
    ) -> None:
        first = await written(store, triage(place))
        ended = await written(store, turned(first, outcome=outcome))
        for replica in (store, other):
            assert await replica.here(place) is None
            assert await replica.get(place, first.id) == ended
            assert await replica.of(place) == ((ended,) if outcome is Outcome.WAITING else ())

    async def test_a_waiting_one_can_be_taken_up_again(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(store, triage(place))
        parked = await written(store, turned(first, outcome=Outcome.WAITING, incident="inc1"))
        assert await other.waiting(place) == (parked,)
        resumed = await written(other, turned(parked, outcome=None))
        assert await other.waiting(place) == ()
        assert await store.of(place) == (resumed,)

    async def test_an_expired_one_leaves_the_indexes(
        self, store: RedisConversations, other: RedisConversations, place: Origin, backend: Backend
    ) -> None:
        first = await written(store, triage(place))
        parked = await written(store, triage(place, guide="b", outcome=Outcome.WAITING))
        of_place = keys_of(place)
        backend.admin.delete(of_place.conversation(first.id), of_place.conversation(parked.id))
        assert await other.here(place) is None
        assert await other.of(place) == ()
        assert await other.waiting(place) == ()
        assert await other.owed(place, older_than=0) == ()
        assert not backend.admin.exists(of_place.person(place.user), of_place.waiting, of_place.owed)


class TestOwedAnswers:
    async def test_an_answer_is_owed_until_it_is_confirmed(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(store, triage(place))
        assert await other.owed(place, older_than=0) == (first,)
        assert await other.owed(place, older_than=10) == ()
        store.confirm(first)
        assert await store.owed(place, older_than=0) == ()
        assert await other.owed(place, older_than=0) == (first,)
        await store.flush()
        assert await other.owed(place, older_than=0) == ()

    async def test_a_late_confirmation_leaves_a_newer_answer_owed(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(store, triage(place))
        second = await written(other, turned(first))
        store.confirm(first)
        await store.flush()
        assert await other.owed(place, older_than=0) == (second,)

    async def test_those_of_other_conversations_wait_for_the_batch(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(store, triage(place))
        elsewhere = await written(store, triage(replace(place, workspace=f"{place.workspace}X")))
        store.confirm(first)
        store.confirm(elsewhere)
        second = await written(store, triage(replace(place, user="U0BOB")))
        assert await other.owed(place, older_than=0) == (first, second)
        await store.flush()
        assert await other.owed(place, older_than=0) == (second,)
        assert await other.owed(elsewhere.origin, older_than=0) == ()

    async def test_a_refused_turn_does_not_lose_them(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(store, triage(place))
        store.confirm(first)
        assert isinstance(await store.commit(event(), triage(place)), Conflict)
        await store.flush()
        assert await other.owed(place, older_than=0) == ()

    async def test_what_was_shown_is_not_owed_while_its_confirmation_is_on_the_way(
        self, store: RedisConversations, place: Origin
    ) -> None:
        first = await written(store, triage(place))
        store.confirm(first)
        owed, _ = await asyncio.gather(store.owed(place, older_than=0), store.flush())
        assert owed == ()

    async def test_the_longest_owed_comes_first(self, store: RedisConversations, place: Origin) -> None:
        one = await written(store, triage(place, guide="a", touched=OPENED + 9))
        two = await written(store, triage(place, guide="b"))
        assert await store.owed(place, older_than=0) == (one, two)

    async def test_closing_writes_what_was_confirmed(
        self, open_store: Callable[[], Awaitable[RedisConversations]], other: RedisConversations, place: Origin
    ) -> None:
        leaving = await open_store()
        leaving.confirm(await written(leaving, triage(place)))
        await leaving.close()
        assert await other.owed(place, older_than=0) == ()

    async def test_many_are_written_in_batches(self, store: RedisConversations, place: Origin) -> None:
        for n in range(450):
            store.confirm(triage(place, id=f"c{n}"))
        first = await written(store, triage(place))
        store.confirm(first)
        await store.flush()
        assert await store.owed(place, older_than=0) == ()


class TestMemory:
    async def test_a_turn_costs_one_trip_and_reading_it_back_none(self, proxied: Proxied, place: Origin) -> None:
        store, proxy = proxied.store, proxied.proxy
        conversation = await written(store, triage(place))
        proxy.reset()
        for _ in range(5):
            store.confirm(conversation)
            conversation = await written(store, turned(conversation))
        assert proxy.trips == 5
        assert await store.here(place) == conversation
        assert await store.get(place, conversation.id, revision=conversation.revision) == conversation
        assert proxy.trips == 5

    async def test_an_event_without_a_conversation_is_claimed_once(
        self, proxied: Proxied, other: RedisConversations, place: Origin
    ) -> None:
        assert await proxied.store.claim("message", place)
        assert proxied.proxy.trips == 1
        assert not await proxied.store.claim("message", place)
        assert not await other.claim("message", place)
        assert await other.commit("message", triage(place)) == Duplicate()

    async def test_a_press_on_something_newer_is_looked_up(
        self, proxied: Proxied, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(proxied.store, triage(place))
        second = await written(other, turned(first))
        assert await proxied.store.get(place, first.id, revision=1) == first
        assert await proxied.store.get(place, first.id, revision=2) == second
        assert await proxied.store.get(place, first.id) == second

    async def test_what_is_not_there_is_looked_up_each_time(
        self, proxied: Proxied, other: RedisConversations, place: Origin
    ) -> None:
        new = triage(place)
        assert await proxied.store.get(place, new.id) is None
        assert await proxied.store.here(place) is None
        assert proxied.proxy.trips == 2
        await written(other, new)
        assert await proxied.store.get(place, new.id) == new
        assert await proxied.store.here(place) == new

    async def test_a_conflict_costs_one_trip_and_the_turn_after_it_one(
        self, proxied: Proxied, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(proxied.store, triage(place))
        second = await written(other, turned(first))
        proxied.proxy.reset()
        assert await proxied.store.commit("press", turned(first)) == Conflict(second)
        await written(proxied.store, turned(second))
        assert proxied.proxy.trips == 2

    async def test_ten_visits_are_small_on_the_wire(self, proxied: Proxied, place: Origin) -> None:
        steps = [f"inspect-it-{n}" for n in range(10)]
        visits = tuple(Visit("response-cut-off", step, "inspect", "U0ALICE", OPENED) for step in steps)
        first = await written(proxied.store, triage(place, guide="response-cut-off"))
        ten = turned(
            first,
            report="API Error: Connection closed mid-response. The response above may be incomplete. " * 2,
            because="Connection closed mid-response",
            step="short-request",
            facts={"surface": "claude-code", "tool_ran": "yes", "os": "macos", "network": "office"},
            details={"request": "req_011CUxKz9fVbQG1PbVYQ2K3x", "version": "2.0.31"},
            history=visits,
            notes=(Remark(OPENED, "it happens since this morning"),),
        )
        proxied.store.confirm(first)
        proxied.proxy.reset()
        await written(proxied.store, ten)
        assert proxied.proxy.sent <= 1500
        assert proxied.proxy.received <= 64
