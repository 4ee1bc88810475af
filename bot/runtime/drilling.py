"""`redial drill --channel`: the invented outage in a real channel, seen by who is there, and taken away again."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from bot.core.errors import SettingsError
from bot.core.status.subscription import Place
from bot.ports.pages import Lease
from bot.runtime.loading import load
from bot.runtime.platforms import PLATFORMS, Platform
from bot.runtime.replaying import names_of
from bot.runtime.settings import Settings
from bot.runtime.watching import budgets
from bot.runtime.wiring import desk
from handlers.announce import Office
from handlers.drill import cleaned_up, drill, page_of
from handlers.pacing import Pacer

HELD = 10.0
"""Seconds for which a drill keeps others out of its channel without a sign of life."""
_CHANNEL = re.compile(r"(slack|discord):(?:([A-Za-z0-9]+)/)?([A-Za-z0-9]+)")


async def drilled_into(
    settings: Settings,
    target: str,
    say: Callable[[str], None],
    *,
    pause: float,
    stay: float,
    platforms: Sequence[Platform] = PLATFORMS,
) -> None:
    """Play the drill there and clean up, also when it is broken off; what a killed one left goes first.

    Raises `SettingsError` for a channel that is none, or where a drill is under way, and what a platform raises.
    """
    place = _place(target)
    async with _office(settings, place, platforms) as office:
        page = page_of(place)
        async with _alone(office, page, target):
            if left := await cleaned_up(office, place, page):
                say(f"took away {left} messages of a drill that was broken off")
            try:
                async for walked in drill(office, place, time.time, page=page, pause=pause):
                    say(f"{walked.acts} messages sent or edited in {target}")
                say(f"over; its messages go in {stay:.0f} s")
                await asyncio.sleep(stay)
            finally:
                say(f"took away {await cleaned_up(office, place, page)} messages")


@asynccontextmanager
async def _alone(office: Office, page: str, target: str) -> AsyncIterator[None]:
    """Keep other drills out of a channel; one that was killed is waited for."""

    async def take() -> Lease | None:
        return await office.pages.lease(page, "drill", office.replica, HELD)

    async def hold() -> None:
        while True:
            await asyncio.sleep(HELD / 3)
            await take()

    deadline = time.monotonic() + 1.5 * HELD
    while (lease := await take()) is None:
        if time.monotonic() > deadline:
            raise SettingsError(f"a drill is under way in {target}")
        await asyncio.sleep(HELD / 10)
    holding = asyncio.create_task(hold())
    try:
        yield
    finally:
        holding.cancel()
        await office.pages.release(lease)


@asynccontextmanager
async def _office(settings: Settings, place: Place, platforms: Sequence[Platform]) -> AsyncIterator[Office]:
    row = next((row for row in platforms if row.name == place.platform and row.configured(settings)), None)
    if row is None or row.sending is None:
        raise SettingsError(f"{place.platform} is not configured: `redial doctor` says what is missing")
    content = load(settings.content_dirs, locale=settings.locale)
    async with desk(settings, content) as here, row.sending(settings, content.library.messages) as channels:
        if here.pages is None:
            raise SettingsError("this store keeps no pages")
        names = names_of(content, drill=True)
        pacers = {place.platform: Pacer(budgets(settings)[place.platform])}
        yield Office(here.pages, {place.platform: channels}, lambda _: names, pacers)


def _place(target: str) -> Place:
    found = _CHANNEL.fullmatch(target)
    if found is None:
        raise SettingsError(f"{target!r} is no channel: slack:TEAM/CHANNEL or discord:SERVER/CHANNEL, by their ids")
    return Place(found[1], found[2] or "", found[3])
