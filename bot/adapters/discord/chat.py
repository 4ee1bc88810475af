"""Discord's side of the Chat port: where a view goes, and how it is found, folded and told again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import discord
import structlog

from bot.adapters.discord import managing
from bot.adapters.discord.decode import reference, referred
from bot.adapters.discord.faults import Expired, Locked
from bot.adapters.discord.render import PLAIN, Json, Renderer, Setting
from bot.adapters.discord.rights import named
from bot.adapters.discord.wire import NOBODY, Reply, Wire
from bot.core.errors import ChannelGone, ChatError, ChatUnavailable, NotAllowed
from bot.core.event import Commanded, InboundEvent, Origin, Pressed, Said
from bot.core.form import Form, Option
from bot.core.frozen import frozen
from bot.core.messages import Messages
from bot.core.text import Span, Text
from bot.core.triage.folding import Folded
from bot.core.triage.placement import Where
from bot.core.view import HANDOFF, Picture, View
from bot.ports.chat import Posted

_log = structlog.get_logger(__name__)

SAME = "@same"
"""Step of a view that is one line for a report many share: below it, in sight of all, instead of a thread."""
OFFER = "@offer"
"""Step of a view that offers help to somebody who did not ask."""
_RIGHTS = ("create_public_threads", "send_messages_in_threads", "read_message_history")
"""What it takes to begin a thread on a message, and to go on there."""


@frozen
class Station:
    """What every chat of a process shares.

    titles: guides by id, for the names of threads. forms: words in threads only come through a form.
    offered: told of each offer that was made, and where it is.
    admins: ids of people who may manage every channel.
    """

    wire: Wire
    messages: Messages
    titles: Mapping[str, str]
    renderer: Renderer
    forms: bool = False
    offered: Callable[[InboundEvent, str], None] = lambda _event, _message: None
    admins: frozenset[str] = frozenset()


@dataclass(slots=True)
class DiscordChat:
    """Implements the Chat port, for what came with one event, or without one for what nobody asked for.

    reply: how an interaction is answered. opens: the event's message gets its thread with the first answer.
    answered: something was to be shown or told, however that went. manages: who spoke may manage the channel, as
    Discord says.
    """

    station: Station
    event: InboundEvent | None = None
    reply: Reply | None = None
    opens: bool = False
    answered: bool = False
    manages: bool = False
    _wire: Wire = field(init=False)

    def __post_init__(self) -> None:
        self._wire = self.station.wire

    async def private(self, origin: Origin) -> Origin:
        """Return where it is: an interaction goes on being answered for one person alone."""
        return origin

    async def show(self, origin: Origin, view: View, where: Where, *, message: str = "") -> Posted:
        """Show a view where its conversation is held."""
        self.answered = True
        match where:
            case Where.THREAD:
                posted = await self._in_thread(origin, view)
            case Where.MESSAGE:
                posted = await self._in_channel(origin, view, message)
            case Where.PRIVATE | Where.ASIDE:
                posted = await self._privately(origin, view)
            case Where.DIRECT:
                posted = await self._directly(origin, view)
        await self._taken()
        return posted

    async def tell(self, origin: Origin, view: View) -> None:
        """Show a view to one person: by the interaction, as an offer, in their direct messages, or else in place."""
        self.answered = True
        view = self._pictured(view)
        if await self._replied(origin, self._parts(view), view.picture):
            return
        if view.step == OFFER and self.event:
            await self._offer(self.event, view)
        elif self._aloud(origin, view):
            await self._in_place(origin, view)
        else:
            await self._told_alone(origin, view)

    async def fold(self, origin: Origin, message: str, folded: Folded) -> None:
        """Turn an answered question into the lines that stay of it."""
        parts = self.station.renderer.folded(folded, owner=origin.user)
        if self.reply and self._pressed and message == self._pressed.message:
            await self.reply.turn_into(parts)
        elif found := referred(message):
            await self._wire.edit(*found, parts)

    async def shown(self, origin: Origin, key: str) -> Posted | None:
        """Look for a message in its thread or channel, and in young threads of ours if it may have opened one."""
        home = int(origin.thread or origin.channel)
        for place in [home, *([] if origin.thread else self._wire.threads(home))]:
            if found := await self._wire.find(place, key):
                thread = origin.thread or (str(place) if place != home else "")
                return Posted(thread, reference(place, found), self._link(origin, place, found))
        return None

    async def others_since(self, origin: Origin, shown: str) -> bool:
        """Look who has written in a thread since Redial's last post: a process that has just begun heard none of it."""
        if self.reply:
            # What was written into a form of Redial's is not meant for others.
            return False
        known = referred(shown) or (0, int(origin.thread))
        return await self._wire.others_since(int(origin.thread), origin.user, known[1])

    async def may_manage(self, origin: Origin) -> bool:
        """Say whether somebody has the right Manage Channels here, or is named in the settings."""
        return self.manages or origin.user in self.station.admins

    async def lacks(self, origin: Origin) -> str | None:
        """Return the rights an announcement would need here and Redial has not."""
        return managing.lacks(self._wire.client, origin)

    async def mentions(self, origin: Origin) -> tuple[Option, ...]:
        """Return whom Redial may mention here."""
        return managing.mentions(self._wire.client, origin)

    async def ask(self, origin: Origin, form: Form) -> None:  # noqa: ARG002 - an interaction is answered where it is
        """Open a form."""
        if self.reply is None:
            raise ChatUnavailable("a message cannot open a form")
        await self.reply.ask(managing.Asked(form))
        self.answered = True

    async def may_help(self, origin: Origin, groups: frozenset[str]) -> bool:
        """Say whether who pressed has one of these roles."""
        return self.reply is not None and self.reply.user == origin.user and bool(self.reply.roles & groups)

    async def direct(self, origin: Origin) -> Origin:
        """Return the direct messages with a person."""
        return replace(origin, channel=str(await self._wire.direct(origin.user)), thread="")

    async def find(self, origin: Origin, key: str, since: float = 0.0) -> Posted | None:
        """Look for a message by its key in a channel, posted since then."""
        channel = int(origin.channel)
        found = await self._wire.found(channel, key, datetime.fromtimestamp(since, UTC))
        return Posted("", reference(channel, found[0]), self._link(origin, channel, found[0])) if found else None

    async def link(self, origin: Origin, message: str) -> str:
        """Return the address of a message, or of its thread."""
        place = int(origin.thread or origin.channel)
        found = referred(message) or (place, 0)
        return self._link(origin, *found)

    # --- places ---

    async def _in_thread(self, origin: Origin, view: View) -> Posted:
        # What nobody asked for just now, such as "it is over", has to reach its owner.
        channel, thread, calls = int(origin.channel), int(origin.thread or 0), "" if self._present() else origin.user
        began = False
        own = self.event is not None and self.event.origin.thread == origin.thread
        if not thread or (self.opens and own):
            thread = await self._wire.open_thread(channel, self._title(view), message=thread)
            self.opens, began, calls = False, True, origin.user
        setting = Setting(hello=calls, write=origin.user if self.station.forms else "")
        try:
            message = await self._wire.post(thread, self._parts(view, setting), key=view.key, mentions=_only(calls))
        except ChannelGone as error:
            if began or isinstance(error, Locked):
                raise
            thread = await self._begun_anew(channel, thread, view)
            message = await self._wire.post(thread, self._parts(view, setting), key=view.key, mentions=_only(calls))
        if began:
            await self._pointed(address(origin.workspace, thread))
        elif not (self._pressed and self._pressed.conversation):
            # A question of the conversation was not pressed here: Redial may not be in its thread.
            await self._wire.join(thread)
        # Its server is known: in a bot of many servers, looking for a channel's takes longer than the turn.
        return Posted(str(thread), reference(thread, message), address(origin.workspace, thread, message))

    async def _begun_anew(self, channel: int, thread: int, view: View) -> int:
        """Begin a thread that is not there: what was to begin it may have crashed, or somebody has deleted it."""
        try:
            return await self._wire.open_thread(channel, self._title(view), message=thread)
        except ChannelGone:
            # Nothing is left of it. Where its owner goes on, they get another; nobody else begins one again.
            if not self._present():
                raise
            return await self._wire.open_thread(channel, self._title(view))

    async def _in_channel(self, origin: Origin, view: View, message: str) -> Posted:
        """Keep one message up to date where no thread can be; the first time with a word on why."""
        found = referred(message)
        channel = int(origin.thread or origin.channel)
        if found:
            try:
                await self._wire.edit(*found, self._parts(view, self._away(origin)))
            except ChannelGone:
                found = None
        if not found:
            parts = self._parts(view, replace(self._away(origin), note=self._missing(channel)))
            found = (channel, await self._wire.post(channel, parts, key=view.key))
        if self.reply and self.event and origin.channel == self.event.origin.channel:
            await self.reply.withdraw()
        return Posted(origin.thread, reference(*found), self._link(origin, *found))

    async def _privately(self, origin: Origin, view: View) -> Posted:
        parts = self._parts(view, Setting(write=origin.user, workspace=self._elsewhere(origin)))
        if await self._replied(origin, parts):
            return Posted("", "")
        channel = await self._wire.direct(origin.user)
        parts = self._parts(view, Setting(write=origin.user, workspace=origin.workspace))
        return Posted("", reference(channel, await self._wire.post(channel, parts, key=view.key)))

    async def _directly(self, origin: Origin, view: View) -> Posted:
        channel = int(origin.channel)
        if self.reply and self.reply.public and self.event and not isinstance(self.event.what, Pressed):
            return Posted("", reference(channel, await self.reply.say(self._parts(view))))
        return Posted("", reference(channel, await self._wire.post(channel, self._parts(view), key=view.key)))

    async def _in_place(self, origin: Origin, view: View) -> None:
        """Answer where something was said, as a reply to it."""
        event = self.event
        place = int(origin.thread or origin.channel)
        said = int(event.id.removeprefix("m:")) if event and event.id.startswith("m:") else 0
        if self.opens or (said and origin.thread == str(said)):
            place = int(origin.channel)
        await self._wire.post(place, self._parts(view), answers=said)

    async def _offer(self, event: InboundEvent, view: View) -> None:
        origin, said = event.origin, int(event.id.removeprefix("m:"))
        place = int(origin.thread or origin.channel)
        parts = self._parts(view, Setting(asker=origin.user))
        message = await self._wire.post(place, parts, key=f"offer:{event.id}", answers=said)
        self.station.offered(event, reference(place, message))

    async def _told_alone(self, origin: Origin, view: View) -> None:
        event = self.event
        if event and event.room == "direct" and origin.user == event.origin.user:
            await self._wire.post(int(origin.channel), self._parts(view))
            return
        try:
            channel = await self._wire.direct(origin.user)
            await self._wire.post(channel, self._parts(view, Setting(workspace=origin.workspace)))
        except NotAllowed:
            if not (event and isinstance(event.what, Said)):
                raise
            await self._in_place(event.origin, view)

    def _aloud(self, origin: Origin, view: View) -> bool:
        """Say whether this is for all to see: a line for many, or what somebody commanded in a message."""
        if self.event is None or (self.reply and self.reply.user == origin.user):
            return False
        return view.step == SAME or isinstance(self.event.what, Commanded)

    async def _replied(self, origin: Origin, parts: list[Json], picture: Picture | None = None) -> bool:
        """Answer by the interaction, to who made it; no, where it is another's or its quarter of an hour is over."""
        if not (self.reply and self.reply.user == origin.user):
            return False
        try:
            await self.reply.say(parts, picture)
        except Expired:
            return False
        return True

    # --- around them ---

    def _pictured(self, view: View) -> View:
        """Return a view without its picture, and a word on why, where none can be shown to one person alone."""
        if view.picture is None or (self.reply and self.reply.pictures):
            return view
        say = self.station.messages
        why = say.inline("picture.missing", missing="Attach Files") if self.reply else say.inline("picture.command")
        return replace(view, picture=None, blocks=(*view.blocks, Text(why)))

    def _parts(self, view: View, setting: Setting = PLAIN) -> list[dict[str, object]]:
        return self.station.renderer.message(view, setting)

    def _title(self, view: View) -> str:
        return self.station.titles.get(view.guide) or self.station.messages.text("discord.thread")

    def _missing(self, channel: int) -> str:
        """Return a word on why there is no thread; empty where the kind of channel has none."""
        found = self._wire.client.get_channel(channel)
        if not isinstance(found, discord.TextChannel):
            return ""
        rights = found.permissions_for(found.guild.me)
        missing = ", ".join(named(right) for right in _RIGHTS if not getattr(rights, right))
        return self.station.messages.text("discord.no-thread", missing=missing) if missing else ""

    def _elsewhere(self, origin: Origin) -> str:
        """Return the workspace buttons must name, where the place they stand in is of another."""
        return origin.workspace if self.reply and self.reply.public else ""

    @property
    def _pressed(self) -> Pressed | None:
        what = self.event.what if self.event else None
        return what if isinstance(what, Pressed) else None

    def _present(self) -> bool:
        """Say whether somebody has just done what is answered, so that nothing has to call them."""
        return self.event is not None and not (self._pressed and self._pressed.step == HANDOFF)

    def _away(self, origin: Origin) -> Setting:
        """Return what buttons must say in a channel of another server than the conversation's, or of none."""
        return Setting(workspace=origin.workspace) if self._server(int(origin.channel)) != origin.workspace else PLAIN

    def _server(self, channel: int) -> str:
        """Return the server a channel is in; empty where the cache does not know it, or it is in none."""
        found = self._wire.client.get_channel(channel)
        guild = getattr(found, "guild", None)
        return str(guild.id) if guild else ""

    async def _pointed(self, thread: str) -> None:
        """Say where the answer is to somebody whose command was answered in a new thread."""
        if self.reply and self.reply.waits:
            where = (Span(self.station.messages.text("discord.thread"), href=thread),)
            try:
                await self.reply.say(
                    self._parts(View(lead=self.station.messages.inline("discord.opened", where=where)))
                )
            except ChatError as error:
                # It is answered all the same, and the thread calls them.
                _log.info("not led to the thread", error=str(error))

    async def _taken(self) -> None:
        """Take an offer away that was accepted."""
        pressed = self._pressed
        if pressed and pressed.step == OFFER and (found := referred(pressed.message)):
            try:
                await self._wire.delete(*found)
            except ChatError:
                return

    def _link(self, origin: Origin, channel: int, message: int) -> str:
        return address(self._server(channel) or origin.workspace, channel, message)


def address(workspace: str, channel: int, message: int = 0) -> str:
    """Return the address of a channel or thread, or of a message there."""
    return f"https://discord.com/channels/{workspace}/{channel}{f'/{message}' if message else ''}"


def _only(user: str) -> discord.AllowedMentions:
    if not user:
        return NOBODY
    return discord.AllowedMentions(everyone=False, roles=False, users=[discord.Object(int(user))], replied_user=False)
