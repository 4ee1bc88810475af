"""What `redial doctor` asks Slack: do the tokens work, which rights are there and what for, is the socket reachable."""

from __future__ import annotations

import re
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Literal, cast

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.slack.api import TIMEOUT, Workspaces
from bot.adapters.slack.connection import Access
from bot.adapters.slack.errors import FAULTS, code_of, translated
from bot.adapters.slack.scopes import NEEDED, SCOPES
from bot.core.errors import StoreError
from bot.core.status.subscription import Place
from bot.ports.finding import Finding

_ID = re.compile("[A-Z][A-Z0-9]{5,}")
_MANY = Finding("slack", "ok", "several workspaces: each installs the app at /slack/install and gets its own token")
_SHUT = ("is_read_only", "is_thread_only")
"""What a channel says of itself where not everybody may post."""


async def examine(access: Access, places: Sequence[Place] = (), workspaces: Workspaces | None = None) -> list[Finding]:
    """Look at everything a start needs; never raises.

    places: channels Redial is to post in; without a workspace, those of the one token. workspaces: the installed ones,
    for an app of many.
    """
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=TIMEOUT)) as session:
        client = AsyncWebClient(base_url=access.api_url, session=session, retry_handlers=[])
        found = [_MANY] if access.many else [finding async for finding in _token(client, access)]
        if found[0].health == "ok":
            watched = [Place("slack", "", channel) for channel in sorted(access.watched)]
            for channel, workspace in {one.channel: one.workspace for one in (*watched, *places)}.items():
                found.append(await _there(client, access.bot_token, channel, workspace, workspaces))
        if access.app_token:
            found.append(await _socket(client, session, access))
        if access.signing_secret:
            found.append(_port(access))
        return found


async def _token(client: AsyncWebClient, access: Access) -> AsyncIterator[Finding]:
    try:
        answer = await client.auth_test(token=access.bot_token)
    except FAULTS as error:
        do = "copy the Bot User OAuth Token (xoxb-…) from OAuth & Permissions into SLACK_BOT_TOKEN"
        if not code_of(error):
            do = f"let this machine reach {access.api_url} over HTTPS"
        yield Finding("slack token", "fail", str(translated(error, "auth.test")), do)
        return
    yield Finding("slack token", "ok", f"{answer.get('team')} as {answer.get('user')}")
    granted = {name.lower(): value for name, value in dict(answer.headers).items()}.get("x-oauth-scopes", "")
    if not granted:
        yield Finding("slack scopes", "warn", "Slack does not say which scopes this token has")
        return
    for finding in _scopes({scope.strip() for scope in granted.split(",")}):
        yield finding


def _scopes(granted: set[str]) -> Iterator[Finding]:
    missing = [scope for scope in SCOPES if scope not in granted]
    for scope in missing:
        do = f"add the scope {scope} under OAuth & Permissions and install the app again"
        health: Literal["warn", "fail"] = "fail" if scope in NEEDED else "warn"
        yield Finding("slack scopes", health, f"{scope} is missing, needed {SCOPES[scope]}", do)
    if not missing:
        yield Finding("slack scopes", "ok", ", ".join(SCOPES))
    if more := sorted(scope for scope in granted - set(SCOPES) if scope):
        yield Finding("slack scopes", "warn", f"never used: {', '.join(more)}", "take them away: least is safest")


async def _there(
    client: AsyncWebClient, token: str, channel: str, workspace: str, workspaces: Workspaces | None
) -> Finding:
    """Look at a channel with the token of its workspace."""
    if workspaces is None:
        return await _channel(client, token, channel)
    name = f"slack channel {channel}"
    if not workspace:
        return Finding(name, "ok", "of one of several workspaces: looked at when somebody speaks there")
    try:
        one = await workspaces.find(workspace)
    except StoreError as error:
        return Finding(name, "warn", str(error), "see the store above")
    if one is None:
        says = f"Redial is not, or no longer, installed in workspace {workspace}"
        return Finding(name, "warn", says, "install it at /slack/install, or take the channel out of the settings")
    return await _channel(client, one.token, channel)


async def _channel(client: AsyncWebClient, token: str, channel: str) -> Finding:
    name = f"slack channel {channel}"
    if not _ID.fullmatch(channel):
        return Finding(
            name, "fail", "that is no id", "it stands at the end of View channel details, such as C0123456789"
        )
    try:
        headers = {"Authorization": f"Bearer {token}"}
        answer = await client.api_call("conversations.info", headers=headers, data={"channel": channel})
    except FAULTS as error:
        do = "correct the id in the settings, or say `/redial unsubscribe` for it; `/invite` the app there"
        return Finding(name, "warn", str(translated(error, "conversations.info")), do)
    known = cast("dict[str, Any]", answer.get("channel") or {})
    if known.get("is_archived"):
        return Finding(name, "warn", f"#{known.get('name')} is archived", "take it out of the settings")
    if not known.get("is_member"):
        return Finding(name, "warn", f"not a member of #{known.get('name')}", "`/invite` the app there")
    restricted = (known.get("properties") or {}).get("posting_restricted_to")
    if restricted or any(known.get(mark) for mark in _SHUT):
        says = f"member of #{known.get('name')}, where not everybody may post"
        return Finding(name, "warn", says, "let the app post there (Channel settings, Posting permissions)")
    return Finding(name, "ok", f"member of #{known.get('name')}")


async def _socket(client: AsyncWebClient, session: aiohttp.ClientSession, access: Access) -> Finding:
    try:
        answer = await client.apps_connections_open(app_token=access.app_token)
        async with session.ws_connect(str(answer["url"]), proxy=client.proxy) as connection:
            hello = await connection.receive(timeout=TIMEOUT)
    except FAULTS as error:
        do = "make an app-level token with connections:write (Basic Information), and set it as SLACK_APP_TOKEN"
        if not code_of(error):
            do = f"let this machine reach {access.api_url} over HTTPS, and wss:// through the proxy"
        return Finding("slack socket", "fail", str(translated(error, "apps.connections.open")), do)
    if hello.type is not aiohttp.WSMsgType.TEXT:
        return Finding("slack socket", "fail", "opened, and closed at once", "turn Socket Mode on for the app")
    return Finding("slack socket", "ok", "Socket Mode answers")


def _port(access: Access) -> Finding:
    """Say whether the port is free, or somebody listens there: at best a Redial that runs."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((access.host, access.port))
        except OSError as error:
            do = "fine if Redial runs here already; else set another `slack.port`"
            return Finding("slack http", "warn", f"{access.host}:{access.port} cannot be taken: {error.strerror}", do)
    return Finding("slack http", "ok", f"{access.host}:{access.port} is free; an HTTPS address must lead there")
