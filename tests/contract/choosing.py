"""Where people choose what a channel hears, on each platform with channels: ann may manage one, and bob may not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import discord
import simcord

from bot.adapters.discord.channels import DiscordChannels
from bot.core.status.subscription import Place
from bot.ports.announcing import Channels
from handlers.desk import Desk
from tests.adapters.discord.town import Town, labels, said, town
from tests.adapters.slack.office import Office, office, seen
from tests.contract.bench import Seen

Answers = dict[str, tuple[str, ...]]


class Chooser(Protocol):
    """A channel of a platform. What is told is told to who asked alone; a form is what a platform makes of one."""

    desk: Desk
    place: Place
    group: str
    """Somebody's group or role, as the platform writes a mention of it; its name is @on-call."""

    @property
    def channels(self) -> Channels:
        """Its channels, as announcements see them."""

    async def types(self, user: str, words: str) -> Seen:
        """Give `/redial words`, as words, and return the answer."""

    async def asks(self, user: str, words: str = "subscribe") -> Any:  # noqa: ANN401 - each platform has its own
        """Give `/redial words` and return the form that opens; None if none does."""

    async def sends(self, user: str, form: Any, **changes: tuple[str, ...]) -> Seen:  # noqa: ANN401 - the same
        """Send a form as it stands but for what is chosen otherwise, and return the answer."""

    async def presses(self, user: str, label: str) -> Any:  # noqa: ANN401 - the same
        """Press what stands below the last answer; return the form it opens, or None."""

    async def told(self, user: str) -> Seen:
        """What this person was told last."""

    async def posts(self) -> list[str]:
        """The words of Redial's messages at the top level of the channel."""


class SlackChooser:
    """Implements Chooser."""

    group = "<!subteam^S1>"

    def __init__(self, office: Office, channel: str) -> None:
        self.office, self.desk, self.channel = office, office.desk, channel
        self.place = Place("slack", "T000000001", channel)
        office.slack.groups = [{"id": "S1", "handle": "on-call"}]

    @property
    def channels(self) -> Channels:
        return self.office.running.channels

    async def types(self, user: str, words: str) -> Seen:
        await self.office.commanded(user, words, self.channel)
        return await self.told(user)

    async def asks(self, user: str, words: str = "subscribe") -> Any:  # noqa: ANN401 - Slack's JSON
        before = len(self.office.slack.opened)
        await self.office.commanded(user, words, self.channel)
        return self._new(before)

    async def sends(self, user: str, form: Any, **changes: tuple[str, ...]) -> Seen:  # noqa: ANN401 - the same
        await self.office.submitted(user, form, **changes)
        return await self.told(user)

    async def presses(self, user: str, label: str) -> Any:  # noqa: ANN401 - the same
        before = len(self.office.slack.opened)
        container = {"message_ts": "1.1", "channel_id": self.channel, "is_ephemeral": True}
        await self.office.pressed(user, label, self.office.slack.told[-1][1]["blocks"], container)
        return self._new(before)

    async def told(self, user: str) -> Seen:
        assert user
        return seen(self.office.slack.told[-1][1])

    async def posts(self) -> list[str]:
        ours = await self.office.ours(self.channel)
        return [seen(one).text for one in ours if one.get("thread_ts") in {None, one["ts"]}]

    def _new(self, before: int) -> Any:  # noqa: ANN401 - the same
        opened = list(self.office.slack.opened.values())[before:]
        return opened[0] if opened else None


class DiscordChooser:
    """Implements Chooser."""

    def __init__(self, town: Town, role: simcord.RoleHandle) -> None:
        self.town, self.desk, self.there = town, town.desk, town.channels["other"]
        self.place = Place("discord", str(town.guild.id), str(self.there.id))
        self.group = f"<@&{role.id}>"
        self._channels = DiscordChannels(lambda: town.client.station.wire, town.desk.library.messages)

    @property
    def channels(self) -> Channels:
        return self._channels

    async def types(self, user: str, words: str) -> Seen:
        """Give the words to the option that takes names: they are words all the same."""
        name, _, wishes = words.partition(" ")
        option = {"parts": wishes} if name == "subscribe" and wishes else {}
        option |= {"page": wishes} if name == "unsubscribe" and wishes else {}
        await self.town.people[user].slash(self.there, f"redial {name}", **option)
        return await self.told(user)

    async def asks(self, user: str, words: str = "subscribe") -> Any:  # noqa: ANN401 - simcord's
        shown = await self.town.people[user].slash(self.there, f"redial {words}")
        return shown if shown.modal else None

    async def sends(self, user: str, form: Any, **changes: tuple[str, ...]) -> Seen:  # noqa: ANN401 - the same
        selects = [label["component"] for label in form.modal["components"]]
        stands = {one["custom_id"]: [o["value"] for o in one["options"] if o.get("default")] for one in selects}
        chosen = {name.replace("_", "-"): list(values) for name, values in changes.items()}
        await self.town.people[user].submit_modal(form, stands | chosen)
        return await self.told(user)

    async def presses(self, user: str, label: str) -> Any:  # noqa: ANN401 - the same
        shown = await self.town.press(user, self.town.private(user)[-1], label)
        return shown if shown.modal else None

    async def told(self, user: str) -> Seen:
        last = self.town.private(user)[-1]
        return Seen(said(last), labels([dict(part.to_dict()) for part in last.components]))

    async def posts(self) -> list[str]:
        return [said(message) for message in self.town.ours(self.there)]


@asynccontextmanager
async def slack_chooser(data_dir: Path) -> AsyncIterator[Chooser]:
    """Open a workspace with a channel that ann has made."""
    async with office(data_dir) as one:
        made = await one.slack.ask("ann", "conversations.create", name="of-ann")
        channel = str(made["channel"]["id"])
        await one.slack.ask("ann", "conversations.invite", channel=channel, users=one.me)
        await one.happened({"type": "member_joined_channel", "user": one.me, "channel": channel})
        yield SlackChooser(one, channel)


@asynccontextmanager
async def discord_chooser(data_dir: Path) -> AsyncIterator[Chooser]:
    """Open a server where ann may manage the channels."""
    async with town(data_dir) as there:
        keeper = there.guild.create_role("keeper", permissions=discord.Permissions(manage_channels=True))
        there.people["ann"] = there.guild.add_member(there.env.create_user("anna"), roles=[keeper])
        yield DiscordChooser(there, there.guild.create_role("on-call", mentionable=True))


CHOOSERS = {"slack": slack_chooser, "discord": discord_chooser}
