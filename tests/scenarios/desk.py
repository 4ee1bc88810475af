"""A desk with a real store and built-in guides; only the official page is made up, behind its port."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from bot.adapters.store import connect
from bot.adapters.store.redis_store import RedisConversations
from bot.core.event import Commanded, InboundEvent, Origin, Pressed, Said
from bot.core.status.incident import Board, Health
from bot.core.triage.folding import Folded
from bot.core.triage.placement import Where
from bot.core.view import View
from bot.ports.chat import Posted
from handlers.desk import Desk
from handlers.turns import handle
from tests.scenarios.playing import NOW, ORIGIN, content, page


@dataclass
class Page:
    """The official page as a test wants it read."""

    read: Board | None = field(default_factory=lambda: page("clear"))

    async def board(self) -> Board:
        return self.read or Board("page", Health.UNREADABLE, None)

    async def close(self) -> None:
        """Nothing is held."""


class Screen:
    """A chat that keeps what it was given to show."""

    def __init__(self) -> None:
        self.views: list[View] = []

    async def private(self, origin: Origin) -> Origin:
        return origin

    async def show(self, origin: Origin, view: View, where: Where, *, message: str = "") -> Posted:  # noqa: ARG002
        self.views.append(view)
        return Posted("", str(len(self.views)))

    async def tell(self, origin: Origin, view: View) -> None:
        await self.show(origin, view, Where.DIRECT)

    async def fold(self, origin: Origin, message: str, folded: Folded) -> None:
        """Nothing is folded here."""

    async def shown(self, origin: Origin, key: str) -> Posted | None:  # noqa: ARG002 - cannot look
        return None


@dataclass
class Person:
    """Somebody at the desk."""

    desk: Desk
    page: Page
    store: RedisConversations
    origin: Origin = ORIGIN
    screen: Screen = field(default_factory=Screen)
    ids: itertools.count[int] = field(default_factory=itertools.count)

    async def say(self, text: str) -> View:
        return await self._do(Said(text, "direct"))

    async def command(self, name: str, argument: str = "") -> View:
        return await self._do(Commanded(name, argument))

    async def press(self, choice: str) -> View:
        last = self.screen.views[-1]
        return await self._do(Pressed(last.conversation, last.revision, last.step, choice))

    async def _do(self, what: Said | Commanded | Pressed) -> View:
        event = InboundEvent(f"{self.origin.user}-{next(self.ids)}", self.origin, what)
        await handle(self.desk, event, self.screen)
        return self.screen.views[-1]


@contextlib.asynccontextmanager
async def person(data_dir: Path) -> AsyncIterator[Person]:
    """Somebody at a desk whose store lives in `data_dir`."""
    store = await connect(None, data_dir)
    try:
        made_up = Page()
        desk = Desk(content().library, content().recogniser(), store, made_up, lambda: NOW)
        yield Person(desk, made_up, store)
    finally:
        await store.close()
