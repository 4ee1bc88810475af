"""Answers that cannot go where they belong, that belong to somebody else, or that stand elsewhere."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.core.errors import ChannelGone, ChatError, ChatUnavailable, NotAllowed
from bot.core.event import Said
from handlers.triage import show_owed
from tests.contract.bench_room import RoomBench, room
from tests.contract.test_chat import CUT_OFF, QUESTION, TOOLS


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[RoomBench]:
    async with room(tmp_path / "data") as one:
        assert isinstance(one, RoomBench)
        yield one


class TestAHelper:
    async def test_a_shortcut_on_somebodys_message_opens_their_conversation_and_both_may_press(
        self, bench: RoomBench
    ) -> None:
        bench.where = ("triage", "m1")
        await bench.hear("bob", Said(CUT_OFF, "shortcut", author="ann"))
        (here,) = await bench.desk.store.of(bench.origin("ann"))
        assert (here.origin.user, here.helpers, here.origin.thread) == ("ann", ("bob",), "m1")
        await bench.press("bob", TOOLS)
        assert "git diff" in (await bench.seen())[-1].text
        await bench.press("carol", "Get a human")
        assert "belongs to somebody else" in (await bench.private("carol"))[-1].text
        await bench.press("ann", "Back")
        assert QUESTION in (await bench.seen())[-1].text

    async def test_where_only_the_helper_can_see_the_answer_it_is_theirs(self, bench: RoomBench) -> None:
        bench.room = "closed"
        bench.where = ("other", "m1")
        await bench.hear("bob", Said(CUT_OFF, "shortcut", author="ann"))
        assert await bench.desk.store.of(bench.origin("ann")) == ()
        assert any(TOOLS in told.buttons for told in await bench.private("bob"))


class TestElsewhere:
    async def test_who_is_answered_in_another_thread_gets_the_way_there(self, bench: RoomBench) -> None:
        await bench.mention("ann", CUT_OFF)
        await bench.mention("ann", CUT_OFF)
        assert "open elsewhere" in (await bench.private("ann"))[-1].text
        assert "https://room.example/" in (await bench.private("ann"))[-1].text
        assert len({message.thread for message in bench.chat.messages}) == 1

    async def test_who_is_answered_in_a_direct_message_is_told_so(self, bench: RoomBench) -> None:
        await bench.command("ann", CUT_OFF, channel="other")
        assert "in our direct messages" in (await bench.private("ann"))[-1].text
        (here,) = await bench.desk.store.of(bench.origin("ann"))
        assert here.origin.channel == "direct-ann"
        await bench.command("ann", "back", channel="other")
        assert "first question" in " ".join(told.text for told in await bench.private("ann"))


class TestTrouble:
    async def test_a_missing_right_is_named_to_the_person_and_the_answer_is_owed(self, bench: RoomBench) -> None:
        bench.chat.refuses["show"] = NotAllowed("no", missing="chat:write")
        await bench.mention("ann", CUT_OFF)
        assert "`chat:write`" in (await bench.private("ann"))[-1].text
        origin = bench.origin("ann")
        assert len(await bench.desk.store.owed(origin, older_than=0)) == 1
        bench.chat.refuses.clear()
        assert await show_owed(bench.desk, origin, bench.chat, older_than=0) == 1
        assert TOOLS in (await bench.seen())[-1].buttons

    @pytest.mark.parametrize("error", [ChannelGone("is_archived"), ChatUnavailable("429", retry_after=3)])
    async def test_nothing_that_a_platform_refuses_breaks_a_turn(self, bench: RoomBench, error: ChatError) -> None:
        bench.chat.refuses = dict.fromkeys(("show", "tell", "fold", "private"), error)
        await bench.mention("ann", f"{CUT_OFF} password=hunter2hunter2")
        await bench.command("ann", "help")
        await bench.command("bob", CUT_OFF, channel="other")
        bench.chat.refuses.clear()
        await bench.mention("ann", "API Error: Repeated 529 Overloaded errors")
        assert "Official status" in (await bench.seen())[-1].text

    async def test_a_question_that_cannot_be_folded_stays(self, bench: RoomBench) -> None:
        bench.chat.refuses["fold"] = ChannelGone("message_not_found")
        await bench.mention("ann", CUT_OFF)
        await bench.press("ann", TOOLS)
        assert "git diff" in (await bench.seen())[-1].text

    async def test_a_secret_that_cannot_be_told_privately_is_told_in_the_thread(self, bench: RoomBench) -> None:
        bench.chat.refuses["tell"] = NotAllowed("closed", missing="direct messages")
        await bench.mention("ann", f"{CUT_OFF} password=hunter2hunter2")
        assert "I took out a secret" in (await bench.seen())[-1].text
