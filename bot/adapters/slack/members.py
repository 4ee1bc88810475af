"""Which channels Redial is a member of, by workspace."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import structlog

from bot.adapters.slack.api import Api
from bot.core.errors import ChatError, StoreError

_log = structlog.get_logger(__name__)

_PAGES, _PAGE = 20, 200


class Members:
    """Channels Redial is in; those of a workspace nothing is known of count as joined until Slack says otherwise."""

    def __init__(self, api: Api) -> None:
        """Take what asks Slack."""
        self._api = api
        self._joined: dict[str, set[str]] = {}
        self._met = set[str]()
        self._learning = set[asyncio.Task[None]]()

    async def learn(self, workspace: str) -> None:
        """Ask which channels Redial is in; without the right to ask, it finds out by posting."""
        self._met.add(workspace)
        cursor, channels = "", set[str]()
        for _ in range(_PAGES):
            body = {
                "types": "public_channel,private_channel", "limit": _PAGE, "exclude_archived": True, "cursor": cursor,
                "team_id": workspace,
            }  # fmt: skip
            try:
                page = cast("dict[str, Any]", await self._api.call(workspace, "users.conversations", body, again=True))
            except (ChatError, StoreError) as error:
                _log.info("memberships not known", platform="slack", workspace=workspace, error=str(error))
                return
            channels |= {str(channel["id"]) for channel in page.get("channels") or []}
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                self._joined[workspace] = channels
                return

    def meet(self, workspace: str) -> None:
        """Begin to learn of a workspace when its first payload comes, which does not wait for it."""
        if workspace not in self._met:
            self._met.add(workspace)
            task = asyncio.get_running_loop().create_task(self.learn(workspace))
            self._learning.add(task)
            task.add_done_callback(self._learning.discard)

    async def stop(self) -> None:
        """Learn no more."""
        for task in tuple(self._learning):
            task.cancel()
        await asyncio.gather(*self._learning, return_exceptions=True)

    def joined(self, workspace: str, channel: str) -> None:
        """Note that something came from a channel, which only members hear."""
        if workspace in self._joined:
            self._joined[workspace].add(channel)

    def left(self, workspace: str, channel: str) -> None:
        """Note that Redial was removed from a channel."""
        self._joined.get(workspace, set()).discard(channel)

    def here(self, workspace: str, channel: str) -> bool:
        """Say whether Redial can post in a channel, as far as it knows."""
        return workspace not in self._joined or channel in self._joined[workspace]
