"""Presses need nothing but their custom_id: whatever message they are made on, whoever showed it, whenever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bot.adapters.discord.press import PATTERN, Mark, from_custom_id, to_custom_id
from bot.adapters.discord.pressing import Press, pressed
from bot.core.event import Pressed
from tests.adapters.discord.test_scenarios import mentioned
from tests.adapters.discord.town import Town, built, options, parts, said, town
from tests.contract.test_chat import CUT_OFF, TOOLS

CALLBACK = "/interactions/*/*/callback"
WORD = st.text(st.characters(blacklist_characters=":", blacklist_categories=["Cs"]), max_size=40)


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Town]:
    async with town(tmp_path / "data") as one:
        yield one


class TestWhatIsPressed:
    async def test_every_button_and_select_of_a_conversation_says_all(self, there: Town) -> None:
        thread = await mentioned(there)
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        await there.people["ann"].send(thread, "get a human")
        ids = [str(part["custom_id"]) for one in there.ours(thread) for part in parts(one) if "custom_id" in part]
        assert ids
        assert all(PATTERN.fullmatch(custom_id) for custom_id in ids)

    async def test_no_view_is_kept_for_a_press(self, there: Town) -> None:
        thread = await mentioned(there)
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        assert not there.client.persistent_views

    async def test_the_pressed_question_is_folded_by_the_press_itself(self, there: Town) -> None:
        """So it takes nothing of what Discord allows a bot in a second."""
        thread = await mentioned(there)
        opening = there.ours(thread)[-1]
        before = len(there.env.http_requests)
        await there.press("ann", opening, TOOLS)
        edits = [one.path for one in there.env.http_requests[before:] if one.method == "PATCH"]
        assert [path.split("/")[1] for path in edits] == ["webhooks"]
        assert not any("custom_id" in part for part in parts(there.ours(thread)[0]))

    async def test_a_process_that_showed_none_of_it_answers_an_old_message_and_a_new_one(self, there: Town) -> None:
        thread = await mentioned(there)
        opening = there.ours(thread)[-1]
        there.env.inject_error("PATCH", "/*/messages/*", status=404, code=10008, times=1)
        await there.press("ann", opening, TOOLS)
        await there.env.restart_bot(built(there.desk, there.heard))
        await there.press("ann", opening, TOOLS)
        assert len(there.ours(thread)) == 2, "an answered question changes nothing"
        assert "git diff" in said(there.private("ann")[-1]), "who pressed is shown where it stands"
        await there.press("ann", there.ours(thread)[-1], "Nothing changed")
        assert len(there.ours(thread)) == 3

    async def test_a_select_says_what_was_chosen(self, there: Town) -> None:
        thread = await mentioned(there, "API Error: 401 OAuth token has expired. Please run /login")
        shown = there.ours(thread)[-1]
        (select,) = [part for part in parts(shown) if options(part)]
        await there.press("ann", shown, options(select)[3]["label"])
        assert len(there.ours(thread)) == 2
        event, _ = there.heard.events[-1]
        assert isinstance(event.what, Pressed)
        assert event.what.choice == options(select)[3]["value"]

    @given(WORD, WORD, st.integers(0, 10**9), WORD, st.sampled_from(["", "123456789012345678"]))
    def test_every_custom_id_is_of_the_one_grammar(
        self, choice: str, conversation: str, revision: int, step: str, person: str
    ) -> None:
        mark = Mark(choice, conversation, revision, step, person)
        assert from_custom_id(to_custom_id(mark)) is not None


class TestReading:
    """Of what the gateway says of a press, the library is left what it must know: who did it, and where."""

    @pytest.mark.parametrize(
        ("flags", "shown"), [(0, "3/5"), (1 << 15, "3/5"), (64, "@original"), (1 << 15 | 64, "@original")]
    )
    def test_a_press_names_its_message_and_leaves_it_behind(self, flags: int, shown: str) -> None:
        frame = _frame("r1:c:7:s:b::", flags)
        assert pressed(frame) == Press(Mark("b", "c", 7, "s"), shown)
        assert "message" not in frame

    def test_a_message_that_is_not_told_is_none(self) -> None:
        frame = _frame("r1:c:7:s:b::")
        del frame["message"]
        assert pressed(frame) == Press(Mark("b", "c", 7, "s"))

    def test_of_a_select_the_choice_is_what_was_chosen(self) -> None:
        frame = _frame("r1:c:7:s:*::")
        frame["data"]["values"] = ["third"]
        assert pressed(frame) == Press(Mark("third", "c", 7, "s"), "3/5")

    def test_what_is_not_of_redial_is_nothing(self) -> None:
        assert pressed(_frame("another's")) is None

    async def test_the_library_reads_no_message_and_tells_nobody_else(self, there: Town) -> None:
        taken = list[tuple[discord.Interaction, Press]]()
        told = list[discord.Interaction]()

        async def on_press(interaction: discord.Interaction, press: Press) -> None:
            taken.append((interaction, press))
            await interaction.response.defer()

        async def on_interaction(interaction: discord.Interaction) -> None:
            told.append(interaction)

        thread = await mentioned(there)
        shown = there.ours(thread)[-1]
        there.client.event(on_press)
        there.client.event(on_interaction)
        await there.press("ann", shown, TOOLS)
        ((interaction, press),) = taken
        assert interaction.message is None
        assert press.message == f"{shown.channel.id}/{shown.id}"
        assert told == []


class TestAnAcknowledgementThatFails:
    @pytest.mark.parametrize(("status", "code"), [(404, 10062), (400, 40060)])
    async def test_what_discord_takes_no_answer_for_is_not_played(self, there: Town, status: int, code: int) -> None:
        thread = await mentioned(there)
        there.env.inject_error("POST", CALLBACK, status=status, code=code)
        with capture_logs() as lines:
            await there.press("ann", there.ours(thread)[-1], TOOLS)
        assert len(there.ours(thread)) == 1
        assert [line["event"] for line in lines if line["log_level"] == "warning"] == ["too late to answer"]
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        assert "git diff" in said(there.ours(thread)[-1]), "the next press goes on"

    async def test_a_command_that_is_too_late_leaves_nothing_behind(self, there: Town) -> None:
        there.env.inject_error("POST", CALLBACK, status=404, code=10062)
        await there.people["ann"].slash(there.channels["triage"], "redial triage", text=CUT_OFF)
        assert there.channels["triage"].threads == []

    async def test_one_that_may_have_been_heard_is_answered(self, there: Town) -> None:
        thread = await mentioned(there)
        there.env.inject_error("POST", CALLBACK, status=503, times=None)
        async with asyncio.timeout(30):
            await there.press("ann", there.ours(thread)[-1], TOOLS)
            await there.heard.dispatcher.idle()
        assert "git diff" in said(there.ours(thread)[-1])

    async def test_a_form_that_is_too_late_does_not_break(self, there: Town) -> None:
        ann, place = there.people["ann"], there.channels["other"]
        form = await ann.slash(place, "redial triage")
        there.env.inject_error("POST", CALLBACK, status=404, code=10062)
        with capture_logs() as lines:
            await ann.submit_modal(form, {"text": CUT_OFF})
        assert [line["event"] for line in lines if line["log_level"] == "warning"] == ["too late to answer"]


def _frame(custom_id: str, flags: int = 1 << 15) -> dict[str, Any]:
    author = {"id": "9", "username": "redial", "discriminator": "0", "avatar": None, "global_name": None}
    message = {
        "id": "5", "type": 0, "content": "", "channel_id": "3", "attachments": [], "author": author, "embeds": [],
        "mentions": [], "mention_roles": [], "pinned": False, "mention_everyone": False, "tts": False,
        "timestamp": "2026-01-01T00:00:00.000000+00:00", "edited_timestamp": None, "flags": flags,
        "components": [],
    }  # fmt: skip
    return {
        "version": 1, "type": 3, "token": "t", "id": "7", "entitlements": [], "channel_id": "3", "application_id": "9",
        "channel": {"id": "3", "type": 1, "recipients": []}, "attachment_size_limit": 1, "user": author,
        "data": {"component_type": 2, "custom_id": custom_id}, "message": message,
    }  # fmt: skip
