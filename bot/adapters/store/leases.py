"""Turns at work that belongs to no page, such as a platform's gateway."""

from __future__ import annotations

from bot.adapters.store.pages import RedisPages
from bot.adapters.store.server import Server
from bot.ports.pages import Lease

_PAGE = "@process"
"""Stands where the leases of a page have its id."""


class RedisLeases:
    """Implements the Leases port; `server` is closed by whoever opened it."""

    def __init__(self, server: Server) -> None:
        self._pages = RedisPages(server)
        self._held: dict[tuple[str, str], Lease] = {}

    async def take(self, name: str, holder: str, seconds: float) -> bool:
        """Take a turn, or go on holding it."""
        lease = await self._pages.lease(_PAGE, name, holder, seconds)
        if lease is None:
            self._held.pop((name, holder), None)
            return False
        self._held[name, holder] = lease
        return True

    async def release(self, name: str, holder: str) -> None:
        """Give a turn back."""
        lease = self._held.pop((name, holder), None)
        if lease:
            await self._pages.release(lease)
