"""A process that stands by hears nothing and knows no channel, and yet sends what it is its turn to send."""

from __future__ import annotations

from bot.adapters.discord.client import RedialClient
from bot.core.triage.placement import Rooms
from bot.ports.platform import House
from bot.runtime.dispatcher import Dispatcher
from handlers.commands import read
from tests.fakes.discord import discord_page
from tests.scenarios.playing import content


async def test_it_begins_threads_with_and_without_a_message() -> None:
    async def nothing(*_: object) -> None:
        """Nobody is heard."""

    async with discord_page() as page:
        told = page.guild("told")["told"].id
        house = House(Dispatcher(nothing), content().library.messages, read, {})
        client = RedialClient(house, Rooms())
        try:
            await client.login(page.token)
            assert client.get_channel(told) is None, "it knows no channel"
            message = page.backend.create_message(told, page.backend.bot_user.id, "an announcement")
            wire = client.station.wire
            assert await wire.open_thread(told, "Updates", message=message.id) == message.id
            assert await wire.open_thread(told, "Updates", message=message.id) == message.id, "there already"
            alone = await wire.open_thread(told, "A conversation")
            assert {int(message.id), alone} <= set(page.threads())
        finally:
            await client.close()
