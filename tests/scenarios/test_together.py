"""Incidents and conversations joined, as people see it: one thread for all, waiting, quiet words, the room."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from bot.core.bounds import Bounds
from bot.core.event import InboundEvent, Said
from bot.core.recogniser.engine import Recognition
from bot.core.status.announcement import Announcement, Sent
from bot.core.status.subscription import Place, Subscription, subscription_id
from bot.core.triage import flow
from bot.core.triage.flow import Begin
from bot.core.triage.room import Signal, signal
from bot.ports.announcing import Delivery, Failed, Gathers, Why
from handlers.waiting import tell_touched
from tests.adapters.discord.town import town
from tests.adapters.slack.web import Fault
from tests.contract.bench_slack import SlackBench
from tests.scenarios.announcing import CLAUDE
from tests.scenarios.crowd import CROWDS, Crowd
from tests.scenarios.playing import recogniser

T = TypeVar("T")
WEB = "claude.ai in firefox says Connection lost. Retrying... since ten minutes"
CUT_OFF = "API Error: Connection closed mid-response. The response above may be incomplete."
LIMIT = "You've hit your usage limit"
NOT_YOU = "It is probably not you: Claude has an open incident."
AT_ONCE = Bounds(unknown=0.0)
WAIT, DIFFERENT = "Wait and tell me", "Mine is different: start anyway"


@pytest.fixture(params=CROWDS)
async def crowd(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Crowd]:
    async with CROWDS[request.param](tmp_path / "data") as one:
        yield one


async def answer(crowd: Crowd, user: str) -> str:
    """What somebody was answered last: in private, or in Discord in a line below their mention."""
    return (await crowd.bench.private(user))[-1].text


async def press(crowd: Crowd, user: str, label: str) -> None:
    """Press on the last answer that has this label, private or not."""
    private = await crowd.bench.private(user)
    if private and label in private[-1].buttons:
        await crowd.bench.press_private(user, label)
    else:
        at = [n for n, one in enumerate(await crowd.bench.seen()) if label in one.buttons][-1]
        await crowd.bench.press(user, label, message=at)


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


class TestTheRoom:
    async def test_so_many_people_and_the_channel_is_told_once(self, crowd: Crowd) -> None:
        for n in range(3):
            await crowd.mention(CUT_OFF)
            await crowd.looks()
            notes = [one for one in await crowd.top() if "people here report" in one.text]
            assert len(notes) == (n == 2), n
        (note,) = notes
        assert note.text.startswith("⚪ 3 people here report “Claude Code lost its connection mid-response” since ")
        assert "Not official: Claude's status page shows no incident." in note.text
        for _ in range(3):
            await crowd.looks()
        assert len([one for one in await crowd.top() if "people here report" in one.text]) == 1

    async def test_one_person_is_one_however_often_they_say_it(self, crowd: Crowd) -> None:
        for _ in range(4):
            await crowd.command(CUT_OFF, user="ann")
            await crowd.looks()
        assert not [one for one in await crowd.top() if "people here report" in one.text]

    async def test_once_the_channel_was_told_nobody_gets_a_thread_of_their_own(self, crowd: Crowd) -> None:
        for _ in range(3):
            await crowd.mention(CUT_OFF)
        await crowd.looks()
        threads = await crowd.threads()
        await crowd.command(CUT_OFF, user="ann")
        told = (await crowd.bench.private("ann"))[-1]
        assert told.text.startswith("You are not alone: 3 people here report")
        assert "Official status: no open incident" in told.text
        assert told.buttons == (WAIT, DIFFERENT)
        assert await crowd.threads() == threads

    async def test_it_becomes_official_in_the_same_message_and_who_waits_hears_the_end(self, crowd: Crowd) -> None:
        for _ in range(3):
            await crowd.mention(CUT_OFF)
        await crowd.looks()
        await crowd.command(CUT_OFF, user="ann")
        await press(crowd, "ann", WAIT)
        assert "The official page names no incident yet" in await answer(crowd, "ann")
        assert await crowd.minute() == 0, "a green page is no all-clear for what it never saw"
        crowd.reads("incident")
        await crowd.looks()
        (note,) = [one for one in await crowd.top() if "Elevated errors" in one.text]
        assert "Claude has an open incident: Elevated errors" in note.text
        assert "people here reported" in note.text
        crowd.reads("over")
        await crowd.looks()
        await crowd.minute()
        assert "has ended" in (await crowd.bench.private("ann"))[-1].text

    async def test_it_calms_down_and_who_waits_hears_that_it_is_not_official(self, crowd: Crowd) -> None:
        people = [await crowd.mention(CUT_OFF) for _ in range(3)]
        await crowd.looks()
        await crowd.command(CUT_OFF, user="ann")
        await press(crowd, "ann", WAIT)
        for one in (*people, "ann"):
            await crowd.lookout.rooms.forget(crowd.bench.origin(one))
        await crowd.looks()
        assert [one for one in await crowd.top() if one.text.startswith("⚪ Calm again")]
        await crowd.minute()
        over = (await crowd.bench.private("ann"))[-1].text
        assert "It has calmed down here." in over
        assert "official page says" not in over

    async def test_channels_that_did_not_ask_are_told_nothing(self, crowd: Crowd) -> None:
        for _ in range(3):
            await crowd.mention(CUT_OFF, channel="other")
        await crowd.looks()
        assert not [one for one in await crowd.top("other") if "people here report" in one.text]
        assert [one for one in await crowd.top("triage") if "people here report" in one.text]

    async def test_what_they_have_in_common_is_said_from_three_on(self, crowd: Crowd) -> None:
        for n in range(3):
            who = await crowd.mention(CUT_OFF)
            origin = crowd.bench.origin(who)
            (mine,) = await crowd.desk.store.of(origin)
            later = replace(mine, facts={**mine.facts, "place": "company"})
            crowd.lookout.rooms.report(origin, signal(crowd.desk.library, later))
            await crowd.looks()
            said = "".join(one.text for one in await crowd.top())
            assert ("It points to our own network: all 3 who said so are in the company's network" in said) == (n == 2)

    async def test_of_two_replicas_one_tells_the_channel(self, crowd: Crowd) -> None:
        other = crowd.replica()
        for _ in range(3):
            await crowd.mention(CUT_OFF)
        await crowd.lookout.rooms.flush()
        looks = [one.lookout.tick(one.desk) for one in (crowd, other, crowd, other)]
        await crowd.running(both(*looks))
        assert len(await notes(crowd)) == 1

    async def test_a_note_nobody_heard_back_of_is_found_and_not_sent_again(self, tmp_path: Path) -> None:
        # Where Discord is played, it is another day: what was sent since is not looked for there. See test_channels.py.
        async with CROWDS["slack"](tmp_path / "data") as crowd:
            crowd.lookout.channels = {crowd.platform: Silent(crowd)}  # type: ignore[dict-item]
            for _ in range(3):
                await crowd.mention(CUT_OFF)
            await crowd.looks()
            assert len(await notes(crowd)) == 1, "carried out, but nobody knows"
            crowd.lookout.channels = {crowd.platform: crowd.channels}
            await crowd.looks()
            assert len(await notes(crowd)) == 1, "it may still be under way"
            crowd.desk.bounds = AT_ONCE
            for _ in range(2):
                await crowd.looks()
            assert len(await notes(crowd)) == 1
            await crowd.command(CUT_OFF, user="ann")
            assert "This thread" in await answer(crowd, "ann"), "its address is known"

    async def test_a_process_that_dies_before_it_sends_leaves_it_to_the_next(self, crowd: Crowd) -> None:
        crowd.lookout.channels = {crowd.platform: Dead()}  # type: ignore[dict-item]
        for _ in range(3):
            await crowd.mention(CUT_OFF)
        with pytest.raises(asyncio.CancelledError):
            await crowd.looks()
        other = crowd.replica()
        await other.looks()
        assert await notes(crowd) == []
        other.desk.bounds = AT_ONCE
        for _ in range(2):
            await other.looks()
        assert len(await notes(crowd)) == 1

    async def test_where_it_may_not_post_it_says_nothing_and_tries_no_more(self, crowd: Crowd) -> None:
        shut = Shut()
        crowd.lookout.channels = {crowd.platform: shut}  # type: ignore[dict-item]
        for _ in range(3):
            await crowd.mention(CUT_OFF)
        for _ in range(3):
            await crowd.looks()
        assert shut.asked == 1

    async def test_a_mistake_in_one_channel_does_not_silence_the_others(self, crowd: Crowd) -> None:
        triage, other = crowd.bench.origin("ann").channel, crowd.bench.channel("other")
        rooms = dict(crowd.desk.rooms)
        rooms[crowd.platform] = replace(rooms[crowd.platform], room=frozenset({triage, other}))
        crowd.desk.rooms = rooms
        crowd.lookout.channels = {crowd.platform: Broken(crowd, min(triage, other))}  # type: ignore[dict-item]
        for _ in range(3):
            await crowd.mention(CUT_OFF)
        await crowd.looks()
        told = [one for name in ("triage", "other") for one in await crowd.top(name)]
        assert len([one for one in told if "people here report" in one.text]) == 1

    async def test_forgetting_a_person_takes_them_out_of_the_count(self, crowd: Crowd) -> None:
        await crowd.mention(CUT_OFF, user="ann")
        for _ in range(2):
            await crowd.mention(CUT_OFF)
        await crowd.command("forget-me", user="ann")
        await crowd.looks()
        assert await notes(crowd) == []
        heard = await crowd.lookout.rooms.heard(crowd.bench.origin("ann"))
        assert len(heard.signals) == 2

    async def test_what_was_over_a_moment_ago_is_not_told_as_new(self, crowd: Crowd) -> None:
        for _ in range(3):
            await crowd.mention(CUT_OFF)
        crowd.reads("over")
        await crowd.looks()
        assert await notes(crowd) == []

    async def test_a_server_is_told_of_its_own_people_only(self, tmp_path: Path) -> None:
        async with CROWDS["discord"](tmp_path / "data") as crowd:
            origin, channels = crowd.bench.origin("ann"), crowd.channels
            assert isinstance(channels, Gathers)
            assert await channels.belongs(Place("discord", origin.workspace, origin.channel))
            assert not await channels.belongs(Place("discord", "123", origin.channel))
            for n in range(3):
                other = replace(origin, workspace="123", user=str(n))
                crowd.lookout.rooms.report(other, Signal("timeout", crowd.now()))
            await crowd.looks()
            assert await notes(crowd) == []
            assert (await crowd.lookout.rooms.heard(origin)).signals == ()


class TestNewcomers:
    async def test_who_joined_discord_this_week_does_not_count(self, tmp_path: Path) -> None:
        async with town(tmp_path / "data") as there:
            await there.people["ann"].send(there.channels["triage"], f"{there.me} {CUT_OFF}")
            assert there.heard.events[-1][0].newcomer
            await there.people["ann"].slash(there.channels["triage"], "redial triage", text=CUT_OFF)
            assert there.heard.events[-1][0].newcomer
            await there.env.advance_time(8 * 24 * 3600.0)
            await there.people["ann"].send(there.channels["triage"], f"{there.me} {CUT_OFF}")
            assert not there.heard.events[-1][0].newcomer

    async def test_newcomers_are_helped_and_not_counted(self, crowd: Crowd) -> None:
        for n in range(3):
            here = crowd.replica()
            origin = replace(crowd.bench.origin("ann"), user=f"{n}")
            event = InboundEvent(f"new{n}", origin, Said(CUT_OFF, "command"), newcomer=n == 0)
            opened = flow.begin(here.desk.library, f"c{n}", origin, Begin(CUT_OFF, found()), await here.desk.around())
            here.lookout.note(here.desk, event, opened.conversation)
            await here.lookout.rooms.flush()
        heard = await crowd.lookout.rooms.heard(crowd.bench.origin("ann"))
        assert len(heard.signals) == 2


async def both(*work: Coroutine[object, object, T]) -> list[T]:
    """Do things at the same time."""
    return await asyncio.gather(*work)


def found() -> Recognition:
    return recogniser().recognise(CUT_OFF)


async def notes(crowd: Crowd) -> list[str]:
    """What the channel was told of the room."""
    return [one.text for one in await crowd.top() if "people here report" in one.text]


class Silent:
    """Channels whose answers get lost."""

    def __init__(self, crowd: Crowd) -> None:
        self._channels = crowd.channels

    def __getattr__(self, name: str) -> object:
        return getattr(self._channels, name)

    async def post(self, *what: object) -> Delivery:
        await self._channels.post(*what)  # type: ignore[arg-type]
        return Failed(Why.UNKNOWN, detail="the answer got lost")

    async def link(self, *what: object) -> str:
        return await self._channels.link(*what)  # type: ignore[attr-defined, no-any-return]

    async def belongs(self, *what: object) -> bool:
        return await self._channels.belongs(*what)  # type: ignore[attr-defined, no-any-return]


class Broken(Silent):
    """Channels of an adapter that trips over one of them."""

    def __init__(self, crowd: Crowd, over: str) -> None:
        super().__init__(crowd)
        self._over = over

    async def post(self, *what: object) -> Delivery:
        if getattr(what[0], "channel", "") == self._over:
            raise KeyError("a mistake of ours")
        return await self._channels.post(*what)  # type: ignore[arg-type]


class Dead:
    """Channels of a process that ends as it is about to send."""

    async def turn(self, *_: object) -> None:
        """Nothing to wait for."""

    async def post(self, *_: object) -> Delivery:
        raise asyncio.CancelledError

    async def link(self, *_: object) -> str:
        return ""

    async def belongs(self, *_: object) -> bool:
        return True


class Shut(Dead):
    """Channels that are closed to us."""

    asked = 0

    async def post(self, *_: object) -> Delivery:
        self.asked += 1
        return Failed(Why.CLOSED, detail="not in channel")


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
