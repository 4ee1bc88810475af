"""Reads status pages again and again, and writes down what is news; whoever has the turn does it for all replicas."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import structlog

from bot.core.watch import Reading, Trouble, merge
from bot.ports.feed import Feed, Unread
from bot.ports.pages import Snapshot
from handlers.announce import Office

INTERVAL = (60.0, 120.0)
"""Seconds between two readings; each is drawn anew, so that replicas and deployments do not ask in step."""
STALE_AFTER = 900.0
"""Seconds without a reading after which operators are told, once."""
LEASE = 30.0
"""Seconds a reading may take before another replica takes its turn."""

_log = structlog.get_logger(__name__)


@dataclass
class Watcher:
    """The watch of this replica. feeds: pages by id."""

    office: Office
    feeds: Mapping[str, Feed]
    interval: tuple[float, float] = INTERVAL
    monotonic: Callable[[], float] = time.monotonic
    _due: dict[str, float] = field(default_factory=dict)

    async def tick(self) -> None:
        """Read the pages whose time has come. Raises `StoreUnavailable`; a page that cannot be read raises nothing."""
        for page_id, feed in self.feeds.items():
            now = self.monotonic()
            if now >= self._due.get(page_id, now):
                # Set before the work: whatever goes wrong, the next one is not at once.
                self._due[page_id] = now + random.uniform(*self.interval)  # noqa: S311 - nothing secret about it
                await self.poll(page_id, feed)

    async def poll(self, page_id: str, feed: Feed) -> bool:
        """Read one page once and write down what it says; False if another replica does, or it could not be read."""
        pages = self.office.pages
        lease = await pages.lease(page_id, "poll", self.office.replica, LEASE)
        if lease is None:
            return False
        # Read before the page is: what is written later must not come from an earlier reading.
        before = await pages.page(page_id)
        outcome = await feed.read()
        self.office.meters.polled(page_id, _result(outcome))
        if isinstance(outcome, Unread):
            await self._unread(before, outcome)
            return False
        after = merge(before.page, outcome)
        if not await pages.put(before, after, lease):
            _log.info("watch.outrun", page=page_id)
            return False
        if after.revision != before.page.revision:
            _log.info("watch.news", page=page_id, revision=after.revision)
        if (trouble := before.page.trouble) is not None and trouble.told:
            _log.warning("watch.back", page=page_id, link=after.link, lasted=round(await pages.now() - trouble.since))
        return True

    async def _unread(self, before: Snapshot, unread: Unread) -> None:
        """Remember since when the page cannot be read, and tell the operators once that it lasts."""
        page, now = before.page, await self.office.pages.now()
        was = page.trouble or Trouble(now, unread.why)
        since = page.read_at if page.read_at is not None else was.since
        told = was.told or now - since > STALE_AFTER or unread.challenged
        trouble = Trouble(was.since, unread.why, unread.challenged, told)
        _log.warning("watch.unread", page=page.id, why=unread.why, challenged=unread.challenged)
        if page.trouble is not None and (was.challenged, was.told) == (trouble.challenged, told):
            return
        if await self.office.pages.put(before, replace(page, trouble=trouble)) and told and not was.told:
            _log.error("watch.lost", page=page.id, link=page.link, since=was.since, why=unread.why)


def _result(outcome: Reading | Unread) -> str:
    if isinstance(outcome, Unread):
        return "challenged" if outcome.challenged else "unread"
    return "read"
