"""What many share in a workspace: counted, told once in channels that want it, and where people are sent together."""

from __future__ import annotations

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import structlog

from bot.core.errors import StoreError
from bot.core.event import InboundEvent, Origin
from bot.core.status.incident import Board, Incident
from bot.core.status.subscription import Place, Standing
from bot.core.status.watch import Known
from bot.core.triage.conversation import Conversation
from bot.core.triage.gathering import (
    ROOM,
    Doing,
    Edit,
    Gathering,
    Look,
    Send,
    advanced,
    intended,
    of_incident,
    of_room,
    officially,
    plan,
    sent,
    serving,
    spent,
    unsent,
)
from bot.core.triage.gathering_view import mark, shown
from bot.core.triage.placement import Rooms
from bot.core.triage.room import Murmur, Sensor, murmurs, signal
from bot.ports.announcing import Channels, Delivered, Delivery, Failed, Gathers, Why
from bot.ports.rooms import Heard, RoomStore
from handlers.desk import Desk

_log = structlog.get_logger(__name__)

LEASE = 20.0
"""Seconds one replica serves a workspace's channels before another may."""
PATIENCE = 4.0
"""Seconds a report waits for the thread it is sent to."""
_ACTS = 5
"""Most acts in a row on one gathering; the next look goes on."""
_LOOK_BACK = 120.0
"""Seconds before an intent from which on its message is looked for: clocks differ."""
_WARM = 3600.0
"""Seconds after a report in which a workspace is looked at each time; any other now and then."""
_NOW_AND_THEN = 60.0
_SOON = 5.0
"""Seconds an announcement that is about to come is waited for before it is looked for again."""


@dataclass
class Lookout:
    """What this process knows of the rooms it serves. channels: by platform, once those have started."""

    rooms: RoomStore
    sensor: Sensor = field(default_factory=Sensor)
    channels: Mapping[str, Channels] = field(default_factory=dict)
    replica: str = field(default_factory=lambda: secrets.token_hex(8))
    _known: dict[str, tuple[Gathering, ...]] = field(default_factory=dict)
    _due: dict[str, float] = field(default_factory=dict)
    _coming: dict[tuple[str, str], float] = field(default_factory=dict)
    _warm: dict[str, float] = field(default_factory=dict)
    _gathering: defaultdict[tuple[str, str], asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    # --- in a turn: nothing here waits for the store, but for the first who is sent together with others ---

    def note(self, desk: Desk, event: InboundEvent, here: Conversation) -> None:
        """Count what somebody reports, or no longer does. Who has just joined does not count."""
        if not event.newcomer and event.origin.user == here.origin.user:
            self.rooms.report(here.origin, signal(desk.library, here))
            self._warm[here.origin.tenant] = asyncio.get_running_loop().time() + _WARM

    def known(self, origin: Origin) -> tuple[Gathering, ...] | None:
        """Return what many share in a workspace, as last read; None before that."""
        return self._known.get(origin.tenant)

    def covering(self, origin: Origin, here: Conversation) -> Gathering | None:
        """Return what the room reports of the same kind, if the channel it was said in was told."""
        known = self._known.get(origin.tenant, ())
        found = serving(known, origin.channel, guide=here.guide, incident="")
        return found if found and found.id.startswith(ROOM) and found.post else None

    async def gathered(self, desk: Desk, origin: Origin, incident: Incident) -> None:
        """See to it that this channel has one thread for all who have it; whoever comes first begins it."""
        known, here = self._known.get(origin.tenant, ()), (origin.tenant, origin.channel)
        if serving(known, origin.channel, guide="", incident=incident.id) or origin.platform not in self.channels:
            return
        if asyncio.get_running_loop().time() < self._coming.get(here, 0.0):
            return
        try:
            async with asyncio.timeout(PATIENCE), self._gathering[here]:
                await self._begin(desk, origin, incident)
        except TimeoutError:
            _log.warning("gathering takes long", platform=origin.platform)

    async def _begin(self, desk: Desk, origin: Origin, incident: Incident) -> None:
        known, now = self._known.get(origin.tenant, ()), asyncio.get_running_loop().time()
        done = serving(known, origin.channel, guide="", incident=incident.id)
        if done or now < self._coming.get((origin.tenant, origin.channel), 0.0):
            return
        heard = await self._read(origin)
        if serving(heard.gatherings, origin.channel, guide="", incident=incident.id):
            return
        board, now = await desk.status.board(), desk.clock()
        here = of_incident(origin.channel, incident.id, incident.name, now)
        announced, coming = await _announced(desk, origin, incident)
        if coming:
            self._coming[origin.tenant, origin.channel] = asyncio.get_running_loop().time() + _SOON
            return
        if announced:
            link = await _link(self.channels[origin.platform], _place(origin, here), announced)
            stored = await self.rooms.record(
                origin, replace(here, messages={Doing.POST: announced}, link=link, adopted=True)
            )
            if stored:
                self.learn(origin, stored)
            return
        # What has to be sent is sent to its end, whoever stops waiting for it.
        await asyncio.shield(self._served(desk, origin, here, board, heard.at))

    # --- between turns ---

    async def tick(self, desk: Desk) -> None:
        """Write what was counted, and bring every channel to what it should have. Raises `StoreUnavailable`."""
        await self.rooms.flush()
        loop = asyncio.get_running_loop()
        for place in await desk.store.workspaces():
            if place.platform not in self.channels or loop.time() < self._due.get(place.tenant, 0.0):
                continue
            heard = await self._read(place)
            busy = heard.signals or heard.gatherings or loop.time() < self._warm.get(place.tenant, 0.0)
            self._due[place.tenant] = 0.0 if busy else loop.time() + _NOW_AND_THEN
            if heard.signals or heard.gatherings:
                await self._look(desk, place, heard)

    async def _read(self, origin: Origin) -> Heard:
        heard = await self.rooms.heard(origin)
        self._known[origin.tenant] = heard.gatherings
        return heard

    async def _look(self, desk: Desk, place: Origin, heard: Heard) -> None:
        """Do what is to be done in one workspace, unless another replica does."""
        if desk.leases and not await desk.leases.take(f"room-{place.tenant}", self.replica, LEASE):
            return
        board, now = await desk.status.board(), desk.clock()
        said = murmurs(heard.signals, now, self.sensor, desk.library)
        begun = await self._begun(desk, place, heard, said.values(), board)
        for stored in (*heard.gatherings, *begun):
            here = advanced(stored, said.get(stored.guide), desk.library, board, now, self.sensor)
            if spent(here, now):
                await self.rooms.drop(place, here)
                continue
            # An intent keeps its time: the record is not touched while one is under way.
            if stored.version and here != stored and not stored.intent:
                written = await self.rooms.record(place, here)
                if written is None:
                    continue
                here = written
            await self._attended(desk, place, stored if stored.intent else here, board, heard.at)
        if heard.gatherings or begun:
            await self._read(place)

    async def _begun(
        self, desk: Desk, place: Origin, heard: Heard, said: Iterable[Murmur], board: Board | None
    ) -> list[Gathering]:
        """Return what is to be told now, in each channel that wants it and was not told yet."""
        now, channels = desk.clock(), self.channels[place.platform]
        told = {(one.channel, one.id) for one in heard.gatherings}
        begun = []
        for murmur in said:
            guide = desk.library.known(murmur.kind)
            enough = murmur.people >= self.sensor.people
            if not enough or officially(desk.library, guide, board, now).incident or self._lately(desk, murmur, board):
                continue
            for channel in sorted(desk.rooms.get(place.platform, Rooms()).room):
                here = of_room(channel, murmur, now)
                if (channel, here.id) not in told and await _belongs(channels, _place(place, here)):
                    begun.append(here)
        return begun

    def _lately(self, desk: Desk, murmur: Murmur, board: Board | None) -> bool:
        """Say whether an incident that ended within the window explains what was reported."""
        if board is None:
            return False
        now, window = desk.clock(), self.sensor.window
        ended = (one for one in board.incidents if one.resolved_at and now - one.resolved_at < window)
        then = replace(board, incidents=tuple(replace(one, status="investigating") for one in ended))
        return officially(desk.library, desk.library.known(murmur.kind), then, now).incident is not None

    # --- sending: an intent first, then once, then what came of it ---

    async def _attended(self, desk: Desk, origin: Origin, here: Gathering, board: Board | None, at: float) -> None:
        """Serve one gathering; what goes wrong there, whatever it is, does not keep the others waiting."""
        try:
            await self._served(desk, origin, here, board, at)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - an adapter's own mistake; its text may quote somebody
            _log.error("room.failed", gathering=here.id, error=type(error).__name__)

    async def _served(self, desk: Desk, origin: Origin, here: Gathering, board: Board | None, at: float) -> None:
        """Do what one gathering lacks, one act after another."""
        clerk = _Clerk(self, desk, origin, board, at)
        current: Gathering | None = here
        for _ in range(_ACTS):
            if current is None:
                return
            wanted = mark(desk.library, current, board, desk.clock())
            act = plan(current, wanted, at, unknown_for=desk.bounds.unknown)
            if act is None:
                return
            current = await clerk.carry_out(current, act)

    def learn(self, origin: Origin, stored: Gathering) -> None:
        """Know at once what was just written."""
        others = (
            one for one in self._known.get(origin.tenant, ()) if (one.channel, one.id) != (stored.channel, stored.id)
        )
        self._known[origin.tenant] = (*others, stored)


@dataclass(frozen=True, slots=True)
class _Clerk:
    """Sends for one workspace."""

    lookout: Lookout
    desk: Desk
    origin: Origin
    board: Board | None
    at: float

    async def carry_out(self, here: Gathering, act: Send | Edit | Look) -> Gathering | None:
        """Do one thing; None if nothing more can be done for now."""
        match act:
            case Send(doing):
                await self._channels.turn(_place(self.origin, here))
                intent = await self._record(intended(here, doing, secrets.token_hex(8)))
                return await self._settled(intent, await self._sent(intent, doing)) if intent else None
            case Edit(wanted):
                delivery = await self._sent(here, Doing.POST, edit=True)
                if isinstance(delivery, Delivered):
                    return await self._record(replace(here, shown=wanted, edited=self.desk.clock()))
                return await self._refused(here, delivery)
            case Look(doing):
                return await self._looked(here, doing)

    @property
    def _channels(self) -> Channels:
        return self.lookout.channels[self.origin.platform]

    async def _sent(self, here: Gathering, doing: str, *, edit: bool = False) -> Delivery:
        notice = shown(self.desk.library, here, doing, self.board, self.desk.clock())
        place, key, channels = _place(self.origin, here), here.key(doing), self._channels
        try:
            async with asyncio.timeout(self.desk.bounds.sent):
                if edit:
                    return await channels.edit(place, here.post, key, notice)
                if doing == Doing.POST:
                    return await channels.post(place, key, notice)
                return await channels.reply(place, here.post, key, notice)
        except TimeoutError:
            return Failed(Why.UNKNOWN, detail="no answer in time")

    async def _settled(self, here: Gathering, delivery: Delivery) -> Gathering | None:
        if not isinstance(delivery, Delivered):
            return await self._refused(here, delivery)
        return await self._there(here, delivery.ref)

    async def _there(self, here: Gathering, ref: str) -> Gathering | None:
        post = here.intent == Doing.POST
        now, library = self.desk.clock(), self.desk.library
        link = await _link(self._channels, _place(self.origin, here), ref) if post else ""
        shows = mark(library, here, self.board, now) if post else ""
        stored = await self._record(sent(here, ref, shows, link, now))
        if stored is None:
            await self._second(here, ref)
        return stored

    async def _refused(self, here: Gathering, failed: Failed) -> Gathering | None:
        _log.warning("room.not-sent", gathering=here.id, why=failed.why, detail=failed.detail)
        if failed.why is Why.WAIT and here.intent:
            await self._record(unsent(here))
        elif failed.why in {Why.GONE, Why.CLOSED, Why.REFUSED} and here.intent not in {"", Doing.POST}:
            # No thread can be there; the message in the channel still is.
            return await self._record(sent(here, ""))
        elif failed.why in {Why.GONE, Why.CLOSED, Why.REFUSED}:
            # What people took away is not put back, and where nothing can be said nothing is tried again.
            await self._record(replace(unsent(here, shut=True), link=""))
        return None

    async def _looked(self, here: Gathering, doing: str) -> Gathering | None:
        """Find out what became of a message whose sender never told."""
        parent = "" if doing == Doing.POST else here.post
        async with asyncio.timeout(self.desk.bounds.sent):
            place = _place(self.origin, here)
            found = await self._channels.find(place, parent, here.key(doing), here.at - _LOOK_BACK)
        if isinstance(found, Failed):
            if found.why is Why.CLOSED:
                _log.error("room.stuck", gathering=here.id, detail=found.detail)
                return await self._record(unsent(here, shut=True))
            return None
        if not found:
            return await self._record(unsent(here))
        for younger in found[1:]:
            await self._channels.delete(_place(self.origin, here), younger)
        return await self._there(here, found[0])

    async def _second(self, here: Gathering, ref: str) -> None:
        """Take our message away if another replica, which had given us up, has sent it too."""
        heard = await self.lookout.rooms.heard(self.origin)
        there = next((one for one in heard.gatherings if (one.channel, one.id) == (here.channel, here.id)), None)
        kept = there.messages.get(here.intent, "") if there else ""
        if kept and kept != ref:
            _log.warning("room.doubled", gathering=here.id)
            await self._channels.delete(_place(self.origin, here), ref)

    async def _record(self, here: Gathering) -> Gathering | None:
        stored = await self.lookout.rooms.record(self.origin, here)
        if stored:
            self.lookout.learn(self.origin, stored)
        return stored


async def _announced(desk: Desk, origin: Origin, incident: Incident) -> tuple[str, bool]:
    """Return the announcement of an incident in a channel; or that one is coming, so that none has to be sent."""
    page = next(iter(desk.watched), "")
    subscription = await desk.pages.subscription(page, Place(*_names(origin))) if desk.pages and page else None
    if desk.pages is None or subscription is None or subscription.standing is not Standing.ACTIVE:
        return "", False
    topics = await desk.pages.topics(page, subscription.id)
    records = (await desk.pages.announced(page, {subscription.id: topics})).records.get(subscription.id, {})
    posts = (one.post.ref for one in records.values() if one.post and incident.id in one.incidents)
    found = next(posts, "")
    return found, not found and subscription.choice.wants(Known(incident, 0, 0.0))


def _names(origin: Origin) -> tuple[str, str, str]:
    return origin.platform, origin.workspace, origin.channel


def _place(origin: Origin, here: Gathering) -> Place:
    return Place(origin.platform, origin.workspace, here.channel)


async def _link(channels: Channels, place: Place, ref: str) -> str:
    return await channels.link(place, ref) if isinstance(channels, Gathers) else ""


async def _belongs(channels: Channels, place: Place) -> bool:
    return isinstance(channels, Gathers) and await channels.belongs(place)
