"""Brings every channel to what it should have: compares, does the one next thing, records it, compares again."""

from __future__ import annotations

import asyncio
import secrets
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import structlog

from bot.core.announcement import Act, Announcement, Doing, Intent, done, doubtful, intended, undone, without
from bot.core.announcement_view import Names, Notice, notice
from bot.core.plan import Later, Nothing, Resolve, plan
from bot.core.subscription import Standing, Subscription, rank
from bot.core.text import words
from bot.core.topics import Topic, changed, topic_ids, topics
from bot.core.view import View
from bot.core.watch import Page
from bot.ports.announcing import SENT_WITHIN, Channels, Delivered, Delivery, Failed, Why
from bot.ports.meters import UNMETERED, Meters
from bot.ports.pages import PageStore
from handlers.pacing import Pacer

BATCH = 100
"""Channels whose records are read in one round trip."""
AT_ONCE = 400
"""Channels that are served at once; more than a platform takes, so that those that hang do not hold up the others."""
LEASE = 30.0
"""Seconds a walk may be silent before another replica takes it over."""
_ACTS = 50
"""Most acts in a row on one topic of one channel; the next walk goes on."""
_LOOK_BACK = 120.0
"""Seconds before an intent from which on its message is looked for: clocks differ."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Office:
    """What announcing works with. names: the words of a locale; replica: names this process; pacers: by platform."""

    pages: PageStore
    channels: Mapping[str, Channels]
    names: Callable[[str], Names]
    pacers: Mapping[str, Pacer] = field(default_factory=dict)
    replica: str = field(default_factory=lambda: secrets.token_hex(8))
    meters: Meters = UNMETERED


@dataclass(frozen=True, slots=True)
class Walked:
    """What came of a walk. acts: messages sent or edited; left: channels that do not have everything yet."""

    acts: int = 0
    left: int = 0
    settled: int = 0


class Announcer:
    """Walks over the channels of a page, and remembers between walks who has to wait, so that only they are asked."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._left: dict[tuple[str, str], tuple[int, frozenset[str]]] = {}

    async def walk(self, page_id: str, platform: str) -> Walked:
        """Walk until each channel has what it should have, or has to wait.

        Nothing is done while another replica is at it. Raises `StoreUnavailable`.
        """
        pages = self._office.pages
        settled = await pages.settled(page_id, platform)
        if settled >= await pages.revision(page_id):
            return Walked(settled=settled)
        lease = await pages.lease(page_id, f"announce-{platform}", self._office.replica, LEASE)
        if lease is None:
            return Walked(settled=settled)
        page = (await pages.page(page_id)).page
        revision, waiting = self._left.get((page_id, platform), (0, frozenset()))
        here = [
            s
            for s in await pages.subscriptions(page_id)
            if s.place.platform == platform and (revision != page.revision or s.id in waiting)
        ]
        acts, left = 0, set[str]()
        for incidents in _by_gravity(page, changed(page, settled)):
            served = await self._round(page, _mixed(here), incidents, settled)
            acts += sum(done for done, _ in served)
            left |= {waiting for _, waiting in served if waiting}
        self._left[page_id, platform] = (page.revision, frozenset(left))
        self._office.meters.behind(platform, len(left))
        if not left:
            await pages.settle(page_id, platform, page.revision)
        return Walked(acts, len(left), settled if left else page.revision)

    async def _round(
        self, page: Page, here: Sequence[Subscription], incidents: Sequence[str], settled: int
    ) -> list[tuple[int, str]]:
        """Serve these channels; return of each how much was done, and its id if something is left."""
        slots, serving = asyncio.Semaphore(AT_ONCE), list[asyncio.Task[tuple[int, str]]]()
        try:
            for start in range(0, len(here), BATCH):
                batch = here[start : start + BATCH]
                # Renewed as it goes on: who stops for longer than a lease is not waited for.
                name = f"announce-{batch[0].place.platform}"
                await self._office.pages.lease(page.id, name, self._office.replica, LEASE)
                for clerk, ids in await _clerks(self._office, page, batch, incidents, settled):
                    await slots.acquire()
                    serving.append(asyncio.create_task(_served(clerk, ids, slots)))
            await asyncio.gather(*serving)
        finally:
            for task in serving:
                task.cancel()
        return [task.result() for task in serving]

    async def release(self, page_id: str, platform: str) -> None:
        """Let another replica go on at once, when this one stops."""
        pages = self._office.pages
        lease = await pages.lease(page_id, f"announce-{platform}", self._office.replica, 0)
        if lease is not None:
            await pages.release(lease)


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


def _mixed(subscribed: Sequence[Subscription]) -> Sequence[Subscription]:
    """Return channels of all workspaces in turn: each has a budget of its own, and none is to wait for another's."""
    queues: defaultdict[str, list[Subscription]] = defaultdict(list)
    for subscription in subscribed:
        queues[subscription.place.workspace].append(subscription)
    rounds = zip_longest(*queues.values())
    return [subscription for turn in rounds for subscription in turn if subscription is not None]


async def _clerks(
    office: Office, page: Page, batch: Sequence[Subscription], incidents: Sequence[str], settled: int
) -> list[tuple[_Clerk, tuple[str, ...]]]:
    """Read what some channels have; return who serves each, and the topics to look at."""
    wanted = {s.id: topic_ids(page, s, incidents, settled) for s in batch}
    announced = await office.pages.announced(page.id, wanted)
    return [(_Clerk(office, page, s, dict(announced.records.get(s.id, {})), announced.at), wanted[s.id]) for s in batch]


async def _served(clerk: _Clerk, ids: tuple[str, ...], slots: asyncio.Semaphore) -> tuple[int, str]:
    try:
        complete = await clerk.serve(ids)
        return clerk.acts, "" if complete else clerk.subscription.id
    finally:
        slots.release()


def _told(error: Exception) -> dict[str, object]:
    """Return what a log may say of an error nobody foresaw: its text may quote somebody."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    return {"error": type(error).__name__, "file": where.filename, "line": where.lineno}


class _Clerk:
    """Serves one channel; whatever goes wrong there stays there."""

    def __init__(
        self, office: Office, page: Page, subscription: Subscription, announced: dict[str, Announcement], at: float
    ) -> None:
        self._office, self._page = office, page
        self.subscription, self._announced, self._at = subscription, announced, at
        self._channels = office.channels[subscription.place.platform]
        self._log = _log.bind(page=page.id, subscription=subscription.id)
        self.acts = 0

    async def serve(self, ids: Collection[str]) -> bool:
        """Bring the channel up to date on these topics; False if something is left to do."""
        complete = True
        try:
            for topic in tuple(topics(self._page, self.subscription, ids, self._announced)):
                complete &= await self._topic(topic)
        except Exception as error:  # noqa: BLE001 - one channel's trouble, whatever it is, must not stop the others
            self._log.error("announce.failed", **_told(error))
            return False
        return complete

    async def _topic(self, topic: Topic) -> bool:
        for _ in range(_ACTS):
            here = self._announced.get(topic.id)
            match plan(topic, here, self.subscription, self._at):
                case Nothing():
                    return True
                case Later():
                    return False
                case Resolve(intent):
                    going_on = here is not None and await self._resolve(here, intent)
                case Act() as act:
                    going_on = await self._carry_out(topic, here or Announcement(topic.id), act)
            if not going_on:
                return False
        return False

    async def _carry_out(self, topic: Topic, here: Announcement, act: Act) -> bool:
        # Waiting for one's turn comes before the intent: from then on the request is taken to be under way.
        place, platform = self.subscription.place, self.subscription.place.platform
        if platform in self._office.pacers:
            await self._office.pacers[platform].turn(place, edit=act.intent.doing is Doing.EDIT)
        await self._channels.turn(place)
        deadline = asyncio.get_running_loop().time() + SENT_WITHIN
        stored = await self._record(intended(here, act, token=secrets.token_hex(8), at=self._at))
        if stored is None or stored.intent is None:
            return False
        self.acts += 1
        known = tuple(k for k in topic.known if k.incident.id in stored.incidents)
        shown = notice(
            self._office.names(self.subscription.choice.locale),
            self._page,
            replace(topic, known=known),
            stored.intent,
            self.subscription.choice,
        )
        if act.mention:
            shown = replace(shown, mention=self.subscription.choice.mention)
        return await self._settle(stored, await self._sent(stored, stored.intent, shown, deadline))

    async def _sent(self, here: Announcement, intent: Intent, shown: Notice, deadline: float) -> Delivery:
        place, sent = self.subscription.place, intent.sent
        if asyncio.get_running_loop().time() > deadline:
            # This process stood still meanwhile: others may be looking for the message already.
            return Failed(Why.UNKNOWN, detail="too late to be sent")
        try:
            async with asyncio.timeout_at(deadline):
                if intent.doing is Doing.POST or here.post is None:
                    return await self._channels.post(place, sent.key, shown)
                if intent.doing is Doing.REPLY:
                    return await self._channels.reply(place, here.post.ref, sent.key, shown)
                message = here.messages[intent.target]
                return await self._channels.edit(place, message.ref, message.key, shown)
        except TimeoutError:
            return Failed(Why.UNKNOWN, detail="no answer in time")
        except Exception as error:  # noqa: BLE001 - the same, and the intent stays to be looked for
            # An adapter's own mistake, after which nobody knows whether the message went out.
            self._log.error("announce.adapter-failed", **_told(error))
            return Failed(Why.UNKNOWN, detail=type(error).__name__)

    async def _settle(self, here: Announcement, delivery: Delivery) -> bool:
        """Record what came of an intent; False if nothing more can be done for now."""
        self._measured(here.intent, delivery)
        if isinstance(delivery, Delivered):
            stored = await self._record(done(here, delivery.ref))
            return stored is not None or await self._second(here, delivery.ref)
        self._log.warning("announce.not-sent", why=delivery.why, detail=delivery.detail)
        match delivery.why:
            case Why.UNKNOWN:
                return False
            case Why.WAIT:
                await self._record(undone(here))
                return False
            case Why.GONE:
                target = here.intent.target if here.intent and here.intent.doing is Doing.EDIT else 0
                return await self._record(without(here, target)) is not None
            case Why.REFUSED:
                return await self._record(undone(here, refused=True)) is not None
            case Why.CLOSED:
                await self._record(undone(here))
                return await self._pause(delivery.detail)

    def _measured(self, intent: Intent | None, delivery: Delivery) -> None:
        if intent is not None:
            state = "delivered" if isinstance(delivery, Delivered) else delivery.why.value
            # How late news is; an edit brings none, and what vanished from the page is not timed.
            told = frozenset(intent.sent.updates) if intent.doing is not Doing.EDIT else frozenset()
            came = [
                update.at
                for known in self._page.incidents.values()
                for update in known.incident.updates
                if update.at is not None and f"{known.incident.id}/{update.id}" in told
            ]
            lag = time.time() - max(came) if came and state == "delivered" else None
            self._office.meters.delivered(self.subscription.place.platform, intent.doing.value, state, lag)

    async def _resolve(self, here: Announcement, intent: Intent) -> bool:
        """Find out what became of a request whose sender never told."""
        if intent.doing is Doing.EDIT:
            return await self._record(doubtful(here)) is not None
        place = self.subscription.place
        parent = here.post.ref if intent.doing is Doing.REPLY and here.post else ""
        async with asyncio.timeout(SENT_WITHIN):
            found = await self._channels.find(place, parent, intent.sent.key, intent.at - _LOOK_BACK)
        if isinstance(found, Failed):
            if found.why is not Why.CLOSED:
                return False
            self._log.error("announce.stuck", topic=here.topic, detail=found.detail)
            return await self._record(doubtful(here)) is not None
        if not found:
            return await self._record(undone(here)) is not None
        for younger in found[1:]:
            self._log.warning("announce.doubled", topic=here.topic)
            await self._channels.delete(place, younger)
        return await self._record(done(here, found[0])) is not None

    async def _second(self, here: Announcement, ref: str) -> bool:
        """Take our message away if another replica, which had given us up, has sent it too."""
        if here.intent is not None and here.intent.doing is not Doing.EDIT:
            now = await self._office.pages.announced(self._page.id, {self.subscription.id: [here.topic]})
            there = now.records.get(self.subscription.id, {}).get(here.topic)
            refs = [m.ref for m in there.messages if m.key == here.intent.sent.key] if there else []
            if refs and ref not in refs:
                self._log.warning("announce.doubled", topic=here.topic)
                await self._channels.delete(self.subscription.place, ref)
        return False

    async def _record(self, record: Announcement) -> Announcement | None:
        """Write a record; None if another replica did so first, which then goes on in our place."""
        stored = await self._office.pages.record(self._page.id, self.subscription.id, record)
        if stored is not None:
            self._announced[record.topic] = stored
        return stored

    async def _pause(self, why: str) -> bool:
        """Send nothing more into a channel that is closed to us, and say so once to who subscribed."""
        before = self.subscription
        after = replace(before, standing=Standing.PAUSED, trouble=why)
        if not await self._office.pages.change(before, after):
            return False
        self.subscription = replace(after, version=before.version + 1)
        self._log.error("announce.paused", detail=why)
        if before.by:
            say = self._office.names(before.choice.locale).messages
            told = View(words(say.text("announce.paused", channel=before.place.channel)))
            await self._channels.tell(before.place, before.by, told)
        return True
