"""Channels on paper: what was posted, edited and answered in them, in order."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.core.frozen import frozen
from bot.core.status.announcement_view import Notice
from bot.core.status.subscription import Place
from bot.core.view import View
from bot.ports.announcing import Delivered, Delivery, Failed, Why


@dataclass
class Message:
    """A message in a channel; `history` is all it ever showed, the present last."""

    ref: str
    place: Place
    key: str
    parent: str
    history: list[Notice] = field(default_factory=list)

    @property
    def shows(self) -> Notice:
        """What people see."""
        return self.history[-1]


@frozen
class Happened:
    """Something that was posted, answered or edited."""

    what: str
    message: Message
    shows: Notice


class PaperChannels:
    """A platform without people or limits. `closed`: channels nobody may write to; `log`: all that happened."""

    def __init__(self) -> None:
        self.closed: set[str] = set()
        self.log: list[Happened] = []
        self.messages: dict[str, Message] = {}
        self.told: list[tuple[Place, str, View]] = []
        self._count = 0

    async def turn(self, place: Place) -> None:
        """Nobody has to wait."""

    async def post(self, place: Place, key: str, notice: Notice) -> Delivery:
        """Put a message into a channel."""
        return self._put(place, "", key, notice)

    async def reply(self, place: Place, parent: str, key: str, notice: Notice) -> Delivery:
        """Put a message below another."""
        return self._put(place, parent, key, notice) if parent in self.messages else Failed(Why.GONE)

    async def edit(self, place: Place, ref: str, key: str, notice: Notice) -> Delivery:  # noqa: ARG002 - as the port says
        """Change what a message shows."""
        if ref not in self.messages:
            return Failed(Why.GONE)
        self.messages[ref].history.append(notice)
        self.log.append(Happened("edit", self.messages[ref], notice))
        return Delivered(ref)

    async def find(self, place: Place, parent: str, key: str, since: float) -> tuple[str, ...] | Failed:  # noqa: ARG002 - the same
        """Return messages by their key."""
        found = (m for m in self.messages.values() if (m.place, m.parent, m.key) == (place, parent, key))
        return tuple(message.ref for message in found)

    async def delete(self, place: Place, ref: str) -> Delivery:  # noqa: ARG002 - the same
        """Take a message away."""
        return Delivered(ref) if self.messages.pop(ref, None) else Failed(Why.GONE)

    async def tell(self, place: Place, user: str, view: View) -> Delivery:
        """Note what somebody is told."""
        self.told.append((place, user, view))
        return Delivered("")

    def _put(self, place: Place, parent: str, key: str, notice: Notice) -> Delivery:
        if place.channel in self.closed:
            return Failed(Why.CLOSED, detail="the channel is gone")
        self._count += 1
        ref = str(self._count)
        self.messages[ref] = Message(ref, place, key, parent, [notice])
        self.log.append(Happened("reply" if parent else "post", self.messages[ref], notice))
        return Delivered(ref)
