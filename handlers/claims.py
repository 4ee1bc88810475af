"""An event that a platform sends again is answered once."""

from __future__ import annotations

from bot.core.errors import StoreUnavailable
from bot.core.event import InboundEvent
from handlers.desk import Desk


async def first(desk: Desk, event: InboundEvent) -> bool:
    """Claim an event that is answered without a conversation; False if it was handled before.

    Without the store it counts as new: help and the official status are told all the same.
    """
    try:
        return await desk.store.claim(event.id, event.origin)
    except StoreUnavailable:
        return True
