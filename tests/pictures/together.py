"""What a channel sees while many report the same: the room before the page, an incident and a report in it, the end."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.core.triage.room import signal
from tests.contract.bench_discord import DiscordBench
from tests.contract.bench_slack import SlackBench
from tests.pictures.discord import drawn as discord_drawn
from tests.pictures.discord import seen
from tests.pictures.slack import drawn as slack_drawn
from tests.pictures.slack import shown
from tests.scenarios.crowd import Crowd, discord_crowd, slack_crowd

WEB = "claude.ai in firefox says Connection lost. Retrying... since ten minutes"
ABOUT = re.compile("people here|an open incident|for everybody|It's over")
Look = Callable[[], Awaitable[list[Any]]]


async def in_slack() -> tuple[str, int]:
    """Drawn with Slack's own Block Kit."""
    with tempfile.TemporaryDirectory() as folder:
        async with slack_crowd(Path(folder, "data")) as crowd:
            bench = crowd.bench
            assert isinstance(bench, SlackBench)
            office, channel = bench.office, bench.channel("triage")

            async def look() -> list[Any]:
                return [shown(one["blocks"]) for one in await office.ours(channel) if ABOUT.search(str(one["text"]))]

            async def told() -> list[Any]:
                return [shown(office.slack.told[-1][1]["blocks"])]

            return slack_drawn(await _story(crowd, look, told))


async def on_discord() -> tuple[str, int]:
    """Drawn from the components Discord was sent."""
    with tempfile.TemporaryDirectory() as folder:
        async with discord_crowd(Path(folder, "data")) as crowd:
            bench = crowd.bench
            assert isinstance(bench, DiscordBench)
            town = bench.town

            async def look() -> list[Any]:
                return [one for one in seen(town) if ABOUT.search(str(one))]

            async def told() -> list[Any]:
                return []

            return discord_drawn(await _story(crowd, look, told))


async def _story(crowd: Crowd, look: Look, told: Look) -> list[list[Any]]:
    for n in range(4):
        who = await crowd.mention(WEB)
        origin = crowd.bench.origin(who)
        (mine,) = await crowd.desk.store.of(origin)
        later = replace(mine, facts={**mine.facts, "place": "home" if n == 0 else "company"})
        crowd.lookout.rooms.report(origin, signal(crowd.desk.library, later))
    await crowd.looks()
    columns = [await look()]
    crowd.reads("incident")
    await crowd.looks()
    await crowd.mention(WEB, user="ann")
    columns.append([*(await look()), *(await told())])
    crowd.reads("over")
    await crowd.looks()
    await crowd.looks()
    return [*columns, [one for one in await look() if "It's over" in str(one)]]


SCENES = {"together-slack": in_slack, "together-discord": on_discord}
"""Pictures by the name of their file."""
