"""`/redial subscribe` in Slack: who may, who may not, and where it is of no use."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from bot.adapters.slack.forms import to_modal
from bot.core.announcement_view import Names
from bot.core.event import Commanded, Said
from bot.core.subscription import Choice, Place
from bot.core.wishes import Menu, Part, to_form
from handlers.announce import Office as Clerks
from handlers.commands import read
from handlers.subscriptions import Declared, declare
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


async def test_a_form_asks_and_shows_what_is_chosen_when_it_is_opened_again(there: Office) -> None:
    channel = await made_by(there, "ann")
    there.slack.groups = [{"id": "S1", "handle": "on-call", "name": "On call"}]
    await there.commanded("ann", "subscribe", channel)
    (form,) = there.slack.opened.values()
    assert [block["block_id"] for block in form["blocks"]] == ["parts", "least", "also", "mention", "mention-from"]
    chosen = {"parts": (CODE,), "least": ("minor",), "also": ("replies",), "mention": ("<!subteam^S1>",)}
    await there.submitted("ann", form, **chosen)
    wished = Choice(
        components=frozenset({CODE}), least="minor", general=False, maintenance=False, mention="<!subteam^S1>"
    )
    assert await chosen_in(there, channel) == wished
    assert "now hears of incidents of Claude Code" in str(there.slack.told[-1][1])
    assert "mentioning @on-call" in str(there.slack.told[-1][1])
    await pressed(there, "ann", channel, "Change: Claude")
    again = list(there.slack.opened.values())[-1]
    await there.submitted("ann", again, also=("general", "maintenance", "replies"))
    assert await chosen_in(there, channel) == replace(wished, general=True, maintenance=True)
    await pressed(there, "ann", channel, "Stop: Claude")
    assert "hears no more" in str(there.slack.told[-1][1])


async def pressed(there: Office, user: str, channel: str, label: str) -> None:
    """List what is announced, and press what stands below."""
    await told(there, user, "subscriptions", channel)
    blocks = there.slack.told[-1][1]["blocks"]
    await there.pressed(user, label, blocks, {"message_ts": "1.1", "channel_id": channel, "is_ephemeral": True})


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


async def test_words_that_are_not_understood_change_nothing(there: Office) -> None:
    channel = await made_by(there, "ann")
    answer = await told(there, "ann", "subscribe major cluade-code", channel)
    assert "I don't know: cluade" in answer
    assert "Claude Code" in answer
    assert await chosen_in(there, channel) is None


async def test_a_report_that_begins_with_the_word_is_triaged(there: Office) -> None:
    there.slack.asked = {}
    await there.commanded(
        "ann", "subscribe button says API Error: Connection closed mid-response", there.channels["triage"]
    )
    (shown,) = await there.ours(there.channels["triage"])
    assert "Don't repeat the request yet" in seen(shown).text


async def test_what_the_settings_file_says_stays(there: Office) -> None:
    assert there.desk.pages
    channel = await made_by(there, "ann")
    place = Place("slack", "T000000001", channel)
    office_ = Clerks(there.desk.pages, {}, lambda _: Names(there.desk.library.messages, {}))
    await declare(office_, [Declared(place, PAGE, Choice(least="major"))], [PAGE])
    for words in ("subscribe everything", "subscribe", "unsubscribe"):
        assert "stands in the settings file" in await told(there, "ann", words, channel)
    listed = await told(there, "ann", "subscriptions", channel)
    assert "set in the settings file" in listed
    assert "Change" not in listed
    assert there.slack.opened == {}


async def test_of_several_pages_one_is_chosen_first(there: Office) -> None:
    channel = await made_by(there, "ann")
    there.desk.watched = {PAGE: "Claude", "p2": "GitHub"}
    await there.commanded("ann", "subscribe", channel)
    blocks = there.slack.told[-1][1]["blocks"]
    await there.pressed("ann", "GitHub", blocks, {"message_ts": "1.1", "channel_id": channel, "is_ephemeral": True})
    (form,) = there.slack.opened.values()
    await there.submitted("ann", form)
    assert "everything on GitHub" in str(there.slack.told[-1][1])
    assert "everything on Claude" in await told(there, "ann", "subscribe everything claude", channel)
    assert "I don't watch a page called" in await told(there, "ann", "unsubscribe gitlab", channel)
    assert "Stop: GitHub" in await told(there, "ann", "unsubscribe", channel)
    assert "hears no more of GitHub" in await told(there, "ann", "unsubscribe github", channel)


async def test_more_parts_than_slack_shows_are_reached_by_words(there: Office) -> None:
    parts = tuple(Part(f"c{n}", f"Place {n} " + "x" * 90) for n in range(130))
    modal = to_modal(to_form(there.desk.library.messages, Menu(PAGE, "Claude", parts), Choice()), "C1")
    assert modal_faults(cast("dict[str, Any]", modal)) == []
    far = Choice(components=frozenset({"c129"}))
    shown = to_modal(to_form(there.desk.library.messages, Menu(PAGE, "Claude", parts), far), "C1")
    assert modal_faults(cast("dict[str, Any]", shown)) == []
    assert "c129" in str(shown), "what is chosen is always there"


async def test_who_made_the_channel_subscribes_lists_and_ends(there: Office) -> None:
    channel = await made_by(there, "ann")
    assert "now hears of everything" in await told(there, "ann", "subscribe major edits-only @here", channel)
    assert await chosen_in(there, channel) == Choice(least="major", replies=False, mention="<!here>")
    assert "What is announced in this channel" in await told(there, "bob", "subscriptions", channel)
    assert MAY_NOT in await told(there, "bob", "unsubscribe", channel)
    assert "hears no more" in await told(there, "ann", "unsubscribe", channel)


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
        assert "now hears of everything" in await told(there, "eve", "subscribe everything")


@pytest.mark.parametrize(("user", "may"), [({"is_admin": True}, True), ({"is_owner": True}, True), ({}, False)])
@pytest.mark.parametrize("team", ["T000000001", "TELSEWHERE"])
async def test_a_workspaces_own_admins_may(there: Office, user: dict[str, bool], may: bool, team: str) -> None:  # noqa: FBT001 - a table
    there.slack.people[there.slack.users["bob"]] = {"team_id": team, **user}
    answer = await told(there, "bob", "subscribe everything")
    assert ("now hears of everything" in answer) is (may and team == "T000000001")


async def test_where_redial_is_no_member_it_asks_to_be_invited(there: Office) -> None:
    assert "Invite me" in await told(there, "ann", "subscribe", "C0ELSEWHERE")
    assert "Invite me" in await told(there, "ann", "subscribe", "D0ANN")


async def test_help_lists_them(there: Office) -> None:
    assert "subscribe [PARTS] [minor|major|critical]" in await told(there, "ann", "help")


def test_what_follows_the_word_is_told_apart() -> None:
    assert read("subscribe critical @here") == Commanded("subscribe", "critical @here")
    assert isinstance(read("subscriptions are not listed"), Said)
