"""Slack as the rest of Redial sees it: posts, edits, private words, and messages found again by their keys."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import Any, cast

import structlog

from bot.adapters.slack.api import Api
from bot.adapters.slack.forms import to_modal
from bot.adapters.slack.groups import Groups
from bot.adapters.slack.mrkdwn import Json
from bot.adapters.slack.render import EVENT_TYPE, Message, Renderer
from bot.adapters.slack.rights import lacks, may_manage, mentions
from bot.adapters.slack.uploads import bring
from bot.core.errors import ChannelGone, ChatError, NotAllowed
from bot.core.event import Origin
from bot.core.form import Form, Option
from bot.core.text import Inline, Text, plain
from bot.core.triage.folding import Folded
from bot.core.triage.placement import Where
from bot.core.view import View
from bot.ports.chat import Posted

_log = structlog.get_logger(__name__)

_PAGES, _PAGE = 3, 100
"""How far back a message is looked for: it was posted moments ago, or never."""
_THREAD = 200
"""Messages of a thread that are looked through for other people's; with more than that, there are some."""
_KNOWN = 10_000
"""Direct messages whose ids are remembered."""


class SlackChat:
    """Implements the Chat port for every workspace Redial is installed in."""

    def __init__(self, api: Api, renderer: Renderer, admins: frozenset[str] = frozenset()) -> None:
        """Take what calls Slack, what renders views, and who may manage every channel."""
        self.api, self.renderer, self._admins = api, renderer, admins
        self._groups = Groups(api)
        self._direct: OrderedDict[tuple[str, str], str] = OrderedDict()

    async def private(self, origin: Origin) -> Origin:
        """Return the direct message with a person."""
        key = (origin.workspace, origin.user)
        channel = self._direct.get(key)
        if channel is None:
            answer = await self.api.call(origin.workspace, "conversations.open", {"users": origin.user}, again=True)
            channel = str(cast("dict[str, Any]", answer["channel"])["id"])
            self._direct[key] = channel
            if len(self._direct) > _KNOWN:
                self._direct.popitem(last=False)
        return replace(origin, channel=channel, thread="")

    async def show(self, origin: Origin, view: View, where: Where, *, message: str = "") -> Posted:
        """Post a view, in its thread or opening one; with a `message` where there are no threads, edit that."""
        shown = self.renderer.message(view)
        if where is Where.MESSAGE and message:
            ts = await self._edit(origin, message, shown)
        else:
            ts = await self._post(origin, shown)
        thread = origin.thread or (ts if where is Where.THREAD else "")
        return Posted(thread, ts, await self._link(origin, thread, ts))

    async def tell(self, origin: Origin, view: View) -> None:
        """Say something to one person: ephemerally where they are, else in their direct message."""
        view = await self.pictured(origin, view)
        shown = replace(self.renderer.message(view), key="")
        if direct(origin.channel):
            await self._post(origin, shown)
            return
        body = {**shown.body(), "channel": origin.channel, "user": origin.user}
        if origin.thread:
            body["thread_ts"] = origin.thread
        try:
            if not origin.channel:
                raise ChannelGone("no channel")  # noqa: TRY301 - an App Home has none
            await self.api.call(origin.workspace, "chat.postEphemeral", body)
        except (ChannelGone, NotAllowed):
            await self._post(await self.private(origin), shown)

    async def pictured(self, origin: Origin, view: View) -> View:
        """Bring a view's picture to its reader alone; return the view with a word on where it is, or why nowhere.

        In a channel Slack shows a file to everybody, so it goes to their direct message.
        """
        if view.picture is None:
            return view
        say = self.renderer.say
        note: Inline = ()
        try:
            home = await self.private(origin)
            await bring(self.api, home, view.picture, plain(view.lead))
            note = say.inline("picture.direct") if home.channel != origin.channel else ()
        except NotAllowed as error:
            note = say.inline("picture.missing", missing=error.missing or "files:write")
        except ChatError as error:
            _log.warning("picture not shown", platform=origin.platform, error=str(error))
            note = say.inline("picture.failed")
        return replace(view, picture=None, blocks=(*view.blocks, *([Text(note)] if note else [])))

    async def fold(self, origin: Origin, message: str, folded: Folded) -> None:
        """Edit an answered question down to its line."""
        await self._edit(origin, message, self.renderer.folded(folded))

    async def shown(self, origin: Origin, key: str) -> Posted | None:
        """Look for a message by its key; None where it is not there or may not be looked for."""
        try:
            return await self.find(origin, key)
        except NotAllowed:
            return None

    async def find(self, origin: Origin, key: str, since: float = 0.0) -> Posted | None:
        """Look for a message by its key, posted since then; `NotAllowed` where that may not be looked for."""
        method = "conversations.replies" if origin.thread else "conversations.history"
        body: dict[str, Any] = {"channel": origin.channel, "include_all_metadata": True, "limit": _PAGE}
        if origin.thread:
            body["ts"] = origin.thread
        if since:
            body["oldest"] = f"{since:.6f}"
        for _ in range(_PAGES):
            page = await self.api.call(origin.workspace, method, body, again=True)
            for found in cast("list[dict[str, Any]]", page.get("messages") or []):
                if key_of(found) == key:
                    ts = str(found["ts"])
                    thread = origin.thread or ("" if direct(origin.channel) else ts)
                    return Posted(thread, ts, await self._link(origin, thread, ts))
            cursor = cast("dict[str, Any]", page.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return None
            body["cursor"] = cursor
        return None

    async def others_since(self, origin: Origin, shown: str) -> bool:
        """Look who has written in a thread since Redial's last post: of many processes, none hears all of it."""
        body = {"channel": origin.channel, "ts": origin.thread, "oldest": shown or origin.thread, "limit": _THREAD}
        page = await self.api.once(origin.workspace, "conversations.replies", body)
        me, others = (await self.api.workspace(origin.workspace)).me, False
        for found in cast("list[dict[str, Any]]", page.get("messages") or []):
            if found.get("user") == me:
                others = False
            elif found.get("user") != origin.user and not found.get("bot_id") and _younger(found, shown):
                others = True
        return others or bool(page.get("has_more"))

    async def may_manage(self, origin: Origin) -> bool:
        """Say whether somebody may change what is announced in a channel."""
        return await may_manage(self.api, self._admins, origin)

    async def lacks(self, origin: Origin) -> str:
        """Return what is missing to announce in a channel."""
        return await lacks(self.api, origin)

    async def mentions(self, origin: Origin) -> tuple[Option, ...]:
        """Return whom an announcement in a channel could mention."""
        return await mentions(self.api, origin)

    async def ask(self, origin: Origin, form: Form, trigger: str) -> None:
        """Open a form, which Slack allows for three seconds after the trigger."""
        body = {"trigger_id": trigger, "view": to_modal(form, origin.channel)}
        await self.api.call(origin.workspace, "views.open", body)

    async def may_help(self, origin: Origin, groups: frozenset[str]) -> bool:
        """Say whether somebody is in one of these user groups."""
        return await self._groups.holds(origin, groups)

    async def direct(self, origin: Origin) -> Origin:
        """Return the direct message with a person."""
        return await self.private(origin)

    async def link(self, origin: Origin, message: str) -> str:
        """Return the address of a message, or of the one its thread begins with."""
        ts = message or origin.thread
        return await self._link(origin, origin.thread, ts) if ts else ""

    async def publish(self, origin: Origin, view: View) -> None:
        """Show a view on a person's App Home."""
        body = {"user_id": origin.user, "view": self.renderer.home(view)}
        await self.api.call(origin.workspace, "views.publish", body, again=True)

    async def _post(self, origin: Origin, shown: Message) -> str:
        body = {**shown.body(), "channel": origin.channel}
        if origin.thread:
            body["thread_ts"] = origin.thread
        answer = await self.api.call(origin.workspace, "chat.postMessage", body)
        return str(answer["ts"])

    async def _edit(self, origin: Origin, ts: str, shown: Message) -> str:
        body: Json = {**shown.body(), "channel": origin.channel, "ts": ts}
        answer = await self.api.call(origin.workspace, "chat.update", body, again=True)
        return str(answer.get("ts") or ts)

    async def _link(self, origin: Origin, thread: str, ts: str) -> str:
        url = (await self.api.workspace(origin.workspace)).url
        return permalink(url, origin.channel, ts, thread)


def permalink(url: str, channel: str, ts: str, thread: str = "") -> str:
    """Return a message's address, which is made of what is known of it; empty where nobody knows the workspace's."""
    inside = f"?thread_ts={thread}&cid={channel}" if thread and thread != ts else ""
    return f"{url.rstrip('/')}/archives/{channel}/p{ts.replace('.', '')}{inside}" if url else ""


def _younger(message: dict[str, Any], ts: str) -> bool:
    return not ts or float(message.get("ts") or 0) > float(ts)


def direct(channel: str) -> bool:
    """Say whether a channel id is that of a direct message."""
    return channel.startswith("D")


def key_of(message: dict[str, Any]) -> str:
    """Return the key a message of Redial's carries; empty for every other."""
    metadata = message.get("metadata") or {}
    if metadata.get("event_type") != EVENT_TYPE:
        return ""
    return str((metadata.get("event_payload") or {}).get("key") or "")
