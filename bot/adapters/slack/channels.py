"""Slack's channels as announcements see them."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any, cast

from bot.adapters.slack.api import Api
from bot.adapters.slack.chat import key_of, permalink
from bot.adapters.slack.errors import failed
from bot.adapters.slack.mrkdwn import Json
from bot.adapters.slack.render import Message, Renderer
from bot.core.errors import ChatError
from bot.core.status.announcement_view import Notice
from bot.core.status.subscription import Place
from bot.core.view import View
from bot.ports.announcing import Delivered, Delivery, Failed, Why

_PAGES, _PAGE = 20, 200
"""Pages of a channel a message is looked for in, and messages of a page."""
_BETWEEN = 1.5
"""Seconds between two looks in one workspace: Slack allows some fifty reads a minute."""
_SHOWN = re.compile(r"<!(?:here|channel|everyone)>|<!subteam\^S[A-Z0-9]+>|<@[UW][A-Z0-9]+>")
"""What Slack takes for a mention; nothing else is sent as one."""


class SlackChannels:
    """Implements the Channels port; a message's name is its `ts`."""

    def __init__(self, api: Api, renderer: Renderer) -> None:
        """Take what calls Slack, and what renders views."""
        self._api, self._renderer = api, renderer
        self._looked: dict[str, float] = {}

    async def turn(self, place: Place) -> None:
        """Wait for nothing: the one sender of all replicas has kept to the budgets before."""

    async def post(self, place: Place, key: str, notice: Notice) -> Delivery:
        """Send a message at the top level."""
        return await self._sent(place, "chat.postMessage", self._body(key, notice, notice.mention))

    async def reply(self, place: Place, parent: str, key: str, notice: Notice) -> Delivery:
        """Send a message in the thread of another, unless that is known to be gone: Slack answers a deleted one too."""
        if self._may_look(place.workspace) and await self._gone(place, parent):
            return Failed(Why.GONE, detail="the message above was deleted")
        # Without a look it is sent all the same: at worst it stands below a deleted message, which the edit finds out.
        body = {**self._body(key, notice, notice.mention), "thread_ts": parent}
        return await self._sent(place, "chat.postMessage", body)

    def _may_look(self, workspace: str) -> bool:
        """Say whether there is room in the budget of reads: a workspace gets far fewer than messages."""
        now = asyncio.get_running_loop().time()
        if now < self._looked.get(workspace, 0.0):
            return False
        self._looked[workspace] = now + _BETWEEN
        return True

    async def _gone(self, place: Place, parent: str) -> bool:
        """Say whether the message above is known to be deleted."""
        body = {"channel": place.channel, "ts": parent, "limit": 1}
        try:
            return not _there(await self._api.once(place.workspace, "conversations.replies", body), parent)
        except ChatError as error:
            return failed(error).why is Why.GONE

    async def edit(self, place: Place, ref: str, key: str, notice: Notice) -> Delivery:
        """Make a message show this; nobody is mentioned again."""
        return await self._sent(place, "chat.update", {**self._body(key, notice), "ts": ref})

    async def find(self, place: Place, parent: str, key: str, since: float) -> tuple[str, ...] | Failed:
        """Return our messages with this key since a time."""
        body: dict[str, Any] = {
            "channel": place.channel, "include_all_metadata": True, "limit": _PAGE, "oldest": f"{since:.6f}",
        }  # fmt: skip
        if parent:
            body["ts"] = parent
        found = set[str]()
        for _ in range(_PAGES):
            try:
                me = (await self._api.workspace(place.workspace)).me
                method = "conversations.replies" if parent else "conversations.history"
                page = await self._api.once(place.workspace, method, body)
            except ChatError as error:
                trouble = failed(error)
                # No thread: nothing was ever answered below that message.
                return () if parent and trouble.why is Why.GONE else trouble
            messages = cast("list[dict[str, Any]]", page.get("messages") or [])
            found |= {str(one["ts"]) for one in messages if key_of(one) == key and one.get("user") == me}
            cursor = cast("dict[str, Any]", page.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return tuple(sorted(found, key=float))
            body["cursor"] = cursor
        return Failed(Why.REFUSED, detail=f"more than {_PAGES * _PAGE} messages since then")

    async def delete(self, place: Place, ref: str) -> Delivery:
        """Delete a message of ours."""
        return await self._sent(place, "chat.delete", {"ts": ref})

    async def tell(self, place: Place, user: str, view: View) -> Delivery:
        """Tell somebody in their direct message."""
        try:
            opened = await self._api.once(place.workspace, "conversations.open", {"users": user})
        except ChatError as error:
            return failed(error)
        direct = replace(place, channel=str(cast("dict[str, Any]", opened["channel"])["id"]))
        return await self._sent(direct, "chat.postMessage", self._renderer.message(view).body())

    async def link(self, place: Place, ref: str) -> str:
        """Return the address of a message."""
        return permalink((await self._api.workspace(place.workspace)).url, place.channel, ref)

    async def belongs(self, place: Place) -> bool:  # noqa: ARG002 - what is not there, a workspace's token cannot reach
        """Say yes: who asks Slack for a channel of another workspace is told that it is not there."""
        return True

    async def _sent(self, place: Place, method: str, body: Json) -> Delivery:
        try:
            answer = await self._api.once(place.workspace, method, {**body, "channel": place.channel})
        except ChatError as error:
            return failed(error)
        return Delivered(str(answer.get("ts") or body.get("ts") or ""))

    def _body(self, key: str, notice: Notice, mention: str = "") -> Json:
        """Return a message with its key; the mention, and nothing else in it, is markup."""
        shown = replace(self._renderer.message(notice.view), key=key)
        return _calling(shown, mention).body() if _SHOWN.fullmatch(mention) else shown.body()


def _calling(shown: Message, mention: str) -> Message:
    """Put a mention that was chosen above a message."""
    called: Json = {"type": "section", "text": {"type": "mrkdwn", "text": mention}}
    return replace(shown, blocks=(called, *shown.blocks))


def _there(answer: Json, ts: str) -> bool:
    """Say whether a message is among those answered, and no mere trace of a deleted one."""
    messages = cast("list[dict[str, Any]]", answer.get("messages") or [])
    return any(str(one.get("ts")) == ts and one.get("subtype") != "tombstone" for one in messages)
