"""The composition root: the only place that knows which adapter stands behind which port."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import structlog

from bot.adapters.statuspage.settings import PageSettings
from bot.core.bounds import BOUNDS, Bounds
from bot.core.errors import StoreError
from bot.core.services import Page
from bot.ports.meters import UNMETERED, Meters
from bot.ports.status import StatusSource
from bot.runtime.content import Content
from bot.runtime.loading import load
from bot.runtime.pages import watched
from bot.runtime.settings import Settings
from handlers.desk import Desk

if TYPE_CHECKING:
    from bot.adapters.store.server import Server
    from bot.ports.leases import Leases
    from bot.ports.pages import PageStore
    from handlers.room import Lookout


_log = structlog.get_logger(__name__)

LAST = 1.0
"""Seconds for the last writes of a process."""


@asynccontextmanager
async def desk(
    settings: Settings,
    content: Content | None = None,
    meters: Meters = UNMETERED,
    *,
    counting: bool = False,
    announcing: bool = True,
    bounds: Bounds = BOUNDS,
) -> AsyncIterator[Desk]:
    """Put a desk together and take it down again; raises SettingsError, ContentError or StoreUnavailable.

    counting: reports of several people are counted, which takes more than one person. announcing: channels can hear of
    pages, and work is shared with other processes.
    """
    # Imported late: most sub-commands need neither store nor page.
    from bot.adapters.store import connect  # noqa: PLC0415
    from bot.adapters.store.tallies import RedisTallies  # noqa: PLC0415

    content = content or load(settings.content_dirs, locale=settings.locale)
    url = settings.redis_url.get_secret_value() if settings.redis_url else None
    store = await connect(url, settings.data_dir, days=settings.conversations.keep_days)
    store.server.meters = meters
    tallies = RedisTallies(store.server)
    lookout = _lookout(settings, store.server) if counting else None
    leases, pages = _shared(store.server) if announcing else (None, None)
    try:
        source = status_source(settings, content.library.services.page)
        try:
            yield Desk(
                library=content.library,
                recogniser=content.recogniser(),
                store=store,
                status=source,
                clock=time.time,
                managed=settings.devices == "managed",
                rooms={"slack": settings.slack.rooms, "discord": settings.discord.rooms},
                leases=leases,
                pages=pages,
                watched={page.id: page.name for page in watched(settings, content.library.services.page)},
                pace=settings.conversations.pace,
                tallies=tallies,
                meters=meters,
                lookout=lookout,
                bounds=bounds,
            )
        finally:
            await source.close()
            await _written(store.flush, tallies.flush, *([lookout.rooms.flush] if lookout else ()))
    finally:
        await store.close()


async def _written(*flushes: Callable[[], Awaitable[None]]) -> None:
    """Write what is still in memory; a store that does not answer is not waited for, as the process has to end."""
    writing = [asyncio.create_task(_flushed(flush)) for flush in flushes]
    _, pending = await asyncio.wait(writing, timeout=LAST)
    for task in pending:
        task.cancel()


async def _flushed(flush: Callable[[], Awaitable[None]]) -> None:
    try:
        await flush()
    except StoreError as error:
        _log.warning("not written at the end", error=str(error))


def _shared(server: Server) -> tuple[Leases, PageStore]:
    from bot.adapters.store.leases import RedisLeases  # noqa: PLC0415 - a terminal shares nothing
    from bot.adapters.store.pages import RedisPages  # noqa: PLC0415 - the same

    return RedisLeases(server), RedisPages(server)


def _lookout(settings: Settings, server: Server) -> Lookout:
    from bot.adapters.store.rooms import RedisRooms  # noqa: PLC0415 - only where somebody counts
    from bot.core.triage.room import Sensor  # noqa: PLC0415 - the same
    from handlers.room import Lookout  # noqa: PLC0415 - the same

    sensor = Sensor(settings.room.people, settings.room.minutes)
    return Lookout(RedisRooms(server, sensor.window), sensor)


def status_source(settings: Settings, page: Page, *, patience: float = 2.0) -> StatusSource:
    """Return the reader of the official page; `patience`: seconds somebody waits for a reading."""
    from bot.adapters.statuspage.client import StatusPage  # noqa: PLC0415 - loads an HTTP client

    return StatusPage(
        PageSettings(
            page_id=settings.status.page_id or page.id,
            hosts=settings.status.hosts or page.hosts,
            redirect_hosts=page.redirects,
            patience=patience,
        )
    )
