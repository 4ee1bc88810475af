"""One incident from beginning to end on a page, through two real processes, into a channel of Slack and one of Discord.

Both are killed in the middle, while a reply is on its way; and everything is there once.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

from tests.adapters.slack.office import seen
from tests.adapters.slack.web import Fault
from tests.fakes.discord import said as words_of
from tests.machine import until
from tests.scenarios.announcing import CODE, OLD, made, page_of, said
from tests.soak.world import World, world


async def test_an_incident_reaches_slack_and_discord_to_its_green_end_although_both_processes_are_killed(
    tmp_path: Path,
) -> None:
    async with world(tmp_path, seed=1, channels=1) as here:
        day = made("bad", at=time.time() - 60, impact="major", name="Errors for everybody")
        day["components"] = [{"id": CODE, "name": "Claude Code", "status": "partial_outage"}]
        publish(here, day)
        await until(lambda: shows(here, "Errors for everybody", "open since"), "the post in both channels")
        here.slack.plan("chat.postMessage", Fault(status=200, carried=True, after=1.0))
        says(day, "identified", "The cause is known.")
        publish(here, day)
        calls = len(here.slack.calls)
        await until(lambda: asked(here, calls, "chat.postMessage"), "a reply on its way")
        for replica in here.replicas:
            await asyncio.to_thread(replica.kill)
        says(day, "monitoring", "A fix is in place.")
        publish(here, day)
        for replica in here.replicas:
            replica.again()
        await until(lambda: shows(here, "The cause is known.", "A fix is in place."), "both updates in both channels")
        says(day, "resolved", "All is well.")
        publish(here, day)
        await until(lambda: shows(here, "Over: Errors for everybody", "All is well."), "the end in both channels")
        for post, replies in await told(here):
            assert "Over: Errors for everybody" in post
            assert "Claude Code" in post
            below = "\n".join(replies)
            for words in ("The cause is known.", "A fix is in place.", "All is well."):
                assert below.count(words) == 1, (words, replies)
            assert "First words of bad." not in below, "that was told by the post"


def publish(here: World, incident: dict[str, Any]) -> None:
    here.page.says(page_of(incident, *OLD), "summary_all_operational.json")


def says(incident: dict[str, Any], status: str, body: str) -> None:
    update = said(f"u-{status}", status, body, time.time())
    incident["incident_updates"].insert(0, update)
    incident["status"] = status
    if status == "resolved":
        incident["resolved_at"] = update["created_at"]


async def told(here: World) -> list[tuple[str, list[str]]]:
    """The one post of each channel, and what stands below it."""
    (slack,), (discord,) = here.slack_channels, here.discord_channels
    ours = [one for one in await here.slack.messages(slack) if one["user"] == here.slack.users["redial"]]
    roots = [one for one in ours if one.get("thread_ts") in {None, one["ts"]}]
    posts = [one for one in here.discord.ours(discord) if one.components]
    assert max(len(roots), len(posts)) <= 1, "nothing is posted twice"
    found = [(seen(root).text, [seen(one).text for one in ours if one is not root]) for root in roots]
    for post in posts:
        replies = [words_of(one) for one in here.discord.ours(post.id) if one.components]
        found.append((words_of(post), replies))
    return found


async def shows(here: World, *words: str) -> bool:
    """Say whether people in both channels read all of this now."""
    found = await told(here)
    return len(found) == 2 and all(word in "\n".join((post, *replies)) for word in words for post, replies in found)


async def asked(here: World, since: int, method: str) -> bool:
    return any(call.method == method for call in here.slack.calls[since:])
