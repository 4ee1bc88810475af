"""Who may change what is announced in a channel: Slack's admins, who made the channel, and whom the settings name."""

from __future__ import annotations

from typing import Any, cast

import structlog

from bot.adapters.slack.api import Api
from bot.core.errors import ChatError
from bot.core.event import Origin

_log = structlog.get_logger(__name__)

_ADMIN = ("is_admin", "is_owner", "is_primary_owner")


async def may_manage(api: Api, admins: frozenset[str], origin: Origin) -> bool:
    """Say whether somebody may; what Slack does not tell is no right."""
    if not (origin.user and origin.channel):
        return False
    return origin.user in admins or await _admin(api, origin) or await _creator(api, origin)


async def _admin(api: Api, origin: Origin) -> bool:
    user = await _told(api, origin, "users.info", "user", origin.user)
    teams = (user.get("enterprise_user") or {}).get("teams") or [user.get("team_id")]
    # In a shared channel, an admin of another workspace is nobody's admin here.
    return origin.workspace in teams and any(user.get(name) is True for name in _ADMIN)


async def _creator(api: Api, origin: Origin) -> bool:
    channel = await _told(api, origin, "conversations.info", "channel", origin.channel)
    return bool(channel.get("creator")) and channel["creator"] == origin.user


async def _told(api: Api, origin: Origin, method: str, name: str, value: str) -> dict[str, Any]:
    try:
        answer = await api.call(origin.workspace, method, {name: value}, again=True)
    except ChatError as error:
        _log.warning("right not known", platform="slack", workspace=origin.workspace, error=str(error))
        return {}
    return cast("dict[str, Any]", answer.get(name) or {})
