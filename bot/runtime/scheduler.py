"""What is done without anybody asking: confirmations written, owed answers shown, those who wait told."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.core.errors import RedialError
from bot.core.event import Origin
from bot.core.status.incident import Health
from bot.core.triage.conversation import Conversation
from bot.core.unforeseen import unforeseen
from bot.ports.chat import Chat
from bot.runtime.rhythm import RHYTHM, Rhythm
from handlers.desk import Desk
from handlers.insights import learn
from handlers.life import look_after
from handlers.triage import show_owed
from handlers.waiting import tell_ended, tell_touched

_log = structlog.get_logger(__name__)

Job = Callable[[], Awaitable[None]]


class Jobs:
    """The periodic work of one process, for the platforms it runs. It is bounded: a round that lasts skips the next."""

    def __init__(
        self, desk: Desk, chats: Mapping[str, Chat], more: Sequence[tuple[Job, float]] = (), rhythm: Rhythm = RHYTHM
    ) -> None:
        """Take the chats by platform; workspaces of other platforms are left to other processes.

        more: further jobs, each with the seconds between two rounds.
        """
        self._desk, self._chats, self._more, self._rhythm = desk, chats, tuple(more), rhythm
        self._holder = secrets.token_hex(8)
        # The zone of the machine is of no interest, and reading it may fail.
        self._scheduler = AsyncIOScheduler(timezone=UTC)

    def start(self) -> None:
        """Begin, in the running loop."""
        rhythm = self._rhythm
        own: tuple[tuple[Job, float], ...] = (
            (self.written, rhythm.written),
            (self.owed, rhythm.owed),
            (self.ended, rhythm.ended),
            (self.silent, rhythm.silent),
            (self.learned, rhythm.learned),
        )
        for job, seconds in (*own, *self._more):
            self._scheduler.add_job(
                self._round, "interval", seconds=seconds, args=[job], max_instances=1, coalesce=True, name=job.__name__
            )
        self._scheduler.start()

    def stop(self) -> None:
        """End at once; what a round has not done is done by the next, of this or another process."""
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)

    async def written(self) -> None:
        """Write what turns have left to be written: confirmations, counts."""
        await self._desk.store.flush()
        await self._desk.tallies.flush()

    async def silent(self) -> None:
        """See to conversations nobody answers; one process does so for all, and nothing breaks when two do."""
        leases = self._desk.leases
        if leases and not await leases.take("silence", self._holder, 2 * self._rhythm.silent):
            return
        for place in await self._desk.store.workspaces():
            if chat := self._chats.get(place.platform):
                await look_after(self._desk, place, chat)

    async def learned(self) -> None:
        """Read anew what has helped in each workspace."""
        for place in await self._desk.store.workspaces():
            if place.platform in self._chats:
                await learn(self._desk, place)

    async def owed(self) -> None:
        """Show the answers that are owed, in every workspace."""
        for place in await self._desk.store.workspaces():
            if chat := self._chats.get(place.platform):
                await show_owed(self._desk, place, chat, older_than=self._desk.bounds.owed)

    async def ended(self) -> None:
        """Tell those who wait for something that is over."""
        for place in await self._desk.store.workspaces():
            if chat := self._chats.get(place.platform):
                await tell_ended(self._desk, await self._desk.store.waiting(place), chat)
                await tell_touched(self._desk, await self._touchable(place), chat)

    async def _touchable(self, place: Origin) -> Sequence[Conversation]:
        """Return the conversations a new incident may touch; without one nobody has to be looked at."""
        board = await self._desk.status.board()
        return await self._desk.store.going(place) if board.health is Health.OK and board.open else ()

    async def _round(self, job: Callable[[], Awaitable[None]]) -> None:
        began = time.monotonic()
        try:
            await job()
        except RedialError as error:
            _log.error("job failed", job=job.__name__, error=str(error), took=round(time.monotonic() - began, 1))
        except Exception as error:  # noqa: BLE001 - the last line of defence: the next round must come
            _log.error("job broke", job=job.__name__, **unforeseen(error))
