"""Every decoder on payloads that are nearly right: it takes them, or refuses them in its own words, never breaks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import discord
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.adapters.discord import decode as discord_decode
from bot.adapters.discord.client import RedialClient
from bot.adapters.discord.press import Mark, from_custom_id, to_custom_id
from bot.adapters.discord.pressing import pressed
from bot.adapters.slack.decode import Here, files_of, from_command, from_event, from_home, from_press, from_shortcut
from bot.adapters.slack.press import Mark as SlackMark
from bot.adapters.slack.press import from_block_id, to_block_id
from bot.adapters.store.records import decode, encode
from bot.core.errors import ContentError, StatusError, StoreError
from bot.core.event import InboundEvent
from bot.core.messages import Messages
from bot.core.redaction import redact
from bot.core.status.statuspage import parse_incidents, parse_summary
from bot.core.triage.placement import Rooms
from bot.ports.platform import House
from bot.runtime.dispatcher import Dispatcher
from handlers.commands import read
from tests.fuzz.mutating import NASTY, fuzzed, mutants
from tests.scenarios.playing import Player, content, page

FIXTURES = Path(__file__).parents[1] / "fixtures" / "statuspage"
CLAUDE = "tymt9n04zgry"
HERE = Here("T1", "UME", lambda _: True, read)
BLOCK = to_block_id(SlackMark("p", "c1", 3, "doing"))
TALK = [
    {
        "type": "event_callback",
        "event": {
            "type": "app_mention",
            "user": "U1",
            "text": "<@UME> 529 overloaded",
            "ts": "1.1",
            "channel": "C1",
            "thread_ts": "1.0",
            "files": [
                {"url_private_download": "https://files.slack.com/x", "size": 3, "filetype": "text", "mode": "snippet"}
            ],
            "blocks": [
                {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "text"}]}]}
            ],
        },
    },
    {
        "event": {
            "type": "message",
            "subtype": "message_changed",
            "channel": "C1",
            "ts": "1.2",
            "previous_message": {"text": "a"},
            "message": {"user": "U1", "text": "b", "ts": "1.1", "edited": {"ts": "1.2"}},
        }
    },
    {"event": {"type": "app_home_opened", "user": "U1", "channel": "D1", "tab": "home", "event_ts": "1.1"}},
    {
        "type": "block_actions",
        "user": {"id": "U1"},
        "trigger_id": "1.1",
        "channel": {"id": "C1"},
        "actions": [
            {
                "action_id": "tools",
                "block_id": BLOCK,
                "action_ts": "9.1",
                "type": "button",
                "value": "x",
                "selected_option": {"value": "tools"},
            }
        ],
        "container": {
            "type": "message",
            "channel_id": "C1",
            "message_ts": "1.1",
            "thread_ts": "1.0",
            "is_ephemeral": False,
        },
        "message": {"ts": "1.1", "thread_ts": "1.0", "user": "UME", "text": "x"},
    },
    {
        "type": "message_action",
        "callback_id": "redial_triage",
        "user": {"id": "U1"},
        "trigger_id": "1.1",
        "channel": {"id": "C1"},
        "message": {"user": "U2", "text": "529 overloaded", "ts": "1.1"},
    },
    {"command": "/redial", "text": "status", "channel_id": "C1", "user_id": "U1", "trigger_id": "1.1"},
    {
        "type": "view_submission",
        "user": {"id": "U1"},
        "trigger_id": "1.1",
        "view": {"callback_id": "x", "private_metadata": "{}", "state": {"values": {"a": {"b": {"value": "x"}}}}},
    },
]


@fuzzed
@given(mutants(*TALK))
def test_slacks_payloads(body: Any) -> None:  # noqa: ANN401 - decoded JSON
    assume(isinstance(body, Mapping))
    inner = body.get("event")
    for one in (body, inner if isinstance(inner, Mapping) else {}):
        for take in (from_command, from_press, from_shortcut, from_event, from_home):
            event = take(one, HERE)
            assert event is None or isinstance(event, InboundEvent)
        files_of(one)


@fuzzed
@given(NASTY | st.text())
def test_marks_of_buttons(text: str) -> None:
    from_block_id(text)
    from_custom_id(text)
    for cut in (":".join([text] * 7), f"r1:{text}", f"r1:c:1:{text}:x::"):
        from_block_id(cut)
        mark = from_custom_id(cut)
        if mark and len(to_custom_id(mark)) <= 100:
            assert isinstance(mark, Mark)


def _user(number: int) -> dict[str, Any]:
    return {"id": str(number), "username": "ann", "discriminator": "0", "avatar": None, "global_name": "Ann"}


MESSAGE: dict[str, Any] = {
    "id": "500",
    "channel_id": "77",
    "type": 0,
    "content": "<@9> 529 overloaded",
    "author": _user(42),
    "attachments": [
        {
            "id": "1",
            "filename": "message.txt",
            "size": 3,
            "url": "https://cdn.example/x",
            "proxy_url": "",
            "content_type": "text/plain",
        }
    ],
    "embeds": [],
    "mentions": [_user(9)],
    "mention_roles": [],
    "mention_everyone": False,
    "pinned": False,
    "tts": False,
    "timestamp": "2026-01-01T00:00:00+00:00",
    "edited_timestamp": None,
    "flags": 0,
    "components": [
        {
            "type": 1,
            "id": 1,
            "components": [{"type": 2, "id": 3, "style": 2, "label": "yes", "custom_id": "r1:c:1:s:x::"}],
        }
    ],
}
INTERACTION: dict[str, Any] = {
    "id": "1000",
    "application_id": "9",
    "type": 3,
    "token": "tk",
    "version": 1,
    "channel_id": "77",
    "channel": {"id": "77", "type": 1, "recipients": [_user(42)], "last_message_id": None, "flags": 0},
    "user": _user(42),
    "locale": "en-US",
    "entitlements": [],
    "authorizing_integration_owners": {},
    "attachment_size_limit": 1,
    "app_permissions": "0",
    "message": MESSAGE,
    "data": {
        "custom_id": to_custom_id(Mark("x", "c1", 1, "s")),
        "component_type": 3,
        "id": 3,
        "values": ["tools"],
        "components": [{"type": 18, "id": 1, "component": {"type": 4, "custom_id": "text", "value": "words", "id": 2}}],
    },
}


@pytest.fixture(scope="module")
def client() -> RedialClient:
    async def nothing(*_: object) -> None:
        """Nobody is heard."""

    async def made() -> RedialClient:
        house = House(Dispatcher(nothing), content().library.messages, read, {})
        return RedialClient(house, Rooms())

    return asyncio.run(made())


@fuzzed
@given(mutants(INTERACTION["data"]))
def test_what_is_pressed_and_written_in_discord(client: RedialClient, data: Any) -> None:  # noqa: ANN401 - decoded JSON
    """The frame comes from Discord; what a client sends stands in `data`."""
    frame: Any = {**INTERACTION, "data": data}
    press, interaction = pressed(frame), None
    # What discord.py itself cannot read never reaches us.
    with suppress(Exception):
        interaction = discord.Interaction(data=frame, state=client._connection)  # noqa: SLF001
    assume(interaction is not None)
    assert interaction is not None
    if press:
        assert isinstance(discord_decode.from_press(interaction, press.mark, press.message), InboundEvent)
    mark = discord_decode.mark_of(interaction)
    if mark:
        assert isinstance(discord_decode.from_form(interaction, mark), InboundEvent)
        assert isinstance(discord_decode.from_answers(interaction, mark), InboundEvent)


@fuzzed
@given(NASTY | st.text(), NASTY | st.text(), NASTY | st.text(max_size=30), NASTY | st.none())
def test_what_is_written_in_discord(client: RedialClient, text: str, name: str, file: str, kind: str | None) -> None:
    """A message with any words, by somebody of any name, with a file of any name and type."""
    state = client._connection  # noqa: SLF001 - where discord.py decodes
    channel = discord.DMChannel(me=client.user, state=state, data=INTERACTION["channel"])  # type: ignore[arg-type]
    attachment = {**MESSAGE["attachments"][0], "filename": file, "content_type": kind}
    mentioned = {**_user(9), "username": name, "global_name": name}
    body = {**MESSAGE, "content": text, "attachments": [attachment], "mentions": [mentioned]}
    message = discord.Message(state=state, channel=channel, data=body)  # type: ignore[arg-type]
    heard = discord_decode.from_message(message, 9, Rooms())
    assert heard is None or isinstance(heard.event, InboundEvent)
    discord_decode.text_files([message])


DOCUMENTS = [json.loads(path.read_text()) for path in sorted(FIXTURES.glob("*.json")) if "http_cases" not in path.name]


@fuzzed
@given(mutants(*DOCUMENTS))
def test_the_pages_documents(document: Any) -> None:  # noqa: ANN401 - decoded JSON
    for take in (parse_incidents, parse_summary):
        with suppress(StatusError):
            take(document, page_id=CLAUDE)


def _records() -> list[bytes]:
    player = Player(page("clear"))
    player.report("API Error: Connection closed mid-response")
    player.say("1")
    assert player.conversation
    return [encode(player.conversation)]


RECORDS = _records()


@fuzzed
@given(st.sampled_from(RECORDS), st.integers(0, 10**6), st.binary(max_size=8), st.binary(max_size=40))
def test_records_of_the_store(record: bytes, at: int, put: bytes, posted: bytes) -> None:
    cut = at % len(record)
    for data in (record[:cut], record[:cut] + put + record[cut + len(put) :], put, record + put):
        with suppress(StoreError):
            decode(data)
    with suppress(StoreError, ValueError):
        decode(record, posted)


TABLE = {"trouble": {"busy": "x", "gone": ["a"]}, "n": {"one": "a", "other": "b"}}
SAID = st.sampled_from(["1", "back", "9", "Not this problem", "529 overloaded", "get a human", "start over"])


@fuzzed
@given(mutants(TABLE))
def test_tables_of_messages(table: Any) -> None:  # noqa: ANN401 - decoded TOML
    assume(isinstance(table, dict))
    with suppress(ContentError):
        Messages(table)


@fuzzed
@given(st.lists(NASTY | st.text(max_size=60) | SAID, max_size=5))
def test_whole_conversations(texts: list[str]) -> None:
    player = Player(page("clear"))
    player.report("API Error: Connection closed mid-response")
    for text in texts:
        if player.conversation and player.conversation.open:
            player.say(redact(text).text)
