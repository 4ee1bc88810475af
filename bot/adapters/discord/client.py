"""The connected client: acknowledges at once, decodes, and hands over to the intake."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import discord
import structlog
from discord import app_commands

from bot.adapters.discord import commands, decode
from bot.adapters.discord.chat import DiscordChat, Station
from bot.adapters.discord.choosing import ASKS
from bot.adapters.discord.decode import Heard
from bot.adapters.discord.faults import LIMITED, told
from bot.adapters.discord.limits import ATTACHMENT
from bot.adapters.discord.managing import ASKED
from bot.adapters.discord.memory import Memory
from bot.adapters.discord.press import REMOVE, WRITE, Mark
from bot.adapters.discord.pressing import Press
from bot.adapters.discord.render import Renderer
from bot.adapters.discord.state import State
from bot.adapters.discord.wire import Reply, Wire, acknowledge
from bot.core.errors import ChatError, ChatUnavailable
from bot.core.event import Commanded, InboundEvent, Said
from bot.core.triage.placement import Rooms
from bot.core.view import COMMAND, View
from bot.ports.platform import House

_log = structlog.get_logger(__name__)

# Voice is not used: nobody needs to hear that its libraries are missing.
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False

_COOLDOWN = 600.0
"""Seconds after an offer in which the same person gets no other in the same channel."""
_PATIENCE = 1.5
"""Seconds a form may take; unanswered for three, Discord gives a command up."""
_MISSED = timedelta(minutes=15)
"""How far back threads are read after a time without a connection."""
_OVERLAP = timedelta(seconds=30)
"""How much of what was heard is read again: clocks differ, and a busy process hears late. Nothing is answered twice."""
_MISSED_MOST = 50
"""Messages read again in one thread."""


class RedialClient(discord.AutoShardedClient):
    """One application in all its servers. It keeps no messages and no members."""

    def __init__(
        self,
        house: House,
        rooms: Rooms,
        *,
        content: bool = True,
        shards: int | None = None,
        admins: frozenset[str] = frozenset(),
        proxy: str | None = None,
    ) -> None:
        """Take what it works with. content: the message content intent is granted. admins: see `Station`."""
        super().__init__(
            intents=intents(content=content),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            allowed_mentions=discord.AllowedMentions.none(),
            shard_count=shards,
            max_ratelimit_timeout=LIMITED,
            proxy=proxy,
        )
        self._house, self.rooms = house, rooms
        renderer = Renderer(house.messages)
        wire, forms = Wire(self), not content
        self.station = Station(wire, house.messages, house.guides, renderer, forms, self._offered, admins)
        self.tree = app_commands.CommandTree(self)
        self.tree.add_command(commands.group(house, self._command))
        self.tree.add_command(commands.shortcut(house.messages, self._shortcut))
        self._offers: Memory[int, str] = Memory()
        self._cooling: Memory[tuple[str, str], float] = Memory()
        self._closing: set[asyncio.Task[None]] = set()
        self._heard_at: dict[int, datetime] = {}
        self._greeted: set[int] = set()

    def _get_state(self, **options: Any) -> State:  # noqa: ANN401 - as the library has it
        self._state = State(
            dispatch=self.dispatch, handlers=self._handlers, hooks=self._hooks, http=self.http, **options
        )
        return self._state

    @property
    def me(self) -> int:
        """Redial's own id."""
        return self.user.id if self.user else 0

    @property
    def hears(self) -> bool:
        """Say whether the gateway tells us what happens: it has greeted every shard since that was connected.

        The library's `is_ready` stays true when it no longer does, and a connection that is closed again and again is
        open now and then.
        """
        return bool(self._greeted) and self._greeted == self.shards.keys()

    async def setup_hook(self) -> None:
        """Register the commands where Discord has others, or none."""
        application = self.application_id
        ours = [command.to_dict(self.tree) for command in self.tree.get_commands()]
        theirs = {one["name"]: one for one in await self.http.get_global_commands(application or 0)}
        if len(theirs) != len(ours) or not all(
            one["name"] in theirs and commands.same(one, dict(theirs[one["name"]])) for one in ours
        ):
            await self.tree.sync()
            _log.info("commands registered", platform=decode.PLATFORM, count=len(ours))

    # --- what comes in ---

    async def on_shard_ready(self, shard: int) -> None:
        """Know that one connection hears, and read what was missed while it did not.

        When one of several begins anew, the library tells that of it alone, and not that all are ready.
        """
        now = discord.utils.utcnow()
        # A process that begins does not know for how long nobody has listened.
        heard = self._heard_at.get(shard, now - _MISSED) - _OVERLAP
        since, self._heard_at[shard] = max(heard, now - _MISSED), now
        self._greeted.add(shard)
        for guild in self.guilds:
            for thread in guild.threads if guild.shard_id == shard else ():
                if thread.owner_id == self.me or thread.me is not None:
                    await self._caught_up(thread, since)

    async def on_shard_resumed(self, shard: int) -> None:
        """Know that it hears again, and that nothing was missed: all of it was told again."""
        self._greeted.add(shard)

    async def on_shard_disconnect(self, shard: int) -> None:
        """Know that it no longer does: from now on something may be missed, until it was read."""
        self._greeted.discard(shard)

    async def close(self) -> None:
        """Close every connection, also one that is only being made."""
        await super().close()
        await self._state.hang_up()

    async def on_message(self, message: discord.Message) -> None:
        """Take what somebody wrote."""
        shard = message.guild.shard_id if message.guild else 0
        # What comes before the missed was read says nothing about what was missed.
        if shard in self._greeted:
            self._heard_at[shard] = discord.utils.utcnow()
        if message.author.id == self.me:
            return
        await self._message(message)

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Read a corrected message in a watched channel again: an offer is still made only once."""
        message = payload.message
        if message.edited_at and discord.utils.utcnow() - message.created_at < _MISSED:
            heard = decode.from_message(message, self.me, self.rooms)
            if heard and isinstance(heard.event.what, Said) and heard.event.what.how == "watched":
                await self._heard(heard)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """Take an offer away together with the message it was made for."""
        found = decode.referred(self._offers.pop(payload.message_id) or "")
        if found:
            try:
                await self.station.wire.delete(*found)
            except ChatError as error:
                _log.info("offer stays", error=str(error))

    async def on_press(self, interaction: discord.Interaction, press: Press) -> None:
        """Take a press."""
        mark = press.mark
        mine = mark.for_user in {"", str(interaction.user.id)}
        if mark.choice == WRITE and mine:
            await interaction.response.send_modal(commands.Form(self._house.messages, mark))
            return
        if mark.step == COMMAND:
            await self._command(interaction, self._house.read(mark.choice))
            return
        event = decode.from_press(interaction, mark, press.message)
        reply = await self._acknowledged(interaction, event, thinking=False)
        if reply is None:
            return
        chat = DiscordChat(self.station, event, reply)
        if not (mine or (mark.choice == REMOVE and interaction.permissions.manage_messages)):
            await self._say(event, chat, "trouble.not-yours")
        elif mark.choice == REMOVE:
            await self._removed(press.message)
        else:
            await self._submit(event, chat)

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Take a form, whoever opened it. Presses are events of their own, and commands come through the tree."""
        if interaction.type is discord.InteractionType.modal_submit:
            mark = decode.mark_of(interaction)
            if mark:
                await self._form(interaction, mark)

    async def on_guild_role_update(self, _before: discord.Role, _after: discord.Role) -> None:
        """Ask again where a right was missing."""
        self.station.wire.refusals.clear()

    async def on_guild_channel_update(self, _before: object, _after: object) -> None:
        """Ask again where a right was missing."""
        self.station.wire.refusals.clear()

    # --- how it is handed over ---

    async def _message(self, message: discord.Message) -> None:
        heard = decode.from_message(message, self.me, self.rooms)
        if heard:
            await self._heard(heard)

    async def _heard(self, heard: Heard) -> None:
        event, what = heard.event, heard.event.what
        if isinstance(what, Said) and what.how == "watched" and self._cools(event):
            return
        if isinstance(what, Said) and heard.files:
            what = Said(await _with_files(what.text, heard), what.how, what.author)
        if isinstance(what, Said) and what.how == "mention" and heard.opens:
            read = self._house.read(what.text)
            what = read if isinstance(read, Commanded) else what
        event = replace(event, what=what)
        await self._submit(event, DiscordChat(self.station, event, opens=heard.opens, manages=heard.manages))

    async def _command(self, interaction: discord.Interaction, what: Commanded | Said) -> None:
        event = decode.from_interaction(interaction, what)
        held: Reply | None = None
        if isinstance(what, Commanded) and what.name == ASKS:
            # A form can only be the first answer, so the acknowledgement waits for it, but not for long.
            held = Reply(interaction, waits=False, private=event.room != "direct", held=True)
            held.late = asyncio.get_running_loop().call_later(_PATIENCE, self._late, held)
        reply = held or await self._acknowledged(interaction, event)
        if reply:
            manages = interaction.permissions.manage_channels
            await self._submit(event, DiscordChat(self.station, event, reply, manages=manages))

    def _late(self, reply: Reply) -> None:
        """Acknowledge what was not answered in time; no form opens any more."""
        if reply.held:
            self._closes(self._acknowledged_late(reply))

    async def _acknowledged_late(self, reply: Reply) -> None:
        try:
            await reply.acknowledge()
        except ChatError as error:
            _log.info("not acknowledged", platform=decode.PLATFORM, error=str(error))

    async def _shortcut(self, interaction: discord.Interaction, message: discord.Message) -> None:
        heard = decode.from_shortcut(interaction, message, self.me)
        reply = await self._acknowledged(interaction, heard.event)
        if reply is None:
            return
        what = heard.event.what
        if isinstance(what, Said):
            what = Said(await _with_files(what.text, heard), what.how, what.author)
        event = replace(heard.event, what=what)
        await self._submit(event, DiscordChat(self.station, event, reply, heard.opens))

    async def _form(self, interaction: discord.Interaction, mark: Mark) -> None:
        asked = mark.step == ASKED
        event = decode.from_answers(interaction, mark) if asked else decode.from_form(interaction, mark)
        reply = await self._acknowledged(interaction, event, thinking=asked or not mark.conversation)
        if reply:
            manages = asked and interaction.permissions.manage_channels
            await self._submit(event, DiscordChat(self.station, event, reply, manages=manages))

    async def _acknowledged(
        self, interaction: discord.Interaction, event: InboundEvent, *, thinking: bool = True
    ) -> Reply | None:
        """Tell Discord that an answer comes; None where it takes none any more, and has told the person so."""
        private = event.room != "direct"
        try:
            async with told():
                await acknowledge(interaction, private=private, thinking=thinking)
        except ChatUnavailable as error:
            # It may have been heard, and the person wait.
            _log.warning("not acknowledged", platform=decode.PLATFORM, error=str(error))
        except ChatError as error:
            _log.warning("too late to answer", platform=decode.PLATFORM, error=str(error))
            return None
        return Reply(interaction, waits=thinking, private=private)

    async def _submit(self, event: InboundEvent, chat: DiscordChat) -> None:
        def played() -> None:
            if chat.reply and (chat.reply.waits or not chat.answered):
                self._closes(self._closed(event, chat, chat.reply))

        if not self._house.intake.submit(event, chat, played):
            await self._say(event, chat, "trouble.busy")

    def _closes(self, ending: Coroutine[None, None, None]) -> None:
        """See to the end of an interaction, beside whatever else goes on."""
        closing = asyncio.get_running_loop().create_task(ending)
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def _closed(self, event: InboundEvent, chat: DiscordChat, reply: Reply) -> None:
        """Leave nobody before "thinking", or a form whose words were for a conversation that has ended."""
        if not (chat.answered or reply.waits) and isinstance(event.what, Said):
            await self._say(event, chat, "trouble.gone")
        try:
            await reply.withdraw()
        except ChatError as error:
            _log.info("not withdrawn", platform=decode.PLATFORM, error=str(error))

    async def _say(self, event: InboundEvent, chat: DiscordChat, key: str) -> None:
        try:
            await chat.tell(event.origin, View(lead=self._house.messages.inline(key)))
        except ChatError as error:
            _log.warning("not told", request=event.request, platform=decode.PLATFORM, error=str(error))

    async def _removed(self, message: str) -> None:
        if found := decode.referred(message):
            try:
                await self.station.wire.delete(*found)
            except ChatError as error:
                _log.info("offer stays", error=str(error))

    # --- what is remembered ---

    def _offered(self, event: InboundEvent, message: str) -> None:
        now = asyncio.get_running_loop().time()
        self._cooling.note((event.origin.channel, event.origin.user), now + _COOLDOWN)
        self._offers.note(int(event.id.removeprefix("m:")), message)

    def _cools(self, event: InboundEvent) -> bool:
        until = self._cooling.get((event.origin.channel, event.origin.user)) or 0.0
        return asyncio.get_running_loop().time() < until

    async def _caught_up(self, thread: discord.Thread, since: datetime) -> None:
        last = thread.last_message_id
        if last and discord.utils.snowflake_time(last) <= since:
            return
        await self.station.wire.turn()
        try:
            async for message in thread.history(limit=_MISSED_MOST, after=since, oldest_first=True):
                if message.author.id != self.me:
                    await self._message(message)
        except discord.HTTPException as error:
            _log.info("thread not read again", status=error.status, code=error.code)


def intents(*, content: bool) -> discord.Intents:
    """Return the intents Redial asks for; `content` is the privileged one."""
    asked = discord.Intents.none()
    asked.guilds = asked.guild_messages = asked.dm_messages = True
    asked.message_content = content
    return asked


async def _with_files(text: str, heard: Heard) -> str:
    """Return what was written together with what its text files say, as far as they are read."""
    parts = [text]
    for file in heard.files:
        if file.size <= ATTACHMENT:
            try:
                parts.append((await file.read()).decode("utf-8", "replace"))
            except discord.DiscordException as error:
                _log.info("attachment not read", error=type(error).__name__)
    return "\n".join(part for part in parts if part)
