"""What every use case works with, put together once by the composition root."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.core.library import Library
from bot.core.placement import Rooms
from bot.core.recogniser import Recogniser, Recognition
from bot.core.turn import Around
from bot.ports.leases import Leases
from bot.ports.meters import UNMETERED, Meters
from bot.ports.pages import PageStore
from bot.ports.status import StatusSource
from bot.ports.store import ConversationStore


@dataclass(slots=True)
class Desk:
    """Content, memory, official status and the clock. Content may be exchanged; each turn works with a copy of its own.

    managed: devices belong to the company (setting `devices`). rooms: the channels of each platform, by its name.
    leases: for work that one of several processes does. pages: for announcements; None where nothing is announced.
    watched: the pages channels can hear of, names by id.
    """

    library: Library
    recogniser: Recogniser
    store: ConversationStore
    status: StatusSource
    clock: Callable[[], float]
    managed: bool = True
    rooms: Mapping[str, Rooms] = field(default_factory=dict)
    leases: Leases | None = None
    pages: PageStore | None = None
    watched: Mapping[str, str] = field(default_factory=dict)
    meters: Meters = UNMETERED

    async def around(self) -> Around:
        """Return what holds for a turn played now."""
        board = await self.status.board()
        return Around(self.clock(), board, self.managed)

    def recognise(self, text: str) -> Recognition:
        """Say what a redacted text is taken for, and count it."""
        found = self.recogniser.recognise(text)
        self.meters.recognised(found.decision.value)
        return found
