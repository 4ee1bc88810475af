"""How a process is told things by signals: to stop, within ten seconds, and to read its content again."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

END = 9.5
"""Seconds after which whatever still closes is left to itself; orchestrators wait for ten."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Told:
    """Whether this process is to stop. A second signal is not waited for.

    limit: bounds everything from the signal on; entered by who runs. early: the signal came while it was starting, and
    the start was broken off.
    """

    def __init__(self) -> None:
        """Listen to signals, in the running loop and for the running task."""
        self.limit, self.early = asyncio.timeout(None), False
        self._event, self._task, self._starting = asyncio.Event(), asyncio.current_task(), True
        for number in _SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, self._stop)

    def started(self) -> None:
        """Say that from now on an end is an orderly one."""
        self._starting = False

    async def wait(self) -> None:
        """Wait for the signal."""
        await self._event.wait()

    def ends(self) -> None:
        """Say that the process ends, and has so long for it."""
        if self.limit.when() is None:
            self.limit.reschedule(asyncio.get_running_loop().time() + END)

    def _stop(self) -> None:
        self._event.set()
        self.ends()
        for number in _SIGNALS:
            asyncio.get_running_loop().remove_signal_handler(number)
        if self._starting and self._task:
            self.early = True
            self._task.cancel()


@contextmanager
def hung_up(act: Callable[[], Awaitable[object]]) -> Iterator[None]:
    """Act on every SIGHUP for as long as this is entered."""
    loop, acting = asyncio.get_running_loop(), set[asyncio.Task[object]]()

    async def once() -> object:
        return await act()

    def start() -> None:
        task = loop.create_task(once())
        acting.add(task)
        task.add_done_callback(acting.discard)

    loop.add_signal_handler(signal.SIGHUP, start)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGHUP)
        for task in acting:
            task.cancel()
