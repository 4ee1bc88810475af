"""What is known of one page over time: each good reading is merged in, and what changed in substance is told apart.

A page is asked again and again, and every field of it may change later: order, links, precise times and embedded
component data mean nothing; a name, an impact, a state or the words of an update do. `merge` decides what is news.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from enum import StrEnum

from bot.core.frozen import frozen
from bot.core.status.incident import OVER, Component, Incident, Reach

DAY = 86400.0
KEPT = 90 * DAY
"""Seconds an incident is remembered after the page last listed it, so that one that comes back is recognised."""
GAP = DAY
"""Seconds without a reading after which what ended meanwhile is one digest."""
FRESH = DAY
"""Seconds since its last activity for which an incident first seen when it is over is still worth a message."""
SOON = 3600.0
"""Seconds before a planned maintenance begins at which it is said again."""
BELIEVED = 600.0
"""Seconds without a newer reading after which one that claims to be older is believed."""
AGREEING = 2
"""Good readings in a row that have to miss an incident before its absence means anything."""
_COARSE = DAY
"""Seconds by which "last listed" may be behind: not every reading has to be written down."""
LOWER = 3
"""Older incidents that have to be listed still: then a missing one did not just fall off the end."""


class Standing(StrEnum):
    """Where an incident stands with the page.

    withdrawn: the vendor deleted it. unlisted: it was open, fell off the end, and is no longer among the unresolved.
    """

    LISTED = "listed"
    WITHDRAWN = "withdrawn"
    UNLISTED = "unlisted"


class Kind(StrEnum):
    """Why several incidents share one message: they were open when watching began, or ended while nobody watched."""

    OPEN = "open"
    DIGEST = "digest"


@frozen
class Bundle:
    """Incidents that are one message to each channel, from this revision of the page on."""

    id: str
    kind: Kind
    revision: int
    incidents: tuple[str, ...]


@frozen
class Known:
    """An incident as far as it is known. `incident.components` are all it ever named.

    changed: revision of the page at which anything of substance changed. news: revision at which it became worth a
    message by itself, 0 for what was taken over silently. seen: page time of the last reading that listed it.
    missing: good readings in a row without it, the first at `missing_since`. soon: planned, and begins within the hour.
    reached: what `Incident.reach` was before, as far as it differs; None where that is not known.
    quiet: whole days for which nothing has been said of it, while it is open and no planned work.
    """

    incident: Incident
    changed: int
    seen: float
    news: int = 0
    missing: int = 0
    missing_since: float = 0.0
    standing: Standing = Standing.LISTED
    soon: bool = False
    quiet: int = 0
    reached: tuple[Reach, ...] | None = None

    @property
    def over(self) -> bool:
        """Say whether it needs nobody's attention any more."""
        return self.standing is not Standing.LISTED or not self.incident.open


class FeedHealth(StrEnum):
    """How far a page can be believed. stale: not read for too long. challenged: it wants proof of a human."""

    OK = "ok"
    STALE = "stale"
    CHALLENGED = "challenged"


@frozen
class Trouble:
    """The page cannot be read. since: seconds since the epoch; why: for operators; told: operators know already.

    challenged: it wants proof of a human.
    """

    since: float
    why: str
    challenged: bool = False
    told: bool = False


@frozen
class Page:
    """One page. `revision` rises with every change of substance; `read_at` is the page's time of the last reading.

    published: when it said it had last changed, in that reading.
    """

    id: str
    revision: int = 0
    read_at: float | None = None
    incidents: Mapping[str, Known] = field(default_factory=dict)
    bundles: tuple[Bundle, ...] = ()
    components: Mapping[str, Component] = field(default_factory=dict)
    link: str = ""
    trouble: Trouble | None = None
    published: float | None = None

    def health(self, now: float, stale_after: float) -> FeedHealth:
        """Say how far it can be believed; what is known stays what was last known, and never becomes "all clear"."""
        if self.trouble is not None and self.trouble.challenged:
            return FeedHealth.CHALLENGED
        fresh = self.read_at is not None and now - self.read_at <= stale_after
        return FeedHealth.OK if fresh else FeedHealth.STALE

    @property
    def open(self) -> tuple[Known, ...]:
        """What has not ended, oldest first."""
        found = (known for known in self.incidents.values() if not known.over)
        return tuple(sorted(found, key=lambda known: known.incident.started_at or 0.0))


@frozen
class Reading:
    """One good reading. `at` is the page's own time.

    listed: `incidents.json`, which ends after fifty. unresolved: what the summary calls open or planned; None when it
    was not read. maintenances: the page's list of them, ended ones too; None when it was not read. published: when the
    page says it last changed; None where it does not.
    """

    at: float
    listed: tuple[Incident, ...]
    unresolved: tuple[Incident, ...] | None = None
    maintenances: tuple[Incident, ...] | None = None
    components: tuple[Component, ...] = ()
    link: str = ""
    published: float | None = None

    def incidents(self) -> dict[str, Incident]:
        """Return each incident once; the lists with every update in them count most."""
        found: dict[str, Incident] = {}
        for incident in (*self.listed, *(self.maintenances or ()), *(self.unresolved or ())):
            found.setdefault(incident.id, incident)
        return found


def merge(page: Page, reading: Reading, *, fresh: float = FRESH) -> Page:
    """Return what is known after `reading`; the revision is one higher if a channel might have to hear of it.

    fresh: seconds since its last activity for which what is first seen when it is over is still told. A copy older than
    what was read before, as caches hand out now and then, changes nothing: `page` itself is returned.
    """
    if _outdated(page, reading):
        return page
    return _Merge(page, reading, fresh).merged()


def _outdated(page: Page, reading: Reading) -> bool:
    if page.read_at is None or page.published is None or reading.published is None:
        return False
    # Its times may be wrong once: after a while without anything newer, what it says is believed.
    return reading.published < page.published and reading.at - page.read_at < BELIEVED


def last_activity(incident: Incident) -> float | None:
    """Return when something was last said of it; `updated_at` moves without anything being said."""
    said = [update.at for update in incident.updates if update.at is not None]
    return max(said) if said else incident.resolved_at or incident.updated_at


def revised(before: Known, after: Known) -> tuple[bool, bool]:
    """Say whether the vendor changed an incident's title or impact, and whether the words of an update."""
    old, new = before.incident, after.incident
    said = {u.id: (u.status, u.body) for u in old.updates}
    reworded = any(said.get(u.id, (u.status, u.body)) != (u.status, u.body) for u in new.updates)
    return (old.name, old.impact) != (new.name, new.impact), reworded


class _Merge:
    """One reading on its way into a page."""

    def __init__(self, page: Page, reading: Reading, fresh: float) -> None:
        self._page, self._reading, self._fresh = page, reading, fresh
        self._next = page.revision + 1
        self._first = page.read_at is None
        self._gap = page.read_at is not None and reading.at - page.read_at > GAP
        self._digest: list[str] = []

    def merged(self) -> Page:
        found = self._reading.incidents()
        known = {**self._page.incidents, **{i.id: self._seen(i) for i in found.values()}}
        for incident_id in self._page.incidents.keys() - found.keys():
            known[incident_id] = self._absent(known[incident_id])
        known = {i: k for i, k in known.items() if not self._forgotten(k)}
        bundles = (*(b for b in self._page.bundles if not known.keys().isdisjoint(b.incidents)), *self._bundles(known))
        changed = self._first or any(k.changed == self._next for k in known.values())
        # What the page no longer lists is not kept: its last word of it is no word about now.
        components = {c.id: c for c in self._reading.components} or self._page.components
        return Page(
            self._page.id,
            self._next if changed else self._page.revision,
            self._reading.at,
            known,
            bundles,
            components,
            self._reading.link or self._page.link,
            published=self._reading.published,
        )

    def _seen(self, incident: Incident) -> Known:
        before = self._page.incidents.get(incident.id)
        soon, quiet = incident.status == "scheduled" and self._soon(incident), self._quiet(incident)
        if before is None:
            news = self._next if self._is_news(incident) else 0
            return Known(incident, self._next, self._reading.at, news, soon=soon, quiet=quiet, reached=())
        named = dict.fromkeys((*before.incident.components, *incident.components))
        after = replace(
            before,
            incident=replace(incident, components=tuple(named)),
            seen=before.seen if 0 <= self._reading.at - before.seen < _COARSE else self._reading.at,
            missing=0,
            standing=Standing.LISTED,
            soon=soon,
            quiet=quiet,
        )
        if before.reached is not None and after.incident.reach != before.incident.reach:
            after = replace(after, reached=tuple(dict.fromkeys((*before.reached, before.incident.reach))))
        if _substance(after) == _substance(before):
            return after
        return replace(after, changed=self._next, news=self._next if _is_new_to_some(before, after) else before.news)

    def _is_news(self, incident: Incident) -> bool:
        """Say whether an incident never seen before gets a message of its own; else it is bundled or only recorded."""
        if self._first:
            return False
        if incident.open:
            return True
        last = last_activity(incident)
        if self._gap:
            # What ended before the gap has only come back into the list.
            if last is None or last > (self._page.read_at or 0.0):
                self._digest.append(incident.id)
            return False
        return last is None or self._reading.at - last < self._fresh

    def _bundles(self, known: Mapping[str, Known]) -> Iterator[Bundle]:
        still_open = tuple(i for i, k in known.items() if not k.over) if self._first else ()
        if still_open:
            yield Bundle(f"open-{self._next}", Kind.OPEN, self._next, still_open)
        if self._digest:
            yield Bundle(f"digest-{self._next}", Kind.DIGEST, self._next, tuple(self._digest))

    def _absent(self, before: Known) -> Known:
        if before.standing is not Standing.LISTED:
            return before
        since = before.missing_since if before.missing else self._reading.at
        after = replace(before, missing=before.missing + 1, missing_since=since)
        standing = self._standing(after)
        if standing is Standing.LISTED:
            return after
        return replace(after, standing=standing, changed=self._next)

    def _standing(self, known: Known) -> Standing:
        incident, planned = known.incident, known.incident.scheduled_for is not None
        siblings = self._reading.maintenances if planned else self._reading.listed
        if known.missing < AGREEING or siblings is None:
            return Standing.LISTED
        if incident.started_at is not None and _older(siblings, incident.started_at) >= LOWER:
            return Standing.WITHDRAWN
        # A list that is empty all of a sudden is more likely broken; after a day it is believed.
        believed = bool(siblings) or self._reading.at - known.missing_since >= DAY
        if incident.open and self._reading.unresolved is not None and believed:
            return Standing.WITHDRAWN if incident.status == "scheduled" else Standing.UNLISTED
        return Standing.LISTED

    def _soon(self, incident: Incident) -> bool:
        return incident.scheduled_for is not None and self._reading.at >= incident.scheduled_for - SOON

    def _quiet(self, incident: Incident) -> int:
        last = last_activity(incident)
        if last is None or not incident.open or incident.maintenance:
            return 0
        return max(0, int((self._reading.at - last) // DAY))

    def _forgotten(self, known: Known) -> bool:
        return known.over and self._reading.at - known.seen > KEPT


def _older(listed: Iterable[Incident], started_at: float) -> int:
    return sum(i.started_at is not None and i.started_at < started_at for i in listed)


def _substance(known: Known) -> object:
    """Return all whose change somebody might have to hear of; equal means: nothing happened."""
    incident = known.incident
    return (
        (incident.name, incident.impact, incident.status, incident.scheduled_for, incident.scheduled_until),
        frozenset(incident.components),
        tuple((u.id, u.status, u.body) for u in incident.updates),
        (known.standing, known.soon, known.quiet),
    )


def _is_new_to_some(before: Known, after: Known) -> bool:
    """Say whether channels that were not concerned may be now: it is open again, graver, or touches more."""
    old, new = before.incident, after.incident
    told = {u.id for u in old.updates}
    reopened = any(u.id not in told and u.status not in OVER for u in new.updates)
    if before.over:
        return not after.over or reopened
    return old.impact != new.impact or set(old.components) != set(new.components)
