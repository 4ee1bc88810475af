"""Where conversations live between turns."""

from __future__ import annotations

from typing import Protocol

from bot.core.event import Origin
from bot.core.frozen import frozen
from bot.core.triage.conversation import Conversation


@frozen
class Stored:
    """The turn was written; `conversation` is what now stands."""

    conversation: Conversation


@frozen
class Duplicate:
    """The event was already handled, by this process or another: nothing was written and nothing is to be said."""


@frozen
class Conflict:
    """Somebody else wrote first; `current` is what stands. Nothing was written and the event is not claimed.

    `current` is None where the conversation no longer exists: it was forgotten, or expired, while the turn ran.
    """

    current: Conversation | None


Commit = Stored | Duplicate | Conflict


class ConversationStore(Protocol):
    """Conversations, their indexes, claimed events and owed answers of all workspaces.

    Every method raises `StoreUnavailable` when the store cannot be reached or does not write, and `RecordTooNew`
    for a record of a newer schema. One awaited round trip each, a second one where an index leads to records;
    `here` and `get` need none for what this process wrote or read last.
    """

    async def here(self, origin: Origin) -> Conversation | None:
        """Return the open conversation that free text of `origin.user` in `origin.thread` belongs to.

        Where there are several (a direct message has no threads), it is the one touched last.
        """

    async def get(self, origin: Origin, conversation_id: str, *, revision: int = 0) -> Conversation | None:
        """Return a conversation of this workspace; a remembered copy older than `revision` is not good enough."""

    async def of(self, origin: Origin) -> tuple[Conversation, ...]:
        """Return the conversations of `origin.user` in this workspace that are open or waiting, newest first."""

    async def commit(self, event_id: str, conversation: Conversation, *, shows: bool = True) -> Commit:
        """Claim the event, compare the revision, write, index, and mark the answer as owed: one script.

        `conversation.revision` must be one above what is stored (1 for a new one). A new conversation is refused
        with `Conflict` when its owner already has an open one for the same guide in the same channel; one that only
        moves to such a guide is written. After `StoreUnavailable` the turn may have been written all the same: its
        event is then a `Duplicate`, and its answer is owed. shows: False where nothing is to be shown for it.
        """

    async def claim(self, event_id: str, origin: Origin, *, seconds: int = ...) -> bool:
        """Claim an event that is answered without a conversation, for a day; False if it was handled before.

        With fewer `seconds` it is a piece of work that nobody else begins meanwhile.
        """

    def confirm(self, conversation: Conversation) -> None:
        """Note that the answer for this revision was shown; written with its next turn or by `flush`.

        `conversation.origin.thread` and `conversation.shown`, which only the posting has told, are kept with it, and
        hold at once for what this process reads. A confirmation of an older revision changes nothing newer.
        """

    async def flush(self) -> None:
        """Write the confirmations that are still in memory."""

    async def owed(self, origin: Origin, *, older_than: float) -> tuple[Conversation, ...]:
        """Return conversations of this workspace whose answer has been owed for `older_than` seconds, oldest first.

        Those of a newer schema are left to newer replicas.
        """

    async def waiting(self, origin: Origin) -> tuple[Conversation, ...]:
        """Return the conversations of this workspace that are parked on an incident, of those this version can read."""

    async def due(self, origin: Origin, now: float) -> tuple[Conversation, ...]:
        """Return the conversations of this workspace whose `due` has come, of those this version can read."""

    async def going(self, origin: Origin) -> tuple[Conversation, ...]:
        """Return the conversations of this workspace that are open, waiting or with the helpers."""

    async def put_off(self, conversation: Conversation, until: float) -> None:
        """Return a conversation from `due` no sooner than then, until its next turn."""

    async def workspaces(self) -> tuple[Origin, ...]:
        """Return every workspace in which something may be owed or waited for, as origins without channel and user."""

    async def forget(self, origin: Origin) -> int:
        """Delete everything kept about `origin.user` in this workspace; return the number of conversations.

        Other people's conversations in which they helped stay, and no longer name them.
        """

    async def close(self) -> None:
        """Flush and let go of the connection."""
