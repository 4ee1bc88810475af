"""Runs recorded documents through the very code that announces, and counts what one channel would have been sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field, replace

from bot.core.errors import StatusError
from bot.core.frozen import frozen
from bot.core.status.announcement import Announcement
from bot.core.status.plan import updates_of
from bot.core.status.statuspage import Seen, parse_incidents, parse_summary, parse_time, published
from bot.core.status.subscription import Subscription
from bot.core.status.topics import changed, topic_ids
from bot.core.status.watch import Page, Reading, Standing, merge, revised
from handlers.announce import Announcer, Office


@frozen
class Recorded:
    """One recorded answer. at: seconds since the epoch; path: of the page's API; document: decoded JSON."""

    at: float
    path: str
    document: object


@dataclass
class Totals:
    """What one subscription was sent, as `redial replay` prints it.

    baseline: incidents taken over silently from the first document; posts: incidents posted; followups: replies with
    `updates` in them; edits: changes of title or impact and of bodies, one each a document and incident; withdrawn:
    incidents marked so; repeated and lost: updates told twice, or not at all.
    """

    baseline: int = 0
    posts: int = 0
    followups: int = 0
    updates: int = 0
    edits: int = 0
    withdrawn: int = 0
    repeated: int = 0
    lost: int = 0


@dataclass
class Clock:
    """The time of the document that is being replayed."""

    now: float = 0.0

    def __call__(self) -> float:
        """Return it."""
        return self.now


@dataclass
class Replay:
    """One page and one channel, from the first document on. unread: documents that were no reading of the page."""

    office: Office
    subscription: Subscription
    clock: Clock
    totals: Totals = field(default_factory=Totals)
    unread: int = 0
    _others: dict[str, Reading] = field(default_factory=dict)
    _seen: Seen = field(default_factory=dict)
    _had: dict[str, Announcement] = field(default_factory=dict)

    async def feed(self, recorded: Recorded) -> bool:
        """Take the next document; False if it was not one of this page, which changes nothing."""
        self.clock.now = recorded.at
        try:
            reading = self._reading(recorded)
        except StatusError:
            self.unread += 1
            return False
        if reading is None:
            return True
        before = await self.office.pages.page(self.subscription.page)
        after = merge(before.page, reading)
        await self.office.pages.put(before, after)
        settled = before.page.revision
        announcer = Announcer(self.office)
        while (walked := await announcer.walk(after.id, self.subscription.place.platform)).acts:
            pass
        await self._count(before.page, after, settled if not walked.left else 0)
        return True

    def _reading(self, recorded: Recorded) -> Reading | None:
        """Return a reading, which needs `incidents.json`; what the other documents say is added to the next one."""
        page, document = self.subscription.page, recorded.document
        if recorded.path.endswith("/summary.json"):
            summary = parse_summary(document, page_id=page)
            unresolved = (*summary.unresolved, *summary.maintenances)
            self._others["summary"] = Reading(recorded.at, (), unresolved, components=summary.components)
            return None
        if recorded.path.endswith("/scheduled-maintenances.json"):
            planned = parse_incidents(document, page_id=page, key="scheduled_maintenances")
            self._others["maintenances"] = Reading(recorded.at, (), maintenances=planned)
            return None
        listed = parse_incidents(document, page_id=page, seen=self._seen)
        reading = Reading(recorded.at, listed, published=published(document))
        summary_read, planned_read = self._others.get("summary"), self._others.get("maintenances")
        return replace(
            reading,
            unresolved=summary_read.unresolved if summary_read else None,
            components=summary_read.components if summary_read else (),
            maintenances=planned_read.maintenances if planned_read else None,
        )

    async def _count(self, before: Page, after: Page, settled: int) -> None:
        if before.read_at is None:
            self.totals.baseline = len(after.incidents)
        incidents = changed(after, settled)
        ids = topic_ids(after, self.subscription, incidents, settled)
        announced = await self.office.pages.announced(after.id, {self.subscription.id: ids})
        records = announced.records.get(self.subscription.id, {})
        there = {i for record in self._had.values() for i in record.incidents}
        told = {i for record in records.values() for i in record.incidents}
        for topic, record in records.items():
            self._count_messages(self._had.get(topic) or Announcement(topic), record, after)
            self._had[topic] = record
        for incident in incidents:
            old, new = before.incidents.get(incident), after.incidents[incident]
            if incident in told:
                self.totals.edits += sum(revised(old, new)) if old and incident in there else 0
                stood = old.standing if old else Standing.LISTED
                self.totals.withdrawn += new.standing is Standing.WITHDRAWN is not stood
            elif new.news > self.subscription.since and self.subscription.choice.wants(new):
                self.totals.lost += len(new.incident.updates)

    def _count_messages(self, before: Announcement, after: Announcement, page: Page) -> None:
        if before.post is None and after.post is not None:
            self.totals.posts += 0 if after.topic.startswith("open-") else len(after.incidents)
        new = [reply for reply in after.replies if reply.key not in {r.key for r in before.replies}]
        self.totals.followups += sum(bool(reply.updates) for reply in new)
        self.totals.updates += sum(len(reply.updates) for reply in new)
        every = [name for message in after.messages for name in message.updates]
        self.totals.repeated += sum(name in before.all_told for reply in new for name in reply.updates)
        self.totals.repeated += len(every) - len(set(every)) if new else 0
        members = [known for i in after.incidents if (known := page.incidents.get(i)) is not None]
        self.totals.lost += sum(name not in after.all_told for name in updates_of(members))


async def replayed(replay: Replay, rows: Iterable[Recorded]) -> AsyncIterator[Recorded]:
    """Feed all rows and yield those that were read."""
    for row in rows:
        if await replay.feed(row):
            yield row


def recorded(row: Mapping[str, object]) -> Recorded | None:
    """Read one line of a recording, decoded; None for a line without a time, a path or a document."""
    at, path = parse_time(row.get("at")), row.get("path")
    if at is None or not isinstance(path, str) or "document" not in row:
        return None
    return Recorded(at, path, row["document"])
