"""Discord: real discord.py in a Discord kept in memory, which enforces the limits and the rights."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import discord

from bot.adapters.discord.chat import DiscordChat
from bot.adapters.discord.render import Json
from bot.adapters.discord.wire import Wire
from bot.core.event import Commanded, Origin
from bot.core.triage.placement import Where
from bot.core.view import View
from handlers.commands import read
from tests.adapters.discord.town import Town, labels, said, town
from tests.contract.bench import Bench, Seen


class DiscordBench:
    """Implements Bench."""

    # A message of its own that one person alone sees is not there on Discord: see tests/adapters/discord.
    lacks = frozenset({"offers"})

    def __init__(self, town: Town) -> None:
        self.town = town
        self.desk = town.desk
        self.new: dict[int, list[Json]] = {}
        self.where = town.channels["triage"]

    @property
    def chat(self) -> DiscordChat:
        # With a wire of its own, as another replica has: the clock of the Discord in memory is not the one out here.
        return DiscordChat(replace(self.town.client.station, wire=Wire(self.town.client)))

    def origin(self, user: str) -> Origin:
        return self.town.origin(user)

    def channel(self, name: str) -> str:
        return str(self.town.channels[name].id)

    async def group(self, user: str) -> str:
        role, actor = self.town.guild.create_role("helpers"), self.town.people[user]
        self.town.guild.remove_member(actor.user)
        self.town.people[user] = self.town.guild.add_member(actor.user, roles=[role])
        return str(role.id)

    async def mention(self, user: str, text: str, *, channel: str = "triage") -> None:
        place = self.town.channels[channel]
        await self.town.people[user].send(place, f"{self.town.me} {text}")
        self._noted(channel)

    async def command(self, user: str, text: str, *, channel: str = "triage") -> None:
        place, person, what = self.town.channels[channel], self.town.people[user], read(text)
        if isinstance(what, Commanded):
            options = {"name": what.argument} if what.name == "guide" else {}
            await person.slash(place, f"redial {what.name}", **options)
        else:
            await person.slash(place, "redial triage", text=what.text)
        self._noted(channel)

    async def post(self, user: str, text: str, *, channel: str = "watched") -> None:
        await self.town.people[user].send(self.town.channels[channel], text)
        self._noted(channel)

    async def say(self, user: str, text: str) -> None:
        await self.town.people[user].send(self.where, text)
        self._noted()

    async def press(self, user: str, label: str, *, message: int = -1) -> None:
        shown = self.town.public()[message]
        now = [dict(component.to_dict()) for component in shown.components]
        if label in labels(now):
            await self.town.press(user, shown, label)
        else:
            # Somebody whose screen is old: the message is what it was for as long as the press takes.
            wire = self.town.client.station.wire
            await wire.edit(shown.channel.id, shown.id, self.new[shown.id])
            await self.town.press(user, self.town.public()[message], label)
            await wire.edit(shown.channel.id, shown.id, now)
        self._noted()

    async def press_private(self, user: str, label: str) -> None:
        await self.town.press(user, self.town.private(user)[-1], label)
        self._noted()

    async def resend(self) -> None:
        event, chat = self.town.heard.events[-1]
        self.town.heard.dispatcher.submit(event, chat)
        await self.town.heard.dispatcher.idle()
        await self.town.env.settle()

    async def show(self, view: View) -> Seen:
        await self.chat.show(self.origin("ann"), view, Where.THREAD)
        return (await self.seen())[-1]

    async def seen(self) -> Sequence[Seen]:
        return [seen(message) for message in self.town.public()]

    async def private(self, user: str) -> Sequence[Seen]:
        return [seen(message) for message in self.town.private(user)]

    async def pinged(self) -> Sequence[str]:
        spoke = {str(event.origin.user) for event, _ in self.town.heard.events}
        pinged: list[str] = []
        for request in self.town.env.http_requests:
            if isinstance(request.json, dict) and "components" in request.json and request.method == "POST":
                allowed = request.json["allowed_mentions"]
                pinged += [*allowed["parse"], *(set(map(str, allowed.get("users", ()))) - spoke)]
        return tuple(pinged)

    def _noted(self, channel: str = "") -> None:
        if channel and (threads := self.town.channels[channel].threads):
            self.where = max(threads, key=lambda thread: thread.id)
        for message in self.town.public():
            self.new.setdefault(message.id, [dict(component.to_dict()) for component in message.components])


def seen(message: discord.Message) -> Seen:
    return Seen(said(message), labels([dict(part) for part in _tops(message)]))


def _tops(message: discord.Message) -> Sequence[Json]:
    return [dict(component.to_dict()) for component in message.components]


@asynccontextmanager
async def discord_bench(data_dir: Path) -> AsyncIterator[Bench]:
    """Open a town on a store of its own."""
    async with town(data_dir) as there:
        yield DiscordBench(there)
