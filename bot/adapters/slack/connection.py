"""Connected to Slack: one app, one session, payloads over Socket Mode, over HTTP, or both."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

import aiohttp
import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.slack.api import TIMEOUT, Api, Workspace
from bot.adapters.slack.chat import SlackChat
from bot.adapters.slack.errors import FAULTS, translated
from bot.adapters.slack.files import Files
from bot.adapters.slack.intake import Door
from bot.adapters.slack.render import Renderer
from bot.adapters.slack.talk import Talk
from bot.core.errors import ChatError, NotAllowed, SettingsError
from bot.ports.platform import House

_log = structlog.get_logger(__name__)

PATH = "/slack/events"
"""Where Slack sends everything over HTTP."""
_PAGES = 20
_FILES = frozenset({"files.slack.com"})


@dataclass(frozen=True, slots=True)
class Access:
    """What it takes to be connected. app_token: Socket Mode; signing_secret: HTTP at `host` and `port`.

    api_url: of the Web API, for Slack's other clouds. watched: channels to read along in.
    """

    bot_token: str = field(repr=False)
    app_token: str = field(default="", repr=False)
    signing_secret: str = field(default="", repr=False)
    api_url: str = "https://slack.com/api/"
    host: str = "127.0.0.1"
    port: int = 3000
    watched: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse what cannot work, naming the variable."""
        if not self.bot_token.startswith("xoxb-"):
            raise SettingsError("SLACK_BOT_TOKEN is not a bot token: those begin with xoxb- (OAuth & Permissions)")
        if self.app_token and not self.app_token.startswith("xapp-"):
            raise SettingsError("SLACK_APP_TOKEN is not an app-level token: those begin with xapp- (Basic Information)")
        if not (self.app_token or self.signing_secret):
            raise SettingsError("Slack needs SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP) as well")


class Single:
    """The one workspace of a bot token."""

    def __init__(self, token: str) -> None:
        """Take the token; who and where it is, `auth.test` tells."""
        self._one: Workspace | None = Workspace("", token)
        self._ended = asyncio.Event()
        self.why = ""

    def find(self, workspace: str) -> Workspace | None:
        """Return the workspace, whatever it is called: an event of a shared channel may name another."""
        return self._one if self._one and workspace in {"", self._one.id} else None

    @property
    def one(self) -> Workspace | None:
        """The workspace, None once its token is of no more use."""
        return self._one

    def know(self, workspace: Workspace) -> None:
        """Take what `auth.test` said."""
        self._one = workspace

    def died(self, workspace: str, why: str) -> None:
        """Stop: nothing more is asked of Slack, and the operator is told."""
        if self._one is None:
            return
        self.why = f"Slack says {why}: install the app again and set its new SLACK_BOT_TOKEN"
        self._one = None
        self._ended.set()
        _log.error("workspace stopped", platform="slack", workspace=workspace, reason=why)

    async def ended(self) -> str:
        """Wait until the token is of no more use; return why."""
        await self._ended.wait()
        return self.why


@dataclass(frozen=True, slots=True)
class SlackRunning:
    """Implements the Running port."""

    chat: SlackChat
    says: str
    single: Single
    url: str = ""

    async def ended(self) -> str:
        """Wait until the token is of no more use; return why."""
        return await self.single.ended()


@asynccontextmanager
async def start(access: Access, house: House) -> AsyncIterator[SlackRunning]:
    """Connect; raises `ChatError` for a token that is refused, or Slack out of reach."""
    async with AsyncExitStack() as closing:
        session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=TIMEOUT))
        await closing.enter_async_context(session)
        client = AsyncWebClient(base_url=access.api_url, session=session, retry_handlers=[], logger=_quiet())
        single = Single(access.bot_token)
        api = Api(client, single.find, single.died)
        single.know(await _identify(api, access.bot_token))
        talk = Talk()
        chat = SlackChat(api, Renderer(house.messages), talk)
        files = Files(api, session, _FILES | {urlsplit(access.api_url).netloc})
        door = Door(house, chat, files, talk, access.watched)
        await _memberships(api, single, door)
        app, ways, url = _app(access, client, single, door), [], ""
        if access.signing_secret:
            url = await _listen(access, app, closing)
            ways.append(f"HTTP at {url}")
        if access.app_token:
            await _connect(access, client, app, closing)
            ways.append("Socket Mode")
        yield SlackRunning(chat, _says(single, ways), single, url)


def _says(single: Single, ways: list[str]) -> str:
    one = single.one
    return f"{one.name if one else '?'} as {one.me if one else '?'}, {' and '.join(ways)}"


async def _identify(api: Api, token: str) -> Workspace:
    """Ask who this token is."""
    try:
        answer = cast("dict[str, Any]", await api.call("", "auth.test", {}, again=True))
    except NotAllowed as error:
        raise NotAllowed(f"{error}: SLACK_BOT_TOKEN is not valid (any more)", missing=error.missing) from error
    return Workspace(
        id=str(answer["team_id"]),
        token=token,
        me=str(answer["user_id"]),
        bot=str(answer.get("bot_id") or ""),
        name=str(answer.get("team") or answer["team_id"]),
        url=str(answer.get("url") or ""),
    )


async def _memberships(api: Api, single: Single, door: Door) -> None:
    """Learn which channels Redial is in; without the right to ask, it finds out by posting."""
    one, cursor, channels = single.one, "", set[str]()
    here = one.id if one else ""
    for _ in range(_PAGES):
        body = {"types": "public_channel,private_channel", "limit": 200, "exclude_archived": True, "cursor": cursor}
        try:
            page = cast(
                "dict[str, Any]", await api.call(one.id if one else "", "users.conversations", body, again=True)
            )
        except ChatError as error:
            _log.info("memberships not known", platform="slack", error=str(error))
            return
        channels |= {str(channel["id"]) for channel in page.get("channels") or []}
        cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
        if not cursor:
            door.members.know(here, channels)
            return


def _app(access: Access, client: AsyncWebClient, single: Single, door: Door) -> AsyncApp:
    """Return Bolt's app with one listener for everything, in front of which requests are verified."""

    async def authorize(context: AsyncBoltContext) -> AuthorizeResult:
        one = single.one
        if one is None:
            return AuthorizeResult(enterprise_id=context.enterprise_id, team_id=context.team_id)
        return AuthorizeResult(
            enterprise_id=context.enterprise_id, team_id=one.id, bot_token=one.token, bot_id=one.bot, bot_user_id=one.me
        )

    async def take(body: dict[str, Any], next: object) -> BoltResponse:  # noqa: A002, ARG001 - Bolt's names
        # What comes for a workspace that was stopped is taken and let go: nobody could be answered.
        return await door.take(body, single.one) if single.one else BoltResponse(status=200, body="")

    app = AsyncApp(
        client=client,
        authorize=authorize,
        signing_secret=access.signing_secret or None,
        request_verification_enabled=bool(access.signing_secret),
        process_before_response=True,
        logger=_quiet(),
    )
    app.use(take)
    return app


async def _listen(access: Access, app: AsyncApp, closing: AsyncExitStack) -> str:
    """Serve Slack's requests; returns the address."""

    async def receive(request: web.Request) -> web.Response:
        try:
            asked = await to_bolt_request(request)
            fit = isinstance(asked.body.get("event", {}), dict)
        except (ValueError, AttributeError, TypeError, KeyError):
            fit = False
        if not fit:
            return web.Response(status=400, text="not a payload of Slack")
        return await to_aiohttp_response(await app.async_dispatch(asked))

    server = web.Application()
    server.router.add_post(PATH, receive)
    runner = web.AppRunner(server, access_log=None)
    await runner.setup()
    closing.push_async_callback(runner.cleanup)
    try:
        site = web.TCPSite(runner, access.host, access.port)
        await site.start()
    except OSError as error:
        raise SettingsError(f"nothing can listen on {access.host}:{access.port} (`slack.port`): {error}") from error
    host, port = runner.addresses[0][:2]
    return f"http://{host}:{port}{PATH}"


async def _connect(access: Access, client: AsyncWebClient, app: AsyncApp, closing: AsyncExitStack) -> None:
    """Open Socket Mode, which then reconnects by itself."""
    try:
        # Asked once by ourselves: slack_sdk would try a refused token for ever.
        await client.apps_connections_open(app_token=access.app_token)
    except FAULTS as error:
        failed = translated(error, "apps.connections.open")
        if isinstance(failed, NotAllowed):
            do = "SLACK_APP_TOKEN is not valid, or lacks connections:write"
            raise NotAllowed(f"{failed}: {do}", missing=failed.missing) from error
        raise failed from error
    handler = AsyncSocketModeHandler(app, access.app_token, logger=_quiet(), web_client=client)
    closing.push_async_callback(handler.close_async)
    await handler.connect_async()  # type: ignore[no-untyped-call]


def _quiet() -> logging.Logger:
    """Return a logger for Slack's libraries that says what fails, without the payloads that come with less."""
    logger = logging.getLogger("redial.slack")
    logger.setLevel(logging.ERROR)
    return logger
