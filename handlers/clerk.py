"""Serves one channel: compares what it has with what it should have, does the one next thing, records it."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import field, replace

import structlog

from bot.core.bounds import BOUNDS, Bounds
from bot.core.frozen import frozen
from bot.core.status.announcement import (
    Act,
    Announcement,
    Doing,
    Intent,
    adopted,
    done,
    doubtful,
    intended,
    key_of,
    undone,
    without,
)
from bot.core.status.announcement_view import Names, Notice, notice
from bot.core.status.plan import Later, Nothing, Resolve, plan
from bot.core.status.subscription import Choice, Standing, Subscription
from bot.core.status.topics import Topic, topics, with_members
from bot.core.status.watch import DAY, Known, Page, last_activity
from bot.core.status.watch import Standing as Listed
from bot.core.text import words
from bot.core.unforeseen import unforeseen
from bot.core.view import View
from bot.ports.announcing import Channels, Delivered, Delivery, Failed, Why
from bot.ports.meters import UNMETERED, Meters
from bot.ports.pages import Doubt, PageStore
from handlers.pacing import Pacer

_ACTS = 50
"""Most acts in a row on one topic of one channel; the next walk goes on."""
_RECENT = 3 * DAY
"""Seconds since its last word for which a message about an ended incident is looked for in an emptied store."""
_EARLY = 3600.0
"""Seconds before the vendor's times from which on messages are looked for: they are set back now and then."""
_NEVER = (Why.CLOSED, Why.REFUSED)
"""Why a message cannot be looked for, now or later: no right to, or too much was written since."""

_log = structlog.get_logger(__name__)


@frozen
class Office:
    """What announcing works with. names: the words of a locale; replica: names this process; pacers: by platform."""

    pages: PageStore
    channels: Mapping[str, Channels]
    names: Callable[[str], Names]
    pacers: Mapping[str, Pacer] = field(default_factory=dict)
    replica: str = field(default_factory=lambda: secrets.token_hex(8))
    meters: Meters = UNMETERED
    bounds: Bounds = BOUNDS


def _began(topic: Topic, at: float) -> float:
    """Return from when on there may be messages about a topic, by the vendor's times."""
    said = [u.at for known in topic.known for u in known.incident.updates if u.at is not None]
    begun = [known.incident.started_at for known in topic.known if known.incident.started_at is not None]
    return min((*said, *begun), default=at - _RECENT) - _EARLY


@frozen
class Ground:
    """What a walk stands on. doubt: what the store may have forgotten; at: its clock when the records were read.

    emptied: when it last may have forgotten everything, also if it was compared with the channels since. news: set once
    the page has a newer revision; what only waits for its turn then gives way to it.
    """

    page: Page
    doubt: Doubt | None = None
    emptied: Doubt | None = None
    at: float = 0.0
    news: asyncio.Event = field(default_factory=asyncio.Event)


def forgotten(ground: Ground) -> tuple[str, ...]:
    """Return incidents a channel may have been told of by a store that was emptied since, and is worth looking for."""
    return tuple(
        i for i, known in ground.page.incidents.items() if _told_before(ground, known) and _lately(ground, known)
    )


def _told_before(ground: Ground, known: Known) -> bool:
    began = known.incident.started_at
    return ground.emptied is not None and (began is None or began < ground.emptied.loss.noted + _EARLY)


def _lately(ground: Ground, known: Known) -> bool:
    """Say whether an incident is young enough for a message about it to be worth looking for."""
    last = last_activity(known.incident)
    return not known.over or last is None or (ground.page.read_at or ground.at) - last < _RECENT


class Clerk:
    """Serves one channel; whatever goes wrong there stays there."""

    def __init__(
        self, office: Office, ground: Ground, subscription: Subscription, announced: dict[str, Announcement]
    ) -> None:
        self._office, self._ground = office, ground
        self.subscription, self._announced = subscription, announced
        self._channels = office.channels[subscription.place.platform]
        self._log = _log.bind(page=ground.page.id, subscription=subscription.id)
        self.acts = 0

    async def serve(self, ids: Collection[str]) -> bool:
        """Bring the channel up to date on these topics; False if something is left to do."""
        try:
            complete = await self._recovered(with_members(self._ground.page, self.subscription, ids))
            if complete:
                for topic in tuple(topics(self._ground.page, self.subscription, ids, self._announced)):
                    complete &= await self._topic(topic)
        except Exception as error:  # noqa: BLE001 - one channel's trouble, whatever it is, must not stop the others
            self._log.error("announce.failed", **unforeseen(error))
            return False
        return complete

    async def _topic(self, topic: Topic) -> bool:
        for _ in range(_ACTS):
            here = self._announced.get(topic.id)
            match plan(topic, here, self.subscription, self._ground.at, self._office.bounds):
                case Nothing():
                    return True
                case Later():
                    return False
                case Resolve(intent):
                    going_on = here is not None and await self._resolve(here, intent)
                case Act() as act:
                    going_on = await self._does(topic, here or Announcement(topic.id), act)
            if not going_on:
                return False
        return False

    async def _does(self, topic: Topic, here: Announcement, act: Act) -> bool:
        if act.intent.doing is not Doing.EDIT and (doubt := self._unsure(here)):
            return await self._look(topic, here, act, doubt)
        return await self._carry_out(topic, here, act)

    # --- after the store has forgotten something ---

    def _unsure(self, here: Announcement | None) -> Doubt | None:
        """Return what the store may have forgotten of this record; None: nothing."""
        doubt = self._ground.doubt
        return doubt if doubt is not None and (here is None or here.checked < doubt.number) else None

    def _doubted(self, here: Announcement | None, known: Known) -> Doubt | None:
        """Return why a message about an incident may stand here that the store has forgotten; None: none can."""
        before = self._ground.emptied if here is None and _told_before(self._ground, known) else None
        return self._unsure(here) or before

    async def _recovered(self, ids: Collection[str]) -> bool:
        """Take up again what stands in the channel and the store has forgotten; False: it is not known yet.

        Also of what has ended meanwhile: nothing is to be left red.
        """
        known, anything = True, replace(self.subscription, choice=Choice(replies=self.subscription.choice.replies))
        told = {i for record in self._announced.values() for i in record.incidents}
        there = self._ground.page.incidents
        for single in (there[i] for i in ids if i in there and i not in told):
            here, listed = self._announced.get(single.incident.id), replace(single, standing=Listed.LISTED)
            doubt = self._doubted(here, single)
            if doubt is not None and _lately(self._ground, single):
                # Whatever the channel chose, and the page lists: what was told of may be less grave, or withdrawn, now.
                topic = Topic(single.incident.id, (listed,), due=True)
                act = plan(topic, here, anything, self._ground.at, self._office.bounds)
                if isinstance(act, Act):
                    known &= await self._look(topic, here or Announcement(topic.id), act, doubt)
        return known

    async def _look(self, topic: Topic, here: Announcement, act: Act, doubt: Doubt) -> bool:
        """Look for messages the store may have forgotten, before another is sent; False if that cannot be done now."""
        place, found = self.subscription.place, list[tuple[str, str]]()
        parent = here.above(act.intent)
        if self._ground.at < doubt.loss.at + self._office.bounds.unknown:
            # What was under way when the store forgot it may still arrive.
            return False
        since = doubt.loss.since or _began(topic, self._ground.at)
        for n in range(_ACTS):
            key = key_of(self.subscription, act.base, here.count + n)
            if not await self._paced(edit=True):
                return False
            async with asyncio.timeout(self._office.bounds.sent):
                refs = await self._channels.find(place, parent, key, since)
            if isinstance(refs, Failed):
                if refs.why not in _NEVER:
                    return False
                # Nobody may look. Nothing says that anything was sent: it is better told twice than never.
                self._log.warning("announce.unseen", topic=topic.id, detail=refs.detail)
                refs = ()
            if not refs:
                break
            await self._remove(topic.id, refs[1:])
            found.append((refs[0], key))
            parent = parent or refs[0]
        after, surplus = adopted(here, act, found) if found else (here, ())
        await self._remove(topic.id, surplus)
        if found:
            self._log.warning("announce.adopted", topic=topic.id, messages=len(found) - len(surplus))
        return await self._record(replace(after, checked=doubt.number)) is not None

    async def _remove(self, topic: str, refs: Collection[str]) -> None:
        for ref in refs:
            self._log.warning("announce.doubled", topic=topic)
            await self._channels.delete(self.subscription.place, ref)

    # --- what is sent ---

    async def _paced(self, *, edit: bool) -> bool:
        """Wait for a turn; False if there is none now, or news has made waiting useless."""
        place = self.subscription.place
        pacer = self._office.pacers.get(place.platform)
        return pacer is None or await pacer.turn(place, edit=edit, useless=self._ground.news)

    async def _carry_out(self, topic: Topic, here: Announcement, act: Act) -> bool:
        # Waiting for one's turn comes before the intent: from then on the request is taken to be under way.
        if not await self._paced(edit=act.intent.doing is Doing.EDIT):
            return False
        await self._channels.turn(self.subscription.place)
        deadline = asyncio.get_running_loop().time() + self._office.bounds.sent
        stored = await self._record(intended(here, act, token=secrets.token_hex(8), at=self._ground.at))
        if stored is None or stored.intent is None:
            return False
        self.acts += 1
        known = tuple(k for k in topic.known if k.incident.id in stored.incidents)
        shown = notice(
            self._office.names(self.subscription.choice.locale),
            self._ground.page,
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
            self._log.error("announce.adapter-failed", **unforeseen(error))
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
                self._hold(here.intent, delivery.wait)
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

    def _hold(self, intent: Intent | None, seconds: float) -> None:
        pacer = self._office.pacers.get(self.subscription.place.platform)
        if pacer is not None and intent is not None:
            pacer.hold(self.subscription.place, edit=intent.doing is Doing.EDIT, seconds=seconds)

    def _measured(self, intent: Intent | None, delivery: Delivery) -> None:
        if intent is not None:
            state = "delivered" if isinstance(delivery, Delivered) else delivery.why.value
            # How late news is; an edit brings none, and what vanished from the page is not timed.
            told = frozenset(intent.sent.updates) if intent.doing is not Doing.EDIT else frozenset()
            came = [
                update.at
                for known in self._ground.page.incidents.values()
                for update in known.incident.updates
                if update.at is not None and f"{known.incident.id}/{update.id}" in told
            ]
            lag = time.time() - max(came) if came and state == "delivered" else None
            self._office.meters.delivered(self.subscription.place.platform, intent.doing.value, state, lag)

    async def _resolve(self, here: Announcement, intent: Intent) -> bool:
        """Find out what became of a request whose sender never told."""
        if intent.doing is Doing.EDIT:
            return await self._record(doubtful(here)) is not None
        place, since = self.subscription.place, intent.at - self._office.bounds.apart
        async with asyncio.timeout(self._office.bounds.sent):
            found = await self._channels.find(place, here.above(intent), intent.sent.key, since)
        if isinstance(found, Failed):
            if found.why not in _NEVER:
                return False
            self._log.error("announce.stuck", topic=here.topic, detail=found.detail)
            return await self._record(doubtful(here, found.detail)) is not None
        if not found:
            return await self._record(undone(here)) is not None
        await self._remove(here.topic, found[1:])
        if self._unsure(here):
            # It may be a later attempt with other words, which the store has forgotten: it is edited to show these.
            here = replace(here, intent=replace(intent, sent=replace(intent.sent, shown="")))
        return await self._record(done(here, found[0])) is not None

    async def _second(self, here: Announcement, ref: str) -> bool:
        """Take our message away if another replica, which had given us up, has sent it too."""
        if here.intent is not None and here.intent.doing is not Doing.EDIT:
            now = await self._office.pages.announced(self._ground.page.id, {self.subscription.id: [here.topic]})
            there = now.records.get(self.subscription.id, {}).get(here.topic)
            refs = [m.ref for m in there.messages if m.key == here.intent.sent.key] if there else []
            if refs and ref not in refs:
                await self._remove(here.topic, [ref])
        return False

    async def _record(self, record: Announcement) -> Announcement | None:
        """Write a record; None if another replica did so first, which then goes on in our place."""
        stored = await self._office.pages.record(self._ground.page.id, self.subscription.id, record)
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
