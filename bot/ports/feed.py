"""A status page as the watch reads it."""

from __future__ import annotations

from typing import Protocol

from bot.core.frozen import frozen
from bot.core.status.watch import Reading


@frozen
class Unread:
    """The page could not be read, which says nothing about what it watches. challenged: it wants proof of a human."""

    why: str
    challenged: bool = False


class Feed(Protocol):
    """One page; a reading is begun after it was asked for, and never older."""

    async def read(self) -> Reading | Unread:
        """Read the page once; never raises for one that cannot be read."""
