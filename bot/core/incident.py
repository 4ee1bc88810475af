"""What the official status page says, and how old that reading is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

OVER = frozenset({"resolved", "postmortem", "completed"})
"""Incident states that mean it has ended; every other state, known or not, means it has not."""


class Health(StrEnum):
    """How far the page can be believed right now."""

    OK = "ok"
    STALE = "stale"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Update:
    """One update of an incident. `at` is in seconds since the epoch, UTC; None when the page gives no usable time."""

    id: str
    status: str
    body: str
    at: float | None
    components: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Incident:
    """An incident as the page publishes it; times as in `Update`. `components` are ids, all that were ever named."""

    id: str
    name: str
    status: str
    impact: str
    started_at: float | None
    updated_at: float | None
    resolved_at: float | None
    link: str
    components: tuple[str, ...] = ()
    updates: tuple[Update, ...] = ()

    @property
    def open(self) -> bool:
        """Say whether it has not ended."""
        return self.status not in OVER


@dataclass(frozen=True, slots=True)
class Component:
    """A part of the service the page reports on."""

    id: str
    name: str
    status: str


@dataclass(frozen=True, slots=True)
class Board:
    """One page as last read. `read_at`: seconds since the epoch of the last good reading, None before the first.

    With health other than `ok`, `incidents` and `components` are what was last known, not what is so now:
    nobody may be told "all clear" from them.
    """

    page: str
    health: Health
    read_at: float | None
    incidents: tuple[Incident, ...] = ()
    components: tuple[Component, ...] = ()

    @property
    def open(self) -> tuple[Incident, ...]:
        """The incidents that have not ended, newest first."""
        return tuple(i for i in self.incidents if i.open)

    def incident(self, incident_id: str) -> Incident | None:
        """Return the incident of that id, if the page still lists it."""
        return next((i for i in self.incidents if i.id == incident_id), None)

    def touching(self, components: frozenset[str]) -> tuple[Incident, ...]:
        """Return the open incidents that name one of `components`, or none at all (general ones); impact `none` left out."""
        return tuple(
            i for i in self.open if i.impact != "none" and (not i.components or components.intersection(i.components))
        )
