"""Which store this is, and whether it still knows what was: asked before anything is announced."""

from __future__ import annotations

import structlog

from bot.ports.pages import Lineage, PageStore

_log = structlog.get_logger(__name__)


async def recall(pages: PageStore, page: str) -> Lineage:
    """Ask the store what it may have forgotten, and tell operators once if it has. Raises `StoreUnavailable`."""
    lineage = await pages.lineage(page)
    if lineage.noted and (loss := lineage.losses[lineage.last]).at:
        _log.error("store.lost" if loss.since else "store.emptied", page=page)
    return lineage
