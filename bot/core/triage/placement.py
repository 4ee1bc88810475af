"""Where Redial speaks: decided from the settings, from how it was spoken to, and from what it can do there."""

from __future__ import annotations

from enum import StrEnum

from bot.core.event import How, InboundEvent
from bot.core.frozen import frozen


class Where(StrEnum):
    """How a conversation is held; kept with it.

    thread: messages in a thread others can read. message: one message that is edited, where no thread can exist.
    private: only the person sees it (Slack: their direct message; Discord: ephemeral). direct: it began in a direct
    message, or in the console. aside: nowhere yet, a word in passing where somebody spoke; what follows is private.
    """

    THREAD = "thread"
    MESSAGE = "message"
    PRIVATE = "private"
    DIRECT = "direct"
    ASIDE = "aside"

    @property
    def public(self) -> bool:
        """Say whether others can read it: a leaked secret is then pointed out privately."""
        return self in {Where.THREAD, Where.MESSAGE}


@frozen
class Rooms:
    """A platform's channels as its admins set them: ids of those for triage, and of those Redial reads along in.

    room: those that are told when several people report the same. handoff: the channel hand-offs are posted to;
    handoff_person: who gets them where there is none. helpers: user groups or roles whose members may take part in
    every conversation.
    """

    triage: frozenset[str] = frozenset()
    watched: frozenset[str] = frozenset()
    handoff: str = ""
    handoff_person: str = ""
    helpers: frozenset[str] = frozenset()
    room: frozenset[str] = frozenset()


def where(rooms: Rooms, event: InboundEvent, how: How) -> Where | None:
    """Return where the answer to something new belongs; None where Redial stays silent.

    In a channel of the triage list everything is public. Elsewhere a command is answered privately; a mention or a
    shortcut asks for an answer in sight of all, and gets it. A watched channel gets a private offer only.
    """
    channel = event.origin.channel
    if how == "thread" or (how == "watched" and channel not in rooms.watched):
        return None
    if event.room == "direct":
        return Where.DIRECT
    if how == "watched" or event.room == "closed" or (how == "command" and channel not in rooms.triage):
        return Where.PRIVATE
    return Where.MESSAGE if event.room == "plain" else Where.THREAD
