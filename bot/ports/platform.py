"""A chat platform as the process runs it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import Protocol

from bot.core.event import Commanded, Said
from bot.core.frozen import frozen
from bot.core.messages import Messages
from bot.ports.chat import Chat
from bot.ports.intake import Intake
from bot.ports.leases import Leases


@frozen
class House:
    """What an adapter is given. read: decides what follows `/redial`, a sub-command or a report.

    guides: their titles by id, to name threads and to suggest while somebody types. leases: for a connection that one
    of several processes holds; None where there is but one. pages: names by id of those a channel can hear of, and
    parts: the names of their parts, both to choose from.
    """

    intake: Intake
    messages: Messages
    read: Callable[[str], Commanded | Said]
    guides: Mapping[str, str] = field(default_factory=dict)
    leases: Leases | None = None
    pages: Mapping[str, str] = field(default_factory=dict)
    parts: Callable[[], Awaitable[Sequence[str]]] | None = None


class Running(Protocol):
    """A platform that is connected and hands its events to the intake."""

    @property
    def chat(self) -> Chat:
        """The chat for what no event asks for: answers that are owed, and "it is over"."""

    @property
    def says(self) -> str:
        """Who is connected where, in one line for the operator, nothing secret."""

    @property
    def trouble(self) -> str:
        """Why it hears nobody just now, for the operator; empty while it does, or stands by for a process that does."""

    async def ended(self) -> str:
        """Wait until it cannot go on by itself, such as with a revoked token; return why, for the operator."""
