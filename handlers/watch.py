"""Reads status pages again and again, and writes down what is news; whoever has the turn does it for all replicas."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import structlog

from bot.core.status.subscription import IMPACTS
from bot.core.status.watch import FRESH, Page, Reading, Trouble, merge
from bot.ports.feed import Feed, Unread
from bot.ports.pages import Snapshot
from handlers.announce import Office

INTERVAL = (60.0, 120.0)
"""Seconds between two readings; each is drawn anew, so that replicas and deployments do not ask in step."""
STALE_AFTER, STALE_READINGS = 900.0, 5
"""Seconds without a reading, and readings that failed, after which operators are told, once: whichever lasts longer."""

STATES = frozenset(
    {
        *("investigating", "identified", "monitoring", "resolved", "postmortem"),
        *("scheduled", "in_progress", "verifying", "completed"),
    }
)
IMPACTS_KNOWN = frozenset({*IMPACTS, "maintenance"})
COMPONENT_STATES = frozenset(
    {"operational", "degraded_performance", "partial_outage", "major_outage", "under_maintenance"}
)
"""Words of the page that mean something to Redial."""

_log = structlog.get_logger(__name__)


@dataclass
class Watcher:
    """The watch of this replica. feeds: pages by id; fresh: as `merge` takes it."""

    office: Office
    feeds: Mapping[str, Feed]
    interval: tuple[float, float] = INTERVAL
    fresh: float = FRESH
    monotonic: Callable[[], float] = time.monotonic
    _due: dict[str, float] = field(default_factory=dict)
    _met: set[str] = field(default_factory=set)

    async def tick(self) -> None:
        """Read the pages whose time has come, side by side. Raises `StoreUnavailable`; an unreadable page does not."""
        now, due = self.monotonic(), list[str]()
        for page_id in self.feeds:
            if now >= self._due.get(page_id, now):
                # Set before the work: whatever goes wrong, the next one is not at once.
                self._due[page_id] = now + random.uniform(*self.interval)  # noqa: S311 - nothing secret about it
                due.append(page_id)
        outcomes = await asyncio.gather(*(self.poll(one, self.feeds[one]) for one in due), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    async def poll(self, page_id: str, feed: Feed) -> bool:
        """Read one page once and write down what it says; False if another replica does, or it could not be read."""
        pages = self.office.pages
        lease = await pages.lease(page_id, "poll", self.office.replica, self.office.bounds.turn)
        if lease is None:
            return False
        # Read before the page is: what is written later must not come from an earlier reading.
        before = await pages.page(page_id)
        outcome = await feed.read()
        self.office.meters.polled(page_id, _result(outcome))
        if isinstance(outcome, Unread):
            await self._unread(before, outcome)
            return False
        after = merge(before.page, outcome, fresh=self.fresh)
        if after is before.page:
            _log.info("watch.older-copy", page=page_id)
            return False
        if not await pages.put(before, after, lease):
            _log.info("watch.outrun", page=page_id)
            return False
        if after.revision != before.page.revision:
            _log.info("watch.news", page=page_id, revision=after.revision)
            self._strange(after)
        if gone := before.page.components.keys() - after.components.keys():
            await self._gone(before.page, gone)
        if (trouble := before.page.trouble) is not None and trouble.told:
            _log.warning("watch.back", page=page_id, link=after.link, lasted=round(await pages.now() - trouble.since))
        return True

    async def _gone(self, page: Page, gone: set[str]) -> None:
        """Tell the operators of parts the page no longer lists: who chose them hears of nothing any more."""
        names = ", ".join(sorted(page.components[part].name or part for part in gone))
        chose = [s for s in await self.office.pages.subscriptions(page.id) if s.choice.components & gone]
        _log.error("watch.parts-gone", page=page.id, parts=names, channels=len(chose), link=page.link)

    def _strange(self, page: Page) -> None:
        """Say once what words the page uses that nobody knows; they are shown as they are, and never as "over"."""
        incidents = [known.incident for known in page.incidents.values()]
        words = {i.status for i in incidents} - STATES | {i.impact for i in incidents} - IMPACTS_KNOWN
        words |= {part.status for part in page.components.values()} - COMPONENT_STATES
        for word in sorted(words - self._met - {""}):
            _log.warning("watch.unknown-word", page=page.id, word=word[:40])
        self._met |= words

    async def _unread(self, before: Snapshot, unread: Unread) -> None:
        """Remember since when the page cannot be read, and tell the operators once that it lasts."""
        page, now = before.page, await self.office.pages.now()
        was = page.trouble or Trouble(now, unread.why)
        since = page.read_at if page.read_at is not None else was.since
        told = was.told or now - since > max(STALE_AFTER, STALE_READINGS * self.interval[1]) or unread.challenged
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
