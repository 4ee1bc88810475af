"""Two processes in one workspace: Slack gives each payload to either of them, and people notice nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.adapters.slack.office import Office, office, replica, seen
from tests.adapters.slack.web import Fault

CUT_OFF = "API Error: Connection closed mid-response. The response above may be incomplete."
TOOLS = "Editing files, running commands or using tools"
NOTED = "Noted, and kept for the hand-off"


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[tuple[Office, Office]]:
    async with (
        office(tmp_path / "data") as first,
        replica(first.slack, first.channels, tmp_path / "data") as second,
    ):
        yield first, second


async def opened(by: Office) -> str:
    """Ann's conversation in a thread of the triage channel."""
    triage = by.channels["triage"]
    return await by.wrote("ann", f"<@{by.me}> {CUT_OFF}", channel=triage, kind="app_mention")


async def says(by: Office, user: str, text: str, thread: str) -> int:
    """Write in the thread, which one of them hears; return how many messages of Redial's are there then."""
    triage = by.channels["triage"]
    await by.wrote(user, text, channel=triage, thread=thread)
    return len(await by.ours(triage))


async def press(by: Office, user: str, label: str) -> None:
    last = (await by.ours(by.channels["triage"]))[-1]
    container = {
        "message_ts": last["ts"],
        "channel_id": last["channel"],
        "thread_ts": last.get("thread_ts", last["ts"]),
    }
    await by.pressed(user, label, last["blocks"], container)


async def test_talk_that_another_process_heard_is_left_alone(both: tuple[Office, Office]) -> None:
    first, second = both
    thread = await opened(first)
    assert await says(second, "bob", "did you try the other laptop", thread) == 1
    assert await says(first, "ann", "not yet, lunch first", thread) == 1
    assert await says(second, "ann", "after lunch maybe", thread) == 1
    assert await says(first, "ann", TOOLS, thread) == 2, "an answer is one, whoever has spoken"


async def test_what_another_process_posted_since_ends_the_talk(both: tuple[Office, Office]) -> None:
    first, second = both
    thread = await opened(first)
    await says(first, "bob", "did you try the other laptop", thread)
    await press(second, "ann", TOOLS)
    assert await says(first, "ann", "the build was at 90 percent", thread) == 3
    assert NOTED in seen((await first.ours(first.channels["triage"]))[-1]).text


async def test_while_slack_does_not_tell_people_are_answered(both: tuple[Office, Office]) -> None:
    first, second = both
    thread = await opened(first)
    await says(second, "bob", "did you try the other laptop", thread)
    first.slack.plan("conversations.replies", Fault(status=429, headers={"Retry-After": "30"}))
    assert await says(first, "ann", "the build was at 90 percent", thread) == 2


async def test_slack_is_asked_about_nothing_that_answers(both: tuple[Office, Office]) -> None:
    first, _ = both
    thread = await opened(first)
    before = len(first.slack.calls)
    await says(first, "ann", TOOLS, thread)
    assert "conversations.replies" not in [call.method for call in first.slack.calls[before:]]
