"""The intake: one running turn for each person in a thread, a bounded number in all."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import copy_context

import structlog
from structlog.contextvars import clear_contextvars

from bot.core.event import InboundEvent
from bot.ports.chat import Chat
from bot.ports.meters import UNMETERED, Meters
from bot.runtime.limits import Limits, Verdict

_log = structlog.get_logger(__name__)

Handle = Callable[[InboundEvent, Chat], Awaitable[None]]
Lane = tuple[str, str, str, str]
Turn = tuple[InboundEvent, Chat, Callable[[], None] | None]

RUNNING = 256
"""Most lanes at work in a process at once."""
WAITING = 8
"""Most events that wait in one lane: more is somebody leaning on a button."""


class Dispatcher:
    """Implements the Intake port. Turns of one person in one thread run one after another, all others side by side."""

    def __init__(self, handle: Handle, limits: Limits | None = None, meters: Meters = UNMETERED) -> None:
        """Take what plays a turn, which answers for its own errors, and how much one person and channel may ask."""
        self._handle, self._limits, self._meters = handle, limits, meters
        self._lanes: dict[Lane, deque[Turn]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._open = True

    def submit(self, event: InboundEvent, chat: Chat, done: Callable[[], None] | None = None) -> bool:
        """Queue one turn; False when closed, when too much is running or waiting, or somebody asks too much.

        Who was told so and goes on is let go in silence: a flood must not make one of answers.
        """
        origin = event.origin
        lane = (origin.tenant, origin.channel, origin.thread, origin.user)
        queue = self._lanes.get(lane)
        if not self._open or (queue is None and len(self._lanes) >= RUNNING) or (queue and len(queue) >= WAITING):
            self._meters.refused("full" if self._open else "closed")
            return False
        verdict, whose = self._limits.judge(origin) if self._limits else (Verdict.TAKE, "")
        if verdict is not Verdict.TAKE:
            self._meters.refused(whose)
            if verdict is Verdict.TELL:
                _log.warning("too many events", platform=origin.platform, limit=whose)
            elif done:
                done()
            return verdict is Verdict.DROP
        if queue is None:
            self._lanes[lane] = deque([(event, chat, done)])
            # What the adapter's task has bound and counted is not this person's; what its library needs stays.
            own = copy_context()
            own.run(clear_contextvars)
            own.run(self._meters.began)
            task = asyncio.get_running_loop().create_task(self._run(lane), context=own)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            queue.append((event, chat, done))
        return True

    async def idle(self) -> None:
        """Wait until everything submitted so far has been played."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    def shut(self) -> None:
        """Take nothing more in."""
        self._open = False

    async def close(self, within: float) -> None:
        """Take nothing more in and let running turns finish for `within` seconds; what remains stays owed."""
        self.shut()
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=within)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, lane: Lane) -> None:
        queue = self._lanes[lane]
        try:
            while queue:
                event, chat, done = queue[0]
                await self._handle(event, chat)
                queue.popleft()
                if done:
                    done()
        finally:
            del self._lanes[lane]
