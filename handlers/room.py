"""What many share in a workspace: counted, told once in channels that want it, and where people are sent together."""

from __future__ import annotations

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

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
    Gathering,
    advanced,
    of_incident,
    of_room,
    officially,
    serving,
    spent,
)
from bot.core.triage.placement import Rooms
from bot.core.triage.room import Murmur, Sensor, murmurs, signal
from bot.core.unforeseen import unforeseen
from bot.ports.announcing import Channels, Gathers
from bot.ports.rooms import Heard, RoomStore
from handlers.desk import Desk
from handlers.room_clerk import RoomClerk, link_of, place_of

_log = structlog.get_logger(__name__)

LEASE = 20.0
"""Seconds one replica serves a workspace's channels before another may."""
PATIENCE = 4.0
"""Seconds a report waits for the thread it is sent to."""
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
            link = await link_of(self.channels[origin.platform], place_of(origin, here), announced)
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
                if (channel, here.id) not in told and await _belongs(channels, place_of(place, here)):
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
            _log.error("room.failed", gathering=here.id, **unforeseen(error))

    async def _served(self, desk: Desk, origin: Origin, here: Gathering, board: Board | None, at: float) -> None:
        """Do what one gathering lacks."""
        channels, learn = self.channels[origin.platform], partial(self.learn, origin)
        await RoomClerk(desk, self.rooms, channels, origin, board, at, learn).serve(here)

    def learn(self, origin: Origin, stored: Gathering) -> None:
        """Know at once what was just written."""
        others = (
            one for one in self._known.get(origin.tenant, ()) if (one.channel, one.id) != (stored.channel, stored.id)
        )
        self._known[origin.tenant] = (*others, stored)


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


async def _belongs(channels: Channels, place: Place) -> bool:
    return isinstance(channels, Gathers) and await channels.belongs(place)
