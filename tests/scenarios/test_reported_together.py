"""What several people of a workspace report: counted, told once where a channel wants it, and who does not count."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.bounds import Bounds
from bot.core.event import InboundEvent, Said
from bot.core.status.announcement_view import Notice
from bot.core.status.subscription import Place
from bot.core.triage import flow
from bot.core.triage.flow import Begin
from bot.core.triage.room import Signal, signal
from bot.ports.announcing import Delivery, Failed, Gathers, Why
from tests.adapters.discord.town import town
from tests.fakes.through import Through
from tests.scenarios.crowd import CROWDS, CUT_OFF, DIFFERENT, WAIT, Crowd, answer, both, found, press

AT_ONCE = Bounds(unknown=0.0)


@pytest.fixture(params=CROWDS)
async def crowd(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Crowd]:
    async with CROWDS[request.param](tmp_path / "data") as one:
        yield one


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

            async def unanswered(place: Place, key: str, notice: Notice) -> Delivery:
                await crowd.channels.post(place, key, notice)
                return Failed(Why.UNKNOWN, detail="the answer got lost")

            sends(crowd, unanswered)
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
        async def dies(*_: object) -> Delivery:
            raise asyncio.CancelledError

        sends(crowd, dies)
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
        asked: list[Place] = []

        async def shut(place: Place, *_: object) -> Delivery:
            asked.append(place)
            return Failed(Why.CLOSED, detail="not in channel")

        sends(crowd, shut)
        for _ in range(3):
            await crowd.mention(CUT_OFF)
        for _ in range(3):
            await crowd.looks()
        assert len(asked) == 1

    async def test_a_mistake_in_one_channel_does_not_silence_the_others(self, crowd: Crowd) -> None:
        triage, other = crowd.bench.origin("ann").channel, crowd.bench.channel("other")
        rooms = dict(crowd.desk.rooms)
        rooms[crowd.platform] = replace(rooms[crowd.platform], room=frozenset({triage, other}))
        crowd.desk.rooms = rooms

        async def trips(place: Place, key: str, notice: Notice) -> Delivery:
            if place.channel == min(triage, other):
                raise KeyError("a mistake of ours")
            return await crowd.channels.post(place, key, notice)

        sends(crowd, trips)
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


def sends(crowd: Crowd, posts: Callable[[Place, str, Notice], Awaitable[Delivery]]) -> None:
    """From now on this is what comes of a message to a channel."""
    crowd.lookout.channels = {crowd.platform: Through(crowd.channels, posts)}


async def notes(crowd: Crowd) -> list[str]:
    """What the channel was told of the room."""
    return [one.text for one in await crowd.top() if "people here report" in one.text]
