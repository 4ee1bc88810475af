"""Brings every channel to what it should have: compares, does the one next thing, records it, compares again."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import structlog

from bot.core.errors import StoreUnavailable
from bot.core.frozen import frozen
from bot.core.status.subscription import Standing, rank, workspace_of
from bot.core.status.topics import changed, spoken_of, topic_ids, with_members
from bot.core.status.watch import Page
from bot.ports.pages import Lease, Lineage
from handlers.clerk import Clerk, Ground, Office, forgotten
from handlers.recall import recall

__all__ = ["Announcer", "Office", "Walked", "tidy"]

BATCH = 25
"""Channels whose records are read in one round trip, and that begin to be served together: turns go on meanwhile."""
AT_ONCE = 200
"""Channels that are served at once; more than a platform takes, so that those that hang do not hold up the others."""
LOOK = 1.0
"""Seconds between two looks, during a walk, whether the page has news."""
PROGRESS = 10.0
"""Seconds between two lines of the log about a long walk."""
LATE = 600.0
"""Seconds after which operators are told that channels wait."""
_ALL = "@announcing"
"""Stands where the leases of a page have its id."""


_log = structlog.get_logger(__name__)


@frozen
class Walked:
    """What came of a walk. acts: messages sent or edited; left: channels that do not have everything yet."""

    acts: int = 0
    left: int = 0
    settled: int = 0


_Serving = asyncio.Task[None]
"""Serves a channel."""


@dataclass(slots=True)
class _Sum:
    """What came of serving channels so far. left: those that do not have everything."""

    channels: int = 0
    acts: int = 0
    left: set[str] = field(default_factory=set)

    def take(self, clerk: Clerk, *, complete: bool) -> None:
        """Count a channel."""
        self.channels += 1
        self.acts += clerk.acts
        self.left |= set() if complete else {clerk.subscription.id}


@frozen
class _Left:
    """Who has to wait, as of a revision of the page and the store's last loss. since: some do; late: operators know."""

    revision: int = 0
    loss: int = 0
    waiting: frozenset[str] = field(default_factory=frozenset)
    since: float = 0.0
    late: bool = False


class Announcer:
    """Walks over the channels of a page, and remembers between walks who has to wait, so that only they are asked."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._left: dict[tuple[str, str], _Left] = {}
        self._lineage: dict[str, Lineage] = {}
        # Channels whose request had no answer yet when there was news: they are not asked for anything meanwhile.
        self._hanging: dict[str, _Serving] = {}

    async def walk(self, page_id: str, platform: str) -> Walked:
        """Walk until each channel has what it should have, or has to wait.

        Nothing is done while another replica is at it. Raises `StoreUnavailable`.
        """
        pages, known = self._office.pages, self._lineage.get(page_id)
        settled = await pages.settled(page_id, platform)
        if settled >= await pages.revision(page_id) and known and not known.doubt(platform):
            return Walked(settled=settled)
        if await self._lease(platform) is None:
            return Walked(settled=settled)
        # Before anything is sent: a store that has forgotten what was would have it sent again.
        lineage = self._lineage[page_id] = await recall(pages, page_id)
        snapshot = await pages.page(page_id)
        ground = Ground(snapshot.page, lineage.doubt(platform), lineage.emptied)
        walked = (
            await self._walk(ground, platform, settled, lineage.last) if settled < snapshot.page.revision else Walked()
        )
        if not walked.left:
            await pages.settle(page_id, platform, snapshot.page.revision)
            if ground.doubt and snapshot.reads > ground.doubt.loss.reads:
                # What the page has said since the loss has been compared with what stands in every channel.
                await pages.trust(page_id, platform, ground.doubt.number)
                self._lineage.pop(page_id, None)
        return Walked(walked.acts, walked.left, settled if walked.left else snapshot.page.revision)

    async def _walk(self, ground: Ground, platform: str, settled: int, loss: int) -> Walked:
        """Serve everybody who is not known to have everything."""
        page, before = ground.page, self._left.get((ground.page.id, platform), _Left())
        self._hanging = {name: task for name, task in self._hanging.items() if not task.done()}
        wanted = await self._wanted(ground, platform, settled, before, loss)
        acts, left = 0, self._hanging.keys() & wanted if self._hanging else set()
        here = [name for name in wanted if name not in left] if left else wanted
        if before.waiting:
            # Who had to wait comes first: a page that changes again and again must not leave the same ones out.
            here = sorted(here, key=lambda name: name not in before.waiting)
        for incidents in _by_gravity(page, changed(page, settled)):
            served = await self._round(ground, platform, _mixed(here), incidents, settled)
            acts += served.acts
            left |= served.left
            if ground.news.is_set():
                break
        waits = before.since if left and before.waiting else time.monotonic()
        late = bool(left) and time.monotonic() - waits > LATE
        if late and not before.late:
            _log.error("announce.late", page=page.id, platform=platform, channels=len(left))
        self._left[page.id, platform] = _Left(page.revision, loss, frozenset(left), waits, late)
        self._office.meters.behind(platform, len(left))
        if acts:
            _log.info("announce.walked", page=page.id, platform=platform, messages=acts, left=len(left))
        return Walked(acts, len(left))

    async def _wanted(self, ground: Ground, platform: str, settled: int, before: _Left, loss: int) -> Sequence[str]:
        """Return who may not have everything: those the news may concern, who began to listen, and who had to wait."""
        pages, page = self._office.pages, ground.page
        new = (before.revision, before.loss) != (page.revision, loss)
        # What stands in a channel and was forgotten may be about what it would not be told of now.
        anybody = new and ground.doubt is not None
        news = spoken_of(page, settled) if new else ()
        since = settled if new else page.revision
        return await pages.concerned(
            page.id, platform, since, lambda choice: anybody or any(map(choice.may_follow, news)), before.waiting
        )

    async def _round(
        self, ground: Ground, platform: str, here: Sequence[str], incidents: Sequence[str], settled: int
    ) -> _Sum:
        """Serve these channels."""
        slots, serving, served = asyncio.Semaphore(AT_ONCE), dict[str, _Serving](), _Sum()

        async def serve(clerk: Clerk, ids: tuple[str, ...]) -> None:
            try:
                served.take(clerk, complete=await clerk.serve(ids))
                # Of thousands of channels no more stays than the sum; what failed stays, to be raised.
                del serving[clerk.subscription.id]
            finally:
                slots.release()

        begun = 0
        beside = [self._looks_for_news(ground, platform), _tells(ground, platform, len(here), served)] if here else []
        tasks: list[asyncio.Task[Any]] = [asyncio.create_task(one) for one in beside]
        try:
            for start in range(0, len(here), BATCH):
                batch = here[start : start + BATCH]
                clerks = await _clerks(self._office, ground, batch, incidents, settled)
                for name in batch:
                    if name in clerks:
                        await slots.acquire()
                        if ground.news.is_set():
                            break
                        serving[name] = asyncio.create_task(serve(*clerks[name]))
                    begun += 1
                if ground.news.is_set():
                    break
            await self._all_served(ground, serving)
        except BaseException:
            tasks += serving.values()
            raise
        finally:
            for task in tasks:
                task.cancel()
        served.left.update(serving, here[begun:])
        return served

    async def _all_served(self, ground: Ground, serving: Mapping[str, _Serving]) -> None:
        """Wait until all are served; with news, only for those that end at once, and for no request that hangs."""
        pending = set(serving.values())
        while pending and not ground.news.is_set():
            _, pending = await asyncio.wait(pending, timeout=LOOK)
        if pending:
            await asyncio.wait(pending, timeout=LOOK)
        for name, task in serving.items():
            if task.done():
                task.result()
            self._hanging[name] = task

    async def _looks_for_news(self, ground: Ground, platform: str) -> None:
        """Keep the turn, and say when the page has a newer revision."""
        pages = self._office.pages
        while not ground.news.is_set():
            await asyncio.sleep(LOOK)
            try:
                mine = await self._lease(platform) is not None
                if not mine or await pages.revision(ground.page.id) != ground.page.revision:
                    ground.news.set()
            except StoreUnavailable as error:
                # Those who serve channels find out by themselves.
                _log.info("announce.blind", error=str(error))

    async def _lease(self, platform: str) -> Lease | None:
        """Take, or go on holding, a platform's turn: one for all pages, for they share its budget."""
        return await self._office.pages.lease(
            _ALL, f"announce-{platform}", self._office.replica, self._office.bounds.turn
        )

    async def release(self, platform: str) -> None:
        """Let another replica go on at once, when this one stops."""
        lease = await self._office.pages.lease(_ALL, f"announce-{platform}", self._office.replica, 0)
        if lease is not None:
            await self._office.pages.release(lease)


async def _tells(ground: Ground, platform: str, channels: int, served: _Sum) -> None:
    """Say in the log how far a long walk is."""
    while True:
        await asyncio.sleep(PROGRESS)
        _log.info("announce.progress", page=ground.page.id, platform=platform, served=served.channels, of=channels)


async def tidy(office: Office, page_id: str) -> None:
    """Forget what was announced of forgotten incidents, and channels that left, once nothing of theirs is open."""
    page = (await office.pages.page(page_id)).page
    for subscription in await office.pages.subscriptions(page_id):
        names = await office.pages.topics(page_id, subscription.id)
        announced = await office.pages.announced(page_id, {subscription.id: names})
        records = announced.records.get(subscription.id, {})
        gone = [t for t, r in records.items() if r.intent is None and page.incidents.keys().isdisjoint(r.incidents)]
        await office.pages.drop(page_id, subscription.id, gone)
        followed = {i for record in records.values() for i in record.incidents}
        settled = await office.pages.settled(page_id, subscription.place.platform) >= page.revision
        still_open = any(known.incident.id in followed for known in page.open)
        if subscription.standing is Standing.ENDING and settled and not still_open:
            await office.pages.change(subscription, None)


def _by_gravity(page: Page, incidents: Sequence[str]) -> Sequence[Sequence[str]]:
    """Split what changed so that every channel hears of the gravest before any hears of the rest."""
    critical = rank("critical")
    grave = [i for i in incidents if not page.incidents[i].over and rank(page.incidents[i].incident.impact) >= critical]
    return [grave, incidents] if grave and len(grave) < len(incidents) else [incidents]


def _mixed(names: Sequence[str]) -> Sequence[str]:
    """Return channels of all workspaces in turn: each has a budget of its own, and none is to wait for another's."""
    turns = Counter[str]()

    def turn(name: str) -> int:
        workspace = workspace_of(name)
        turns[workspace] += 1
        return turns[workspace]

    return sorted(names, key=turn)


async def _clerks(
    office: Office, ground: Ground, names: Sequence[str], incidents: Sequence[str], settled: int
) -> Mapping[str, tuple[Clerk, tuple[str, ...]]]:
    """Read what some channels chose and have; return who serves each that is there, and the topics to look at."""
    batch = await office.pages.subscriptions(ground.page.id, names)
    if any(s.since > ground.page.revision for s in batch):
        # Somebody has chosen since the page was read, and may have chosen of what it says by now.
        ground.news.set()
    # Who only began to listen may have been told before, by a store that has forgotten it.
    before = forgotten(ground)
    ids = {
        s.id: (*incidents, *(i for i in before if i not in incidents)) if s.since > settled else incidents
        for s in batch
    }
    wanted = {s.id: topic_ids(ground.page, s, ids[s.id], settled) for s in batch}
    read = {s.id: with_members(ground.page, s, wanted[s.id]) for s in batch}
    announced = await office.pages.announced(ground.page.id, read)
    ground = replace(ground, at=announced.at)
    return {s.id: (Clerk(office, ground, s, dict(announced.records.get(s.id, {}))), wanted[s.id]) for s in batch}
