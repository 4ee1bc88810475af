"""Conversations to store, and the turns people take in them."""

from __future__ import annotations

import uuid
from dataclasses import replace

from bot.core.event import Origin
from bot.core.triage.conversation import Conversation
from bot.ports.store import ConversationStore, Stored

OPENED = 1_764_515_000.25


def triage(place: Origin, guide: str = "connection-lost", **changes: object) -> Conversation:
    """A conversation nobody has stored yet."""
    new = Conversation(id=uuid.uuid4().hex[:12], origin=place, revision=1, opened=OPENED, touched=OPENED, guide=guide)
    return replace(new, **changes)  # type: ignore[arg-type]


def turned(conversation: Conversation, **changes: object) -> Conversation:
    """The next revision."""
    after = replace(conversation, revision=conversation.revision + 1, touched=conversation.touched + 5)
    return replace(after, **changes)  # type: ignore[arg-type]


def event() -> str:
    return uuid.uuid4().hex


async def written(store: ConversationStore, conversation: Conversation) -> Conversation:
    """Commit what must succeed."""
    assert await store.commit(event(), conversation) == Stored(conversation)
    return conversation
