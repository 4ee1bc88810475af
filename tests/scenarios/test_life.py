"""The life of a conversation over replicas and crashes: silence, and hand-offs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters.store.leases import RedisLeases
from bot.core.bounds import BOUNDS, Bounds
from bot.core.event import InboundEvent, Pressed
from bot.core.triage import helping
from bot.core.triage.life import Pace
from bot.core.triage.placement import Where
from bot.runtime.scheduler import Jobs
from handlers.turns import handle
from tests.contract.test_chat import CUT_OFF, TOOLS
from tests.machine import until
from tests.scenarios.house import ANN, AWAY, BOB, DAY, HALF, House, handed, opened, page_of
from tests.scenarios.playing import NOW, page


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with opened(tmp_path / "data") as one:
        yield one


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
        for desk in house.desks:
            desk.bounds = Bounds(turn=1.0)
        assert await house.owed() == 0
        house.bench.chat.refuses.clear()
        await until(house.owed)
        assert len(await house.packets()) == 1


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
