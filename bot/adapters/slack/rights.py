"""Who may change what is announced in a channel: Slack's admins, who made the channel, and whom the settings name."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import structlog

from bot.adapters.slack.api import Api
from bot.core.errors import ChatError
from bot.core.event import Origin
from bot.core.form import Option

_log = structlog.get_logger(__name__)

_ADMIN = ("is_admin", "is_owner", "is_primary_owner")


async def may_manage(api: Api, admins: frozenset[str], origin: Origin) -> bool:
    """Say whether somebody may; what Slack does not tell is no right."""
    if not (origin.user and origin.channel):
        return False
    if origin.user in admins:
        return True
    # Both at once: a form has to open within three seconds of the command.
    return any(await asyncio.gather(_admin(api, origin), _creator(api, origin)))


async def lacks(api: Api, origin: Origin) -> str:
    """Return what is missing to post in a channel, as far as Slack tells: only whether Redial is a member."""
    channel = cast(
        "dict[str, Any]", await _told(api, origin, "conversations.info", "channel", {"channel": origin.channel})
    )
    return "membership of the channel" if channel.get("is_member") is False else ""


async def mentions(api: Api, origin: Origin) -> tuple[Option, ...]:
    """Return whom an announcement can mention: those who are there, all, and the workspace's user groups."""
    told = await _told(api, origin, "usergroups.list", "usergroups", {})
    groups = [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []
    named = (Option(f"<!subteam^{group.get('id')}>", f"@{group.get('handle')}") for group in groups)
    return (Option("<!here>", "@here"), Option("<!channel>", "@channel"), *named)


async def _admin(api: Api, origin: Origin) -> bool:
    user = cast("dict[str, Any]", await _told(api, origin, "users.info", "user", {"user": origin.user}))
    teams = (user.get("enterprise_user") or {}).get("teams") or [user.get("team_id")]
    # In a shared channel, an admin of another workspace is nobody's admin here.
    return origin.workspace in teams and any(user.get(name) is True for name in _ADMIN)


async def _creator(api: Api, origin: Origin) -> bool:
    channel = cast(
        "dict[str, Any]", await _told(api, origin, "conversations.info", "channel", {"channel": origin.channel})
    )
    return bool(channel.get("creator")) and channel["creator"] == origin.user


async def _told(api: Api, origin: Origin, method: str, name: str, body: dict[str, str]) -> object:
    """Return what Slack tells under a name; an empty dict where it does not."""
    try:
        answer = await api.call(origin.workspace, method, body, again=True)
    except ChatError as error:
        _log.warning("right not known", platform="slack", workspace=origin.workspace, error=str(error))
        return {}
    return answer.get(name) or {}
