"""A hand-off in Discord: from direct messages too, where no server is known, and calling who asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.triage.placement import Rooms
from tests.adapters.discord.test_scenarios import forbid
from tests.adapters.discord.town import Town, labels, parts, said, town
from tests.contract.test_chat import CUT_OFF


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Town]:
    async with town(tmp_path / "data") as one:
        before = one.desk.rooms.get("discord", Rooms())
        one.desk.rooms = {"discord": replace(before, handoff=str(one.channels["other"].id))}
        yield one


async def test_from_a_direct_message_and_back(there: Town) -> None:
    ann = there.people["ann"]
    await ann.send_dm(CUT_OFF)
    await ann.user.click(there.ours(ann.user.dm_channel)[-1], label="Get a human")
    assert "with the helpers" in said(there.ours(ann.user.dm_channel)[-1])
    (packet,) = there.ours(there.channels["other"])
    assert "private conversation" in said(packet)
    await there.press("bob", packet, "Take it")
    assert "has taken it" in said(there.ours(ann.user.dm_channel)[-1])
    (packet,) = there.ours(there.channels["other"])
    assert "Give back" in labels([dict(part) for part in parts(packet)])
    await there.press("bob", packet, "Resolve")
    assert "says it is solved" in said(there.ours(ann.user.dm_channel)[-1])


async def test_news_of_helpers_call_who_asked_and_nobody_else(there: Town) -> None:
    await there.people["ann"].send(there.channels["triage"], f"{there.me} {CUT_OFF}")
    before = len(there.env.http_requests)
    await there.press("ann", there.public()[-1], "Get a human")
    assert called(there, before) == [], "the packet names who asked, and calls nobody"
    (packet,) = there.ours(there.channels["other"])
    before = len(there.env.http_requests)
    await there.press("bob", packet, "Ask in the thread")
    assert called(there, before) == [str(there.people["ann"].id)]


@pytest.mark.parametrize(
    ("rights", "why"),
    [(("view_channel",), "no right to write there"), (("send_messages",), "no right to write there (Send Messages)")],
)
async def test_a_channel_that_is_shut_is_said_and_nothing_is_lost(
    there: Town, rights: tuple[str, ...], why: str
) -> None:
    await forbid(there, there.channels["other"], *rights)
    await handed(there)
    told = there.public()[-1]
    assert "could not hand it to the helpers" in said(told)
    assert "Redial hand-off" in said(told), "all of it, to copy"
    assert "Hand it over again" in labels([dict(part) for part in parts(told)])
    assert why in said(told)


async def test_a_target_that_never_was_is_said_and_nothing_is_lost(there: Town) -> None:
    target = "900000000000000000"
    for rooms in (Rooms(handoff=target), Rooms(handoff_person=target)):
        before = there.desk.rooms["discord"]
        there.desk.rooms = {"discord": replace(before, handoff=rooms.handoff, handoff_person=rooms.handoff_person)}
        await handed(there)
        told = there.public()[-1]
        assert "could not hand it to the helpers" in said(told), rooms
        assert "Redial hand-off" in said(told)
        await there.press("ann", told, "It works now")


async def handed(there: Town) -> None:
    await there.people["ann"].send(there.channels["triage"], f"{there.me} {CUT_OFF}")
    await there.press("ann", there.public()[-1], "Get a human")


def called(there: Town, since: int) -> list[str]:
    """Whom messages since then have notified."""
    sent = [one.json for one in there.env.http_requests[since:] if one.method == "POST" and isinstance(one.json, dict)]
    allowed = [message["allowed_mentions"] for message in sent if "allowed_mentions" in message]
    return [str(user) for one in allowed for user in (*one["parse"], *one.get("users", ()))]
