"""One replica as a process of its own: reads the page and announces until it is killed.

The bounds are seconds where they are half a minute in earnest, or a test of many deaths would take hours.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import suppress
from pathlib import Path

import structlog

from bot.adapters.store.clients import open_server
from bot.adapters.store.pages import RedisPages
from bot.core.bounds import Bounds
from bot.core.errors import RedialError
from bot.core.status.announcement_view import Names
from bot.runtime.loading import load
from handlers.announce import Announcer, Office
from handlers.watch import Watcher
from tests.fakes.wire import CLAUDE, WireChannels

# Edits are damped by the hour, and this is minutes of what would be weeks.
QUICK = Bounds(sent=0.3, unknown=0.6, turn=0.4, edits=10**6)


async def live(url: str, port: int) -> None:
    """Work for ever."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    library, channels = load().library, WireChannels(port)
    names = Names(library.messages, library.services.components)
    pages = RedisPages(await open_server(url, Path("unused")))
    office = Office(pages, {"wire": channels}, lambda _: names, bounds=QUICK)
    watcher, announcer = Watcher(office, {CLAUDE: channels}), Announcer(office)
    while True:
        with suppress(RedialError, OSError):
            await watcher.poll(CLAUDE, channels)
            await announcer.walk(CLAUDE, "wire")
        await asyncio.sleep(0.02)


if __name__ == "__main__":
    asyncio.run(live(sys.argv[1], int(sys.argv[2])))
