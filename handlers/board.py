"""The official status out of the store: one process reads the page for all, and a turn finds it in memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from bot.core.status.incident import Board, Health
from bot.core.status.watch import Page, Standing
from bot.ports.pages import PageStore
from bot.ports.status import StatusSource

FRESH = 180.0
"""Seconds for which a stored reading counts as one of now, where the page is read every two minutes or more often."""


class StoredStatus:
    """A `StatusSource` for the page that is watched anyway. `direct` is asked where nobody has read it lately."""

    def __init__(
        self,
        pages: PageStore,
        page: str,
        direct: StatusSource,
        clock: Callable[[], float] = time.time,
        *,
        fresh: float = FRESH,
    ) -> None:
        self._pages, self._page, self._direct, self._clock, self._fresh = pages, page, direct, clock, fresh
        self._known: Board | None = None
        self._told: Board | None = None

    async def refresh(self) -> None:
        """Take over what the store has; raises `StoreUnavailable`, and what is known then ages."""
        page = (await self._pages.page(self._page)).page
        if page.read_at is not None:
            # By the store's clock, which is the same for all; ours may be wrong.
            old = max(0.0, await self._pages.now() - page.read_at)
            self._known = as_board(page, self._clock() - old)

    async def board(self) -> Board:
        """Return the page as last read by anybody; never an older reading than one that was told."""
        known, told = self._aged(self._known), self._aged(self._told)
        if told and (known is None or (known.health is not Health.UNREADABLE and _read_at(told) > _read_at(known))):
            known = told
        if known is not None and known.health is Health.OK:
            return known
        direct = await self._direct.board()
        if direct.health is Health.OK or known is None:
            self._told = direct
            return direct
        return known if _read_at(direct) < _read_at(known) else direct

    async def close(self) -> None:
        """Let go of the connection of the direct way."""
        await self._direct.close()

    def _aged(self, board: Board | None) -> Board | None:
        if board is None or board.read_at is None or board.health is not Health.OK:
            return board
        fresh = self._clock() - board.read_at <= self._fresh
        return board if fresh else replace(board, health=Health.STALE)


def _read_at(board: Board) -> float:
    return board.read_at or 0.0


def as_board(page: Page, read_at: float) -> Board:
    """Return a stored page as people are told of it; `read_at`: when that was, by our clock."""
    health = Health.OK if page.trouble is None else Health.UNREADABLE
    listed = tuple(k.incident for k in page.incidents.values() if k.standing is Standing.LISTED)
    skew = (page.read_at or read_at) - read_at
    return Board(page.id, health, read_at, listed, tuple(page.components.values()), page.link, skew)
