"""Who belongs to a user group, remembered for minutes: groups change rarely, and presses are many."""

from __future__ import annotations

import asyncio
from typing import cast

import structlog

from bot.adapters.slack.api import Api
from bot.core.errors import ChatError
from bot.core.event import Origin

_log = structlog.get_logger(__name__)

FRESH = 300.0
"""Seconds for which the members of a group are remembered."""
_KNOWN = 1000


class Groups:
    """The user groups of every workspace, as far as somebody asked."""

    def __init__(self, api: Api) -> None:
        """Take what calls Slack."""
        self._api = api
        self._known: dict[tuple[str, str], tuple[float, frozenset[str]]] = {}

    async def holds(self, origin: Origin, groups: frozenset[str]) -> bool:
        """Say whether somebody is in one of these groups; what Slack does not tell is no."""
        for group in sorted(groups):
            if origin.user in await self._members(origin.workspace, group):
                return True
        return False

    async def _members(self, workspace: str, group: str) -> frozenset[str]:
        now = asyncio.get_running_loop().time()
        until, members = self._known.get((workspace, group), (0.0, frozenset[str]()))
        if now < until:
            return members
        try:
            answer = await self._api.call(workspace, "usergroups.users.list", {"usergroup": group}, again=True)
        except ChatError as error:
            # Who was a helper a while ago is more likely one than not.
            _log.warning("user group not known", platform="slack", group=group, error=str(error))
            return members
        found = frozenset(map(str, cast("list[object]", answer.get("users") or [])))
        if len(self._known) >= _KNOWN:
            self._known.clear()
        self._known[workspace, group] = (now + FRESH, found)
        return found
