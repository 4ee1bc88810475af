"""Connected to Discord: every replica can send, one of them holds the gateway and hears."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import field

import discord
import structlog

from bot.adapters.discord.channels import DiscordChannels
from bot.adapters.discord.chat import DiscordChat
from bot.adapters.discord.client import RedialClient
from bot.adapters.discord.faults import told
from bot.core.errors import ChatError, SettingsError, StoreError
from bot.core.frozen import frozen
from bot.core.triage.placement import Rooms
from bot.core.unforeseen import unforeseen
from bot.ports.platform import House

_log = structlog.get_logger(__name__)

_FIRST = 30.0
"""Seconds a start waits for the gateway."""
_CLOSING = 3.0
"""Seconds a connection gets to close."""
_AGAIN = 10.0
"""Seconds after which a login that failed is tried again."""
_FATAL = {
    4004: "the token is refused: reset it in the developer portal and set the new DISCORD_TOKEN",
    4010: "the shard is invalid",
    4011: "Discord wants more shards",
    4013: "an intent is invalid",
    4014: "an intent is not granted: see `redial doctor`",
}


@frozen
class Access:
    """What it takes to be connected. admins: who may manage all; proxy: its address, where one is needed."""

    token: str = field(repr=False)
    rooms: Rooms = field(default_factory=Rooms)
    admins: frozenset[str] = frozenset()
    proxy: str | None = field(default=None, repr=False)


@frozen
class Turns:
    """Seconds the gateway is `held` for, and `renewed`: between two looks at who holds it.

    With both, a standby takes over within twenty seconds of a kill. deaf: without a connection, after which a new one
    is begun, without waiting for the library to try again.
    """

    held: float = 15.0
    renewed: float = 5.0
    deaf: float = 90.0


TURNS = Turns()
"""Those of a process as it is run."""


class Gateway:
    """Implements the Running port."""

    def __init__(self, access: Access, house: House, turns: Turns = TURNS) -> None:
        """Take the token and what the client works with."""
        self._access, self._house, self._turns = access, house, turns
        self._holder = secrets.token_hex(8)
        self._holds = False
        self._ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.client: RedialClient | None = None
        self._channels = DiscordChannels(lambda: self._open.station.wire, house.messages)

    @property
    def chat(self) -> DiscordChat:
        """The chat for what no event asks for; it needs no gateway."""
        return DiscordChat(self._open.station)

    @property
    def channels(self) -> DiscordChannels:
        """What announcements go through; it needs no gateway either."""
        return self._channels

    @property
    def says(self) -> str:
        """Who is connected, or stands by."""
        client = self._open
        if not client.is_ready():
            return f"standing by as {client.user}: another process holds the gateway"
        without = "" if client.intents.message_content else ", without the message content intent"
        return f"connected as {client.user} in {len(client.guilds)} servers{without}"

    @property
    def trouble(self) -> str:
        """Why the gateway is not heard, where it is ours."""
        if self._ended.done():
            return self._ended.result()
        hears = self.client is not None and self.client.hears
        return "the gateway is not connected" if self._holds and not hears else ""

    async def ended(self) -> str:
        """Wait until it cannot go on by itself; return why."""
        return await asyncio.shield(self._ended)

    async def open(self) -> None:
        """Log in; raises `SettingsError` for a token that is refused, `ChatError` for a Discord out of reach."""
        client = await self._logged_in(content=True)
        flags = client.application.flags if client.application else discord.ApplicationFlags()
        if not (flags.gateway_message_content or flags.gateway_message_content_limited):
            # Asked for without being granted, it would end the connection.
            await _closed(client)
            client = await self._logged_in(content=False)
        self.client = client

    async def serve(self) -> None:
        """Hear while the gateway is ours, and stand by while it is not."""
        try:
            while True:
                self._holds = False
                while not await self.ours(now=False):  # noqa: ASYNC110 - another process cannot set an event
                    await asyncio.sleep(self._turns.renewed)
                self._holds = True
                await self._connected()
                await self._reopened()
        except (discord.DiscordException, SettingsError) as error:
            self._ended.set_result(_reason(error))
        except Exception as error:  # noqa: BLE001 - nobody waits for this task: it must not end without a word
            _log.error("gateway broke", **unforeseen(error))
            self._ended.set_result(f"a mistake of ours: {type(error).__name__}")

    async def close(self) -> None:
        """Close the connection and let a standby take it."""
        if self.client:
            await _closed(self.client)
        if self._house.leases:
            try:
                await self._house.leases.release(self._name, self._holder)
            except StoreError as error:
                _log.info("gateway not released", error=str(error))

    @property
    def _open(self) -> RedialClient:
        if self.client is None:
            raise SettingsError("the client has not been opened")
        return self.client

    @property
    def _name(self) -> str:
        return f"discord-gateway-{self._open.application_id}"

    async def _logged_in(self, *, content: bool) -> RedialClient:
        house, access = self._house, self._access
        client = RedialClient(house, access.rooms, content=content, admins=access.admins, proxy=access.proxy)
        try:
            async with told():
                await client.login(access.token)
        except BaseException as error:
            await client.close()
            if isinstance(error.__cause__, discord.LoginFailure):
                raise SettingsError(
                    "DISCORD_TOKEN is refused: the developer portal, Bot, has a button for a new one"
                ) from error
            raise
        return client

    async def _connected(self) -> None:
        """Hold the connection until it ends or somebody else has it."""
        connection = asyncio.create_task(self._open.connect())
        heard = asyncio.get_running_loop().time()
        try:
            while not connection.done():
                await asyncio.wait({connection}, timeout=self._turns.renewed)
                now = asyncio.get_running_loop().time()
                heard = now if self._open.hears else heard
                if now - heard > self._turns.deaf:
                    # The library waits longer with every try, for a quarter of an hour in the end.
                    _log.warning("the gateway is not heard; connecting anew", seconds=round(now - heard))
                    return
                if not await self.ours(now=True):
                    _log.warning("another process holds the gateway")
                    return
            await connection
        finally:
            # First, so that a connection that is just being made makes no other while the client closes.
            connection.cancel()
            await _closed(self._open)
            await asyncio.wait({connection}, timeout=_CLOSING)

    async def ours(self, *, now: bool) -> bool:
        """Say whether the gateway is ours. While the store is away, it stays with who has it (`now`)."""
        if self._house.leases is None:
            return True
        try:
            return await self._house.leases.take(self._name, self._holder, self._turns.held)
        except StoreError as error:
            _log.warning("nobody knows who holds the gateway", error=str(error))
            return now

    async def _reopened(self) -> None:
        """Be able to send again after a connection was closed."""
        while True:
            try:
                return await self.open()
            except ChatError as error:
                _log.warning("login failed", platform="discord", error=str(error))
                await asyncio.sleep(_AGAIN)


@asynccontextmanager
async def start(access: Access, house: House, turns: Turns = TURNS) -> AsyncIterator[Gateway]:
    """Connect, or stand by; raises `SettingsError` and `ChatError` with what to do."""
    gateway = Gateway(access, house, turns)
    await gateway.open()
    serving = asyncio.create_task(gateway.serve())
    try:
        await _settled(gateway, serving)
        yield gateway
    finally:
        serving.cancel()
        await asyncio.wait({serving}, timeout=3 * _CLOSING)
        await gateway.close()


async def _settled(gateway: Gateway, serving: asyncio.Task[None]) -> None:
    """Wait until the gateway answers, or for as long as a standby would have to look."""
    client = gateway.client
    waiting = asyncio.create_task(client.wait_until_ready()) if client else serving
    within = _FIRST if await gateway.ours(now=True) else 0.0
    await asyncio.wait({waiting, serving}, timeout=within, return_when=asyncio.FIRST_COMPLETED)
    if waiting is not serving and not waiting.done():
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    if serving.done():
        raise SettingsError(f"Discord: {await gateway.ended()}")


async def _closed(client: discord.Client) -> None:
    """Close a client, whose farewell to Discord may take no longer than an orderly end has time for."""
    closing = asyncio.ensure_future(client.close())
    await asyncio.wait({closing}, timeout=_CLOSING)
    if not closing.done():
        _log.warning("Discord took too long to say goodbye", platform="discord")
        closing.cancel()


def _reason(error: Exception) -> str:
    if isinstance(error, discord.PrivilegedIntentsRequired):
        return _FATAL[4014]
    if isinstance(error, discord.ConnectionClosed):
        return _FATAL.get(error.code or 0, f"Discord closed the connection with code {error.code}")
    return f"{type(error).__name__}: {error}"
