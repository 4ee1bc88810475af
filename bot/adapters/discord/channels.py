"""Discord's channels as announcements see them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import discord

from bot.adapters.discord.decode import reference, referred
from bot.adapters.discord.faults import failed
from bot.adapters.discord.render import Json, Renderer, Setting
from bot.adapters.discord.wire import Wire
from bot.core.errors import ChannelGone, ChatError
from bot.core.messages import Messages
from bot.core.status.announcement_view import Notice, Tone
from bot.core.status.subscription import Place
from bot.core.view import View
from bot.ports.announcing import Delivered, Delivery, Failed, Why

_COLOURS = {
    Tone.NONE: 0x99AAB5,
    Tone.MINOR: 0xF1C40F,
    Tone.MAJOR: 0xE67E22,
    Tone.CRITICAL: 0xE74C3C,
    Tone.MAINTENANCE: 0x3498DB,
    Tone.UNKNOWN: 0xE67E22,
    Tone.OVER: 0x2ECC71,
    Tone.GONE: 0x99AAB5,
}
"""The words and the mark say the same: colour is never alone."""

_ROLE = re.compile(r"<@&(\d+)>")
_PERSON = re.compile(r"<@(\d+)>")
_ALL = frozenset({"@here", "@everyone"})


class DiscordChannels:
    """Implements the Channels port."""

    def __init__(self, wire: Callable[[], Wire], messages: Messages) -> None:
        """Take what sends right now, and the sentences."""
        self._now, self._say = wire, messages
        self._renderer = Renderer(messages)

    async def turn(self, place: Place) -> None:
        """Wait for nothing: the one sender of all replicas has kept to the budget before."""

    async def post(self, place: Place, key: str, notice: Notice) -> Delivery:
        """Send a message at the top level."""
        return await self._tried(self._posted(_number(place.channel), key, notice))

    async def reply(self, place: Place, parent: str, key: str, notice: Notice) -> Delivery:
        """Send a message in the thread of another, which is begun where it is not there."""
        found = referred(parent)
        if found is None:
            return Failed(Why.GONE, detail="that was no message")
        try:
            return Delivered(await self._posted(found[1], key, notice))
        except ChannelGone:
            return await self._tried(self._begun(_number(place.channel), found[1], key, notice))
        except ChatError as error:
            return failed(error)

    async def edit(self, place: Place, ref: str, key: str, notice: Notice) -> Delivery:  # noqa: ARG002 - the id says all
        """Make a message show this; nobody is mentioned again."""
        found = referred(ref)
        if found is None:
            return Failed(Why.GONE, detail="that was no message")
        try:
            await self._now().edit(*found, self._parts(notice, key))
        except ChatError as error:
            return failed(error)
        return Delivered(ref)

    async def find(self, place: Place, parent: str, key: str, since: float) -> tuple[str, ...] | Failed:
        """Return our messages with this key since a time."""
        above, began = referred(parent), datetime.fromtimestamp(since, UTC)
        channel = above[1] if above else _number(place.channel)
        try:
            found = await self._now().found(channel, key, began)
        except ChannelGone as error:
            # No thread: nothing was ever answered below that message.
            return () if above else failed(error)
        except ChatError as error:
            return failed(error)
        return tuple(reference(channel, message) for message in found)

    async def delete(self, place: Place, ref: str) -> Delivery:
        """Delete a message of ours, and the thread below it."""
        found = referred(ref)
        if found is None:
            return Failed(Why.GONE, detail="that was no message")
        channel, message = found
        try:
            await self._now().delete(channel, message)
            if channel == _number(place.channel):
                await self._now().put_away(message)
        except ChatError as error:
            return failed(error)
        return Delivered(ref)

    async def tell(self, place: Place, user: str, view: View) -> Delivery:  # noqa: ARG002 - people are the same everywhere
        """Tell somebody in their direct messages."""
        try:
            channel = await self._now().direct(user)
            message = await self._now().post(channel, self._renderer.message(view))
        except ChatError as error:
            return failed(error)
        return Delivered(reference(channel, message))

    async def link(self, place: Place, ref: str) -> str:
        """Return the address of a message."""
        return f"https://discord.com/channels/{place.workspace}/{ref}" if referred(ref) else ""

    async def belongs(self, place: Place) -> bool:
        """Say whether a channel is one of this server: all of them share a token, and their ids tell nothing."""
        found = self._now().client.get_channel(_number(place.channel))
        return isinstance(found, discord.abc.GuildChannel) and str(found.guild.id) == place.workspace

    async def _posted(self, channel: int, key: str, notice: Notice) -> str:
        mentions = _mentions(notice.mention)
        message = await self._now().post(channel, self._parts(notice, key), key=key, mentions=mentions)
        return reference(channel, message)

    async def _begun(self, channel: int, message: int, key: str, notice: Notice) -> str:
        thread = await self._now().open_thread(
            channel, notice.thread or self._say.text("discord.updates"), message=message
        )
        return await self._posted(thread, key, notice)

    async def _tried(self, sending: Awaitable[str]) -> Delivery:
        try:
            return Delivered(await sending)
        except ChatError as error:
            return failed(error)

    def _parts(self, notice: Notice, key: str) -> list[Json]:
        """Return a message with its colour at the side, and the mark by which it is found."""
        mention = notice.mention if _chosen(notice.mention) else ""
        return self._renderer.framed(notice.view, _COLOURS[notice.tone], key, Setting(mention=mention))


def _number(channel: str) -> int:
    return int(channel) if channel.isdecimal() else 0


def _chosen(mention: str) -> bool:
    return mention in _ALL or bool(_ROLE.fullmatch(mention) or _PERSON.fullmatch(mention))


def _mentions(mention: str) -> discord.AllowedMentions:
    """Return exactly what was chosen to be mentioned; whatever else the text holds mentions nobody."""
    role, person = _ROLE.fullmatch(mention), _PERSON.fullmatch(mention)
    return discord.AllowedMentions(
        everyone=mention in _ALL,
        roles=[discord.Object(int(role[1]))] if role else False,
        users=[discord.Object(int(person[1]))] if person else False,
        replied_user=False,
    )
