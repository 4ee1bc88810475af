"""What `redial doctor` asks Discord: does the token work, which intents and rights are there, and what for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence

import discord

from bot.adapters.discord.faults import told
from bot.adapters.discord.gateway import Access
from bot.adapters.discord.rights import INTENTS, NEEDED, PERMISSIONS, WITHOUT_THREADS, invitation, missing, named
from bot.core.errors import ChatError
from bot.ports.finding import Finding

_SERVERS = 20
"""Most servers that are looked at one by one."""


async def examine(access: Access, channels: Sequence[str] = ()) -> list[Finding]:
    """Look at everything a start needs; never raises. channels: those Redial should be able to speak in."""
    client = discord.Client(intents=discord.Intents.none(), proxy=access.proxy)
    try:
        async with told():
            await client.login(access.token)
        return [finding async for finding in _found(client, channels)]
    except ChatError as error:
        if isinstance(error.__cause__, discord.LoginFailure):
            do = "developer portal, Bot: reset the token and set DISCORD_TOKEN"
            return [Finding("discord", "fail", "the token is refused", do)]
        return [Finding("discord", "fail", str(error), "let this machine reach discord.com over HTTPS")]
    finally:
        await client.close()


async def _found(client: discord.Client, channels: Sequence[str]) -> AsyncIterator[Finding]:
    application = client.application_id or 0
    async with told():
        servers = [server async for server in client.fetch_guilds(limit=_SERVERS)]
    invite = invitation(application)
    says = f"{client.user}, in {len(servers)} servers; to add it to one: {invite}"
    yield Finding(
        "discord", "ok" if servers else "warn", says, "" if servers else "open that address and choose a server"
    )
    for finding in _intents(client.application.flags if client.application else discord.ApplicationFlags()):
        yield finding
    yield Finding("discord rights", "ok", "; ".join(f"{named(right)}: {why}" for right, why in PERMISSIONS.items()))
    for server in servers:
        try:
            async with told():
                yield await _server(client, server.id)
        except ChatError as error:
            yield Finding(f"discord {server.name}", "warn", str(error))
    for channel in dict.fromkeys(channels):
        yield await _channel(client, channel)


def _intents(flags: discord.ApplicationFlags) -> Iterator[Finding]:
    asked = "; ".join(f"{name}: {why}" for name, why in INTENTS.items())
    if flags.gateway_message_content or flags.gateway_message_content_limited:
        yield Finding("discord intents", "ok", asked)
        return
    says = "message_content is not granted: buttons, mentions and direct messages work; in threads people write through"
    do = "developer portal, Bot, Privileged Gateway Intents: switch on Message Content Intent, and start again"
    yield Finding("discord intents", "warn", f"{says} a form. Asked for: {asked}", do)


async def _server(client: discord.Client, ident: int) -> Finding:
    server = await client.fetch_guild(ident)
    me = await server.fetch_member(client.user.id if client.user else 0)
    return _judged(f"discord {server.name}", me.guild_permissions, "as a server-wide role")


async def _channel(client: discord.Client, channel: str) -> Finding:
    name = f"discord channel {channel}"
    if not channel.isdecimal():
        return Finding(
            name, "fail", "that is no id", "Settings, Advanced, Developer Mode; then right click, Copy Channel ID"
        )
    try:
        async with told("View Channel"):
            found = await client.fetch_channel(int(channel))
            if not isinstance(found, discord.abc.GuildChannel):
                return Finding(name, "warn", "that is no channel of a server", "name a text channel or a forum")
            server = await client.fetch_guild(found.guild.id)
            me = await server.fetch_member(client.user.id if client.user else 0)
            there = await server.fetch_channel(int(channel))
    except ChatError as error:
        return Finding(name, "fail", str(error), "give Redial's role View Channel there, or correct the id")
    if not isinstance(there, discord.abc.GuildChannel):
        return Finding(name, "warn", "that is a thread", "name the channel above it")
    return _judged(f"discord #{there.name}", there.permissions_for(me), "in that channel")


def _judged(name: str, granted: discord.Permissions, where: str) -> Finding:
    lacks = missing(granted)
    if not lacks:
        without = "" if granted.manage_threads else f"; not asked for: {named('manage_threads')} ({WITHOUT_THREADS})"
        return Finding(name, "ok", f"every right is there{without}")
    says = "missing: " + "; ".join(f"{named(right)} ({PERMISSIONS[right]})" for right in lacks)
    return Finding(name, "fail" if NEEDED & set(lacks) else "warn", says, f"give Redial's role these rights {where}")
