"""What comes from Discord as events. Pure: discord.py's objects in, an `InboundEvent` out, nothing asked or sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import cast

import discord

from bot.adapters.discord.managing import answers
from bot.adapters.discord.markup import from_markdown
from bot.adapters.discord.press import Mark, from_custom_id
from bot.core.event import Commanded, How, InboundEvent, Origin, Pressed, Room, Said
from bot.core.frozen import frozen
from bot.core.triage.placement import Rooms

PLATFORM = "discord"
DIRECT = "@me"
"""Workspace of direct messages, which belong to no server."""
ORIGINAL = "@original"
"""`Pressed.message` of a message that only its interaction can edit."""

YOUNG = timedelta(days=7)
"""Younger accounts and members are not counted: a handful is quickly made."""
_YOUNG = YOUNG // timedelta(milliseconds=1)
_BEGAN = discord.utils.DISCORD_EPOCH
_SPOKEN = frozenset({discord.MessageType.default, discord.MessageType.reply})
_TEXTS = (".txt", ".log", ".md", ".json", ".out", ".err")


@frozen
class Heard:
    """A message that is Redial's business. files: its attachments that are text. opens: an answer begins a thread.

    manages: who wrote a mention may manage the channel.
    """

    event: InboundEvent
    files: tuple[discord.Attachment, ...] = ()
    opens: bool = False
    manages: bool = False


def from_message(message: discord.Message, me: int, rooms: Rooms) -> Heard | None:
    """Return what somebody wrote, or None where it is nobody's business: bots, other people's talk, other channels."""
    if message.author.bot or message.webhook_id or message.type not in _SPOKEN:
        return None
    origin = _where(message.channel, message.guild.id if message.guild else None, message.author.id)
    mentioned = me in message.raw_mentions or _by_role(message)
    how = _how(message, origin, rooms, mentioned=mentioned)
    if how is None:
        return None
    room = _room_of(message)
    opens = how == "mention" and not origin.thread and room == "threads"
    if opens:
        # The thread that begins with a message has the message's id.
        origin = _with_thread(origin, str(message.id))
    text, author = written(message, me), ""
    if not (text or message.attachments or mentioned):
        # Without the message content intent, that is all there is of other messages.
        return None
    quoted = _quoted(message, me) if how == "mention" else None
    if quoted:
        text = f"{written(quoted, me)}\n{text}".strip()
        author = str(quoted.author.id) if quoted.author.id != message.author.id else ""
    said = Said(text, how, author)
    files = text_files([message, *([quoted] if quoted else [])])
    manages = how == "mention" and _manages(message)
    young = newcomer(message.author, message.id)
    return Heard(InboundEvent(f"m:{message.id}", origin, said, room=room, newcomer=young), files, opens, manages)


def from_shortcut(interaction: discord.Interaction, message: discord.Message, me: int) -> Heard:
    """Return the shortcut on a message: its text, and whose words they are."""
    event = from_interaction(interaction, Said("", "shortcut"))
    author = str(message.author.id) if message.author.id != interaction.user.id and not message.author.bot else ""
    origin, opens = event.origin, event.room == "threads" and not event.origin.thread
    if opens and interaction.app_permissions.read_message_history:
        origin = _with_thread(origin, str(message.id))
    said = Said(written(message, me), "shortcut", author)
    return Heard(replace(event, origin=origin, what=said), text_files([message]), opens)


def from_interaction(interaction: discord.Interaction, what: Said | Commanded | Pressed) -> InboundEvent:
    """Return a command, a press or a form as an event."""
    origin = _where(interaction.channel, interaction.guild_id, interaction.user.id, interaction.channel_id)
    young = newcomer(interaction.user, interaction.id)
    return InboundEvent(f"i:{interaction.id}", origin, what, room=_room_of_interaction(interaction), newcomer=young)


def from_press(interaction: discord.Interaction, mark: Mark, shown: str) -> InboundEvent:
    """Return a press on a button or a select. shown: the message it stands in."""
    event = from_interaction(interaction, Pressed(mark.conversation, mark.revision, mark.step, mark.choice, shown))
    if not mark.workspace:
        return event
    origin = event.origin
    kept = Origin(origin.platform, mark.workspace, origin.channel, origin.user, origin.thread)
    return replace(event, origin=kept)


def from_answers(interaction: discord.Interaction, mark: Mark) -> InboundEvent:
    """Return a form that was sent as its sub-command with what was chosen."""
    chosen = answers(_data(interaction).get("components"))
    return from_interaction(interaction, Commanded(mark.choice, mark.conversation, chosen))


def from_form(interaction: discord.Interaction, mark: Mark) -> InboundEvent:
    """Return the words of a form: an answer where it was opened from a message, else a report."""
    text = next(_values(_data(interaction).get("components")), "")
    how: How = "command"
    if mark.conversation:
        how = "thread" if interaction.guild_id else "direct"
    return from_interaction(interaction, Said(text, how))


def newcomer(user: discord.User | discord.Member, ident: int) -> bool:
    """Say whether somebody's account, or membership, is too young to count as one of several who report the same.

    ident: of what they did; ids hold their time, in milliseconds from the 22nd bit on.
    """
    at = ident >> 22
    if at - (user.id >> 22) < _YOUNG:
        return True
    joined = user.joined_at if isinstance(user, discord.Member) else None
    return joined is not None and at + _BEGAN - joined.timestamp() * 1000 < _YOUNG


def mark_of(interaction: discord.Interaction) -> Mark | None:
    """Return what a sent form stands for; None for one that is not Redial's."""
    return from_custom_id(str(_data(interaction).get("custom_id", "")))


def written(message: discord.Message, me: int) -> str:
    """Return a message's words: mentions as names, without the one of Redial."""
    names = {str(user.id): user.display_name for user in message.mentions}
    names |= {str(role.id): role.name for role in message.role_mentions}
    own = message.guild.self_role if message.guild else None
    text = message.content.replace(own.mention, " ") if own else message.content
    return from_markdown(text, names, me=str(me))


def text_files(messages: Sequence[discord.Message]) -> tuple[discord.Attachment, ...]:
    """Return the attachments that are text: what Discord makes of a long paste (message.txt), and logs."""
    return tuple(
        one
        for message in messages
        for one in message.attachments
        if one.filename.lower().endswith(_TEXTS) or (one.content_type or "").startswith("text/")
    )


def reference(channel: int, message: int) -> str:
    """Return all it takes to edit a message later."""
    return f"{channel}/{message}"


def referred(message: str) -> tuple[int, int] | None:
    """Return channel and message of a reference; None for what is none."""
    channel, _, ident = message.partition("/")
    return (int(channel), int(ident)) if channel.isdecimal() and ident.isdecimal() else None


def allowed(permissions: discord.Permissions, *, thread: bool, begins: bool) -> Room:
    """Return what can be done in a channel with these rights. begins: a thread can be begun in its kind of channel."""
    if not permissions.view_channel:
        return "closed"
    if thread:
        return "threads" if permissions.send_messages_in_threads else "closed"
    if begins and permissions.create_public_threads and permissions.send_messages_in_threads:
        return "threads"
    return "plain" if permissions.send_messages else "closed"


def _how(message: discord.Message, origin: Origin, rooms: Rooms, *, mentioned: bool) -> How | None:
    if message.guild is None:
        return "direct"
    if mentioned:
        return "mention"
    channel = message.channel
    if isinstance(channel, discord.Thread):
        if message.id == channel.id and origin.channel in rooms.watched:
            return "watched"
        # Only threads Redial is in: every other one belongs to others, and is not even looked up.
        return "thread" if channel.me is not None or channel.owner_id == _self(message) else None
    return "watched" if origin.channel in rooms.watched else None


def _self(message: discord.Message) -> int:
    return message.guild.me.id if message.guild else 0


def _manages(message: discord.Message) -> bool:
    author, channel = message.author, message.channel
    if not isinstance(author, discord.Member) or not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        return False
    return channel.permissions_for(author).manage_channels


def _by_role(message: discord.Message) -> bool:
    """Say whether the role every bot has was mentioned: on a phone it stands beside the bot's name."""
    own = message.guild.self_role if message.guild else None
    return own is not None and own.id in message.raw_role_mentions


def _quoted(message: discord.Message, me: int) -> discord.Message | None:
    """Return the message a mention replies to, if a person wrote it."""
    found = message.reference.resolved if message.reference else None
    if not isinstance(found, discord.Message) or found.author.bot or found.author.id == me:
        return None
    return found


def _where(channel: object, guild: int | None, user: int, fallback: int | None = None) -> Origin:
    ident = str(getattr(channel, "id", fallback) or "")
    workspace = str(guild) if guild else DIRECT
    if isinstance(channel, discord.Thread):
        return Origin(PLATFORM, workspace, str(channel.parent_id), str(user), ident)
    return Origin(PLATFORM, workspace, ident, str(user))


def _with_thread(origin: Origin, thread: str) -> Origin:
    return Origin(origin.platform, origin.workspace, origin.channel, origin.user, thread)


def _room_of(message: discord.Message) -> Room:
    if message.guild is None:
        return "direct"
    channel = message.channel
    if isinstance(channel, discord.PartialMessageable | discord.DMChannel | discord.GroupChannel):
        return "closed"
    thread, rights = isinstance(channel, discord.Thread), channel.permissions_for(message.guild.me)
    # On a message, a thread is begun only by who can read it.
    begins = isinstance(channel, discord.TextChannel) and rights.read_message_history
    return allowed(rights, thread=thread, begins=begins)


def _room_of_interaction(interaction: discord.Interaction) -> Room:
    if interaction.guild_id is None:
        return "closed" if interaction.context.private_channel else "direct"
    channel = interaction.channel
    # Installed by a person only: Redial is not in this server, and can do nothing there but answer.
    if interaction.is_user_integration() and not interaction.is_guild_integration():
        return "closed"
    thread = isinstance(channel, discord.Thread)
    # Without a message to begin on, a thread of an announcement channel would have to be of another kind.
    begins = isinstance(channel, discord.TextChannel) and not channel.is_news()
    return allowed(interaction.app_permissions, thread=thread, begins=begins)


def _data(interaction: discord.Interaction) -> Mapping[str, object]:
    # A TypedDict of many shapes, read key by key.
    return cast("Mapping[str, object]", interaction.data or {})


def _values(components: object) -> Iterator[str]:
    """Yield what was written into the fields of a form, however they are nested."""
    for part in components if isinstance(components, list) else [components]:
        if isinstance(part, dict):
            if isinstance(part.get("value"), str):
                yield part["value"]
            yield from _values(part.get("components") or [])
            yield from _values(part.get("component") or [])
