"""Who draws pictures."""

from __future__ import annotations

from typing import Protocol

from bot.core.guides.library import Library
from bot.core.triage.insights import Insight


class Studio(Protocol):
    """Draws without holding up the event loop."""

    async def draw(self, library: Library, week: Insight, month: Insight) -> bytes:
        """Return insights as a PNG; raises `NotDrawn`, and `SettingsError` where what it takes is not installed."""
