"""Slack's payloads as events. Pure: JSON in, `InboundEvent` out, None for what is none of Redial's business.

Whatever is missing or odd in a payload makes it None, never an exception: anybody can send JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any

from bot.adapters.slack.forms import from_modal
from bot.adapters.slack.limits import ATTACHMENT
from bot.adapters.slack.mrkdwn import from_mrkdwn, mentions
from bot.adapters.slack.press import PICK, from_block_id
from bot.core.event import Commanded, How, InboundEvent, Origin, Pressed, Room, Said
from bot.core.frozen import frozen
from bot.core.view import COMMAND, START

PLATFORM = "slack"
SHORTCUT = "redial_triage"
"""Callback id of the message shortcut, as the manifest names it."""

_SPOKEN = frozenset({"", "file_share", "thread_broadcast", "me_message"})
"""Subtypes of messages people write."""
_TEXTS = frozenset({"text", "txt", "log", "json", "javascript", "python", "shell", "markdown", "yaml", "plain"})


_SHAPES: Mapping[str, type | tuple[type, ...]] = {
    "type": str, "event": Mapping, "view": Mapping, "user": (Mapping, str), "team": (Mapping, str, NoneType),
    "message": (Mapping, NoneType),
}  # fmt: skip
"""What keys of a payload hold, where they are there; an app of a whole organisation is sent no team."""


@frozen
class Here:
    """The workspace a payload is for. joined: whether Redial is a member of a channel. read: what `/redial …` means."""

    workspace: str
    me: str
    joined: Callable[[str], bool]
    read: Callable[[str], Commanded | Said]


@frozen
class File:
    """A text file that hangs on a message; its words belong to the text."""

    url: str
    size: int


def is_payload(body: Mapping[str, Any]) -> bool:
    """Say whether a body has the shape of Slack's payloads, as far as Bolt looks at it before anybody of ours does."""
    actions = body.get("actions", ({},))
    return (
        all(isinstance(body[name], shape) for name, shape in _SHAPES.items() if name in body)
        and isinstance(actions, Sequence)
        and bool(actions)
        and all(isinstance(one, Mapping) for one in actions)
    )


def from_command(body: Mapping[str, Any], here: Here) -> InboundEvent | None:
    """Decode a slash command; its trigger id is the same on a re-send."""
    channel, user, trigger = (_text(body, key) for key in ("channel_id", "user_id", "trigger_id"))
    if not (channel and user and trigger):
        return None
    origin = Origin(PLATFORM, here.workspace, channel, user)
    # A direct message may be between two other people, and a private channel one nobody asked Redial into.
    room: Room = "threads" if not channel.startswith("D") and here.joined(channel) else "closed"
    return InboundEvent(trigger, origin, here.read(from_mrkdwn(_text(body, "text"))), room=room)


def from_press(body: Mapping[str, Any], here: Here) -> InboundEvent | None:
    """Decode a press of a button or a pick from a select."""
    action = _first(body.get("actions"))
    mark = from_block_id(_text(action, "block_id"))
    user = _text(_dict(body, "user"), "id")
    container = _dict(body, "container")
    channel = _text(_dict(body, "channel"), "id") or _text(container, "channel_id")
    choice = _text(action, "action_id")
    if choice == PICK:
        choice = _text(_dict(action, "selected_option"), "value")
    if not (mark and user and choice):
        return None
    id_ = f"{user}:{_text(action, 'action_ts') or _text(body, 'trigger_id')}"
    if mark.step == COMMAND:
        origin = Origin(PLATFORM, here.workspace, mark.conversation, user)
        # Like a shortcut, it begins anew whatever is open in the direct message.
        what = Said("", "shortcut") if choice == START else here.read(choice)
        return InboundEvent(id_, origin, what, room=_room(mark.conversation, here))
    thread = _text(container, "thread_ts") or _text(_dict(body, "message"), "thread_ts")
    message = "" if container.get("is_ephemeral") else _text(container, "message_ts")
    room = _room(channel, here)
    origin = Origin(PLATFORM, here.workspace, channel, user, "" if room == "direct" else thread)
    return InboundEvent(id_, origin, Pressed(mark.conversation, mark.revision, mark.step, choice, message), room=room)


def from_submission(body: Mapping[str, Any], here: Here) -> InboundEvent | None:
    """Decode a form that was sent: a sub-command with answers, in the channel where it was asked for."""
    view, user = _dict(body, "view"), _text(_dict(body, "user"), "id")
    found = from_modal(view)
    if not (found and user and _text(view, "id")):
        return None
    marked, answers = found
    origin = Origin(PLATFORM, here.workspace, marked.channel, user)
    what = Commanded(marked.command, marked.subject, answers)
    return InboundEvent(f"{user}:{_text(view, 'id')}", origin, what, room=_room(marked.channel, here))


def from_shortcut(body: Mapping[str, Any], here: Here) -> InboundEvent | None:
    """Decode "Triage this message": the words are whoever's they are."""
    if _text(body, "callback_id") != SHORTCUT:
        return None
    message = _dict(body, "message")
    channel, user = _text(_dict(body, "channel"), "id"), _text(_dict(body, "user"), "id")
    ts, trigger = _text(message, "ts") or _text(body, "message_ts"), _text(body, "trigger_id")
    if not (channel and user and ts and trigger):
        return None
    author = _text(message, "user")
    said = Said(_words(message, here), "shortcut", author=author if author not in {user, here.me} else "")
    joined = not channel.startswith("D") and here.joined(channel)
    thread = _text(message, "thread_ts") or ts
    origin = Origin(PLATFORM, here.workspace, channel, user, thread if joined else "")
    return InboundEvent(trigger, origin, said, room="threads" if joined else "closed")


def from_event(event: Mapping[str, Any], here: Here) -> InboundEvent | None:
    """Decode an event of the Events API: something written, mentioned, or edited."""
    kind, subtype = _text(event, "type"), _text(event, "subtype")
    if kind == "message" and subtype == "message_changed":
        return _edited(event, here)
    if kind not in {"message", "app_mention"} or subtype not in _SPOKEN:
        return None
    return _written(event, here, _text(event, "channel"))


def from_home(event: Mapping[str, Any], here: Here) -> InboundEvent | None:
    """Decode somebody opening the App Home, which is then drawn anew."""
    channel, user = _text(event, "channel"), _text(event, "user")
    if _text(event, "type") != "app_home_opened" or event.get("tab") != "home" or not (channel and user):
        return None
    id_ = f"{user}:home:{_text(event, 'event_ts')}"
    return InboundEvent(id_, Origin(PLATFORM, here.workspace, channel, user), Commanded("home"), room="direct")


def files_of(message: Mapping[str, Any]) -> tuple[File, ...]:
    """Return the text files of a message that are small enough to read."""
    found = []
    for file in _list(message.get("files")):
        kind, url, size = _text(file, "mimetype"), _text(file, "url_private_download"), file.get("size")
        text = kind.startswith("text/") or _text(file, "filetype") in _TEXTS or _text(file, "name").endswith(".log")
        if text and isinstance(size, int) and 0 < size <= ATTACHMENT:
            found.append(File(url or _text(file, "url_private"), size))
    return tuple(file for file in found if file.url)


def _room(channel: str, here: Here) -> Room:
    return "direct" if channel.startswith("D") else "threads" if here.joined(channel) else "closed"


def _written(message: Mapping[str, Any], here: Here, channel: str) -> InboundEvent | None:
    user, ts, text = _text(message, "user"), _text(message, "ts"), _text(message, "text")
    if not (channel and user and ts) or user == here.me or message.get("bot_id"):
        return None
    root = _text(message, "thread_ts")
    room: Room = "direct" if channel.startswith("D") else "threads"
    mentioned = _text(message, "type") == "app_mention" or mentions(text, here.me)
    words = _words(message, here)
    what = here.read(words) if mentioned and room == "threads" and not root and words else None
    if isinstance(what, Commanded):
        # Behind a mention that would begin a thread, a sub-command is one as well, answered to them alone.
        return InboundEvent(f"{channel}:{ts}", Origin(PLATFORM, here.workspace, channel, user), what, room=room)
    origin = Origin(PLATFORM, here.workspace, channel, user, "" if room == "direct" else root or ts)
    how: How = "direct" if room == "direct" else "mention" if mentioned else "thread" if root else "watched"
    said = Said(words, how, author=_quoted_author(message, user, here) if mentioned else "")
    return InboundEvent(f"{channel}:{ts}", origin, said, room=room)


def _edited(event: Mapping[str, Any], here: Here) -> InboundEvent | None:
    """Decode an edit: a mention that came in only now is one; other words count until the first answer."""
    after, before = _dict(event, "message"), _dict(event, "previous_message")
    text, old = _text(after, "text"), _text(before, "text")
    if text == old or _text(after, "subtype") not in _SPOKEN:
        return None
    written = _written(after, here, _text(event, "channel"))
    if written is None or not isinstance(written.what, Said) or written.what.how == "watched":
        return None
    if mentions(text, here.me) and not mentions(old, here.me):
        return written
    id_ = f"{written.id}:{_text(_dict(after, 'edited'), 'ts') or _text(event, 'event_ts')}"
    said = Said(written.what.text, written.what.how, author=written.what.author, edited=True)
    return InboundEvent(id_, written.origin, said, room=written.room)


def _words(message: Mapping[str, Any], here: Here) -> str:
    """Return what a message says, with what it quotes; a message of a program may have nothing else."""
    parts = [from_mrkdwn(_text(message, "text"), me=here.me)]
    for attachment in _list(message.get("attachments")):
        quoted = _text(attachment, "text") or _text(attachment, "fallback")
        parts.append(from_mrkdwn(quoted, me=here.me))
    return "\n".join(part for part in parts if part)


def _quoted_author(message: Mapping[str, Any], user: str, here: Here) -> str:
    """Return whose message is quoted, where it is exactly one other person's."""
    authors = {_text(attachment, "author_id") for attachment in _list(message.get("attachments"))} - {""}
    return authors.pop() if len(authors) == 1 and not authors & {user, here.me} else ""


def _text(piece: Mapping[str, Any], key: str) -> str:
    value = piece.get(key)
    return value if isinstance(value, str) else ""


def _dict(piece: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = piece.get(key)
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> Sequence[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _first(value: object) -> Mapping[str, Any]:
    items = _list(value)
    return items[0] if items else {}
