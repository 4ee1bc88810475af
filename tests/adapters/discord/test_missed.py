"""What was written while nobody listened is read by who begins to, however busy the server is just then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from bot.adapters.discord import gateway
from bot.adapters.discord.client import RedialClient
from bot.adapters.discord.gateway import Access
from bot.core.event import InboundEvent, Said
from bot.core.triage.placement import Rooms
from bot.ports.chat import Chat
from bot.ports.platform import House
from handlers.commands import read
from tests.fakes.discord import discord_page
from tests.machine import until
from tests.scenarios.playing import content


class Ear:
    """An intake that keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def submit(self, event: InboundEvent, chat: Chat, done: Callable[[], None] | None = None) -> bool:  # noqa: ARG002
        assert isinstance(event.what, Said)
        self.heard.append(event.what.text)
        return True


async def test_talk_that_comes_while_it_connects_hides_nothing() -> None:
    async with discord_page() as page:
        places = page.guild("triage", "other")
        ann = page.person("ann")
        ear = Ear()
        house = House(ear, content().library.messages, read, {})
        client = RedialClient(house, Rooms(), {})
        await client.login(page.token)
        thread = await client.station.wire.open_thread(places["triage"].id, "A conversation")
        await client.close()
        page.write(ann, thread, "the answer nobody heard")
        starting = asyncio.create_task(_held(house, ear))
        await until(lambda: page.sessions)
        page.write(ann, places["other"].id, "chatter")
        await until(lambda: "the answer nobody heard" in ear.heard)
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)


async def _held(house: House, ear: Ear) -> None:
    async with gateway.start(Access("good"), house):
        await until(lambda: ear.heard)
