"""Where Redial speaks, for every way it can be spoken to."""

from __future__ import annotations

from typing import get_args

import pytest

from bot.core.event import How, InboundEvent, Origin, Room, Said
from bot.core.triage.placement import Rooms, Where, where

ROOMS = Rooms(triage=frozenset({"C-TRIAGE"}), watched=frozenset({"C-WATCHED"}))


def at(channel: str, room: Room, how: How) -> Where | None:
    return where(ROOMS, InboundEvent("e1", Origin("slack", "T1", channel, "U1"), Said("x", how), room=room), how)


@pytest.mark.parametrize(
    ("channel", "room", "how", "expected"),
    [
        ("C-TRIAGE", "threads", "command", Where.THREAD),
        ("C-TRIAGE", "plain", "command", Where.MESSAGE),
        ("C-TRIAGE", "closed", "command", Where.PRIVATE),
        ("C-OTHER", "threads", "command", Where.PRIVATE),
        ("C-OTHER", "threads", "mention", Where.THREAD),
        ("C-OTHER", "plain", "mention", Where.MESSAGE),
        ("C-OTHER", "threads", "shortcut", Where.THREAD),
        ("C-OTHER", "closed", "shortcut", Where.PRIVATE),
        ("C-WATCHED", "threads", "watched", Where.PRIVATE),
        ("C-OTHER", "threads", "watched", None),
        ("C-TRIAGE", "threads", "thread", None),
        ("D1", "direct", "direct", Where.DIRECT),
        ("D1", "direct", "command", Where.DIRECT),
    ],
)
def test_where(channel: str, room: Room, how: How, expected: Where | None) -> None:
    assert at(channel, room, how) is expected


@pytest.mark.parametrize("how", get_args(How))
def test_a_channel_it_has_not_joined_never_gets_a_public_message(how: How) -> None:
    for channel in ("C-TRIAGE", "C-WATCHED", "C-OTHER"):
        place = at(channel, "closed", how)
        assert place is None or not place.public


@pytest.mark.parametrize("room", get_args(Room))
def test_talk_in_a_thread_that_is_nobodys_conversation_is_left_alone(room: Room) -> None:
    assert at("C-TRIAGE", room, "thread") is None
