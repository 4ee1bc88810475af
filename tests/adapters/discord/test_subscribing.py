"""`/redial subscribe` in Discord: options, the form, who may, and where it is of no use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import discord
import pytest
import simcord
from simcord.backend.models.channel import Overwrite
from simcord.enums import OverwriteType

from bot.adapters.discord.chat import DiscordChat
from bot.adapters.discord.managing import Asked
from bot.core.form import Option
from bot.core.status.subscription import Choice, Place
from bot.core.status.wishes import Menu, Part, to_form
from tests.adapters.discord.town import Town, said, town
from tests.machine import until

PAGE, CODE, API = "tymt9n04zgry", "yyzkbfz2thpt", "k8w3r06qmzrp"
MAY_NOT = "Only people who may manage this channel"
MANAGES = discord.Permissions(manage_channels=True)


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Town]:
    """A town where carol may manage the channels."""
    async with town(tmp_path / "data") as one:
        keeper = one.guild.create_role("keeper", permissions=MANAGES)
        one.people["carol"] = one.guild.add_member(one.env.create_user("carol"), roles=[keeper])
        yield one


async def told(there: Town, user: str, command: str, channel: str = "other", **options: Any) -> str:  # noqa: ANN401 - what options take
    """Give a command and return what that person alone is answered."""
    await there.people[user].slash(there.channels[channel], f"redial {command}", **options)
    return said(there.private(user)[-1])


async def chosen(there: Town, channel: str = "other") -> Choice | None:
    assert there.desk.pages
    place = Place("discord", str(there.guild.id), str(there.channels[channel].id))
    found = await there.desk.pages.subscription(PAGE, place)
    return found.choice if found else None


def filled(shown: simcord.InteractionResult, **changes: list[str]) -> dict[str, list[str]]:
    """What a form sends: as it stands when it opens, but for what is chosen otherwise."""
    assert shown.modal
    selects = [label["component"] for label in shown.modal["components"]]
    stands = {one["custom_id"]: [o["value"] for o in one["options"] if o.get("default")] for one in selects}
    return stands | changes


async def test_every_wish_is_an_option(there: Town) -> None:
    role = there.guild.create_role("on-call", mentionable=True)
    answer = await told(
        there, "carol", "subscribe", parts="claude code, api", least="minor", maintenance=False, general=False,
        replies=False, mention=f"<@&{role.id}>", **{"mention-from": "major"},
    )  # fmt: skip
    assert "hears of Claude: incidents of Claude API, Claude Code" in answer
    assert "mentioning @on-call from “major” on" in answer
    assert await chosen(there) == Choice(
        components=frozenset({CODE, API}), least="minor", maintenance=False, general=False, replies=False,
        mention=f"<@&{role.id}>", mention_from="major",
    )  # fmt: skip


async def test_a_right_that_is_taken_away_before_the_form_is_sent_counts(there: Town) -> None:
    carol = there.people["carol"]
    shown = await carol.slash(there.channels["other"], "redial subscribe")
    there.env.backend.set_overwrite(
        there.channels["other"].id, Overwrite(int(carol.id), OverwriteType.MEMBER, deny=MANAGES.value)
    )
    await carol.submit_modal(shown, filled(shown))
    assert MAY_NOT in said(there.private("carol")[-1])
    assert await chosen(there) is None


async def test_whom_the_settings_name_may(there: Town) -> None:
    there.client.station = replace(there.client.station, admins=frozenset({str(there.people["bob"].id)}))
    assert "hears of Claude: everything" in await told(there, "bob", "subscribe", replies=True, least="any")


async def test_only_whom_redial_may_mention_can_be_chosen(there: Town) -> None:
    there.guild.create_role("quiet")
    denied = discord.Permissions(mention_everyone=True).value
    me = Overwrite(there.client.me, OverwriteType.MEMBER, deny=denied)
    there.env.backend.set_overwrite(there.channels["other"].id, me)
    assert "I don't know “@quiet" in await told(there, "carol", "subscribe", mention="@quiet")
    assert "I don't know “@everyone" in await told(there, "carol", "subscribe", mention="@everyone")
    assert await chosen(there) is None
    assert await there.people["carol"].autocomplete(there.channels["other"], "redial subscribe", "mention", "") == []
    there.guild.create_role("on-call", mentionable=True)
    offered = await there.people["carol"].autocomplete(there.channels["other"], "redial subscribe", "mention", "on")
    assert [one["name"] for one in offered] == ["@on-call"]


async def test_parts_are_suggested_one_after_the_other(there: Town) -> None:
    carol, place = there.people["carol"], there.channels["other"]
    offered = await carol.autocomplete(place, "redial subscribe", "parts", "claude code, ap")
    assert [one["name"] for one in offered] == ["claude code, Claude API"]


async def test_a_form_shows_as_many_parts_as_discord_takes_and_what_is_chosen_always(there: Town) -> None:
    parts = tuple(Part(f"c{n}", f"Place {n} " + "x" * 120) for n in range(130))
    roles = tuple(Option(f"<@&{n}>", f"@role {n}") for n in range(40))
    choice = Choice(components=frozenset({"c129"}), mention="<@&39>")
    form = to_form(there.desk.library.messages, Menu(PAGE, "Claude", parts, roles), choice)
    selects = [label["component"] for label in Asked(form).to_dict()["components"]]
    assert len(selects) <= 5
    for select in selects:
        assert 0 < len(select["options"]) <= 25
        assert all(len(option["label"]) <= 100 for option in select["options"])
    chosen = {one["custom_id"]: [o["value"] for o in one["options"] if o.get("default")] for one in selects}
    assert chosen["parts"] == ["c129"]
    assert chosen["mention"] == ["<@&39>"]


async def test_a_missing_right_is_named_before_anything_is_chosen(there: Town) -> None:
    place = there.channels["other"]
    denied = discord.Permissions(create_public_threads=True).value
    there.env.backend.set_overwrite(place.id, Overwrite(there.client.me, OverwriteType.MEMBER, deny=denied))
    assert "the right “Create Public Threads” is missing" in await told(there, "carol", "subscribe")
    assert await chosen(there) is None


async def test_a_forum_takes_no_announcements(there: Town) -> None:
    carol, forum = there.people["carol"], there.channels["forum"]
    there.env.backend.create_thread(forum.id, "help", int(carol.id))
    await there.env.settle()
    (post,) = forum.threads
    await carol.slash(post, "redial subscribe", least="major")
    assert "this kind of channel" in said(there.private("carol")[-1])


async def test_in_a_direct_message_it_asks_to_be_invited(there: Town) -> None:
    carol = there.env.create_user("dora")
    await carol.slash("redial subscribe", least="major")
    assert any("Invite me" in said(message) for message in carol.dm_channel.history())


async def test_a_form_that_is_ready_too_late_is_said_with_the_words_for_it(there: Town) -> None:
    there.heard.late = True
    await there.people["carol"].slash(there.channels["other"], "redial subscribe")
    ((event, chat),) = there.heard.events
    assert isinstance(chat, DiscordChat)
    assert chat.reply
    reply = chat.reply
    await until(lambda: reply.waits)
    there.heard.dispatcher.submit(event, chat)
    await there.heard.dispatcher.idle()
    await there.env.settle()
    assert "The form did not open" in said(there.private("carol")[-1])


async def test_what_is_not_played_leaves_nobody_waiting(there: Town) -> None:
    there.heard.dropped = True
    await there.people["carol"].slash(there.channels["other"], "redial subscribe")
    await there.env.settle()
    last = there.env.http_requests[-1]
    assert last.method == "DELETE"
    assert "@original" in last.path
    assert there.private("carol") == []


async def test_a_mention_takes_words_and_cannot_open_a_form(there: Town) -> None:
    await there.people["carol"].send(there.channels["triage"], f"{there.me} subscribe")
    assert "The form did not open" in said(there.public()[-1])
    await there.people["carol"].send(there.channels["triage"], f"{there.me} subscribe major claude-code, api")
    assert await chosen(there, "triage") == Choice(components=frozenset({CODE, API}), least="major")
    await there.people["bob"].send(there.channels["triage"], f"{there.me} unsubscribe")
    assert MAY_NOT in said(there.public()[-1])
