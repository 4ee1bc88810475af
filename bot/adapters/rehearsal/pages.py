"""A `PageStore` in memory, with the same promises but for outliving its process."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace

from bot.core.status.announcement import Announcement
from bot.core.status.subscription import Choice, Place, Subscription
from bot.core.status.watch import Page
from bot.ports.pages import Announced, Lease, Lineage, Loss, Snapshot


@dataclass
class _Leased:
    holder: str = ""
    until: float = 0.0
    fence: int = 0


@dataclass
class _Held:
    """Everything about one page."""

    snapshot: Snapshot
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    wishes: dict[str, set[Choice]] = field(default_factory=dict)
    announced: dict[str, dict[str, Announcement]] = field(default_factory=dict)
    settled: dict[str, int] = field(default_factory=dict)
    leases: dict[str, _Leased] = field(default_factory=dict)


Kept = tuple[dict[str, _Held], Lineage]
"""A store as it was at one moment."""


class MemoryPages:
    """What any number of replicas in one process share. `clock` stands for the server's."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._pages: dict[str, _Held] = {}
        self._lineage = Lineage("memory")

    async def revision(self, page: str) -> int:
        """Return the page's revision."""
        return self._held(page).snapshot.page.revision

    async def page(self, page: str) -> Snapshot:
        """Return what is known of a page."""
        return self._held(page).snapshot

    async def put(self, before: Snapshot, after: Page, lease: Lease | None = None) -> bool:
        """Write the page over `before`."""
        held = self._held(after.id)
        if held.snapshot.version != before.version or (lease and held.leases[lease.name].fence != lease.fence):
            return False
        reads = held.snapshot.reads + (after.read_at != before.page.read_at)
        held.snapshot = Snapshot(after, before.version + 1, reads)
        return True

    async def subscriptions(self, page: str, ids: Sequence[str] | None = None) -> tuple[Subscription, ...]:
        """Return all subscriptions to a page, or those of these ids."""
        there = self._held(page).subscriptions
        return tuple(there.values()) if ids is None else tuple(there[name] for name in ids if name in there)

    async def concerned(
        self, page: str, platform: str, since: int, wishes: Callable[[Choice], bool], named: Collection[str] = ()
    ) -> tuple[str, ...]:
        """Return who may be concerned."""
        held = self._held(page)
        chosen = {wish for wish in set().union(*held.wishes.values()) if wishes(wish)}
        return tuple(
            name
            for name, one in held.subscriptions.items()
            if one.place.platform == platform
            and (one.since > since or name in named or not chosen.isdisjoint(held.wishes[name]))
        )

    async def subscription(self, page: str, place: Place) -> Subscription | None:
        """Return a channel's subscription."""
        return next((s for s in self._held(page).subscriptions.values() if s.place == place), None)

    async def subscribe(self, before: Snapshot, subscription: Subscription) -> bool:
        """Write a subscription and raise the revision."""
        held = self._held(subscription.page)
        if held.snapshot.version != before.version:
            return False
        page = replace(before.page, revision=subscription.since)
        held.snapshot = Snapshot(page, before.version + 1, held.snapshot.reads)
        held.subscriptions[subscription.id] = replace(subscription, version=before.version + 1)
        held.wishes.setdefault(subscription.id, set()).add(subscription.choice.wish)
        return True

    async def change(self, before: Subscription, after: Subscription | None) -> bool:
        """Write a subscription over `before`, or delete it."""
        held = self._held(before.page)
        there = held.subscriptions.get(before.id)
        if there is None and after is None:
            return True
        if there is None or there.version != before.version:
            return False
        if after is None:
            del held.subscriptions[before.id], held.wishes[before.id]
            held.announced.pop(before.id, None)
        else:
            held.subscriptions[before.id] = replace(after, version=before.version + 1)
        return True

    async def announced(self, page: str, wanted: Mapping[str, Iterable[str]]) -> Announced:
        """Return the announcements of these topics."""
        held = self._held(page).announced
        records = {
            name: {topic: held[name][topic] for topic in topics if topic in held.get(name, {})}
            for name, topics in wanted.items()
        }
        return Announced(self._clock(), records)

    async def record(self, page: str, subscription: str, record: Announcement) -> Announcement | None:
        """Write a record over its own version."""
        held = self._held(page)
        there = held.announced.setdefault(subscription, {})
        stored = there.get(record.topic)
        if (stored.version if stored else 0) != record.version or subscription not in held.subscriptions:
            return None
        intent = replace(record.intent, at=self._clock()) if record.intent else None
        there[record.topic] = replace(record, intent=intent, version=record.version + 1)
        return there[record.topic]

    async def drop(self, page: str, subscription: str, topics: Iterable[str]) -> None:
        """Delete announcements."""
        for topic in topics:
            self._held(page).announced.get(subscription, {}).pop(topic, None)

    async def topics(self, page: str, subscription: str) -> tuple[str, ...]:
        """Return the ids of all topics a channel was told of."""
        return tuple(self._held(page).announced.get(subscription, {}))

    async def settled(self, page: str, platform: str) -> int:
        """Return the settled revision."""
        return self._held(page).settled.get(platform, 0)

    async def settle(self, page: str, platform: str, revision: int) -> None:
        """Raise the settled revision."""
        settled = self._held(page).settled
        settled[platform] = max(revision, settled.get(platform, 0))

    async def lineage(self, page: str) -> Lineage:  # noqa: ARG002 - all pages are in one memory
        """Return what `loses` has noted."""
        return self._lineage

    async def distrust(self, page: str) -> None:
        """Note that everything may have been forgotten."""
        loss = Loss(self._held(page).snapshot.reads, 0.0, noted=self._clock())
        losses = {**self._lineage.losses, self._lineage.last + 1: loss}
        self._lineage = replace(self._lineage, losses=losses)

    async def trust(self, page: str, platform: str, number: int) -> None:  # noqa: ARG002 - the same
        """Note that all was compared since a loss."""
        self._lineage = replace(self._lineage, trusted={**self._lineage.trusted, platform: number})

    def kept(self) -> Kept:
        """Return all there is now, for `loses`."""
        return deepcopy((self._pages, self._lineage))

    def loses(self, kept: Kept | None, since: float = 0.0) -> None:
        """Go back to what was kept, as a replica does that takes over; `since`: when that was. None: it is emptied."""
        # A number nobody has used: who remembers a loss before must not take this one for it.
        number = self._lineage.last + 1
        self._pages, self._lineage = deepcopy(kept) if kept else ({}, Lineage("emptied"))
        reads = max((held.snapshot.reads for held in self._pages.values()), default=0)
        losses = {**self._lineage.losses, number: Loss(reads, since, self._clock(), self._clock())}
        self._lineage = replace(self._lineage, losses=losses)

    async def lease(self, page: str, name: str, holder: str, seconds: float) -> Lease | None:
        """Take, or go on holding, a turn."""
        lease = self._held(page).leases.setdefault(name, _Leased())
        now = self._clock()
        if lease.holder != holder:
            if lease.until > now:
                return None
            lease.holder, lease.fence = holder, lease.fence + 1
        lease.until = now + seconds
        return Lease(page, name, holder, lease.fence)

    async def release(self, lease: Lease) -> None:
        """Give a turn back."""
        there = self._held(lease.page).leases[lease.name]
        if there.fence == lease.fence:
            there.until = 0.0

    async def forget(self, page: str) -> None:
        """Delete a page."""
        self._pages.pop(page, None)

    async def now(self) -> float:
        """Return the clock."""
        return self._clock()

    def _held(self, page: str) -> _Held:
        return self._pages.setdefault(page, _Held(Snapshot(Page(page), 0)))
