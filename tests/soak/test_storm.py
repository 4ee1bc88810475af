"""500 people report the same within ten minutes, to two processes, on platforms that count how often they are asked.

A minute lasts four seconds here, for people as well as for the limits.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from pathlib import Path
from urllib.parse import urlencode

from tests.adapters.slack.office import signed
from tests.contract.test_chat import CUT_OFF
from tests.fakes.discord import said as words_of
from tests.fakes.limits import Limits
from tests.machine import until
from tests.scenarios.announcing import CODE, OLD, made, page_of
from tests.soak.world import TEAM, World, world

SPEED = 15.0
PEOPLE, LASTS = 500, 600.0 / SPEED
NOT_YOU = "It is probably not you"


async def test_five_hundred_reports_in_ten_minutes_make_one_thread_and_ask_no_platform_too_often(
    tmp_path: Path,
) -> None:
    async with world(tmp_path, seed=5, channels=1) as here:
        day = made("bad", at=time.time() - 60, impact="major", name="Errors for everybody")
        day["components"] = [{"id": CODE, "name": "Claude Code", "status": "partial_outage"}]
        here.page.says(page_of(day, *OLD), "summary_all_operational.json")
        await until(lambda: known(here), "both processes know of the incident")
        here.slack.limits, here.discord.limits = Limits(SPEED), Limits(SPEED)
        people = [here.discord.person(f"p{n}") for n in range(PEOPLE)]
        await asyncio.gather(*(report(here, n, user) for n, user in enumerate(people)))
        await until(lambda: answered(here), "everybody has an answer")
        assert here.slack.limits.refused == []
        # A window of five seconds lasts a third of one here: on a slow machine discord.py learns of its end a moment
        # too late, waits, and asks again. At the speed of people nothing of that is left.
        assert len(here.discord.limits.refused) <= PEOPLE // 100
        channel, discord = here.triage
        calls = [call for call in here.slack.calls if call.body.get("channel") == channel]
        posts = [call.body for call in calls if call.method == "chat.postMessage"]
        assert len(posts) <= 2, "the one for all, and the first word below it"
        assert len({body["thread_ts"] for body in posts if "thread_ts" in body}) <= 1
        assert len([one for one in here.discord.threads() if one in here.discord.backend.messages[discord]]) <= 1
        lines = [words_of(one) for one in here.discord.ours(discord) if not one.is_ephemeral]
        assert sum(NOT_YOU in line for line in lines) == PEOPLE // 2, "who typed a command is answered alone"


def test_who_asks_too_often_is_refused_as_the_platforms_do() -> None:
    limits = Limits()
    assert [bool(limits.slack("chat.postEphemeral", "C1")) for _ in range(101)] == [*[False] * 100, True]
    assert [bool(limits.slack("chat.postMessage", "C2")) for _ in range(4)] == [False, False, False, True]
    posts = [limits.discord("POST", "/channels/7/messages") for _ in range(6)]
    assert [bool(wait) for _, wait in posts] == [*[False] * 5, True]
    assert [headers["X-RateLimit-Remaining"] for headers, _ in posts] == ["4", "3", "2", "1", "0", "0"]
    assert limits.discord("POST", "/channels/8/messages")[1] == 0
    every = [limits.discord("GET", "/users/@me")[1] for _ in range(50)]
    assert any(every), "fifty a second, all together"
    assert limits.discord("POST", "/interactions/1/t/callback")[1] == 0
    assert len(limits.refused) > 3


async def report(here: World, n: int, user: int) -> None:
    """Say it on both platforms, at a moment of one's own: every other person in a mention, the rest by command."""
    chance = random.Random(n)  # noqa: S311 - to be repeated
    await asyncio.sleep(chance.uniform(0.0, LASTS))
    channel, place = here.triage
    if n % 2:
        here.discord.slash(user, place, "triage", text=CUT_OFF)
        await command(here, n, channel)
        return
    here.discord.write(user, place, f"<@{here.discord.backend.bot_user.id}> {CUT_OFF}")
    ts, me = f"{time.time():.6f}", here.slack.users["redial"]
    await here.event(type="app_mention", user=f"U0P{n}", text=f"<@{me}> {CUT_OFF}", ts=ts, channel=channel)


async def command(here: World, n: int, channel: str, text: str = CUT_OFF) -> None:
    """Type a command in Slack, which takes it to either process."""
    body = urlencode({
        "token": "t", "team_id": TEAM, "team_domain": "support", "channel_id": channel, "channel_name": "x",
        "user_id": f"U0P{n}", "user_name": "x", "command": "/redial", "text": text, "api_app_id": "A1",
        "response_url": f"{here.slack.url}/respond?{n}", "trigger_id": f"1.{time.time_ns()}",
    })  # fmt: skip
    url = f"http://127.0.0.1:{here.replicas[n % 4 // 2].port}/slack/events"
    async with here.http.post(url, data=body, headers=signed(body)) as answer:
        assert answer.status == 200


async def known(here: World) -> bool:
    """Say whether both processes have read of it: from then on every report is covered."""
    before = len(responses(here))
    for n in range(2):
        await command(here, 2 * n, here.triage[0], "status")
    async with asyncio.timeout(20):
        while len(responses(here)) < before + 2:  # noqa: ASYNC110 - it is answered by other processes
            await asyncio.sleep(0.05)
    return all("Errors for everybody" in said for said in responses(here)[before:])


def responses(here: World) -> list[str]:
    return [json.dumps(call.body) for call in here.slack.calls if call.method == "respond"]


async def answered(here: World) -> bool:
    told = [call for call in here.slack.calls if call.method in {"chat.postEphemeral", "respond"}]
    mine = [call for call in told if NOT_YOU in json.dumps(call.body)]
    private = [
        one for one in here.discord.backend.messages.get(here.triage[1], {}).values() if NOT_YOU in words_of(one)
    ]
    return len(mine) >= PEOPLE and len(private) >= PEOPLE
