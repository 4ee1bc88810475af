"""What every server has to do for the room: counts per person without a person's id, and one writer at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.adapters.store.rooms import RedisRooms
from bot.core.event import Origin
from bot.core.triage.gathering import Doing, Gathering, State, intended, of_incident, sent
from bot.core.triage.room import Shared, Signal, Verdict
from tests.contract.conftest import Backend, Proxied

WINDOW = 1800.0
NOTE = of_incident("C0SUPPORT", "i1", "Elevated errors", 1000.0)


@pytest.fixture
def rooms(proxied: Proxied) -> RedisRooms:
    return RedisRooms(proxied.store.server, WINDOW)


def by(place: Origin, user: str) -> Origin:
    return replace(place, user=user)


async def now(rooms: RedisRooms, place: Origin) -> float:
    return (await rooms.heard(place)).at


async def test_a_report_counts_once_a_person_and_the_last_one_counts(rooms: RedisRooms, place: Origin) -> None:
    at = await now(rooms, place)
    for user, kind in (("U1", "timeout"), ("U2", "timeout"), ("U1", "overloaded")):
        rooms.report(by(place, user), Signal(kind, at, {"place": "company"}))
        await rooms.flush()
    assert sorted(one.kind for one in (await rooms.heard(place)).signals) == ["overloaded", "timeout"]
    assert (await rooms.heard(place)).signals[0].facts == {"place": "company"}


async def test_a_burst_is_written_in_one_trip(rooms: RedisRooms, proxied: Proxied, place: Origin) -> None:
    at = await now(rooms, place)
    await rooms.forget(by(place, "U0"))
    proxied.proxy.reset()
    for n in range(500):
        rooms.report(by(place, f"U{n}"), Signal("timeout", at))
    assert proxied.proxy.trips == 0
    await rooms.flush()
    assert proxied.proxy.trips == 1
    assert len((await rooms.heard(place)).signals) == 500
    proxied.proxy.reset()
    await rooms.flush()
    assert proxied.proxy.trips == 0, "nothing is left"


async def test_what_is_older_than_the_window_is_deleted_salt_and_all(
    rooms: RedisRooms, place: Origin, backend: Backend
) -> None:
    at = await now(rooms, place)
    rooms.report(by(place, "U1"), Signal("timeout", at - WINDOW - 5))
    rooms.report(by(place, "U2"), Signal("timeout", at))
    await rooms.flush()
    assert len((await rooms.heard(place)).signals) == 1
    rooms.report(by(place, "U2"), None)
    await rooms.flush()
    assert (await rooms.heard(place)).signals == ()
    assert not [key for key in backend.keys(place.workspace) if key.endswith(":room")]


async def test_nobodys_id_is_kept_and_forgetting_finds_it_all_the_same(
    rooms: RedisRooms, place: Origin, backend: Backend
) -> None:
    at = await now(rooms, place)
    for user in ("U0SECRETALICE", "U0SECRETBOB"):
        rooms.report(by(place, user), Signal("timeout", at, {"browser": "firefox"}))
    await rooms.flush()
    (key,) = [key for key in backend.keys(place.workspace) if key.endswith(":room")]
    kept = str(backend.admin.hgetall(key))
    assert "SECRET" not in kept
    assert 0 < backend.admin.ttl(key) <= WINDOW
    await rooms.forget(by(place, "U0SECRETALICE"))
    assert len((await rooms.heard(place)).signals) == 1


async def test_two_replicas_count_a_person_as_one(rooms: RedisRooms, proxied: Proxied, place: Origin) -> None:
    other, at = RedisRooms(proxied.store.server, WINDOW), await now(rooms, place)
    for replica in (rooms, other):
        replica.report(by(place, "U1"), Signal("timeout", at))
        await replica.flush()
    assert len((await rooms.heard(place)).signals) == 1


async def test_a_gathering_comes_back_as_it_was_written(rooms: RedisRooms, place: Origin) -> None:
    full = Gathering(
        "room:timeout", "C1", 12.5, State.CALM, "timeout", "i1", "Elevated", 5, 7, Verdict.OURS,
        (Shared("place", "company", 3),), (Shared("version", "2.1.30", 4),), 99.5,
        messages={"post": "1.1", "talk": "1.2"}, link="https://x", shown="m", edited=98.0,
    )  # fmt: skip
    assert await rooms.record(place, full) == replace(full, version=1)
    assert (await rooms.heard(place)).gatherings == (replace(full, version=1),)
    await rooms.drop(place, full)
    assert (await rooms.heard(place)).gatherings == ()


async def test_only_one_of_two_writers_gets_to_send(rooms: RedisRooms, place: Origin) -> None:
    first = await rooms.record(place, intended(NOTE, Doing.POST, "mine"))
    assert first
    assert first.at > 0, "the server's clock"
    assert await rooms.record(place, intended(NOTE, Doing.POST, "theirs")) is None
    assert await rooms.record(place, intended(NOTE, Doing.POST, "mine")) == first, "a repeat of a write that succeeded"
    stored = await rooms.record(place, sent(first, "1.1", "mark", "https://x"))
    assert stored
    assert (stored.post, stored.version, stored.at) == ("1.1", 2, 0.0)


async def test_one_that_is_too_new_does_not_hide_the_others(rooms: RedisRooms, place: Origin, backend: Backend) -> None:
    await rooms.record(place, NOTE)
    (key,) = [key for key in backend.keys(place.workspace) if key.endswith(":gatherings")]
    backend.admin.hset(key, "C9 incident:i9", b"1 0 99 whatever")
    backend.admin.hset(key, "C9 incident:i8", b"1 0 1 whatever")
    assert [one.id for one in (await rooms.heard(place)).gatherings] == [NOTE.id]
