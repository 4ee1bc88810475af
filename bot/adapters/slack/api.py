"""Calls to Slack's Web API: one session, who may be asked with which token, waiting when Slack asks for it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Protocol
from urllib.parse import urlsplit

import aiohttp
import msgspec
import structlog
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse
from slack_sdk.webhook.async_client import AsyncWebhookClient
from yarl import URL

from bot.adapters.slack.errors import DEAD, FAULTS, Asked, code_of, retry_after, status_of, translated
from bot.adapters.slack.hosts import ANSWERS, FILES, trusted
from bot.adapters.slack.mrkdwn import Json
from bot.core.errors import ChatError, NotAllowed
from bot.core.frozen import frozen

_log = structlog.get_logger(__name__)

TIMEOUT = 10.0
"""Seconds a request may take; afterwards its result is unknown."""
PATIENCE = 4.0
"""Seconds somebody waits when Slack is busy; longer ones are for the caller to repeat."""
_TRIES = 3
_PAUSE = 0.3
_READS = frozenset(
    {
        "conversations.replies",
        "conversations.history",
        "conversations.info",
        "users.conversations",
        "users.info",
        "usergroups.list",
        "usergroups.users.list",
    }
)
"""Methods that take no JSON."""
_ANSWERED = 200
_BUSY = 429
_REMEMBERED = 2000


@frozen
class Workspace:
    """One workspace Redial is installed in. me: its user id there; url: where people open it."""

    id: str
    token: str = field(repr=False)
    me: str = ""
    bot: str = ""
    name: str = ""
    url: str = ""


class Workspaces(Protocol):
    """Where Redial is installed: one workspace, or many."""

    async def find(self, workspace: str) -> Workspace | None:
        """Return a workspace; None where Redial is not, or no longer, installed."""

    @property
    def over(self) -> bool:
        """Say whether no workspace at all is served any more, until an operator sets a new token."""

    async def gone(self, workspace: str, why: str) -> None:
        """Stop serving a workspace whose token is of no more use, and tell the operator why."""


class Api:
    """Calls methods with the token of a workspace; raises the core's errors only."""

    def __init__(self, client: AsyncWebClient, workspaces: Workspaces) -> None:
        """Take the client, whose session is shared by everything that talks to Slack."""
        if client.session is None:
            raise TypeError("the client comes without its session")
        self.client, self.workspaces, self._session = client, workspaces, client.session
        self._base, self._addresses = URL(client.base_url), dict[str, URL]()
        self._until: OrderedDict[tuple[str, str, str], float] = OrderedDict()

    async def workspace(self, workspace: str) -> Workspace:
        """Return a workspace; raises `NotAllowed` where Redial is not, or no longer, installed."""
        if found := await self.workspaces.find(workspace):
            return found
        if self.workspaces.over:
            raise Asked("Slack waits for a new token")
        raise NotAllowed(f"Redial is not installed in Slack workspace {workspace}", missing="an installation")

    async def once(self, workspace: str, method: str, body: Mapping[str, Any]) -> Json:
        """Call a method exactly once, and do not wait: who announces decides what comes next."""
        where = await self.workspace(workspace)
        key = (workspace, method, str(body.get("channel", "")))
        if (left := self._left(key)) > 0:
            raise Asked(f"Slack asks to wait for {method}", retry_after=left)
        try:
            return await self._once(where, method, body)
        except FAULTS as error:
            raise await self._failed(where, key, method, error) from error

    async def call(self, workspace: str, method: str, body: Mapping[str, Any], *, again: bool = False) -> Json:
        """Call a method. again: it may be carried out twice, so an unclear result is asked for once more."""
        where = await self.workspace(workspace)
        key = (workspace, method, str(body.get("channel", "")))
        for left in reversed(range(_TRIES)):
            await self._wait(key, method)
            try:
                return await self._once(where, method, body)
            except FAULTS as error:
                failed = await self._failed(where, key, method, error)
                if not left or not _repeatable(error, again=again):
                    raise failed from error
                await asyncio.sleep(0 if status_of(error) == _BUSY else _PAUSE)
        raise AssertionError  # pragma: no cover - the loop returns or raises

    async def respond(self, url: str, body: Json) -> None:
        """Answer through a response_url, which works where Redial is no member; only Slack's own are asked."""
        if not trusted(url, ANSWERS | {urlsplit(self.client.base_url).netloc}):
            raise ChatError("a response_url that is not Slack's")
        webhook = AsyncWebhookClient(url, session=self.client.session, retry_handlers=[])
        try:
            answer = await webhook.send_dict(body)
        except FAULTS as error:
            raise translated(error, "response_url") from error
        if answer.status_code != _ANSWERED:
            raise ChatError(f"Slack answered a response_url with {answer.status_code}")

    async def upload(self, url: str, data: bytes) -> None:
        """Put a file where Slack wants it; the address is good for one, and only Slack's own are asked."""
        if not trusted(url, FILES | {urlsplit(self.client.base_url).netloc}):
            raise ChatError("an upload address that is not Slack's")
        try:
            async with self._session.post(url, data=data, allow_redirects=False, proxy=self.client.proxy) as answer:
                status = answer.status
        except FAULTS as error:
            raise translated(error, "an upload") from error
        if status != _ANSWERED:
            raise ChatError(f"Slack answered an upload with {status}")

    async def _once(self, where: Workspace, method: str, body: Mapping[str, Any]) -> Json:
        # Not through slack_sdk's client: it takes twice the time for the same request.
        headers, client = {"Authorization": f"Bearer {where.token}"}, self.client
        sent: bytes | dict[str, str]
        if method in _READS:
            sent = {n: str(v).lower() if isinstance(v, bool) else str(v) for n, v in body.items()}
        else:
            headers["Content-Type"] = "application/json; charset=utf-8"
            sent = msgspec.json.encode(body)
        ssl = True if client.ssl is None else client.ssl
        url = self._addresses.get(method) or self._addresses.setdefault(method, self._base / method)
        async with self._session.post(url, data=sent, headers=headers, proxy=client.proxy, ssl=ssl) as answer:
            told = _read(await answer.read())
        if told is not None and answer.status == _ANSWERED and told.get("ok"):
            return told
        raise SlackApiError(  # type: ignore[no-untyped-call]
            f"{method} was not done",
            AsyncSlackResponse(
                client=client,
                http_verb="POST",
                api_url=str(answer.url),
                req_args={},
                data=told or {},
                headers=dict(answer.headers),
                status_code=answer.status,
            ),
        )

    async def _wait(self, key: tuple[str, str, str], method: str) -> None:
        """Wait for the moment Slack has named, or refuse at once where that is too far off."""
        left = self._left(key)
        if left > PATIENCE:
            raise Asked(f"Slack asks to wait for {method}", retry_after=left)
        if left > 0:
            await asyncio.sleep(left)

    def _left(self, key: tuple[str, str, str]) -> float:
        now = asyncio.get_running_loop().time()
        return self._until.get(key, now) - now

    async def _failed(self, where: Workspace, key: tuple[str, str, str], method: str, error: Exception) -> ChatError:
        if status_of(error) == _BUSY or code_of(error) == "ratelimited":
            self._until[key] = asyncio.get_running_loop().time() + (retry_after(error) or 1.0)
            while len(self._until) > _REMEMBERED:
                self._until.popitem(last=False)
        elif code_of(error) in DEAD:
            await self.workspaces.gone(where.id, code_of(error))
        return translated(error, method)


def _read(raw: bytes) -> dict[str, Any] | None:
    """Return Slack's answer; None for what is none, such as a proxy's page."""
    try:
        told = msgspec.json.decode(raw)
    except msgspec.DecodeError:
        return None
    return told if isinstance(told, dict) else None


def _repeatable(error: Exception, *, again: bool) -> bool:
    """Say whether asking once more can do no harm: nothing happened for certain, or it may happen twice."""
    if status_of(error) == _BUSY or code_of(error) == "ratelimited":
        return True
    if isinstance(error, SlackApiError):
        return again and not code_of(error)
    return isinstance(error, aiohttp.ClientConnectorError) or again
