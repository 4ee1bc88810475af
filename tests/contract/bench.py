"""Chat platforms to try conversations on: what a person can do there, and what they then see.

A new platform implements it and adds a row to benches.py; everything in test_chat.py then holds for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.core.event import Origin
from bot.core.view import View
from bot.ports.chat import Chat
from handlers.desk import Desk

ANN, BOB = "ann", "bob"
"""Two people of a workspace; a bench gives them ids of its platform."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A message as people see it now: its words without markup, and the labels that can be pressed or selected."""

    text: str
    buttons: tuple[str, ...] = ()


class Bench(Protocol):
    """A platform with a triage channel, one watched and one other, a real store and the real adapter.

    Everything returns once it has been answered, or once nothing will come.
    """

    desk: Desk
    lacks: frozenset[str]
    """What this platform has not: `others` (a second person), `threads`, `look` (finding its own messages),
    `channels` (several), `offers` (private ones in watched channels)."""

    @property
    def chat(self) -> Chat:
        """The chat that jobs use."""

    def origin(self, user: str) -> Origin:
        """Where a command of this person in the triage channel comes from."""

    def channel(self, name: str) -> str:
        """The id of a channel."""

    async def group(self, user: str) -> str:
        """Make a user group or role with this person in it; returns its id."""

    async def mention(self, user: str, text: str, *, channel: str = "triage") -> None:
        """Mention Redial at the top level of a channel; talk then goes on in the thread below it."""

    async def command(self, user: str, text: str, *, channel: str = "triage") -> None:
        """Give `/redial text`; talk then goes on in the thread the answer opens."""

    async def post(self, user: str, text: str, *, channel: str = "watched") -> None:
        """Write at the top level of a channel without a mention."""

    async def say(self, user: str, text: str) -> None:
        """Write in the thread without a mention; in a console: just write."""

    async def press(self, user: str, label: str, *, message: int = -1) -> None:
        """Press what has, or had, this label on a message of `seen`, as it was when it was new."""

    async def press_private(self, user: str, label: str) -> None:
        """Press on the last private message."""

    async def resend(self) -> None:
        """Deliver the last event once more, as a platform does that got no acknowledgement."""

    async def show(self, view: View) -> Seen:
        """Show any view in the triage channel."""

    async def seen(self) -> Sequence[Seen]:
        """Redial's messages in channels and threads, oldest first, as they stand now."""

    async def private(self, user: str) -> Sequence[Seen]:
        """What Redial has told this person alone, direct messages included."""

    async def pinged(self) -> Sequence[str]:
        """Whom and what Redial's messages have notified, but for those who spoke to it."""
