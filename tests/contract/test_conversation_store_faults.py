"""What a `ConversationStore` does when the server, the line or the records are not as hoped."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.adapters.store import connect
from bot.adapters.store.keys import keys_of
from bot.adapters.store.redis_store import RedisConversations
from bot.adapters.store.registry import CLAIM, OF_WORKSPACES, ROOM, WORKSPACES, spec_of
from bot.adapters.store.rooms import RedisRooms
from bot.adapters.store.tallies import RedisTallies
from bot.core.errors import RecordTooNew, StoreError, StoreUnavailable
from bot.core.event import Origin
from bot.core.guides.guide import Outcome
from bot.core.triage.conversation import SCHEMA, Conversation
from bot.core.triage.gathering import of_incident
from bot.core.triage.room import Signal
from bot.ports.store import Conflict, Duplicate, Stored
from tests.contract.conversations import OPENED, event, triage, turned, written

if TYPE_CHECKING:
    from tests.contract.conftest import Backend, Proxied

IN_TIME = 3.0
"""Within two seconds for an answer, with some air for a busy machine."""


@contextlib.contextmanager
def set_to(backend: Backend, **options: str) -> Iterator[None]:
    """The server runs with other options for a while."""
    named = {name.replace("_", "-"): value for name, value in options.items()}
    before = {name: str(backend.admin.config_get(name)[name]) for name in named}
    for name, value in named.items():
        backend.admin.config_set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            backend.admin.config_set(name, value)


class TestALostAnswer:
    async def test_the_turn_is_repeated_and_counts_once(
        self, proxied: Proxied, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(proxied.store, triage(place))
        second = turned(first)
        proxied.proxy.cut_answers = 1
        assert await proxied.store.commit("press", second) == Stored(second)
        assert await other.get(place, first.id) == second
        assert await other.commit("press", turned(second)) == Duplicate()
        assert await proxied.store.here(place) == second

    async def test_a_turn_nobody_learnt_of_is_owed_and_its_event_handled(
        self, proxied: Proxied, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(proxied.store, triage(place))
        second = turned(first)
        proxied.proxy.cut_answers = 2
        with pytest.raises(StoreUnavailable, match="cut the connection"):
            await proxied.store.commit("press", second)
        assert await proxied.store.get(place, first.id) == second
        assert await proxied.store.commit("press", second) == Duplicate()
        assert await other.owed(place, older_than=0) == (second,)

    async def test_confirmations_are_kept_for_later(
        self, proxied: Proxied, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(proxied.store, triage(place))
        proxied.store.confirm(first)
        proxied.proxy.cut_answers = 2
        with pytest.raises(StoreUnavailable):
            await proxied.store.flush()
        await proxied.store.flush()
        assert await other.owed(place, older_than=0) == ()


class TestAServerInTrouble:
    async def test_one_that_lost_its_scripts_is_given_them(
        self, proxied: Proxied, place: Origin, backend: Backend
    ) -> None:
        first = await written(proxied.store, triage(place))
        backend.admin.script_flush()
        proxied.proxy.reset()
        second = await written(proxied.store, turned(first))
        assert proxied.proxy.trips == 2
        await written(proxied.store, turned(second))
        assert proxied.proxy.trips == 3

    async def test_one_that_was_restarted_is_used_again(
        self, store: RedisConversations, place: Origin, backend: Backend
    ) -> None:
        first = await written(store, triage(place))
        backend.restart()
        if backend.kind == "embedded":
            assert await store.get(place, first.id, revision=9) == first
        await written(store, triage(replace(place, user="U0BOB")))

    async def test_one_out_of_memory_writes_nothing(
        self, store: RedisConversations, other: RedisConversations, place: Origin, backend: Backend
    ) -> None:
        first = await written(store, triage(place))
        store.confirm(first)
        before = backend.keys(place.workspace)
        with set_to(backend, maxmemory="1", maxmemory_policy="noeviction"):
            with pytest.raises(StoreUnavailable, match=r"out of memory \(maxmemory\)"):
                await store.commit("press", turned(first))
            assert await other.get(place, first.id) == first
        assert backend.keys(place.workspace) == before
        assert await other.owed(place, older_than=0) == (first,)
        await written(store, turned(first))

    async def test_a_replica_is_not_written_to(
        self, store: RedisConversations, other: RedisConversations, place: Origin, backend: Backend
    ) -> None:
        if backend.kind == "cluster":
            pytest.skip("a cluster decides itself who is a replica, and its client follows")
        first = await written(store, triage(place))
        backend.admin.replicaof("127.0.0.1", 1)
        try:
            with pytest.raises(StoreUnavailable, match="read-only replica: name the primary"):
                await store.commit("press", turned(first))
            assert await other.get(place, first.id) == first
        finally:
            backend.admin.replicaof("NO", "ONE")
        assert isinstance(await store.commit("press", turned(first)), Stored)

    async def test_one_that_hangs_is_not_waited_for(
        self, store: RedisConversations, other: RedisConversations, place: Origin, backend: Backend
    ) -> None:
        first = await written(store, triage(place))
        second = turned(first)
        with backend.frozen():
            began = time.monotonic()
            with pytest.raises(StoreUnavailable, match="did not answer in time"):
                await store.commit("press", second)
            assert time.monotonic() - began < IN_TIME
        # The command lay in its inbox: what could not be waited for has happened all the same.
        assert await store.commit("press", second) == Duplicate()
        assert await other.owed(place, older_than=0) == (second,)

    async def test_one_that_never_was_is_named_without_its_password(self, backend: Backend) -> None:
        with pytest.raises(StoreUnavailable) as caught:
            await connect("redis://somebody:hunter2@127.0.0.1:1/0", backend.data_dir)
        assert "redis://127.0.0.1:1/0" in str(caught.value)
        assert "hunter2" not in repr(caught.value) + str(caught.value)


class TestRecords:
    async def test_a_newer_schema_is_left_alone(
        self, store: RedisConversations, other: RedisConversations, place: Origin
    ) -> None:
        first = await written(store, triage(place))
        assert await other.get(place, first.id) == first
        newer = await written(store, turned(first, schema=SCHEMA + 1))
        with pytest.raises(RecordTooNew):
            await other.get(place, first.id, revision=2)
        with pytest.raises(RecordTooNew):
            await other.here(place)
        with pytest.raises(RecordTooNew):
            await other.of(place)
        with pytest.raises(RecordTooNew):
            await other.commit("press", turned(first))
        assert await other.owed(place, older_than=0) == ()
        assert isinstance(await store.commit("press", turned(newer, schema=SCHEMA)), Stored)

    async def test_bytes_that_are_no_record_are_said_to_be_so(
        self, store: RedisConversations, place: Origin, backend: Backend
    ) -> None:
        backend.admin.hset(keys_of(place).conversation("c1"), mapping={"revision": 1, "data": b"\xc1not a record"})
        with pytest.raises(StoreError, match="bytes that are no record"):
            await store.get(place, "c1")
        backend.admin.zadd(keys_of(place).owed, {"c1:1": 1})
        fine = await written(store, triage(place))
        assert await store.owed(place, older_than=0) == (fine,)

    @pytest.mark.parametrize(
        "name",
        ["{}", "a:b{c}d", "}{", "*?[x]\\", "a b\tc\n", "ünïcödé ☎", "~", "", "x" * 5000, "'; redis.call('FLUSHALL')"],
        ids=lambda name: ascii(name[:12]),
    )
    async def test_any_name_may_come_from_outside(
        self, store: RedisConversations, other: RedisConversations, place: Origin, name: str
    ) -> None:
        there = Origin(f"slack{name}", f"{place.workspace}{name}", f"C{name}", f"U{name}", f"1.0{name}")
        first = await written(store, triage(there, guide=f"g{name}", id=f"{event()}{name}"))
        await written(store, triage(replace(there, channel="C2"), guide=f"g{name}"))
        assert await other.here(there) == first
        assert await other.commit(f"e{name}", triage(there, guide=f"g{name}")) == Conflict(first)
        assert len(await other.owed(there, older_than=0)) == 2
        assert await other.forget(there) == 2


class TestKeys:
    @staticmethod
    async def workload(store: RedisConversations, place: Origin) -> Conversation:
        """Touch every kind of key; return an open conversation."""
        parked = await written(store, triage(place, guide="a"))
        await written(store, turned(parked, outcome=Outcome.WAITING, incident="inc1"))
        ended = await written(store, triage(place, guide="b"))
        await written(store, turned(ended, outcome=Outcome.FIXED))
        await written(store, triage(replace(place, user="U0BOB"), helpers=(place.user,)))
        tallies = RedisTallies(store.server)
        tallies.count(place, "2026-11-30", ["opened"])
        await tallies.flush()
        rooms = RedisRooms(store.server, ROOM.ttl)
        rooms.report(place, Signal("timeout", (await rooms.heard(place)).at))
        await rooms.flush()
        await rooms.record(place, of_incident(place.channel, "i1", "Elevated errors", OPENED))
        return await written(store, triage(place))

    async def test_each_is_in_the_registry_with_its_type_and_lifetime(
        self, store: RedisConversations, place: Origin, backend: Backend
    ) -> None:
        await self.workload(store, place)
        seen = set()
        for key in backend.keys(place.workspace):
            spec = spec_of(key)
            assert spec is not None, f"{key} is in no row of the registry"
            assert backend.admin.type(key) == spec.type.encode()
            assert spec.ttl - 60 < backend.admin.ttl(key) <= spec.ttl
            assert f"{{{keys_of(place).tenant}}}" in key
            seen.add(spec.name)
        assert seen == {spec.name for spec in OF_WORKSPACES}
        key = WORKSPACES.key("")
        assert backend.admin.type(key) == WORKSPACES.type.encode()
        assert WORKSPACES.ttl - 60 < backend.admin.ttl(key) <= WORKSPACES.ttl

    async def test_those_of_a_person_are_gone_when_forgotten(
        self, store: RedisConversations, other: RedisConversations, place: Origin, backend: Backend
    ) -> None:
        last = await self.workload(store, place)
        store.confirm(last)
        assert await store.forget(place) == 3
        await RedisRooms(store.server, ROOM.ttl).forget(place)
        for replica in (store, other):
            assert await replica.here(place) is None
            assert await replica.get(place, last.id) is None
            assert await replica.of(place) == ()
            assert await replica.waiting(place) == ()
        bob = replace(place, user="U0BOB")
        (theirs,) = await other.of(bob)
        assert theirs.helpers == ()
        assert await other.owed(place, older_than=0) == (theirs,), "what bob is owed he still gets"
        names = {f"conversation:{theirs.id}", "person:U0BOB", "kept:U0BOB", "owed", "going"}
        names |= {"tally:2026-11-30", "gatherings", "room"}
        (room,) = [key for key in backend.keys(place.workspace) if key.endswith(":room")]
        assert backend.admin.hkeys(room) == [b"salt"], "which tells of nobody"
        left = {key.split("}:")[1] for key in backend.keys(place.workspace)}
        assert {key for key in left if not key.startswith(CLAIM.name)} == names
        assert await store.forget(place) == 0

    async def test_many_of_a_person_are_forgotten(self, store: RedisConversations, place: Origin) -> None:
        for n in range(250):
            await written(store, triage(place, guide=f"g{n}"))
        assert len(await store.of(place)) == 250
        assert await store.forget(place) == 250
