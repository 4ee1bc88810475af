"""What every use case works with, put together once by the composition root."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.core.bounds import BOUNDS, Bounds
from bot.core.event import Origin
from bot.core.guides.library import Library
from bot.core.recogniser.engine import Recogniser, Recognition
from bot.core.triage.life import Pace
from bot.core.triage.placement import Rooms
from bot.core.triage.turn import Around
from bot.ports.leases import Leases
from bot.ports.meters import UNMETERED, Meters
from bot.ports.status import StatusSource
from bot.ports.store import ConversationStore
from bot.ports.studio import Studio
from bot.ports.tallies import UNCOUNTED, Tallies

if TYPE_CHECKING:
    from bot.ports.pages import PageStore
    from handlers.room import Lookout


@dataclass(slots=True)
class Desk:
    """Content, memory, official status and the clock. Content may be exchanged; each turn works with a copy of its own.

    managed: devices belong to the company (setting `devices`). rooms: the channels of each platform, by its name.
    leases: for work that one of several processes does. pages: for announcements; None where nothing is announced.
    watched: the pages channels can hear of, names by id. pace: how long silence lasts. tallies: counts without names.
    lookout: what many share in a workspace; None where nobody counts. odds: how often steps helped, by tenant.
    bounds: how long what is under way may take. studio: draws insights; None where nobody would see a picture.
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
    pace: Pace = field(default_factory=Pace)
    tallies: Tallies = UNCOUNTED
    meters: Meters = UNMETERED
    lookout: Lookout | None = None
    odds: dict[str, Mapping[str, tuple[int, int]]] = field(default_factory=dict)
    bounds: Bounds = BOUNDS
    studio: Studio | None = None

    async def around(self, origin: Origin | None = None) -> Around:
        """Return what holds for a turn played now, in the workspace of `origin`."""
        board = await self.status.board()
        gatherings = self.lookout.known(origin) if self.lookout and origin else None
        odds = self.odds.get(origin.tenant, {}) if origin else {}
        return Around(self.clock(), board, self.managed, gatherings, self.pace, odds)

    def recognise(self, text: str) -> Recognition:
        """Say what a redacted text is taken for, and count it."""
        found = self.recogniser.recognise(text)
        self.meters.recognised(found.decision.value)
        return found
