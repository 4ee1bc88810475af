"""A chat platform where hand-offs can be brought to helpers."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from bot.core.event import Origin
from bot.ports.chat import Posted


@runtime_checkable
class Helpdesk(Protocol):
    """A chat that knows who helps, reaches one person, and points to a message. Every method may raise `ChatError`."""

    async def may_help(self, origin: Origin, groups: frozenset[str]) -> bool:
        """Say whether `origin.user` is in one of these user groups or roles; False where the platform does not tell."""

    async def direct(self, origin: Origin) -> Origin:
        """Return the direct message with `origin.user`, for what is sent to them unasked."""

    async def find(self, origin: Origin, key: str, since: float = 0.0) -> Posted | None:
        """Return our message with this key in a channel, posted since then, if it is there.

        `NotAllowed` where nobody may look: then nobody can tell.
        """

    async def link(self, origin: Origin, message: str) -> str:
        """Return an address people can open for a message, or for the thread; empty where there is none."""
