"""A chat platform as announcements see it: messages in channels, found again by their keys."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol, runtime_checkable

from bot.core.frozen import frozen
from bot.core.status.announcement_view import Notice
from bot.core.status.subscription import Place
from bot.core.view import View


class Why(StrEnum):
    """Why nothing, or nothing known, came of a request.

    unknown: it may have been carried out (no answer, or one that does not say). wait: the platform is busy; certainly
    nothing happened. gone: the message is not there any more. closed: the channel is gone, or we have no right in it.
    refused: the platform does not take this content, and never will.
    """

    UNKNOWN = "unknown"
    WAIT = "wait"
    GONE = "gone"
    CLOSED = "closed"
    REFUSED = "refused"


@frozen
class Delivered:
    """It was carried out. ref: the platform's name of the message, all that is needed to edit or answer it later."""

    ref: str


@frozen
class Failed:
    """It was not, or nobody knows. wait: seconds the platform asks for. detail: for operators, nothing secret."""

    why: Why
    wait: float = 0.0
    detail: str = ""


Delivery = Delivered | Failed


class Channels(Protocol):
    """One platform's channels. Every method returns what came of it; the adapter itself repeats none.

    Adapters own rendering, limits, escaping and pacing. What is sent must not wait: `turn` is where to do so.
    """

    async def turn(self, place: Place) -> None:
        """Wait until a message to this channel would be within the platform's limits."""

    async def post(self, place: Place, key: str, notice: Notice) -> Delivery:
        """Send a message at the top level of a channel."""

    async def reply(self, place: Place, parent: str, key: str, notice: Notice) -> Delivery:
        """Send a message in the thread below `parent`, which is begun if it is not there. `gone`: the parent is."""

    async def edit(self, place: Place, ref: str, key: str, notice: Notice) -> Delivery:
        """Make a message show this; it mentions nobody again."""

    async def find(self, place: Place, parent: str, key: str, since: float) -> tuple[str, ...] | Failed:
        """Return our messages with this key since a time, oldest first: below `parent`, or in the channel if empty.

        Empty only after all that was sent since has been looked through. `closed`: nobody may look; else: not now.
        """

    async def delete(self, place: Place, ref: str) -> Delivery:
        """Delete a message of ours."""

    async def tell(self, place: Place, user: str, view: View) -> Delivery:
        """Tell one person of the workspace something privately."""


@runtime_checkable
class Gathers(Protocol):
    """Channels that can say where a message is, and whose they are, so that people can be sent to one of them."""

    async def link(self, place: Place, ref: str) -> str:
        """Return the address of a message of ours; empty where there is none."""

    async def belongs(self, place: Place) -> bool:
        """Say whether this channel is one of this workspace: ids in the settings do not tell."""


@runtime_checkable
class Announces(Protocol):
    """A running platform that can announce."""

    @property
    def channels(self) -> Channels:
        """Its channels, as announcements see them."""
