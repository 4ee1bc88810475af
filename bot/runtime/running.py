"""`redial run`: every configured platform in one process, until it is told to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING

import structlog

from bot.core.errors import SettingsError, StoreError
from bot.core.status.subscription import Place
from bot.ports.announcing import Announces
from bot.ports.meters import UNMETERED, Meters
from bot.ports.platform import House, Running
from bot.runtime import logs
from bot.runtime.chart import Studio
from bot.runtime.collecting import go_on
from bot.runtime.dispatcher import Dispatcher
from bot.runtime.limits import Limits
from bot.runtime.operators import Operators
from bot.runtime.platforms import PLATFORMS, Platform
from bot.runtime.reloading import Reloader
from bot.runtime.rhythm import RHYTHM, Rhythm
from bot.runtime.scheduler import Job, Jobs
from bot.runtime.settings import Settings
from bot.runtime.stopping import Told, hung_up
from bot.runtime.watching import Watch, open_watch
from bot.runtime.wiring import desk as open_desk
from handlers.board import FRESH, StoredStatus
from handlers.channel import Suggested
from handlers.commands import read
from handlers.desk import Desk
from handlers.turns import handle

if TYPE_CHECKING:
    from bot.runtime.health import Health

_log = structlog.get_logger(__name__)


async def run(
    settings: Settings,
    say: Callable[[str], None],
    platforms: Sequence[Platform] = PLATFORMS,
    rhythm: Rhythm = RHYTHM,
) -> int:
    """Run until a signal comes, or no platform can go on; return the exit code.

    Raises `SettingsError` when nothing is configured, and whatever keeps a part from starting.
    """
    rows = [row for row in platforms if row.configured(settings)]
    if not rows:
        wants = "; ".join(f"{row.name}: {row.wants}" for row in platforms)
        raise SettingsError(f"nothing to run, set what one platform needs ({wants}); `redial chat` needs nothing")
    told = Told()
    try:
        async with told.limit:
            return await _run(settings, say, rows, told, rhythm)
    except TimeoutError:
        if not told.limit.expired():
            raise
        _log.warning("ended before everything was closed")
        return 0
    except asyncio.CancelledError:
        if not told.early:
            raise
        return 0


async def _run(
    settings: Settings, say: Callable[[str], None], rows: Sequence[Platform], told: Told, rhythm: Rhythm
) -> int:
    async with AsyncExitStack() as stack:
        health = await _health(settings, stack)
        meters: Meters = health.metrics if health else UNMETERED
        desk = await stack.enter_async_context(open_desk(settings, meters=meters, counting=True, bounds=rhythm.bounds))
        desk.studio = Studio()
        limits = Limits(settings.limits.person, settings.limits.channel)
        dispatcher = Dispatcher(partial(handle, desk), limits, meters)
        # For a start that fails or is broken off, while one platform is heard already.
        stack.push_async_callback(dispatcher.close, within=rhythm.bounds.finish)
        titles = {guide.id: guide.title for guide in desk.library.guides.values()}
        house = House(dispatcher, desk.library.messages, read, titles, desk.leases, desk.watched, Suggested(desk))
        running: dict[str, Running] = {}
        for row in rows:
            running[row.name] = await stack.enter_async_context(row.start(settings, house))
            say(f"{row.name}: {running[row.name].says}")
        watch = await _watch(settings, desk, running, stack, rhythm)
        reloader = Reloader(desk, titles, settings.content_dirs, settings.locale)
        more: list[tuple[Job, float]] = [*(watch.jobs if watch else ())]
        more += [(reloader.look, rhythm.content)] if settings.content_dirs else []
        more += _lookout(desk, running, rhythm)
        more += _operators(settings, desk, running, stack, rhythm)
        jobs = Jobs(desk, {name: one.chat for name, one in running.items()}, more, rhythm)
        jobs.start()
        stack.callback(jobs.stop)
        go_on()
        told.started()
        with hung_up(reloader.reload):
            if health:
                health.desk, health.running, health.trouble = desk, running, ""
            code = await _until(told, running)
        if health:
            health.trouble = "stopping"
        await _drained(dispatcher, jobs, watch, rhythm.bounds.finish)
        return code


def _lookout(desk: Desk, running: Mapping[str, Running], rhythm: Rhythm) -> list[tuple[Job, float]]:
    """Let the rooms be heard on the platforms whose channels can be told."""
    lookout = desk.lookout
    if lookout is None:
        return []
    lookout.channels = {name: one.channels for name, one in running.items() if isinstance(one, Announces)}

    async def room() -> None:
        await lookout.tick(desk)

    return [(room, rhythm.room)]


def _operators(
    settings: Settings, desk: Desk, running: Mapping[str, Running], stack: AsyncExitStack, rhythm: Rhythm
) -> list[tuple[Job, float]]:
    """Let operators hear in channels of theirs what the log says."""
    if not settings.operators:
        return []
    channels = {name: one.channels for name, one in running.items() if isinstance(one, Announces)}
    places = [Place(one.platform, one.workspace, one.channel) for one in settings.operators]
    operators = Operators(desk.library.messages, channels, places)
    logs.listen(operators.hear)
    stack.push_async_callback(operators.flush)
    return [(operators.flush, rhythm.operators)]


async def _health(settings: Settings, stack: AsyncExitStack) -> Health | None:
    """Serve probes and metrics, where they are asked for."""
    if not settings.health.port:
        return None
    from bot.runtime.health import Health, served  # noqa: PLC0415 - loads an HTTP server and Prometheus
    from bot.runtime.metrics import Prometheus  # noqa: PLC0415 - the same

    health = Health(Prometheus())
    address = await stack.enter_async_context(served(settings.health, health))
    logs.count(health.metrics.logged)
    _log.info("health", address=address)
    return health


async def _drained(dispatcher: Dispatcher, jobs: Jobs, watch: Watch | None, finish: float) -> None:
    """Stop in the order in which nothing that was taken in is dropped: what is not finished in time stays owed."""
    dispatcher.shut()
    jobs.stop()
    await asyncio.gather(dispatcher.close(within=finish), *([_released(watch)] if watch else ()))


async def _released(watch: Watch) -> None:
    try:
        await watch.release()
    except StoreError as error:
        # The turn runs out by itself, a little later.
        _log.warning("turns not given back", error=str(error))


async def _watch(
    settings: Settings, desk: Desk, running: Mapping[str, Running], clients: AsyncExitStack, rhythm: Rhythm
) -> Watch | None:
    """Watch for the platforms that can announce; None where there are none."""
    channels = {name: one.channels for name, one in running.items() if isinstance(one, Announces)}
    mute = {one.platform for one in settings.subscriptions} - channels.keys()
    if mute:
        _log.error("subscriptions of platforms that cannot announce here", platforms=sorted(mute))
    if not channels or desk.pages is None:
        return None
    opening = open_watch(settings, desk.library, desk.pages, channels, desk.meters, rhythm)
    watch = await clients.enter_async_context(opening)
    await watch.recall()
    await watch.declare()
    # The page is read by one process for all of them.
    page = settings.status.page_id or desk.library.services.page.id
    stored = StoredStatus(desk.pages, page, desk.status, fresh=max(FRESH, 2.0 * settings.status.interval))
    desk.status = stored
    watch.more.append((stored.refresh, rhythm.page))
    return watch


async def _until(told: Told, running: Mapping[str, Running]) -> int:
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
        told.ends()
        for task in (signalled, *ends):
            task.cancel()
        await asyncio.gather(signalled, *ends, return_exceptions=True)
