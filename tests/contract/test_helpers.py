"""Hand-offs and helpers, on every platform where there is more than one person."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.triage.placement import Rooms
from handlers.life import look_after
from tests.contract.bench import ANN, BOB, Bench, Seen
from tests.contract.benches import BENCHES, Opening
from tests.contract.test_chat import CUT_OFF, TOOLS

SHARED = {name: opening for name, opening in BENCHES.items() if name != "console"}
TAKE, ASK, RESOLVE, RETURN = "Take it", "Ask in the thread", "Resolve", "Give back"


@pytest.fixture(params=list(SHARED.values()), ids=list(SHARED))
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    opening: Opening = request.param
    async with opening(tmp_path / "data") as one:
        yield one


def rooms(bench: Bench, **changes: object) -> None:
    """Set what an operator sets."""
    platform = bench.origin(ANN).platform
    before = bench.desk.rooms.get(platform, Rooms())
    bench.desk.rooms = {platform: replace(before, **changes)}  # type: ignore[arg-type]


async def packet(bench: Bench) -> Seen:
    (found,) = [one for one in await bench.seen() if "needs a human" in one.text or "Was handed over" in one.text]
    return found


async def thread(bench: Bench) -> list[str]:
    """What stands in the thread, without the packet."""
    return [one.text for one in await bench.seen() if "needs a human" not in one.text and "Was handed" not in one.text]


async def at(bench: Bench) -> int:
    """Where the packet stands among what is seen."""
    return [n for n, one in enumerate(await bench.seen()) if "needs a human" in one.text][-1]


async def handed_over(bench: Bench) -> None:
    rooms(bench, handoff=bench.channel("other"))
    await bench.mention(ANN, f"{CUT_OFF} request id req_011CQ")
    await bench.press(ANN, TOOLS)
    await bench.press(ANN, "Get a human")


class TestAHandOff:
    async def test_it_is_posted_to_the_helpers_with_everything_and_the_way_back(self, bench: Bench) -> None:
        await handed_over(bench)
        found = await packet(bench)
        for piece in ("Redial hand-off", "req_011CQ", TOOLS, "Official status at", "Official status now", "Opened: 20"):
            assert piece in found.text, piece
        assert found.buttons == (TAKE, ASK, RESOLVE)
        assert "Nobody has it yet" in found.text
        assert "thread" in found.text
        last = (await thread(bench))[-1]
        assert "with the helpers" in last
        assert "Redial hand-off" in last, "to be copied for the vendor's support"

    async def test_who_takes_it_is_shown_in_both_places(self, bench: Bench) -> None:
        await handed_over(bench)
        await bench.press(BOB, TAKE, message=await at(bench))
        assert (await packet(bench)).buttons == (ASK, RESOLVE, RETURN)
        assert "has it" in (await packet(bench)).text
        assert "has taken it" in (await thread(bench))[-1]
        (here,) = await bench.desk.store.going(bench.origin(ANN))
        assert here.handoff
        assert here.handoff.holder == bench.origin(BOB).user

    async def test_who_comes_second_is_told_and_nothing_changes(self, bench: Bench) -> None:
        await handed_over(bench)
        await bench.press(BOB, TAKE, message=await at(bench))
        before = await bench.seen()
        await bench.press(ANN, TAKE, message=await at(bench))
        assert await bench.seen() == before
        assert "has it already" in (await bench.private(ANN))[-1].text

    async def test_asking_calls_the_person_into_their_thread(self, bench: Bench) -> None:
        await handed_over(bench)
        await bench.press(BOB, ASK, message=await at(bench))
        assert "has a question about it" in (await thread(bench))[-1]
        assert "Answer here" in (await thread(bench))[-1]
        assert "I told them" in (await bench.private(BOB))[-1].text

    async def test_it_can_be_given_back_and_taken_again(self, bench: Bench) -> None:
        await handed_over(bench)
        where = await at(bench)
        await bench.press(BOB, TAKE, message=where)
        await bench.press(BOB, RETURN, message=where)
        assert "gave it back" in (await thread(bench))[-1]
        assert (await packet(bench)).buttons == (TAKE, ASK, RESOLVE)
        await bench.press(BOB, TAKE, message=where)
        assert "has taken it" in (await thread(bench))[-1]

    async def test_resolved_ends_it_and_it_can_be_reopened(self, bench: Bench) -> None:
        await handed_over(bench)
        where = await at(bench)
        await bench.press(BOB, TAKE, message=where)
        await bench.press(BOB, RESOLVE, message=where)
        last = (await bench.seen())[-1]
        assert "says it is solved" in last.text
        assert (await packet(bench)).buttons == ()
        assert "Solved" in (await packet(bench)).text
        await bench.press(ANN, "It's back")
        assert "git diff" in (await bench.seen())[-1].text
        assert "went on with the questions" in (await packet(bench)).text

    async def test_the_person_may_say_that_it_works_again(self, bench: Bench) -> None:
        await handed_over(bench)
        await bench.press(
            ANN, "It works now", message=-1 if "needs a human" not in (await bench.seen())[-1].text else -2
        )
        assert "It works again" in (await packet(bench)).text
        assert (await packet(bench)).buttons == ()

    async def test_only_helpers_take_it_where_some_are_named(self, bench: Bench) -> None:
        await handed_over(bench)
        rooms(bench, helpers=frozenset({await bench.group(BOB)}))
        await bench.press(ANN, TAKE, message=await at(bench))
        assert "for the helpers" in (await bench.private(ANN))[-1].text
        assert "Nobody has it yet" in (await packet(bench)).text
        await bench.press(BOB, TAKE, message=await at(bench))
        assert "has taken it" in (await thread(bench))[-1]

    async def test_a_person_gets_it_in_their_direct_messages(self, bench: Bench) -> None:
        rooms(bench, handoff_person=bench.origin(BOB).user)
        await bench.mention(ANN, CUT_OFF)
        await bench.press(ANN, "Get a human")
        assert "Redial hand-off" in (await bench.private(BOB))[-1].text
        await bench.press_private(BOB, TAKE)
        assert "has taken it" in (await bench.seen())[-1].text
        assert RETURN in (await bench.private(BOB))[-1].buttons

    async def test_what_was_held_privately_says_so_and_is_answered_privately(self, bench: Bench) -> None:
        rooms(bench, handoff=bench.channel("watched"))
        await bench.command(ANN, CUT_OFF, channel="other")
        await bench.command(ANN, "get a human", channel="other")
        assert any("with the helpers" in told.text for told in await bench.private(ANN))
        (found,) = await bench.seen()
        assert "private conversation: write to them directly" in found.text
        await bench.press(BOB, TAKE)
        assert any("has taken it" in told.text for told in await bench.private(ANN))
        await bench.press(BOB, ASK)
        assert "Their conversation is private" in (await bench.private(BOB))[-1].text
        assert len(await bench.seen()) == 1

    async def test_a_target_that_is_gone_is_said_and_nothing_is_lost(self, bench: Bench) -> None:
        rooms(bench, handoff="999999999999999999")
        if hasattr(bench.chat, "gone"):
            bench.chat.gone.add("999999999999999999")
        await bench.mention(ANN, CUT_OFF)
        await bench.press(ANN, "Get a human")
        last = (await bench.seen())[-1]
        assert "could not hand it to the helpers" in last.text
        assert "Redial hand-off" in last.text
        (here,) = await bench.desk.store.going(bench.origin(ANN))
        assert here.handoff
        assert here.handoff.act == "stuck"
        rooms(bench, handoff=bench.channel("other"))
        await bench.press(ANN, "Hand it over again")
        assert (await packet(bench)).buttons == (TAKE, ASK, RESOLVE)


class TestSilence:
    async def test_silence_is_asked_about_once(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        began, later = bench.desk.clock(), [0.0]
        bench.desk.clock = lambda: began + later[0]
        later[0] = 1801.0
        place = bench.origin(ANN)
        assert [await look_after(bench.desk, place, bench.chat) for _ in range(2)] == [1, 0]
        asked = (await bench.seen())[-1]
        assert "Are you still there?" in asked.text
        assert TOOLS in asked.buttons
        later[0] = 86402.0
        assert await look_after(bench.desk, place, bench.chat) == 1
        assert (await bench.seen())[-1] == asked, "closed without a word"
        await bench.press(ANN, TOOLS)
        assert "Take it up again" in (await bench.private(ANN))[-1].buttons

    async def test_people_who_talk_to_each_other_are_not_asked_whether_they_are_there(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        await bench.say(BOB, "did you try the other wifi?")
        began, later = bench.desk.clock(), [1801.0]
        bench.desk.clock = lambda: began + later[0]
        place = bench.origin(ANN)
        assert await look_after(bench.desk, place, bench.chat) == 0
        assert not any("still there" in one.text for one in await bench.seen())
        await bench.press(ANN, TOOLS)
        later[0] = 3700.0
        assert await look_after(bench.desk, place, bench.chat) == 1


class TestHelpers:
    async def test_the_owner_may_let_others_help_and_who_answered_is_shown(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        await bench.press(BOB, TOOLS)
        assert "belongs to somebody else" in (await bench.private(BOB))[-1].text
        await bench.press(BOB, "Let others help")
        assert "belongs to somebody else" in (await bench.private(BOB))[-1].text
        await bench.press(ANN, "Let others help")
        last = (await bench.seen())[-1]
        assert "others may answer" in last.text
        assert "Let others help" not in last.buttons
        await bench.press(BOB, TOOLS)
        assert "git diff" in (await bench.seen())[-1].text
        folded = (await bench.seen())[-2]
        assert TOOLS in folded.text
        assert bench.origin(BOB).user in folded.text, "who answered is shown"

    async def test_a_helper_of_the_settings_may_answer(self, bench: Bench) -> None:
        rooms(bench, helpers=frozenset({await bench.group(BOB)}))
        await bench.mention(ANN, CUT_OFF)
        await bench.press(BOB, TOOLS)
        assert "git diff" in (await bench.seen())[-1].text

    async def test_words_let_others_help_too(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        await bench.say(ANN, "let others help")
        await bench.press(BOB, TOOLS)
        assert "git diff" in (await bench.seen())[-1].text
