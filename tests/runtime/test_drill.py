"""`redial drill --channel`: an invented outage in real channels, killed in the middle, and nothing of it left."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.adapters.store.embedded import stop_embedded
from tests.adapters.slack.office import seen
from tests.adapters.slack.web import APP, BOT, slack
from tests.fakes.discord import discord_page, said
from tests.runtime.redial import Redial

DEADLINE = 90.0
TOKEN = "a-token-of-a-page"  # noqa: S105 - it opens nothing
MARK = "This is a drill. Nothing is wrong."


@dataclass
class Room:
    """A channel of a platform: how `redial drill` is told of it, and what people see in it now."""

    redial: Redial
    target: str
    texts: Callable[[], Awaitable[list[str]]]

    def drills(self, *more: str) -> subprocess.Popen[str]:
        return self.redial.start("drill", "--channel", self.target, "--pause", "0", *more)

    async def until(self, true: Callable[[list[str]], object]) -> list[str]:
        """Wait until people see this."""
        async with asyncio.timeout(DEADLINE):
            while not true(found := await self.texts()):  # noqa: ASYNC110 - it happens in another process
                await asyncio.sleep(0.05)
        return found


@pytest.fixture(params=["slack", "discord"])
async def room(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Room]:
    quick = {f"REDIAL_{request.param.upper()}__CHANNEL_SECONDS": "0.2"}
    if request.param == "slack":
        async with slack() as one:
            channel = await one.channel("drill")
            env = {"SLACK_BOT_TOKEN": BOT, "SLACK_APP_TOKEN": APP, "REDIAL_SLACK__API_URL": one.api, **quick}

            async def texts() -> list[str]:
                return [seen(message).text for message in await one.messages(channel)]

            redial = Redial(tmp_path, env)
            yield Room(redial, f"slack:T000000001/{channel}", texts)
    else:
        async with discord_page() as page:
            page.token = TOKEN
            guild = page.guild("drill")
            number = guild["drill"].id
            env = {"DISCORD_TOKEN": TOKEN, "DISCORD_AT": page.address, **quick}
            env["PYTHONPATH"] = str(Path(__file__).parents[2])

            async def texts() -> list[str]:
                threads = [c.id for c in page.backend.channels.values() if getattr(c, "parent_id", None) == number]
                found = [said(message) for place in (number, *threads) for message in page.ours(place)]
                # Discord itself says that a thread was begun.
                return [text for text in found if text]

            redial = Redial(tmp_path, env, "tests.fakes.run_discord")
            yield Room(redial, f"discord:1/{number}", texts)
    stop_embedded(redial.data)


async def test_a_drill_is_seen_marked_as_one_and_cleans_up_after_itself(room: Room) -> None:
    process = room.drills("--stay", "3")
    found = await room.until(lambda texts: len(texts) >= 5 and any("Over:" in text for text in texts))
    assert [text for text in found if MARK not in text] == []
    assert not any("official" in text.casefold() for text in found)
    out, err = await asyncio.to_thread(process.communicate, timeout=DEADLINE)
    assert process.returncode == 0, err
    assert "took away" in out
    assert await room.texts() == []


async def test_what_a_killed_drill_left_is_taken_away_by_the_next(room: Room) -> None:
    process = room.drills("--stay", "60")
    await room.until(lambda texts: len(texts) >= 2)
    process.kill()
    await asyncio.to_thread(process.communicate)
    assert await room.texts()
    again = room.drills("--stay", "0")
    out, err = await asyncio.to_thread(again.communicate, timeout=DEADLINE)
    assert again.returncode == 0, err
    assert "of a drill that was broken off" in out
    assert await room.texts() == []


@pytest.mark.parametrize(
    ("target", "says"),
    [("slack:T1/C1", "slack is not configured"), ("somewhere", "is no channel"), ("slack:T1/C1/x", "is no channel")],
)
def test_a_channel_that_is_none_is_said_to_be_none(redial: Redial, target: str, says: str) -> None:
    assert says in redial.run("drill", "--channel", target, code=2).stderr
