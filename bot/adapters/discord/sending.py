"""Discord for who only sends: it needs no gateway, so that a running bot keeps its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import discord

from bot.adapters.discord.channels import DiscordChannels
from bot.adapters.discord.faults import LIMITED, told
from bot.adapters.discord.wire import Wire
from bot.core.errors import SettingsError
from bot.core.messages import Messages


@asynccontextmanager
async def sending(token: str, messages: Messages, proxy: str | None = None) -> AsyncIterator[DiscordChannels]:
    """Return Discord's channels; raises `SettingsError` for a token that is refused, `ChatError` for the way there."""
    client = discord.Client(intents=discord.Intents.none(), proxy=proxy, max_ratelimit_timeout=LIMITED)
    try:
        try:
            async with told():
                await client.login(token)
        except Exception as error:
            if isinstance(error.__cause__, discord.LoginFailure):
                raise SettingsError("DISCORD_TOKEN is refused") from error
            raise
        wire = Wire(client)
        yield DiscordChannels(lambda: wire, messages)
    finally:
        await client.close()
