"""The store is emptied under two real processes while an incident is open: no post comes twice, and none stays red."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

from tests.adapters.slack.office import seen
from tests.machine import until
from tests.scenarios.announcing import made
from tests.soak.test_bad_day import publish, says, shows, told
from tests.soak.world import TEAM, World, world


async def test_an_emptied_redis_costs_no_message_and_operators_are_told(tmp_path: Path) -> None:
    async with world(tmp_path, seed=2, channels=1) as here:
        operators = await here.slack.channel("operators")
        for replica in here.replicas:
            place = {"platform": "slack", "workspace": TEAM, "channel": operators}
            replica.redial.env["REDIAL_OPERATORS"] = json.dumps([place])
            await asyncio.to_thread(replica.again)
        await until(here.ready, "both are ready again")
        day = made("bad", at=time.time() - 60, impact="major", name="Errors for everybody")
        publish(here, day)
        await until(lambda: shows(here, "Errors for everybody", "open since"), "the post in both channels")
        before = posts(await told(here))
        with here.redis.admin as admin:
            admin.flushall()
        says(day, "identified", "The cause is known.")
        publish(here, day)
        await until(lambda: shows(here, "The cause is known."), "the update in both channels")
        await until(lambda: heard(here, operators, "My store was emptied"), "operators hear of it")
        says(day, "resolved", "All is well.")
        publish(here, day)
        await until(lambda: shows(here, "Over: Errors for everybody", "All is well."), "the end in both channels")
        assert len(before) == len(posts(await told(here))) == 2, "no post twice"


def posts(found: list[tuple[str, list[str]]]) -> list[str]:
    return [post for post, _ in found]


async def heard(here: World, channel: str, words: str) -> bool:
    found = await here.slack.messages(channel)
    return any(words in seen(message).text for message in found)
