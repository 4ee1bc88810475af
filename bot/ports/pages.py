"""Where pages, subscriptions and announcements live."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Protocol

from bot.core.frozen import frozen
from bot.core.status.announcement import Announcement
from bot.core.status.subscription import Choice, Place, Subscription
from bot.core.status.watch import Page


@frozen
class Snapshot:
    """A page as it stands, and the version to compare with when it is written. reads: how often it has been read."""

    page: Page
    version: int
    reads: int = field(default=0, compare=False)


@frozen
class Lease:
    """A turn at some work. `fence` rises with every new holder: who has an older one writes no page any more."""

    page: str
    name: str
    holder: str
    fence: int


@frozen
class Announced:
    """What channels have: by subscription id and topic. at: the store's clock, seconds since the epoch."""

    at: float
    records: Mapping[str, Mapping[str, Announcement]]


@frozen
class Loss:
    """The store may have forgotten what was written since a time, 0 for all times.

    reads: how often the page had been read when that was noted; what came of later readings is known. at: the time of
    that; until half a minute later, what was under way may still arrive. 0 where nobody was sending. noted: the time of
    that in any case.
    """

    reads: int
    since: float
    at: float = 0.0
    noted: float = field(default=0.0, compare=False)


@frozen
class Doubt:
    """What is to be looked for before anything is sent. number: of the last loss, to note what has been looked for."""

    number: int
    loss: Loss


@frozen
class Lineage:
    """Which store this is, and what it may have forgotten. id: new for one that is empty.

    trusted: by platform, number of the last loss after which all was compared. noted: the last loss is news.
    """

    id: str
    losses: Mapping[int, Loss] = field(default_factory=dict)
    trusted: Mapping[str, int] = field(default_factory=dict)
    noted: bool = False

    @property
    def last(self) -> int:
        """The number of the last loss; 0 for none."""
        return max(self.losses, default=0)

    @property
    def emptied(self) -> Doubt | None:
        """The last time everything may have been forgotten; who listens only since then was never compared with it."""
        number = max((number for number, loss in self.losses.items() if not loss.since), default=0)
        return Doubt(number, self.losses[number]) if number else None

    def doubt(self, platform: str) -> Doubt | None:
        """Return what a platform has not been compared with."""
        open_ = [loss for number, loss in self.losses.items() if number > self.trusted.get(platform, 0)]
        if not open_:
            return None
        since, at = min(loss.since for loss in open_), max(loss.at for loss in open_)
        return Doubt(self.last, replace(self.losses[self.last], since=since, at=at))


class PageStore(Protocol):
    """Pages, who wants to hear of them, and what they were sent. Every method raises `StoreUnavailable`.

    Everything is compare-and-set and safe to repeat; a lease only saves work.
    """

    async def revision(self, page: str) -> int:
        """Return the page's revision, 0 for one nobody has read."""

    async def page(self, page: str) -> Snapshot:
        """Return what is known of a page."""

    async def put(self, before: Snapshot, after: Page, lease: Lease | None = None) -> bool:
        """Write what differs; False when somebody wrote since `before` was read, or the lease went to another."""

    async def subscriptions(self, page: str, ids: Sequence[str] | None = None) -> tuple[Subscription, ...]:
        """Return all subscriptions to a page, or those of these ids that are there; of those this version can read."""

    async def concerned(
        self, page: str, platform: str, since: int, wishes: Callable[[Choice], bool], named: Collection[str] = ()
    ) -> tuple[str, ...]:
        """Return ids of a platform: with a wish, now or before, that `wishes` takes, begun after `since`, or named.

        What it costs grows with these, not with all there are; thousands are read as they are served. Named ones may be
        gone.
        """

    async def subscription(self, page: str, place: Place) -> Subscription | None:
        """Return a channel's subscription to a page."""

    async def subscribe(self, before: Snapshot, subscription: Subscription) -> bool:
        """Write a subscription and raise the page's revision to its `since`; False as in `put`."""

    async def change(self, before: Subscription, after: Subscription | None) -> bool:
        """Write, or with None delete together with what was announced; False when `before` no longer stands."""

    async def announced(self, page: str, wanted: Mapping[str, Iterable[str]]) -> Announced:
        """Return the announcements of these topics, by subscription id."""

    async def record(self, page: str, subscription: str, record: Announcement) -> Announcement | None:
        """Write a record over its own version and return it as stored: an intent has the store's time then.

        None when somebody else wrote it meanwhile. A repeat of a write that succeeded succeeds.
        """

    async def drop(self, page: str, subscription: str, topics: Iterable[str]) -> None:
        """Delete announcements of topics nobody will hear of again."""

    async def topics(self, page: str, subscription: str) -> tuple[str, ...]:
        """Return the ids of all topics a channel was told of."""

    async def settled(self, page: str, platform: str) -> int:
        """Return the revision up to which every channel of a platform has what it should have."""

    async def settle(self, page: str, platform: str, revision: int) -> None:
        """Raise that revision; it never falls."""

    async def lineage(self, page: str) -> Lineage:
        """Say which store this is and what it may have forgotten: all if empty, the last writes after a failover.

        A new store is given its name by the first who asks.
        """

    async def distrust(self, page: str) -> None:
        """Note that everything may have been forgotten, as when subscriptions are brought into another store."""

    async def trust(self, page: str, platform: str, number: int) -> None:
        """Note that all was compared on a platform since the loss of this number."""

    async def lease(self, page: str, name: str, holder: str, seconds: float) -> Lease | None:
        """Take, or go on holding, a turn at some work; None while somebody else has it."""

    async def release(self, lease: Lease) -> None:
        """Give a turn back before its time."""

    async def forget(self, page: str) -> None:
        """Delete what is known of a page nobody subscribes to."""

    async def now(self) -> float:
        """Return the store's clock, in seconds since the epoch."""
