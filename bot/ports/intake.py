"""Where adapters hand over what they decoded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from bot.core.event import InboundEvent
from bot.ports.chat import Chat


class Intake(Protocol):
    """Takes events in; bounded, synchronous, and it never blocks an adapter's loop."""

    def submit(self, event: InboundEvent, chat: Chat, done: Callable[[], None] | None = None) -> bool:
        """Queue one turn; False when full, and the adapter then says "busy, press again" privately.

        done: called when the turn has been played to its end, for platforms that send again what is not acknowledged.
        """
