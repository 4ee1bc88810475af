"""`redial run`: every configured platform in one process, until it is told to stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial

import structlog

from bot.core.errors import SettingsError
from bot.ports.announcing import Announces
from bot.ports.platform import House, Running
from bot.runtime.dispatcher import Dispatcher
from bot.runtime.platforms import PLATFORMS, Platform
from bot.runtime.scheduler import Jobs
from bot.runtime.settings import Settings
from bot.runtime.watching import Watch, open_watch
from bot.runtime.wiring import desk as open_desk
from handlers.commands import read
from handlers.desk import Desk
from handlers.turns import handle

_log = structlog.get_logger(__name__)

FINISH = 8.0
"""Seconds running turns get to finish after a signal; orchestrators wait for ten."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


async def run(settings: Settings, say: Callable[[str], None], platforms: Sequence[Platform] = PLATFORMS) -> int:
    """Run until a signal comes, or no platform can go on; return the exit code.

    Raises `SettingsError` when nothing is configured, and whatever keeps a part from starting.
    """
    rows = [row for row in platforms if row.configured(settings)]
    if not rows:
        wants = "; ".join(f"{row.name}: {row.wants}" for row in platforms)
        raise SettingsError(f"nothing to run, set what one platform needs ({wants}); `redial chat` needs nothing")
    told = _signals()
    async with open_desk(settings) as desk, AsyncExitStack() as clients:
        dispatcher = Dispatcher(partial(handle, desk))
        titles = {guide.id: guide.title for guide in desk.library.guides.values()}
        house = House(dispatcher, desk.library.messages, read, titles, desk.leases)
        running: dict[str, Running] = {}
        for row in rows:
            running[row.name] = await clients.enter_async_context(row.start(settings, house))
            say(f"{row.name}: {running[row.name].says}")
        watch = await _watch(settings, desk, running, clients)
        jobs = Jobs(desk, {name: one.chat for name, one in running.items()}, watch.jobs if watch else ())
        jobs.start()
        code = await _until(told, running)
        # In this order nothing that was taken in is dropped: what is not finished in time stays owed.
        dispatcher.shut()
        jobs.stop()
        if watch:
            await watch.release()
        await dispatcher.close(within=FINISH)
        return code


async def _watch(
    settings: Settings, desk: Desk, running: Mapping[str, Running], clients: AsyncExitStack
) -> Watch | None:
    """Watch for the platforms that can announce; None where there are none."""
    channels = {name: one.channels for name, one in running.items() if isinstance(one, Announces)}
    mute = {one.platform for one in settings.subscriptions} - channels.keys()
    if mute:
        _log.error("subscriptions of platforms that cannot announce here", platforms=sorted(mute))
    if not channels or desk.pages is None:
        return None
    watch = open_watch(settings, desk.library, desk.pages, channels, clients)
    await watch.declare(settings, settings.status.page_id or desk.library.services.page.id)
    return watch


def _signals() -> asyncio.Event:
    """Return what is set when the process is told to stop; a second signal is not waited for."""
    loop, told = asyncio.get_running_loop(), asyncio.Event()

    def stop() -> None:
        told.set()
        for number in _SIGNALS:
            loop.remove_signal_handler(number)

    for number in _SIGNALS:
        loop.add_signal_handler(number, stop)
    return told


async def _until(told: asyncio.Event, running: Mapping[str, Running]) -> int:
    """Wait for a signal (0), or until the last platform cannot go on (1)."""
    signalled = asyncio.create_task(told.wait())
    ends = {asyncio.create_task(one.ended()): name for name, one in running.items()}
    try:
        while ends:
            await asyncio.wait({signalled, *ends}, return_when=asyncio.FIRST_COMPLETED)
            if signalled.done():
                return 0
            for end in [end for end in ends if end.done()]:
                _log.error("platform ended", platform=ends.pop(end), error=end.result())
        return 1
    finally:
        for task in (signalled, *ends):
            task.cancel()
        await asyncio.gather(signalled, *ends, return_exceptions=True)
