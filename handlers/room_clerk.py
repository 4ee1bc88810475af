"""Serves the channels of a workspace with what many share: an intent first, then sent once, then what came of it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import replace

import structlog

from bot.core.event import Origin
from bot.core.frozen import frozen
from bot.core.status.incident import Board
from bot.core.status.subscription import Place
from bot.core.triage.gathering import Doing, Edit, Gathering, Look, Send, intended, plan, sent, unsent
from bot.core.triage.gathering_view import mark, shown
from bot.ports.announcing import Channels, Delivered, Delivery, Failed, Gathers, Why
from bot.ports.rooms import RoomStore
from handlers.desk import Desk

_log = structlog.get_logger(__name__)

_ACTS = 5
"""Most acts in a row on one gathering; the next look goes on."""


@frozen
class RoomClerk:
    """Sends for one workspace. at: the store's clock as of the records; wrote: is told each that is written."""

    desk: Desk
    rooms: RoomStore
    channels: Channels
    origin: Origin
    board: Board | None
    at: float
    wrote: Callable[[Gathering], None]

    async def serve(self, here: Gathering) -> None:
        """Do what a gathering lacks, one act after another."""
        current: Gathering | None = here
        for _ in range(_ACTS):
            if current is None:
                return
            wanted = mark(self.desk.library, current, self.board, self.desk.clock())
            act = plan(current, wanted, self.at, self.desk.bounds)
            if act is None:
                return
            current = await self._carried_out(current, act)

    async def _carried_out(self, here: Gathering, act: Send | Edit | Look) -> Gathering | None:
        """Do one thing; None if nothing more can be done for now."""
        match act:
            case Send(doing):
                await self.channels.turn(self._place(here))
                intent = await self._record(intended(here, doing, secrets.token_hex(8)))
                return await self._settled(intent, await self._sent(intent, doing)) if intent else None
            case Edit(wanted):
                delivery = await self._sent(here, Doing.POST, edit=True)
                if isinstance(delivery, Delivered):
                    return await self._record(replace(here, shown=wanted, edited=self.desk.clock()))
                return await self._refused(here, delivery)
            case Look(doing):
                return await self._looked(here, doing)

    async def _sent(self, here: Gathering, doing: str, *, edit: bool = False) -> Delivery:
        notice = shown(self.desk.library, here, doing, self.board, self.desk.clock())
        place, key, channels = self._place(here), here.key(doing), self.channels
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
        link = await link_of(self.channels, self._place(here), ref) if post else ""
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
            place = self._place(here)
            found = await self.channels.find(place, parent, here.key(doing), here.at - self.desk.bounds.apart)
        if isinstance(found, Failed):
            if found.why is Why.CLOSED:
                _log.error("room.stuck", gathering=here.id, detail=found.detail)
                return await self._record(unsent(here, shut=True))
            return None
        if not found:
            return await self._record(unsent(here))
        for younger in found[1:]:
            await self.channels.delete(self._place(here), younger)
        return await self._there(here, found[0])

    async def _second(self, here: Gathering, ref: str) -> None:
        """Take our message away if another replica, which had given us up, has sent it too."""
        heard = await self.rooms.heard(self.origin)
        there = next((one for one in heard.gatherings if (one.channel, one.id) == (here.channel, here.id)), None)
        kept = there.messages.get(here.intent, "") if there else ""
        if kept and kept != ref:
            _log.warning("room.doubled", gathering=here.id)
            await self.channels.delete(self._place(here), ref)

    def _place(self, here: Gathering) -> Place:
        return place_of(self.origin, here)

    async def _record(self, here: Gathering) -> Gathering | None:
        stored = await self.rooms.record(self.origin, here)
        if stored:
            self.wrote(stored)
        return stored


def place_of(origin: Origin, here: Gathering) -> Place:
    """Return the channel of a gathering."""
    return Place(origin.platform, origin.workspace, here.channel)


async def link_of(channels: Channels, place: Place, ref: str) -> str:
    """Return an address people can open for a message; empty where there is none."""
    return await channels.link(place, ref) if isinstance(channels, Gathers) else ""
