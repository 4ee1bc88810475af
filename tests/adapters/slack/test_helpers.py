"""Helpers in Slack: user groups asked for rarely, private words kept private, silence among people who talk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.triage.placement import Rooms
from tests.adapters.slack.office import office
from tests.adapters.slack.web import Fault
from tests.contract.bench_slack import SlackBench
from tests.contract.test_chat import CUT_OFF, TOOLS


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[SlackBench]:
    async with office(tmp_path / "data") as one:
        yield SlackBench(one)


def rooms(bench: SlackBench, **changes: object) -> None:
    before = bench.desk.rooms.get("slack", Rooms())
    bench.desk.rooms = {"slack": replace(before, **changes)}  # type: ignore[arg-type]


def asked(bench: SlackBench) -> int:
    return sum(call.method == "usergroups.users.list" for call in bench.office.slack.calls)


async def test_a_group_is_asked_for_once_in_minutes_and_only_about_strangers(bench: SlackBench) -> None:
    rooms(bench, helpers=frozenset({await bench.group("bob")}))
    await bench.mention("ann", CUT_OFF)
    await bench.press("ann", TOOLS)
    assert asked(bench) == 0
    await bench.press("bob", "Nothing changed")
    await bench.press("bob", "It works again")
    assert asked(bench) == 1
    assert "Fixed" in (await bench.seen())[-1].text


async def test_what_slack_does_not_tell_is_no_right(bench: SlackBench) -> None:
    rooms(bench, helpers=frozenset({"S1"}))
    await bench.group("bob")
    bench.office.slack.plan("usergroups.users.list", Fault(error="missing_scope"))
    await bench.mention("ann", CUT_OFF)
    before = await bench.seen()
    await bench.press("bob", TOOLS)
    assert await bench.seen() == before
    assert "belongs to somebody else" in (await bench.private("bob"))[-1].text
    await bench.press("bob", TOOLS)
    assert "git diff" in (await bench.seen())[-1].text, "and it is asked again"


async def test_a_hand_off_names_people_only_as_slack_does(bench: SlackBench) -> None:
    rooms(bench, handoff=bench.channel("other"))
    await bench.mention("ann", f"{CUT_OFF} <@U0EVIL> <!channel>")
    await bench.press("ann", "Get a human")
    pings = {ping for ping in await bench.pinged() if "!" in ping or "EVIL" in ping}
    assert pings == set()
    users = [ping for ping in await bench.pinged() if "'user'" in ping]
    assert len(users) == 1, "who asked, and nobody that was pasted"
    assert bench.office.slack.users["ann"] in users[0]


@pytest.mark.parametrize(
    ("error", "why"),
    [
        ("channel_not_found", "not there any more"),
        ("is_archived", "not there any more"),
        ("not_in_channel", "no right to write there (membership of the channel)"),
        ("restricted_action_read_only_channel", "no right to write there"),
        ("invalid_blocks", "the chat does not take it"),
        ("something_new_of_slacks", "the chat does not take it"),
    ],
)
async def test_a_channel_that_does_not_take_a_hand_off_is_said_and_nothing_is_lost(
    bench: SlackBench, error: str, why: str
) -> None:
    rooms(bench, handoff=bench.channel("other"))
    await bench.mention("ann", CUT_OFF)
    bench.office.slack.plan("chat.postMessage", Fault(error=error))
    await bench.press("ann", "Get a human")
    told = (await bench.seen())[-1]
    assert "could not hand it to the helpers" in told.text
    assert why in told.text
    assert "Redial hand-off" in told.text, "all of it, to copy"
    await bench.press("ann", "Hand it over again")
    assert "with the helpers" in "".join(one.text for one in await bench.seen())


@pytest.mark.parametrize(
    ("error", "why"),
    [
        ("user_not_found", "whoever should get it is not here any more"),
        ("user_disabled", "no right to write there"),
        ("cannot_dm_bot", "no right to write there"),
        ("users_not_found", "the chat does not take it"),
    ],
)
async def test_a_person_who_left_is_said_and_nothing_is_lost(bench: SlackBench, error: str, why: str) -> None:
    rooms(bench, handoff_person="U0LEFT")
    await bench.mention("ann", CUT_OFF)
    bench.office.slack.plan("conversations.open", Fault(error=error))
    await bench.press("ann", "Get a human")
    told = (await bench.seen())[-1]
    assert "could not hand it to the helpers" in told.text
    assert why in told.text
    assert "Redial hand-off" in told.text
