"""`/redial subscribe` in Slack: who may, who may not, and where it is of no use."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest

from bot.adapters.slack.forms import to_modal
from bot.core.event import Commanded, Said
from bot.core.status.subscription import Choice, Place
from bot.core.status.wishes import Menu, Part, to_form
from handlers.commands import read
from tests.adapters.slack.kit import modal_faults
from tests.adapters.slack.office import Office, office, seen
from tests.adapters.slack.web import Fault

PAGE = "tymt9n04zgry"
CODE = "yyzkbfz2thpt"
MAY_NOT = "Only people who may manage this channel"


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Office]:
    async with office(tmp_path / "data") as one:
        yield one


async def told(there: Office, user: str, text: str, channel: str = "") -> str:
    """Type it and return what that person alone is answered."""
    await there.commanded(user, text, channel or there.channels["other"])
    return str(there.slack.told[-1][1])


async def chosen_in(there: Office, channel: str) -> Choice | None:
    assert there.desk.pages
    found = await there.desk.pages.subscription(PAGE, Place("slack", "T000000001", channel))
    return found.choice if found else None


async def made_by(there: Office, user: str) -> str:
    """Make a channel, and let Redial in."""
    made = await there.slack.ask(user, "conversations.create", name=f"of-{user}")
    channel = str(made["channel"]["id"])
    await there.slack.ask(user, "conversations.invite", channel=channel, users=there.me)
    await there.happened({"type": "member_joined_channel", "user": there.me, "channel": channel})
    return channel


async def test_who_may_not_gets_no_form_nor_can_they_send_one(there: Office) -> None:
    channel = await made_by(there, "ann")
    assert MAY_NOT in await told(there, "bob", "subscribe", channel)
    assert there.slack.opened == {}
    await there.commanded("ann", "subscribe", channel)
    (form,) = there.slack.opened.values()
    await there.submitted("bob", form)
    assert MAY_NOT in str(there.slack.told[-1][1])
    assert await chosen_in(there, channel) is None
    await told(there, "bob", "subscriptions", channel)
    assert "Announce incidents here" not in str(there.slack.told[-1][1])


async def test_a_form_that_opens_too_late_is_said_with_the_words_for_it(there: Office) -> None:
    channel = await made_by(there, "ann")
    there.slack.plan("views.open", Fault(error="expired_trigger_id"))
    assert "did not open" in await told(there, "ann", "subscribe", channel)


async def test_what_is_chosen_of_a_page_that_has_changed_is_said(there: Office) -> None:
    channel = await made_by(there, "ann")
    await there.commanded("ann", "subscribe", channel)
    (form,) = there.slack.opened.values()
    forged = json.loads(json.dumps(form).replace("<!here>", "<!everyone>"))
    await there.submitted("ann", forged, mention=("<!everyone>",))
    assert "no longer be chosen" in str(there.slack.told[-1][1])
    assert await chosen_in(there, channel) is None


async def test_a_report_that_begins_with_the_word_is_triaged(there: Office) -> None:
    there.slack.asked = {}
    await there.commanded(
        "ann", "subscribe button says API Error: Connection closed mid-response", there.channels["triage"]
    )
    (shown,) = await there.ours(there.channels["triage"])
    assert "Don't repeat the request yet" in seen(shown).text


async def test_more_parts_than_slack_shows_are_reached_by_words(there: Office) -> None:
    parts = tuple(Part(f"c{n}", f"Place {n} " + "x" * 90) for n in range(130))
    modal = to_modal(to_form(there.desk.library.messages, Menu(PAGE, "Claude", parts), Choice()), "C1")
    assert modal_faults(cast("dict[str, Any]", modal)) == []
    far = Choice(components=frozenset({"c129"}))
    shown = to_modal(to_form(there.desk.library.messages, Menu(PAGE, "Claude", parts), far), "C1")
    assert modal_faults(cast("dict[str, Any]", shown)) == []
    assert "c129" in str(shown), "what is chosen is always there"


async def test_somebody_else_may_not_and_nothing_changes(there: Office) -> None:
    assert MAY_NOT in await told(there, "bob", "subscribe everything")
    assert await chosen_in(there, there.channels["other"]) is None


async def test_what_slack_does_not_tell_is_no_right(there: Office) -> None:
    channel = await made_by(there, "ann")
    there.slack.plan("users.info", Fault(error="missing_scope"))
    there.slack.plan("conversations.info", Fault(error="missing_scope"))
    assert MAY_NOT in await told(there, "ann", "subscribe everything", channel)


async def test_whom_the_settings_name_may(tmp_path: Path) -> None:
    async with office(tmp_path / "data", admins=frozenset({"U000000003", "U000000002"})) as there:
        there.slack.users["eve"] = "U000000002"
        assert "hears of Claude: everything" in await told(there, "eve", "subscribe everything")


@pytest.mark.parametrize(("user", "may"), [({"is_admin": True}, True), ({"is_owner": True}, True), ({}, False)])
@pytest.mark.parametrize("team", ["T000000001", "TELSEWHERE"])
async def test_a_workspaces_own_admins_may(there: Office, user: dict[str, bool], may: bool, team: str) -> None:  # noqa: FBT001 - a table
    there.slack.people[there.slack.users["bob"]] = {"team_id": team, **user}
    answer = await told(there, "bob", "subscribe everything")
    assert ("hears of Claude: everything" in answer) is (may and team == "T000000001")


async def test_where_redial_is_no_member_it_asks_to_be_invited(there: Office) -> None:
    assert "Invite me" in await told(there, "ann", "subscribe", "C0ELSEWHERE")
    assert "Invite me" in await told(there, "ann", "subscribe", "D0ANN")


async def test_where_its_memberships_are_not_known_slack_is_asked(there: Office) -> None:
    channel = await made_by(there, "ann")
    there.slack.shut[channel] = {"id": channel, "creator": there.slack.users["ann"], "is_member": False}
    assert "the right “membership of the channel” is missing" in await told(there, "ann", "subscribe major", channel)
    assert await chosen_in(there, channel) is None


async def test_help_lists_them(there: Office) -> None:
    assert "subscribe [PARTS] [minor|major|critical]" in await told(there, "ann", "help")


def test_what_follows_the_word_is_told_apart() -> None:
    assert read("subscribe critical @here") == Commanded("subscribe", "critical @here")
    assert isinstance(read("subscriptions are not listed"), Said)
