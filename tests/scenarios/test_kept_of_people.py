"""What is kept of people: counts without names, and of who was forgotten nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import redis

from bot.adapters.store.launch import place_for
from bot.adapters.store.registry import spec_of
from bot.adapters.store.rooms import RedisRooms
from bot.core.event import Commanded
from bot.core.status.subscription import Choice, Place, Subscription
from bot.core.triage.room import Sensor
from bot.runtime.scheduler import Jobs
from handlers.insights import gathered
from handlers.room import Lookout
from handlers.waiting import tell_ended
from tests.contract.test_chat import CUT_OFF, OVERLOADED, TOOLS
from tests.scenarios.house import ANN, BOB, HALF, WORDS, House, handed, opened, page_of
from tests.scenarios.playing import page


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with opened(tmp_path / "data") as one:
        yield one


async def test_where_a_step_has_helped_often_enough_it_says_so(house: House) -> None:
    jobs = Jobs(house.desk, {"room": house.bench.chat})
    for n in range(12):
        await house.bench.mention(f"U{n}", CUT_OFF)
        await house.bench.press(f"U{n}", TOOLS)
        await house.bench.say(f"U{n}", "it works again" if n % 3 else "that's all, thanks")
        assert "It fixed it for" not in " ".join(await house.texts())
    await jobs.written()
    await jobs.learned()
    await house.bench.mention(ANN, CUT_OFF)
    await house.bench.press(ANN, TOOLS)
    assert "It fixed it for 8 of" not in (await house.texts())[-1], "eight tried it to an end: too few"
    for n in range(20, 24):
        await house.bench.mention(f"U{n}", CUT_OFF)
        await house.bench.press(f"U{n}", TOOLS)
        await house.bench.press(f"U{n}", "Nothing changed")
    await jobs.written()
    await jobs.learned()
    await house.bench.mention(BOB, CUT_OFF)
    await house.bench.press(BOB, TOOLS)
    assert "It fixed it for 8 of 12 here." in (await house.texts())[-1]


async def test_insights_of_a_workspace(house: House) -> None:
    for n in range(6):
        await house.bench.mention(f"U{n}", CUT_OFF)
        await house.bench.press(f"U{n}", TOOLS)
        await house.bench.say(f"U{n}", "it works again")
    await house.bench.command(ANN, "insights")
    said = (await house.bench.private(ANN))[-1].text
    assert "Fewer than 5 conversations" in said, "last week there were none"
    assert "5 or more conversations: 6 fixed" in said
    _, month = await gathered(house.desk, [house.bench.origin(ANN)])
    assert (month.conversations, month.steps) == (5, ()), "six are not enough to praise a step"


async def test_what_was_recognised_wrongly_is_counted_to_the_end(house: House) -> None:
    for n in range(6):
        await house.bench.mention(f"U{n}", CUT_OFF)
        await house.bench.press(f"U{n}", "Not this problem")
    await house.bench.command(ANN, "insights")
    said = (await house.bench.private(ANN))[-1].text
    assert "6 were taken for another problem at first." in said
    assert "5 or more, 0 fixed, 6 were something else" in said
    (week, month) = await gathered(house.desk, [house.bench.origin(ANN)])
    assert (week.few, month.corrected) == (True, 6)
    kept = {key for key in counted_keys(house) if "U0" in key or "U5" in key}
    assert kept == set(), "counts, and nobody's id"


def counted_keys(house: House) -> list[str]:
    """Every key of counts with what it holds."""
    with redis.Redis(unix_socket_path=str(place_for(house.data_dir).socket)) as client:
        keys = [key for key in client.scan_iter() if (spec := spec_of(key.decode())) and spec.name == "tally"]
        assert keys
        return [f"{key!r} {_value(client, key)}" for key in keys]


class TestForgetMe:
    async def test_of_somebody_who_is_forgotten_no_trace_is_left(self, house: House) -> None:
        bench = house.bench
        house.set(handoff="other")
        rooms = RedisRooms(house.other.store.server, 1800)  # type: ignore[attr-defined]
        bench.desk.lookout = Lookout(rooms, Sensor(people=2, minutes=30))
        await open_and_ended(house)
        await owed_waiting_and_handed(house)
        await helping_others(house)
        place = Place("room", "W1", "triage")
        subscription = Subscription(place, "p1", since=1, by=ANN, choice=Choice())
        pages = bench.desk.pages
        assert pages
        assert await pages.subscribe(await pages.page("p1"), subscription)
        await bench.desk.tallies.flush()
        await rooms.flush()
        await bench.desk.store.flush()
        kinds = {spec.name for key in traces(house) if (spec := spec_of(key))}
        assert kinds == {"conversation", "person", "kept", "named", "subscriptions"}, "the search finds what is there"
        await bench.hear(ANN, Commanded("forget-me"))
        await bench.desk.store.flush()
        await rooms.flush()
        await bench.desk.tallies.flush()
        assert traces(house) == []
        (theirs,) = await house.other.store.going(bench.origin(BOB))
        assert theirs.origin.user == BOB, "what is bob's stays his"
        (kept,) = await pages.subscriptions("p1")
        assert (kept.place, kept.by) == (place, ""), "and what is a channel's stays the channel's"
        await tell_ended(house.other, await house.other.store.waiting(bench.origin(ANN)), bench.chat)
        assert await house.owed() == 0
        assert await house.minute() == 0
        assert traces(house) == [], "nothing brings it back"


async def open_and_ended(house: House) -> None:
    bench = house.bench
    await bench.mention(ANN, CUT_OFF)
    await bench.press(ANN, TOOLS)
    await bench.say(ANN, WORDS)
    await bench.say(ANN, "it works again")
    await bench.press(ANN, "It went away by itself")
    await bench.mention(ANN, CUT_OFF)
    await bench.press(ANN, "Let others help")
    house.now += HALF + 1
    await house.minute()


async def owed_waiting_and_handed(house: House) -> None:
    bench = house.bench
    page_of(house).read = page("incident")
    await bench.command(ANN, OVERLOADED, channel="other")
    await bench.press_private(ANN, "Wait and tell me")
    page_of(house).read = page("clear")
    await bench.mention(ANN, "claude.ai says Connection lost. Retrying...")
    await bench.press(ANN, "Get a human")
    await handed(house, "crashed2")


async def helping_others(house: House) -> None:
    bench = house.bench
    await bench.mention(BOB, CUT_OFF)
    await bench.press(BOB, "Let others help")
    await bench.press(ANN, TOOLS)
    await bench.press(BOB, "Get a human")
    (packet,) = [one for one in bench.chat.messages if one.channel == "other" and not one.edited][-1:]
    await bench.press_on(ANN, "Take it", packet)
    await bench.press_on(ANN, "Ask in the thread", packet)


def traces(house: House) -> list[str]:
    """Every key whose name or value holds their id, or what they wrote."""
    with redis.Redis(unix_socket_path=str(place_for(house.data_dir).socket)) as client:
        every = ((key.decode(), f"{key!r} {_value(client, key)}") for key in client.scan_iter())
        return [key for key, held in every if any(one in held for one in (ANN, WORDS, "Retrying"))]


def _value(client: redis.Redis, key: bytes) -> str:
    match client.type(key):
        case b"string":
            return repr(client.get(key))
        case b"hash":
            return repr(client.hgetall(key))
        case b"zset":
            return repr(client.zrange(key, 0, -1))
        case other:
            raise AssertionError(other)
