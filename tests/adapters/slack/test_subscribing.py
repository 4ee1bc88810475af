"""`/redial subscribe` in Slack: who may, who may not, and where it is of no use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.core.event import Commanded, Said
from bot.core.subscription import Choice, Place
from handlers.commands import read
from tests.adapters.slack.office import Office, office
from tests.adapters.slack.web import Fault

MAY_NOT = "Only people who may manage this channel"


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Office]:
    async with office(tmp_path / "data") as one:
        yield one


async def told(there: Office, user: str, text: str, channel: str = "") -> str:
    """Type it and return what that person alone is answered."""
    await there.commanded(user, text, channel or there.channels["other"])
    return str(there.slack.told[-1][1])


async def chosen(there: Office, channel: str) -> Choice | None:
    assert there.desk.pages
    found = await there.desk.pages.subscription("p1", Place("slack", "T000000001", channel))
    return found.choice if found else None


async def made_by(there: Office, user: str) -> str:
    """Make a channel, and let Redial in."""
    made = await there.slack.ask(user, "conversations.create", name=f"of-{user}")
    channel = str(made["channel"]["id"])
    await there.slack.ask(user, "conversations.invite", channel=channel, users=there.me)
    await there.happened({"type": "member_joined_channel", "user": there.me, "channel": channel})
    return channel


async def test_who_made_the_channel_subscribes_lists_and_ends(there: Office) -> None:
    channel = await made_by(there, "ann")
    assert "now hears of everything" in await told(there, "ann", "subscribe major edits-only @here", channel)
    assert await chosen(there, channel) == Choice(least="major", replies=False, mention="<!here>")
    assert "What is announced in this channel" in await told(there, "bob", "subscriptions", channel)
    assert MAY_NOT in await told(there, "bob", "unsubscribe", channel)
    assert "hears no more" in await told(there, "ann", "unsubscribe", channel)


async def test_somebody_else_may_not_and_nothing_changes(there: Office) -> None:
    assert MAY_NOT in await told(there, "bob", "subscribe")
    assert await chosen(there, there.channels["other"]) is None


async def test_what_slack_does_not_tell_is_no_right(there: Office) -> None:
    channel = await made_by(there, "ann")
    there.slack.plan("users.info", Fault(error="missing_scope"))
    there.slack.plan("conversations.info", Fault(error="missing_scope"))
    assert MAY_NOT in await told(there, "ann", "subscribe", channel)


async def test_whom_the_settings_name_may(tmp_path: Path) -> None:
    async with office(tmp_path / "data", admins=frozenset({"U000000003", "U000000002"})) as there:
        there.slack.users["eve"] = "U000000002"
        assert "now hears of everything" in await told(there, "eve", "subscribe")


@pytest.mark.parametrize(("user", "may"), [({"is_admin": True}, True), ({"is_owner": True}, True), ({}, False)])
@pytest.mark.parametrize("team", ["T000000001", "TELSEWHERE"])
async def test_a_workspaces_own_admins_may(there: Office, user: dict[str, bool], may: bool, team: str) -> None:  # noqa: FBT001 - a table
    there.slack.people[there.slack.users["bob"]] = {"team_id": team, **user}
    answer = await told(there, "bob", "subscribe")
    assert ("now hears of everything" in answer) is (may and team == "T000000001")


async def test_where_redial_is_no_member_it_asks_to_be_invited(there: Office) -> None:
    assert "Invite me" in await told(there, "ann", "subscribe", "C0ELSEWHERE")
    assert "Invite me" in await told(there, "ann", "subscribe", "D0ANN")


async def test_help_lists_them(there: Office) -> None:
    assert "subscribe [minor|major|critical]" in await told(there, "ann", "help")


def test_a_report_that_begins_with_the_word_is_a_report() -> None:
    assert read("subscribe critical @here") == Commanded("subscribe", "critical @here")
    assert isinstance(read("subscribe button shows 500"), Said)
    assert isinstance(read("unsubscribe fails"), Said)
