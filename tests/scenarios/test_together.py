"""Incidents and conversations joined, as people see it: one thread for all, waiting, quiet words, a storm."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.status.announcement import Announcement, Sent
from bot.core.status.subscription import Place, Subscription, subscription_id
from handlers.waiting import tell_touched
from tests.adapters.slack.web import Fault
from tests.contract.bench_slack import SlackBench
from tests.scenarios.announcing import CLAUDE
from tests.scenarios.crowd import CROWDS, CUT_OFF, DIFFERENT, WAIT, WEB, Crowd, answer, both, press

LIMIT = "You've hit your usage limit"
NOT_YOU = "It is probably not you: Claude has an open incident."


@pytest.fixture(params=CROWDS)
async def crowd(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Crowd]:
    async with CROWDS[request.param](tmp_path / "data") as one:
        yield one


class TestAReportDuringAnIncident:
    async def test_a_mention_gets_one_line_and_no_thread_of_its_own(self, crowd: Crowd) -> None:
        crowd.reads("incident")
        await crowd.mention(CUT_OFF, user="ann")
        shared, *_ = await crowd.top()
        assert "Claude has an open incident: Elevated errors" in shared.text
        line = (await crowd.bench.private("ann"))[-1] if crowd.platform == "slack" else (await crowd.top())[-1]
        assert line.text.startswith(NOT_YOU)
        assert "open for 18 min · last update 4 min ago (read 35 s ago)" in line.text
        assert "This thread" in line.text
        assert line.text.count("\n") == 0
        assert line.buttons == (WAIT, DIFFERENT)
        assert await crowd.threads() == 1, "the one for everybody"

    async def test_a_command_is_answered_privately(self, crowd: Crowd) -> None:
        crowd.reads("incident")
        await crowd.command(CUT_OFF, user="ann")
        told = (await crowd.bench.private("ann"))[-1]
        assert told.text.startswith(NOT_YOU)
        assert "Don't repeat the request yet" in told.text
        assert told.buttons == (WAIT, DIFFERENT)
        assert len(await crowd.top()) == 1
        assert await crowd.threads() == 1

    @pytest.mark.parametrize("chosen", [WAIT, DIFFERENT])
    async def test_who_only_asks_whether_claude_is_down_is_told_and_can_answer(self, crowd: Crowd, chosen: str) -> None:
        crowd.reads("incident")
        await crowd.command("is Claude down?", user="ann")
        told = (await crowd.bench.private("ann"))[-1]
        assert told.text.startswith(NOT_YOU)
        assert told.buttons == (WAIT, DIFFERENT)
        await crowd.bench.press_private("ann", chosen)
        if chosen == DIFFERENT:
            assert any("I can help if it's Claude." in one.text for one in await crowd.bench.private("ann"))
            return
        assert "Waiting for: Elevated errors" in await answer(crowd, "ann")
        crowd.reads("over")
        assert await crowd.minute() == 1
        assert "It's over" in (await crowd.bench.private("ann"))[-1].text

    async def test_everybody_is_sent_to_the_same_thread(self, crowd: Crowd) -> None:
        crowd.reads("incident")
        for n in range(6):
            await (crowd.mention if n % 2 else crowd.command)(CUT_OFF)
        shared = [one for one in await crowd.top() if "Claude has an open incident: Elevated errors" in one.text]
        assert len(shared) == 1
        assert await crowd.threads() == 1

    async def test_what_an_incident_does_not_explain_begins_as_ever(self, crowd: Crowd) -> None:
        crowd.reads("incident")
        await crowd.mention(LIMIT, user="ann")
        opening = (await crowd.bench.seen())[-1]
        assert NOT_YOU not in opening.text
        assert "Claude has an open incident" in opening.text
        assert WAIT in opening.buttons

    @pytest.mark.parametrize("changes", [{"impact": "none"}, {"components": ("0scnb50nvy53",)}])
    async def test_what_does_not_touch_is_mentioned_and_ends_no_triage(
        self, crowd: Crowd, changes: dict[str, object]
    ) -> None:
        crowd.reads("incident", **changes)
        await crowd.mention(CUT_OFF, user="ann")
        opening = (await crowd.bench.seen())[-1]
        assert "open elsewhere: Elevated errors" in opening.text
        assert "What was Claude doing when it stopped?" in opening.text

    async def test_an_unreadable_page_is_unknown_and_the_triage_begins(self, crowd: Crowd) -> None:
        crowd.reads("unknown")
        await crowd.mention(CUT_OFF, user="ann")
        opening = (await crowd.bench.seen())[-1]
        assert "Official status: unknown" in opening.text
        assert "What was Claude doing when it stopped?" in opening.text

    async def test_whose_is_different_starts_in_private_without_another_thread(self, crowd: Crowd) -> None:
        crowd.reads("incident")
        await crowd.mention(CUT_OFF, user="ann")
        await press(crowd, "ann", DIFFERENT)
        begun = next(one for one in await crowd.bench.private("ann") if "What was Claude doing" in one.text)
        assert "Don't repeat the request yet" in begun.text, "what matters first is said before the first question"
        assert await crowd.threads() == 1
        assert "Only writing text" in begun.buttons
        (mine,) = await crowd.desk.store.of(crowd.bench.origin("ann"))
        assert (mine.open, mine.where.public) == (True, False)

    async def test_the_same_report_again_leads_to_the_one_that_is_there(self, crowd: Crowd) -> None:
        crowd.reads("incident")
        await crowd.command(CUT_OFF, user="ann")
        await crowd.command(CUT_OFF, user="ann")
        assert "already have this one open" in await answer(crowd, "ann")
        assert len(await crowd.desk.store.of(crowd.bench.origin("ann"))) == 1

    async def test_a_resent_event_is_answered_once(self, crowd: Crowd) -> None:
        crowd.reads("incident")
        await crowd.mention(CUT_OFF, user="ann")
        before = (len(await crowd.bench.private("ann")), len(await crowd.top()))
        await crowd.bench.resend()
        assert (len(await crowd.bench.private("ann")), len(await crowd.top())) == before

    async def test_it_goes_on_to_the_end_in_one_message(self, crowd: Crowd) -> None:
        crowd.reads("incident")
        await crowd.command(CUT_OFF, user="ann")
        await crowd.looks()
        crowd.reads("over")
        for _ in range(3):
            await crowd.looks()
        (shared,) = await crowd.top()
        assert shared.text.startswith("🟢 It's over: Elevated errors")
        below = [one.text for one in await crowd.bench.seen() if one.text.startswith("🟢 It's over")]
        assert len(below) == 2, "the message, and once in its thread"


class TestWaiting:
    async def test_who_waits_is_told_once_and_what_to_look_at_first(self, crowd: Crowd) -> None:
        crowd.reads("incident")
        await crowd.mention(CUT_OFF, user="ann")
        await press(crowd, "ann", WAIT)
        waiting = await answer(crowd, "ann")
        assert "Waiting for: Elevated errors (open for 18 min)." in waiting
        assert "I'll tell you privately when it is over." in waiting
        assert await crowd.minute() == 0
        crowd.reads("over")
        other = crowd.replica()
        assert other.desk.store is not crowd.desk.store
        assert await crowd.minute() == 1
        assert await crowd.minute() == 0
        over = (await crowd.bench.private("ann"))[-1]
        assert "It's over: the official page says “Elevated errors” has ended" in over.text
        assert "git diff" in over.text
        assert "continue" in over.text

    async def test_an_end_is_not_told_while_another_incident_is_open(self, crowd: Crowd) -> None:
        crowd.reads("incident")
        await crowd.command(CUT_OFF, user="ann")
        await press(crowd, "ann", WAIT)
        crowd.reads("over")
        board = crowd.place.page.read
        assert board
        first = board.incidents[0]
        second = replace(first, id="i2", name="Slow answers", status="investigating", resolved_at=None)
        crowd.place.page.read = replace(board, incidents=(second, first))
        assert [await crowd.minute(), await crowd.minute()] == [1, 0]
        told = (await crowd.bench.private("ann"))[-1]
        assert "Waiting for: Slow answers" in told.text
        assert "It's over" not in told.text
        over = replace(second, status="resolved", resolved_at=crowd.now() - 5)
        crowd.place.page.read = replace(board, incidents=(over, first))
        assert [await crowd.minute(), await crowd.minute()] == [1, 0]
        assert "“Slow answers” has ended" in (await crowd.bench.private("ann"))[-1].text

    async def test_who_said_so_twice_is_told_once(self, crowd: Crowd) -> None:
        crowd.reads("incident")
        for text in (CUT_OFF, WEB):
            await crowd.command(text, user="ann")
            await press(crowd, "ann", WAIT)
        crowd.reads("over")
        assert await crowd.minute() == 1
        assert await crowd.minute() == 0
        assert len([one for one in await crowd.desk.store.of(crowd.bench.origin("ann")) if one.waiting]) == 0

    async def test_who_takes_no_messages_ends_the_wait(self, tmp_path: Path) -> None:
        async with CROWDS["slack"](tmp_path / "data") as crowd:
            crowd.reads("incident")
            await crowd.command(CUT_OFF, user="ann")
            await press(crowd, "ann", WAIT)
            crowd.reads("over")
            assert isinstance(crowd.bench, SlackBench)
            crowd.bench.office.slack.plan("conversations.open", Fault(error="user_not_found"))
            assert await crowd.minute() == 0
            assert await crowd.desk.store.waiting(crowd.bench.origin("ann")) == ()

    async def test_if_it_does_not_help_one_press_goes_on(self, crowd: Crowd) -> None:
        crowd.reads("incident")
        await crowd.command(CUT_OFF, user="ann")
        await press(crowd, "ann", WAIT)
        crowd.reads("over")
        await crowd.minute()
        await crowd.bench.press_private("ann", "Still the same: go on with the triage")
        assert any("What was Claude doing when it stopped?" in one.text for one in await crowd.bench.private("ann"))

    async def test_an_open_conversation_gets_one_quiet_word_and_keeps_its_place(self, crowd: Crowd) -> None:
        await crowd.mention(CUT_OFF, user="ann")
        question = len(await crowd.bench.seen()) - 1
        crowd.reads("incident")
        assert await crowd.minute() == 1
        assert await crowd.minute() == 0, "once"
        word = (await crowd.bench.seen())[-1]
        assert word.text.startswith("By the way: the official page shows an incident now")
        assert word.buttons == (WAIT,)
        await crowd.bench.press("ann", "Only writing text", message=question)
        (mine,) = await crowd.desk.store.of(crowd.bench.origin("ann"))
        assert mine.history[-1].choice == "text" or mine.facts["tool_ran"] == "no", "the question was still open"

    async def test_the_quiet_words_button_waits(self, crowd: Crowd) -> None:
        await crowd.mention(CUT_OFF, user="ann")
        crowd.reads("incident")
        await crowd.minute()
        await crowd.bench.press("ann", WAIT)
        (mine,) = await crowd.desk.store.of(crowd.bench.origin("ann"))
        assert (mine.waiting, mine.incident) == (True, "i1")
        assert await crowd.minute() == 0

    async def test_of_two_replicas_one_says_the_quiet_word(self, crowd: Crowd) -> None:
        await crowd.mention(CUT_OFF, user="ann")
        crowd.reads("incident")
        other = crowd.replica()
        count = len(await crowd.bench.seen())
        going = await other.desk.store.going(crowd.bench.origin("ann"))
        theirs = tell_touched(other.desk, going, crowd.bench.chat)
        said = await crowd.running(both(crowd.rounds(), theirs))
        assert sorted(said) == [0, 1]
        assert len(await crowd.bench.seen()) == count + 1


class TestAChannelThatHearsOfThePage:
    async def test_reports_are_sent_to_the_announcement_and_nothing_is_added(self, tmp_path: Path) -> None:
        async with CROWDS["slack"](tmp_path / "data") as crowd:
            place = await listening(crowd)
            assert crowd.desk.pages
            told = Announcement("i1", ("i1",), Sent("1764000000.000100", "k", "m"))
            assert await crowd.desk.pages.record(CLAUDE, subscription_id(place), told)
            crowd.reads("incident")
            await crowd.command(CUT_OFF, user="ann")
            assert await crowd.top() == []
            body = str(crowd.bench.office.slack.told[-1])  # type: ignore[union-attr]
            assert f"/archives/{place.channel}/p1764000000000100" in body
            await crowd.looks()
            assert await crowd.top() == [], "others keep it up to date"

    async def test_one_that_is_about_to_be_told_is_waited_for(self, tmp_path: Path) -> None:
        async with CROWDS["slack"](tmp_path / "data") as crowd:
            await listening(crowd)
            crowd.reads("incident")
            await crowd.command(CUT_OFF, user="ann")
            assert (await answer(crowd, "ann")).startswith(NOT_YOU)
            assert await crowd.top() == []
            crowd.desk.pages = None
            await crowd.command(CUT_OFF, user="bob")
            assert (await answer(crowd, "bob")).startswith(NOT_YOU)
            assert await crowd.top() == [], "not everybody looks for it anew"


async def listening(crowd: Crowd) -> Place:
    """Let the triage channel hear of the official page."""
    pages, origin = crowd.desk.pages, crowd.bench.origin("ann")
    assert pages
    place = Place(origin.platform, origin.workspace, origin.channel)
    assert await pages.subscribe(await pages.page(CLAUDE), Subscription(place, CLAUDE, 1))
    return place


class TestAStorm:
    async def test_five_hundred_reports_make_one_thread_on_two_replicas(self, tmp_path: Path) -> None:
        async with CROWDS["slack"](tmp_path / "data") as crowd:
            crowd.reads("incident")
            bench = crowd.bench
            assert isinstance(bench, SlackBench)
            office, other = bench.office, crowd.replica()
            channel = office.channels["triage"]
            for at in range(0, 500, 100):
                events = []
                for n in range(at, at + 100, 2):
                    ts = f"{1764000000 + n}.000100"
                    event = {"type": "app_mention", "user": f"U{n}", "text": f"<@{office.me}> {CUT_OFF}", "ts": ts}
                    events.append(office.happened(event | {"channel": channel, "event_ts": ts}, settle=False))
                    other.mentioned(n + 1, CUT_OFF)
                await asyncio.gather(*events)
                await asyncio.gather(office.dispatcher.idle(), other.dispatcher.idle())
            calls = [call.method for call in office.slack.calls if call.body.get("channel") == channel]
            assert calls.count("chat.postEphemeral") == 500
            assert calls.count("chat.postMessage") <= 2, "the message for everybody, and the first one below it"
            assert len(await crowd.top()) == 1
            await other.looks()
            await crowd.looks()
            assert await crowd.threads() == 1
            assert len(await crowd.top()) == 1

    async def test_waiting_asks_next_to_nothing_of_slack(self, tmp_path: Path) -> None:
        async with CROWDS["slack"](tmp_path / "data") as crowd:
            crowd.reads("incident")
            bench = crowd.bench
            assert isinstance(bench, SlackBench)
            calls = bench.office.slack.calls
            await crowd.command(CUT_OFF, user="ann")
            before = len(calls)
            await crowd.command(CUT_OFF, user="bob")
            await press(crowd, "bob", WAIT)
            assert [call.method for call in calls[before:]] == ["respond", "chat.postEphemeral"]
