"""The official status, as far as it can be known."""

from __future__ import annotations

from typing import Protocol

from bot.core.status.incident import Board


class StatusSource(Protocol):
    """Reads the official page; never raises for an unreadable one: that is a `Board` with its own health."""

    async def board(self) -> Board:
        """Return the page as read at most a minute ago, or the last good reading marked `stale` or `unreadable`."""

    async def close(self) -> None:
        """Let go of the connection."""
