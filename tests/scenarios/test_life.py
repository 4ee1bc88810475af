"""The life of a conversation over replicas and crashes: silence, hand-offs, and what is left of somebody forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import redis

from bot.adapters.store import connect
from bot.adapters.store.launch import place_for
from bot.adapters.store.leases import RedisLeases
from bot.adapters.store.pages import RedisPages
from bot.adapters.store.registry import spec_of
from bot.adapters.store.rooms import RedisRooms
from bot.adapters.store.tallies import RedisTallies
from bot.core.bounds import BOUNDS
from bot.core.errors import ChatUnavailable
from bot.core.event import Commanded, InboundEvent, Pressed
from bot.core.status.subscription import Choice, Place, Subscription
from bot.core.triage import flow, helping
from bot.core.triage.conversation import Conversation
from bot.core.triage.flow import Begin, Press
from bot.core.triage.life import Pace
from bot.core.triage.placement import Where
from bot.core.triage.room import Sensor
from bot.runtime.scheduler import Jobs
from handlers.desk import Desk
from handlers.insights import gathered
from handlers.life import look_after
from handlers.room import Lookout
from handlers.triage import show_owed
from handlers.turns import handle
from handlers.waiting import tell_ended
from tests.contract.bench_room import RoomBench, room
from tests.contract.test_chat import CUT_OFF, OVERLOADED, TOOLS
from tests.scenarios.desk import Page
from tests.scenarios.playing import NOW, page, recogniser

HALF, DAY = 1800.0, 86400.0
ANN = "U0FORGETME7"
BOB = "U0HELPER8"
WORDS = "two files edited, tests not run"
AWAY = ChatUnavailable("the platform is away")


@dataclass
class House:
    """A room, and two replicas that serve it from one store."""

    bench: RoomBench
    other: Desk
    now: float = NOW
    data_dir: Path = field(default_factory=Path)

    @property
    def desk(self) -> Desk:
        return self.bench.desk

    @property
    def desks(self) -> tuple[Desk, Desk]:
        return self.desk, self.other

    def set(self, **changes: object) -> None:
        for desk in self.desks:
            rooms = replace(desk.rooms["room"], **changes)  # type: ignore[arg-type]
            desk.rooms = {"room": rooms}

    async def minute(self) -> int:
        """What both replicas do once a minute, at the same moment."""
        place = self.bench.origin(ANN)
        return sum(await asyncio.gather(*(look_after(desk, place, self.bench.chat) for desk in self.desks * 2)))

    async def owed(self) -> int:
        """What both do about answers that are owed, at the same moment."""
        place = self.bench.origin(ANN)
        rounds = (show_owed(desk, place, self.bench.chat, older_than=0) for desk in self.desks)
        return sum(await asyncio.gather(*rounds))

    async def here(self, user: str = ANN) -> Conversation:
        (found,) = await self.desk.store.of(self.bench.origin(user))
        return found

    async def texts(self) -> list[str]:
        return [one.text for one in await self.bench.seen()]

    async def packets(self) -> list[str]:
        return [text for text in await self.texts() if "needs a human" in text]


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with AsyncExitStack() as closing:
        bench = await closing.enter_async_context(room(tmp_path / "data"))
        assert isinstance(bench, RoomBench)
        store = await connect(None, tmp_path / "data")
        closing.push_async_callback(store.close)
        found = House(bench, replace(bench.desk, store=store), data_dir=tmp_path / "data")
        for desk in found.desks:
            desk.clock = lambda: found.now
        bench.desk.pages, bench.desk.watched = RedisPages(store.server), {"p1": "Claude"}
        bench.desk.tallies = RedisTallies(store.server)
        yield found


class TestSilence:
    async def test_somebody_is_asked_once_and_it_is_closed_quietly_by_one_replica(self, house: House) -> None:
        await house.bench.mention(ANN, CUT_OFF)
        house.now += HALF - 1
        assert await house.minute() == 0
        house.now += 2
        assert await house.minute() == 1
        asked = (await house.texts())[-1]
        assert "Are you still there?" in asked
        assert TOOLS in (await house.bench.seen())[-1].buttons
        for later in (60, HALF, DAY / 2):
            house.now = NOW + HALF + later
            assert await house.minute() == 0, "once is enough"
        house.now = NOW + DAY + 2
        said = await house.texts()
        assert await house.minute() == 1
        assert await house.texts() == said, "quietly"
        assert await house.desk.store.of(house.bench.origin(ANN)) == ()
        assert await house.owed() == 0, "and nothing is owed"

    async def test_what_was_closed_is_taken_up_with_two_presses(self, house: House) -> None:
        await house.bench.mention(ANN, CUT_OFF)
        await house.bench.press(ANN, TOOLS)
        house.now += DAY + 1
        assert await house.minute() == 1
        await house.bench.press(ANN, "Nothing changed")
        assert "Closed" in (await house.bench.private(ANN))[-1].text
        await house.bench.press_private(ANN, "Take it up again")
        assert "git diff" in (await house.bench.seen())[-1].text
        assert (await house.here()).open

    async def test_an_answer_in_time_is_no_silence(self, house: House) -> None:
        await house.bench.mention(ANN, CUT_OFF)
        house.now += HALF - 10
        await house.bench.press(ANN, TOOLS)
        house.now += 60
        assert await house.minute() == 0

    async def test_in_a_storm_and_while_waiting_nobody_is_asked(self, house: House) -> None:
        await house.bench.mention(ANN, CUT_OFF)
        await house.bench.mention(BOB, CUT_OFF)
        page_of(house).read = page("incident")
        await house.bench.press(BOB, TOOLS)
        await house.bench.say(BOB, "wait and tell me")
        house.now += HALF + 1
        assert await house.minute() == 0
        page_of(house).read = page("clear")
        house.now += HALF
        assert await house.minute() == 1, "only who does not wait, once it is over"

    async def test_a_post_that_fails_is_made_up_for_once(self, house: House) -> None:
        await house.bench.mention(ANN, CUT_OFF)
        house.now += HALF + 1
        house.bench.chat.refuses["show"] = AWAY
        assert await house.minute() == 0
        house.bench.chat.refuses.clear()
        before = len(await house.texts())
        assert await house.owed() == 1
        assert len(await house.texts()) == before + 1
        assert TOOLS in (await house.bench.seen())[-1].buttons
        assert await house.minute() == 0

    async def test_one_process_does_it_for_all(self, house: House) -> None:
        jobs = []
        for desk in house.desks:
            desk.leases = RedisLeases(house.other.store.server)  # type: ignore[attr-defined]
            jobs.append(Jobs(desk, {"room": house.bench.chat}))
        await house.bench.mention(ANN, CUT_OFF)
        house.now += HALF + 1
        await jobs[0].silent()
        house.now += DAY
        await jobs[1].silent()
        assert (await house.here()).open, "the other has the lease"
        await jobs[0].silent()
        assert await house.desk.store.of(house.bench.origin(ANN)) == ()

    async def test_it_can_be_switched_off(self, house: House) -> None:
        for desk in house.desks:
            desk.pace = Pace(nudge=0, close=0)
        await house.bench.mention(ANN, CUT_OFF)
        house.now += 9 * DAY
        assert await house.minute() == 0
        assert (await house.here()).open


def page_of(house: House) -> Page:
    assert isinstance(house.desk.status, Page)
    return house.desk.status


async def handed(house: House, key: str = "crashed1") -> Conversation:
    """A hand-off as a process leaves it that dies right after its turn was stored."""
    desk, origin = house.desk, house.bench.origin(ANN)
    house.set(handoff="other")
    around = await desk.around()
    opened = flow.begin(
        desk.library, key, origin, Begin(CUT_OFF, recogniser().recognise(CUT_OFF), Where.THREAD), around
    )
    await desk.store.commit(f"{key}-1", opened.conversation)
    posted = await house.bench.chat.show(origin, opened.view, Where.THREAD)
    before = replace(opened.conversation, origin=replace(origin, thread=posted.thread), shown=posted.message)
    press = Press("@human", opened.view.step, opened.view.revision)
    after = flow.play(desk.library, before, press, around, by=ANN).conversation
    after = helping.asked(before, after)
    await desk.store.commit(f"{key}-2", after)
    return after


class TestAHandOffAndAKill:
    async def test_between_storing_and_posting(self, house: House) -> None:
        await handed(house)
        house.now += BOUNDS.unknown - 1
        assert await house.owed() == 0, "its request may still be under way"
        house.now += 2
        assert await house.owed() == 1
        assert len(await house.packets()) == 1
        assert "with the helpers" in (await house.texts())[-1]
        assert await house.owed() == 0

    async def test_between_posting_and_recording(self, house: House) -> None:
        here = await handed(house)
        view = helping.packet_view(house.desk.library, here, await house.desk.around(), "")
        await house.bench.chat.show(replace(house.bench.origin(ANN), channel="other"), view, Where.MESSAGE)
        house.now += BOUNDS.unknown + 1
        assert await house.owed() == 1
        assert len(await house.packets()) == 1, "it was found"
        assert "with the helpers" in (await house.texts())[-1]

    async def test_where_nobody_may_look_it_is_not_posted_twice(self, house: House) -> None:
        await handed(house)
        house.bench.chat.unread.add("other")
        house.now += BOUNDS.unknown + 1
        assert await house.owed() == 1
        assert await house.packets() == []
        assert "may not read there whether it arrived" in (await house.texts())[-1]
        assert "Hand it over again" in (await house.bench.seen())[-1].buttons

    async def test_between_recording_and_telling_who_asked(self, house: House) -> None:
        here = await handed(house)
        await house.desk.store.commit("x", helping.delivered(here, "m1", "https://room.example/m1"))
        house.now += BOUNDS.unknown + 1
        assert await house.owed() == 1
        assert await house.packets() == []
        assert "with the helpers" in (await house.texts())[-1]

    async def test_while_the_platform_is_away_it_stays_owed(self, house: House) -> None:
        await handed(house)
        house.now += BOUNDS.unknown + 1
        house.bench.chat.refuses["show"] = AWAY
        assert await house.owed() == 0
        house.bench.chat.refuses.clear()
        assert await wait_for_owed(house) == 1
        assert len(await house.packets()) == 1


async def wait_for_owed(house: House) -> int:
    """Look until nobody's turn at the answer is left."""
    async with asyncio.timeout(40):
        while not (done := await house.owed()):  # noqa: ASYNC110 - a claim in the store runs out, and nobody is told
            await asyncio.sleep(0.5)
    return done


async def test_of_two_helpers_at_two_replicas_one_has_it(house: House) -> None:
    house.set(handoff="other")
    await house.bench.mention(ANN, CUT_OFF)
    await house.bench.press(ANN, "Get a human")
    (packet,) = [one for one in house.bench.chat.messages if one.channel == "other"]
    view, users = packet.view, ("U0B", "U0C", "U0D", "U0E")
    what = Pressed(view.conversation, view.revision, view.step, "take", packet.id)
    await asyncio.gather(*(
        handle(house.desks[n % 2], InboundEvent(f"p{n}", house.bench.origin(user), what), house.bench.chat)
        for n, user in enumerate(users)
    ))  # fmt: skip
    (here,) = await house.desk.store.going(house.bench.origin(ANN))
    assert here.handoff
    assert here.handoff.holder in users
    told = [text.text for user in users for text in await house.bench.private(user)]
    assert sum("has it already" in text for text in told) == 3
    assert sum("has taken it" in text for text in await house.texts()) == 1


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
