"""What the official status page says, and how old that reading is."""

from __future__ import annotations

from enum import StrEnum

from bot.core.frozen import frozen

OVER = frozenset({"resolved", "postmortem", "completed"})
"""Incident states that mean it has ended; every other state, known or not, means it has not."""

_LATEST = float("inf")


class Health(StrEnum):
    """How far the page can be believed right now.

    ok: read at most a minute ago. stale: read before, and the next reading has not come back yet.
    unreadable: the last attempt failed, or none has succeeded so far.
    """

    OK = "ok"
    STALE = "stale"
    UNREADABLE = "unreadable"


@frozen
class Move:
    """A component as an update names it: its state before and after, in the page's words, empty where it gives none."""

    id: str
    name: str
    before: str
    after: str

    @property
    def moved(self) -> bool:
        """Say whether anything happened to it: a page may list all its components and mean two of them."""
        return self.after not in {"", "operational"} or self.before not in {"", self.after}


@frozen
class Update:
    """One update of an incident. `at` is in seconds since the epoch, UTC; None when the page gives no usable time.

    `moves` says more of the same `components`, where the page does.
    """

    id: str
    status: str
    body: str
    at: float | None
    components: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()


@frozen
class Reach:
    """What decides whom an incident concerns. parts: components it did something to; none: it is a general one."""

    maintenance: bool
    impact: str
    parts: frozenset[str]


@frozen
class Incident:
    """An incident as the page publishes it; times as in `Update`.

    `components` are ids, all that were ever named: a page unlinks them when it resolves an incident. `updates` are
    in time order, oldest first. `status` and `impact` may be words Redial does not know: they are shown as they are.
    """

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
    scheduled_for: float | None = None
    scheduled_until: float | None = None

    @property
    def open(self) -> bool:
        """Say whether it has not ended."""
        return self.status not in OVER

    @property
    def begun(self) -> bool:
        """Say whether it is more than a plan: a scheduled maintenance is open but troubles nobody yet."""
        return self.status != "scheduled"

    @property
    def maintenance(self) -> bool:
        """Say whether it is planned work."""
        return self.impact == "maintenance" or self.scheduled_for is not None

    @property
    def reach(self) -> Reach:
        """Whom it concerns: its parts are those an update says were touched, or all it names where none says so."""
        moved = frozenset(move.id for update in self.updates for move in update.moves if move.moved)
        return Reach(self.maintenance, self.impact, moved or frozenset(self.components))

    @property
    def latest(self) -> Update | None:
        """The newest update."""
        return self.updates[-1] if self.updates else None

    def lasted(self, now: float) -> float | None:
        """Return the seconds from its start to its end, or to `now` while it is open.

        None where the page's times make no sense (resolved before it began, begun in the future) or are missing.
        `now` is the page's time: `Board.clock`.
        """
        end = now if self.open else self.resolved_at
        if self.started_at is None or end is None or end < self.started_at:
            return None
        return end - self.started_at

    def quiet(self, now: float) -> float | None:
        """Return the seconds since its newest update; None as in `lasted`."""
        at = self.latest.at if self.latest else self.updated_at
        return None if at is None or at > now else now - at


@frozen
class Component:
    """A part of the service the page reports on. hidden: the page shows it only while something is wrong with it."""

    id: str
    name: str
    status: str
    hidden: bool = False

    @property
    def operational(self) -> bool:
        """Say whether the page calls it so; a word nobody knows is no such promise."""
        return self.status == "operational"


@frozen
class Board:
    """One page as last read. `read_at`: seconds since the epoch of the last good reading, None before the first.

    With health other than `ok`, `incidents` and `components` are what was last known, not what is so now:
    nobody may be told "all clear" from them.

    link: the page's address for people. skew: how far the page's clock is ahead of ours, in seconds.
    `incidents` holds begun and planned maintenances too, in the page's order, which is not the order of time.
    """

    page: str
    health: Health
    read_at: float | None
    incidents: tuple[Incident, ...] = ()
    components: tuple[Component, ...] = ()
    link: str = ""
    skew: float = 0.0

    @property
    def open(self) -> tuple[Incident, ...]:
        """The incidents that have not ended, newest first; one without a time counts as new, not to be overlooked."""
        found = (i for i in self.incidents if i.open)
        return tuple(sorted(found, key=lambda i: _LATEST if i.started_at is None else i.started_at, reverse=True))

    def incident(self, incident_id: str) -> Incident | None:
        """Return the incident of that id, if the page still lists it."""
        return next((i for i in self.incidents if i.id == incident_id), None)

    def touching(self, components: frozenset[str]) -> tuple[Incident, ...]:
        """Return the open incidents that name one of `components`, or none at all (general ones).

        Impact `none` and maintenances that are only planned are left out: neither explains a failure.
        """
        return tuple(
            i
            for i in self.open
            if i.begun and i.impact != "none" and (not i.components or components.intersection(i.components))
        )

    def degraded(self, components: frozenset[str]) -> tuple[Component, ...]:
        """Return those of `components` the page does not call operational; it may say so without any incident."""
        return tuple(c for c in self.components if c.id in components and not c.operational)

    def clear(self, components: frozenset[str]) -> bool:
        """Say whether an official reading calls all of `components` fine: the only ground for "all clear".

        Never without a fresh reading, nor for a component the page does not list: ids are replaced now and then.
        """
        return (
            self.health is Health.OK
            and bool(components)
            and components <= {c.id for c in self.components}
            and not self.touching(components)
            and not self.degraded(components)
        )

    def clock(self, now: float) -> float:
        """Return the page's time at our time `now`, to measure incidents by."""
        return now + self.skew


def age(board: Board, now: float) -> float | None:
    """Return how many seconds ago the board was read, by our clock; None before the first good reading."""
    return None if board.read_at is None else max(0.0, now - board.read_at)
