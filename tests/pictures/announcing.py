"""What a channel sees of a bad day: real adapters, told by the real announcer of a page that says what it said."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from bot.adapters.discord.channels import DiscordChannels
from bot.core.status.subscription import Place, Subscription
from bot.ports.announcing import Channels
from tests.adapters.discord.town import town
from tests.adapters.slack.office import office
from tests.pictures.discord import drawn as discord_drawn
from tests.pictures.discord import seen as discord_seen
from tests.pictures.slack import drawn as slack_drawn
from tests.pictures.slack import shown
from tests.scenarios.announcing import (
    CLAUDE,
    CLAUDE_AI,
    CODE,
    DAY,
    MINUTE,
    OLD,
    Town,
    document,
    made,
    page_of,
    said,
    stamp,
)

LIFE = ("life_1_investigating", "life_2_identified", "life_3_monitoring", "life_6_resolved")
Look = Callable[[], Awaitable[list[Any]]]


async def in_slack() -> tuple[str, int]:
    """While it is open; when it is over; planned work, what ended while nobody watched, and a drill."""
    async with office(Path(tempfile.mkdtemp())) as one:
        channel = one.channels["other"]

        async def look() -> list[Any]:
            return [shown(message["blocks"]) for message in await one.ours(channel)]

        return slack_drawn(await _days(one.running.channels, Place("slack", "T000000001", channel), look))


async def on_discord() -> tuple[str, int]:
    """The same."""
    with tempfile.TemporaryDirectory() as folder:
        async with town(Path(folder, "data")) as there:
            channels = DiscordChannels(lambda: there.client.station.wire, there.desk.library.messages)
            place = Place("discord", str(there.guild.id), str(there.channels["other"].id))

            async def look() -> list[Any]:
                return discord_seen(there)

            return discord_drawn(await _days(channels, place, look))


async def _days(channels: Channels, place: Place, look: Look) -> list[list[Any]]:
    here = await Town.build({place.platform: channels})
    await here.pages.subscribe(await here.pages.page(CLAUDE), Subscription(place, CLAUDE, 1))
    await _tells(here, place, page_of(*OLD))
    columns = []
    for name in LIFE[:2]:
        await _tells(here, place, page_of(*document(f"{name}.json")["incidents"], *OLD), after=9 * MINUTE)
    columns.append(await look())
    for name in LIFE[2:]:
        await _tells(here, place, page_of(*document(f"{name}.json")["incidents"], *OLD), after=30 * MINUTE)
    columns.append(await look())
    before = len(columns[-1])
    await _maintained(here, place)
    await _tells(here, place, page_of(*_missed(here.clock.now + 3 * DAY), *OLD), after=3 * DAY)
    return [*columns, (await look())[before:]]


async def _maintained(here: Town, place: Place) -> None:
    for name in ("maintenance_1_scheduled", "maintenance_2_in_progress", "maintenance_4_completed"):
        listed = page_of(*document("life_6_resolved.json")["incidents"], *OLD)
        await here.reads(listed, maintenances=f"{name}.json")
        await _told(here, place)


def _missed(at: float) -> list[dict[str, Any]]:
    """What began and ended while nobody could look."""
    found = []
    for n, (name, impact, part) in enumerate(
        (("claude.ai would not load for some", "major", CLAUDE_AI), ("Slow answers in Claude Code", "minor", CODE)), 1
    ):
        began, ended = at - n * DAY, at - n * DAY + 47 * MINUTE
        one = made(f"missed{n}", "resolved", began, name=name, impact=impact, components=[{"id": part, "name": part}])
        one["incident_updates"] = [said(f"missed{n}u", "resolved", "This incident has been resolved.", ended)]
        found.append({**one, "resolved_at": stamp(ended)})
    return found


async def _tells(here: Town, place: Place, listed: Any, *, after: float = MINUTE) -> None:  # noqa: ANN401 - decoded JSON
    await here.reads(listed, after=after)
    await _told(here, place)


async def _told(here: Town, place: Place) -> None:
    assert (await here.announces(place.platform)).left == 0


SCENES = {"announced-slack": in_slack, "announced-discord": on_discord}
"""Pictures by the name of their file."""
