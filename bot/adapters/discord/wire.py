"""What is asked of Discord, a method a request: paced, within a time, and with its errors translated."""

from __future__ import annotations

import asyncio
import io
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Literal

import discord
import structlog
from discord.http import MultipartParameters, Route
from discord.webhook.async_ import async_context

from bot.adapters.discord.faults import Archived, Locked, ThreadExists, told
from bot.adapters.discord.limits import NONCE, THREAD, cut
from bot.adapters.discord.pacing import Pace, Refusals
from bot.adapters.discord.press import key_mark
from bot.adapters.discord.render import Json
from bot.core.errors import ChannelGone, ChatError, ChatUnavailable, NotAllowed
from bot.core.view import Picture

_log = structlog.get_logger(__name__)

_LOOK = 50
"""Messages that are read when one of ours is looked for."""
_YOUNG = 5
"""Threads in which an answer is looked for that may have begun one."""
_ARCHIVE: Literal[1440] = 1440
"""Minutes without a word after which Discord folds a thread away; it opens again with the next message."""
_PUBLIC: Literal[11] = 11
"""A public thread, among the kinds of channels."""

_TEXTS = discord.MessageFlags(components_v2=True).value
"""Says that text stands among the components."""

_PRIVATE = discord.MessageFlags(ephemeral=True).value
_THINKS = discord.InteractionResponseType.deferred_channel_message.value
_STAYS = discord.InteractionResponseType.deferred_message_update.value

NOBODY = discord.AllowedMentions.none()


class Ready(discord.ui.LayoutView):
    """Components that are ready as they are; stopped before it is sent, so that discord.py keeps nothing of it."""

    def __init__(self, components: Sequence[Json]) -> None:
        """Take Discord's JSON."""
        super().__init__(timeout=None)
        self._given = list(components)
        self.stop()

    def has_components_v2(self) -> bool:
        """Say that text stands among the components."""
        return True

    def to_components(self) -> list[dict[str, object]]:
        """Return what was given."""
        return self._given


class Wire:
    """A connected client as the chat uses it. Every method may raise a `ChatError`, and nothing else."""

    def __init__(self, client: discord.Client) -> None:
        """Take the client, whose one HTTP session carries everything."""
        self.client = client
        self.refusals = Refusals()
        self._pace = Pace()

    async def post(
        self,
        channel: int,
        components: Sequence[Json],
        *,
        key: str = "",
        answers: int = 0,
        mentions: discord.AllowedMentions = NOBODY,
    ) -> int:
        """Send a message and return its id. key: a repeat within minutes is the same message.

        answers: the message in the same channel it is a reply to. mentions: who is notified.
        """
        self.refusals.check(channel)
        body: Json = {**_body(components, mentions), "nonce": _nonce(key), "enforce_nonce": True}
        if answers:
            body["message_reference"] = {"message_id": str(answers), "fail_if_not_exists": False}
        try:
            return await self._post(channel, body)
        except Archived:
            await self.reopen(channel)
            return await self._post(channel, body)
        except NotAllowed as error:
            self.refusals.note(channel, error.missing)
            raise

    async def edit(self, channel: int, message: int, components: Sequence[Json]) -> None:
        """Make a message of ours show something else; an archived thread is opened for it."""
        try:
            await self._edit(channel, message, components)
        except Archived:
            await self.reopen(channel)
            await self._edit(channel, message, components)

    async def delete(self, channel: int, message: int) -> None:
        """Delete a message of ours."""
        await self._pace.turn()
        async with self._told("Manage Messages"):
            await self.client.get_partial_messageable(channel).get_partial_message(message).delete()

    async def open_thread(self, channel: int, name: str, *, message: int = 0) -> int:
        """Begin a public thread, on a message if one is given, and return its id; one that is there already will do."""
        self.refusals.check(channel)
        await self._pace.turn()
        http, name = self.client.http, cut(name, THREAD)
        try:
            async with self._told("Create Public Threads"):
                # Not through the library's channels: a process without the gateway knows none.
                if message:
                    made = await http.start_thread_with_message(
                        channel, message, name=name, auto_archive_duration=_ARCHIVE
                    )
                else:
                    made = await http.start_thread_without_message(
                        channel, name=name, auto_archive_duration=_ARCHIVE, type=_PUBLIC
                    )
                return _ident(made)
        except ThreadExists:
            return message
        except NotAllowed as error:
            self.refusals.note(channel, error.missing)
            raise

    async def join(self, thread: int) -> None:
        """Be in a thread that others began, and so hear what is said there; where we are already, nothing is asked."""
        found, me = self.client.get_channel(thread), self.client.user
        if not (isinstance(found, discord.Thread) and me and found.me is None and found.owner_id != me.id):
            return
        await self._pace.turn()
        try:
            async with self._told():
                await found.join()
        except ChatError as error:
            _log.info("thread not joined", thread=thread, error=str(error))

    async def reopen(self, thread: int) -> None:
        """Open an archived thread again; raises `Locked` for one that was closed for good."""
        await self._pace.turn()
        try:
            async with self._told("Manage Threads"):
                found = self.client.get_channel(thread) or await self.client.fetch_channel(thread)
                if isinstance(found, discord.Thread):
                    await found.edit(archived=False)
        except NotAllowed as error:
            # Whoever may write in a thread may open it, unless it was locked.
            raise Locked(str(error)) from error

    async def put_away(self, thread: int) -> None:
        """Delete a thread nobody else has written in; with their words, or without the right to, archive it."""
        http = self.client.http
        try:
            if not await self.others_since(thread, "", 0):
                await self._pace.turn()
                async with self._told("Manage Threads"):
                    await http.delete_channel(thread)
                return
        except ChannelGone:
            # No thread was ever begun there.
            return
        except NotAllowed as error:
            _log.info("thread stays, archived", thread=thread, missing=error.missing)
        await self._pace.turn()
        try:
            async with self._told("Manage Threads"):
                await http.edit_channel(thread, archived=True)
        except ChatError as error:
            _log.info("thread stays", thread=thread, error=str(error))

    async def direct(self, user: str) -> int:
        """Return the channel of a person's direct messages."""
        await self._pace.turn()
        async with self._told("direct messages"):
            return (await self.client.create_dm(discord.Object(int(user)))).id

    async def find(self, channel: int, key: str) -> int | None:
        """Return the id of our latest message with a key; None where it is not, or nobody may look."""
        await self._pace.turn()
        mark, me = key_mark(key), self.client.user
        try:
            async with self._told("Read Message History"):
                async for message in self.client.get_partial_messageable(channel).history(limit=_LOOK):
                    first = message.components[0] if message.components else None
                    if me and message.author.id == me.id and getattr(first, "id", 0) == mark:
                        return message.id
        except (NotAllowed, ChannelGone) as error:
            _log.info("cannot look", channel=channel, error=str(error))
        return None

    async def found(self, channel: int, key: str, since: datetime) -> list[int]:
        """Return the ids of all our messages with a key since a time, oldest first; raises where nobody may look."""
        mark, me, there = key_mark(key), self.client.user, self.client.get_channel(channel)
        if not _readable(there):
            # Without this right Discord answers with an empty list, which would say that nothing was sent.
            raise NotAllowed("the history may not be read", missing="Read Message History")
        await self._pace.turn()
        async with self._told("Read Message History"):
            return [
                message.id
                async for message in self.client.get_partial_messageable(channel).history(
                    limit=None, after=since, oldest_first=True
                )
                if me
                and message.author.id == me.id
                and message.components
                and getattr(message.components[0], "id", 0) == mark
            ]

    async def turn(self) -> None:
        """Wait until a request may be sent by somebody else than this."""
        await self._pace.turn()

    async def others_since(self, thread: int, user: str, after: int) -> bool:
        """Say whether a human other than `user` has written in a thread after our last message there.

        after: a message of ours to begin with; a younger one counts.
        """
        await self._pace.turn()
        async with self._told("Read Message History"):
            found = await self.client.http.logs_from(thread, _LOOK, after=after)
        me = str(self.client.user.id) if self.client.user else ""
        for message in found:
            author = message["author"]
            if author["id"] == me:
                return False
            if author["id"] != user and not author.get("bot"):
                return True
        return len(found) == _LOOK

    def threads(self, channel: int) -> list[int]:
        """Return our youngest threads below a channel, newest first, as the cache knows them."""
        found, me = self.client.get_channel(channel), self.client.user
        if not isinstance(found, discord.TextChannel) or me is None:
            return []
        return sorted((one.id for one in found.threads if one.owner_id == me.id), reverse=True)[:_YOUNG]

    def _told(self, right: str = "") -> told:
        return told(right, self._let_go)

    def _let_go(self) -> None:
        """Let other requests go on after one that was broken off.

        discord.py stops all of them while it waits out a limit of the whole bot, and begins again only after its wait.
        """
        going = self.client.http._global_over  # noqa: SLF001 - there is no other way, and without it all stop for good
        going.set()

    async def _post(self, channel: int, body: Json) -> int:
        await self._pace.turn()
        async with self._told("Send Messages"):
            sent = await self.client.http.send_message(channel, params=MultipartParameters(body, None, None))
        return _ident(sent)

    async def _edit(self, channel: int, message: int, components: Sequence[Json]) -> None:
        await self._pace.turn()
        async with self._told("Send Messages"):
            params = MultipartParameters(_body(components, NOBODY), None, None)
            await self.client.http.edit_message(channel, message, params=params)


def _body(components: Sequence[Json], mentions: discord.AllowedMentions) -> Json:
    """Return a message as Discord takes it: its JSON is ready, and nothing of the answer but an id is needed."""
    return {"components": list(components), "flags": _TEXTS, "allowed_mentions": mentions.to_dict()}


async def acknowledge(interaction: discord.Interaction, *, private: bool, thinking: bool) -> None:
    """Tell Discord that an answer comes. thinking: it shows so until then, to one person alone if it is `private`."""
    body: Json = {"type": _THINKS, "data": {"flags": _PRIVATE if private else 0}} if thinking else {"type": _STAYS}
    await _answered(interaction, "POST", "/interactions/{webhook_id}/{webhook_token}/callback", interaction.id, body)


async def _answered(interaction: discord.Interaction, method: str, path: str, ident: int, body: Json) -> None:
    """Answer an interaction as the library does, which makes objects of what Discord says to it."""
    route = Route(method, path, webhook_id=ident, webhook_token=interaction.token)
    http, session = interaction.client.http, interaction._session  # noqa: SLF001 - there is no other way to its session
    await async_context.get().request(route, session, payload=body, proxy=http.proxy, proxy_auth=http.proxy_auth)


class Reply:
    """An interaction's own way of answering, for a quarter of an hour: seen by who pressed, but in direct messages.

    waits: Discord shows "thinking" until something is said. held: it has not been acknowledged yet, since only then a
    form can open.
    """

    def __init__(self, interaction: discord.Interaction, *, waits: bool, private: bool, held: bool = False) -> None:
        """Take an interaction that has been acknowledged, or is `held`."""
        self.held = held
        self.late: asyncio.TimerHandle | None = None
        """What acknowledges it if it is held for long."""
        self.user = str(interaction.user.id)
        self.public = not private
        self._interaction = interaction
        self.waits = waits
        self._turn = asyncio.Lock()

    @property
    def pictures(self) -> bool:
        """Whether files may be shown where it answers."""
        return self._interaction.guild_id is None or self._interaction.app_permissions.attach_files

    @property
    def roles(self) -> frozenset[str]:
        """The roles of who did it, by id."""
        person = self._interaction.user
        return frozenset(str(role.id) for role in person.roles) if isinstance(person, discord.Member) else frozenset()

    async def acknowledge(self) -> None:
        """Tell Discord that an answer comes, if it was not told; no form can open any more."""
        async with self._turn, told():
            if self.held:
                self._let_go()
                self.waits = True
                await acknowledge(self._interaction, private=not self.public, thinking=True)

    async def ask(self, form: discord.ui.Modal) -> None:
        """Open a form as the one answer."""
        async with self._turn, told():
            if not self.held:
                raise ChatUnavailable("it was acknowledged before the form was ready")
            self._let_go()
            await self._interaction.response.send_modal(form)

    async def say(self, components: Sequence[Json], picture: Picture | None = None) -> int:
        """Show this, and return the message's id. picture: what a gallery among the components shows."""
        files = [discord.File(io.BytesIO(picture.png), picture.name)] if picture else []
        async with self._turn, told("Use Application Commands"):
            if self.held:
                self._let_go()
                response = self._interaction.response
                shown = await response.send_message(view=Ready(components), files=files, ephemeral=not self.public)
                return shown.message_id or 0
            if self.waits:
                self.waits = False
                return (await self._interaction.edit_original_response(view=Ready(components), attachments=files)).id
            sent = await self._interaction.followup.send(
                view=Ready(components), files=files, ephemeral=not self.public, wait=True
            )
            return sent.id

    def _let_go(self) -> None:
        self.held = False
        if self.late:
            self.late.cancel()

    async def turn_into(self, components: Sequence[Json]) -> None:
        """Make the message that was pressed show something else; it counts for no limit of the bot's."""
        pressed, body = self._interaction, _body(components, NOBODY)
        async with told():
            path = "/webhooks/{webhook_id}/{webhook_token}/messages/@original"
            await _answered(pressed, "PATCH", path, pressed.application_id, body)

    async def withdraw(self) -> None:
        """Take the "thinking" away: the answer is elsewhere, or none."""
        await self.acknowledge()
        if self.waits:
            self.waits = False
            async with told():
                await self._interaction.delete_original_response()


def _ident(answer: object) -> int:
    """Return the id in an answer. Something on the way may have answered in Discord's place, with a page of its own."""
    if not isinstance(answer, Mapping) or "id" not in answer:
        raise ChatUnavailable("an answer that is not Discord's")
    return int(answer["id"])


def _nonce(key: str) -> str:
    return blake2b(key.encode(), digest_size=NONCE // 2).hexdigest() if key else secrets.token_hex(NONCE // 2)


def _readable(channel: object) -> bool:
    """Say whether what was written before may be read; of a channel that is not in the cache, Discord decides."""
    if isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        return channel.permissions_for(channel.guild.me).read_message_history
    return True
