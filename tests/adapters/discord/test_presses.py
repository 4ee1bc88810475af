"""Presses are discord.py's dynamic items: whatever message they are made on, whoever showed it, whenever."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bot.adapters.discord.press import PATTERN, Mark, from_custom_id, to_custom_id
from bot.adapters.discord.pressing import alone, pressable
from bot.core.event import Pressed
from tests.adapters.discord.test_scenarios import mentioned
from tests.adapters.discord.town import Town, built, options, parts, said, town
from tests.contract.test_chat import CUT_OFF, TOOLS

CALLBACK = "/interactions/*/*/callback"
WORD = st.text(st.characters(blacklist_characters=":", blacklist_categories=["Cs"]), max_size=40)


def _button(custom_id: str) -> dict[str, object]:
    return {"type": 2, "style": 1, "label": "x", "custom_id": custom_id}


_MESSAGE: list[dict[str, object]] = [
    {"type": 10, "content": "words"},
    {"type": 1, "components": [_button("r1:c:1:s:a::"), _button("r1:c:1:s:b::"), _button("r1:c:1:s:c::")]},
    {"type": 1, "components": [{"type": 3, "custom_id": "r1:c:1:s:*::", "options": [{"label": "x", "value": "x"}]}]},
    {"type": 17, "components": [{"type": 1, "components": [_button("r1:c:1:s:framed::")]}]},
]


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Town]:
    async with town(tmp_path / "data") as one:
        yield one


class TestDynamicItems:
    async def test_every_button_and_select_of_a_conversation_is_one(self, there: Town) -> None:
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

    async def test_without_its_item_nothing_hears_a_press(self, there: Town) -> None:
        """There is this one way, and no other."""
        thread = await mentioned(there)
        item = next(iter(_items(there.client)))
        there.client.remove_dynamic_items(item)
        events = len(there.heard.events)
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        assert len(there.heard.events) == events
        there.client.add_dynamic_items(item)
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        assert "git diff" in said(there.ours(thread)[-1])

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


class TestAlone:
    """discord.py reads the pressed message and makes a view of it, then an item: only what was pressed is left."""

    @pytest.mark.parametrize("pressed", ["r1:c:1:s:b::", "r1:c:1:s:*::", "r1:c:1:s:framed::"])
    def test_what_was_pressed_stays(self, pressed: str) -> None:
        frame = _frame(pressed, _MESSAGE)
        alone(frame)
        ((row,),) = [frame["message"]["components"]]
        assert row["type"] == 1
        assert [one["custom_id"] for one in row["components"]] == [pressed]

    @pytest.mark.parametrize("components", [_MESSAGE, [], None])
    def test_a_message_without_it_stays_as_it_is(self, components: list[dict[str, object]] | None) -> None:
        frame = _frame("r1:c:1:s:elsewhere::", components)
        alone(frame)
        assert frame["message"]["components"] == components

    def test_a_command_and_a_form_are_let_be(self) -> None:
        for frame in ({"type": 2, "data": {"name": "redial"}}, {"type": 5, "data": {"custom_id": "r1:c:1:s:b::"}}):
            before = copy.deepcopy(frame)
            alone(frame)
            assert frame == before

    async def test_the_library_reads_no_more_of_it(self, there: Town) -> None:
        thread = await mentioned(there)
        taken = list[discord.Interaction]()

        async def take(interaction: discord.Interaction, _mark: Mark) -> None:
            taken.append(interaction)
            await interaction.response.defer()

        there.client.add_dynamic_items(pressable(take))
        await there.press("ann", there.ours(thread)[-1], TOOLS)
        assert taken[0].message
        ((row,),) = [taken[0].message.components]
        assert isinstance(row, discord.ActionRow)
        assert len(row.children) == 1

    async def test_it_is_handed_to_who_takes_presses(self, there: Town) -> None:
        taken = list[Mark]()

        async def take(_interaction: discord.Interaction, mark: Mark) -> None:
            taken.append(mark)

        item = discord.ui.Button[discord.ui.View](custom_id="r1:c:7:s:b::")
        match = PATTERN.fullmatch("r1:c:7:s:b::")
        frame: Any = _frame("r1:c:7:s:b::", _MESSAGE)
        interaction: Any = discord.Interaction(data=frame, state=there.client._connection)  # noqa: SLF001 - so discord.py does
        made = await pressable(take).from_custom_id(interaction, item, match)  # type: ignore[arg-type]
        await made.callback(interaction)
        assert taken == [Mark("b", "c", 7, "s")]


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


def _items(client: discord.Client) -> list[Any]:
    return list(client._connection._view_store._dynamic_items.values())  # noqa: SLF001 - there is no public list


def _frame(custom_id: str, components: list[dict[str, object]] | None) -> dict[str, Any]:
    author = {"id": "9", "username": "redial", "discriminator": "0", "avatar": None, "global_name": None}
    message = {
        "id": "5", "type": 0, "content": "", "channel_id": "3", "attachments": [], "author": author, "embeds": [],
        "mentions": [], "mention_roles": [], "pinned": False, "mention_everyone": False, "tts": False,
        "timestamp": "2026-01-01T00:00:00.000000+00:00", "edited_timestamp": None, "flags": 32768,
        "components": components,
    }  # fmt: skip
    return {
        "version": 1, "type": 3, "token": "t", "id": "7", "entitlements": [], "channel_id": "3", "application_id": "9",
        "channel": {"id": "3", "type": 1, "recipients": []}, "attachment_size_limit": 1, "user": author,
        "data": {"component_type": 2, "custom_id": custom_id}, "message": message,
    }  # fmt: skip
