"""A turn and a person's index as the scripts take and give them."""

from __future__ import annotations

from itertools import chain
from typing import cast

from bot.adapters.store.keys import Keys, encoded
from bot.adapters.store.line import Argument
from bot.adapters.store.records import Confirmation
from bot.core.frozen import frozen
from bot.core.triage.conversation import Conversation


@frozen
class Entry:
    """A conversation as its person's index holds it."""

    id: str
    state: str
    touched: float
    channel: str
    thread: str


@frozen
class Attempt:
    """One turn on its way to the store; `token` tells its own claim from somebody else's."""

    event_id: str
    conversation: Conversation
    token: str
    data: bytes
    lives: int
    shows: bool = True

    def arguments(self) -> list[Argument]:
        """Return the arguments as `commit.lua` takes them."""
        conversation = self.conversation
        return [
            self.token,
            _sent(conversation.id),
            conversation.revision,
            self.data,
            _entry_text(conversation),
            conversation.incident,
            _due(conversation),
            self._flags(),
            self.lives,
        ]

    def _flags(self) -> str:
        known = self.conversation.origin.thread and self.conversation.shown
        return ("s" if self.shows else "") + ("" if known else "a")


def _sent(conversation_id: str) -> str:
    """Return an id as the scripts take it: empty where its conversation's key ends in it."""
    return "" if encoded(conversation_id) == conversation_id else conversation_id


def _due(conversation: Conversation) -> str:
    """Return when it is to be looked at as the index of what goes on holds it; empty where it has ended."""
    if not (conversation.open or conversation.waiting or conversation.handed):
        return ""
    return f"{conversation.due:.6f}" if conversation.due else "inf"


def _entry_text(conversation: Conversation) -> str:
    if not (conversation.open or conversation.waiting):
        return ""
    state = "open" if conversation.open else "waiting"
    origin = conversation.origin
    place = f"{encoded(origin.channel)} {encoded(origin.thread)}"
    return f"{state} {conversation.touched:.6f} {place} {encoded(conversation.guide)}"


def entry(conversation_id: str, text: str) -> Entry:
    """Return an entry of a person's index."""
    state, touched, channel, thread, _guide = text.split(" ")
    return Entry(conversation_id, state, float(touched), channel, thread)


def confirmed_keys(keys: Keys, confirmed: dict[str, Confirmation]) -> list[str]:
    """Return the keys as `confirmations.lua` takes them."""
    persons = [keys.person(one.user) for one in confirmed.values() if one.moved and one.thread]
    return [keys.owed, *map(keys.conversation, confirmed), *persons]


def confirmed_arguments(confirmed: dict[str, Confirmation]) -> list[Argument]:
    """Return the arguments as `confirmations.lua` takes them."""
    words = [(_sent(i), one.posted, encoded(one.thread) if one.moved else "") for i, one in confirmed.items()]
    return list(chain.from_iterable(words))


def texts(answer: object) -> list[str]:
    """Return a list of names."""
    return [item.decode() for item in cast("list[bytes]", answer)]
