"""`redial run` on a machine of its own: Slack, Discord and the page are servers of this one, minutes are seconds.

The bounds stand where they are half a minute in earnest, or a test of many deaths would take hours. Their order is
kept: a request ends before it counts as unknown, and a turn outlives the work it is for.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from bot.adapters.discord.gateway import Access, Turns, start
from bot.core.bounds import Bounds
from bot.ports.platform import House, Running
from bot.runtime.logs import lines
from bot.runtime.platforms import PLATFORMS
from bot.runtime.rhythm import Rhythm
from bot.runtime.running import run
from bot.runtime.settings import Settings, load_settings
from tests.fakes.elsewhere import discord_at

RHYTHM = Rhythm(
    written=0.5, owed=1.0, page=1.0, channels=0.5, forgotten=2.0,
    bounds=Bounds(sent=3.0, unknown=4.0, turn=3.0, owed=4.0, edits=10**6),
)  # fmt: skip


def discord(settings: Settings, house: House) -> AbstractAsyncContextManager[Running]:
    """Start Discord, whose gateway changes hands sooner."""
    assert settings.discord_token
    access = Access(settings.discord_token.get_secret_value(), settings.discord.rooms)
    return start(access, house, Turns(held=4.0, renewed=1.0))


def main() -> int:
    """Run until a signal comes."""
    lines()
    read = load_settings()
    # Sooner than a page may be asked in earnest.
    settings = read.model_copy(update={"status": read.status.model_copy(update={"interval": 1.5})})
    rows = [replace(row, start=discord) if row.name == "discord" else row for row in PLATFORMS]
    with discord_at(os.environ["DISCORD_AT"]):
        return asyncio.run(run(settings, print, rows, RHYTHM))


if __name__ == "__main__":
    sys.exit(main())
