"""The channels of a platform, with something in between where messages are sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.core.status.announcement_view import Notice
from bot.core.status.subscription import Place
from bot.core.view import View
from bot.ports.announcing import Channels, Delivery, Failed, Gathers


@dataclass
class Through:
    """Implements Channels and Gathers by others, but for what is sent to a channel: `posts` says what comes of that."""

    inner: Channels
    posts: Callable[[Place, str, Notice], Awaitable[Delivery]]

    async def post(self, place: Place, key: str, notice: Notice) -> Delivery:
        return await self.posts(place, key, notice)

    async def turn(self, place: Place) -> None:
        await self.inner.turn(place)

    async def reply(self, place: Place, parent: str, key: str, notice: Notice) -> Delivery:
        return await self.inner.reply(place, parent, key, notice)

    async def edit(self, place: Place, ref: str, key: str, notice: Notice) -> Delivery:
        return await self.inner.edit(place, ref, key, notice)

    async def find(self, place: Place, parent: str, key: str, since: float) -> tuple[str, ...] | Failed:
        return await self.inner.find(place, parent, key, since)

    async def delete(self, place: Place, ref: str) -> Delivery:
        return await self.inner.delete(place, ref)

    async def tell(self, place: Place, user: str, view: View) -> Delivery:
        return await self.inner.tell(place, user, view)

    async def link(self, place: Place, ref: str) -> str:
        assert isinstance(self.inner, Gathers)
        return await self.inner.link(place, ref)

    async def belongs(self, place: Place) -> bool:
        assert isinstance(self.inner, Gathers)
        return await self.inner.belongs(place)
