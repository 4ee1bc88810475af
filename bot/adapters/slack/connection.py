"""Connected to Slack: one app, one session, payloads over Socket Mode, over HTTP, or both."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import field
from typing import Any, cast
from urllib.parse import urlsplit

import aiohttp
import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.slack.api import TIMEOUT, Api, Workspace
from bot.adapters.slack.channels import SlackChannels
from bot.adapters.slack.chat import SlackChat
from bot.adapters.slack.errors import FAULTS, translated
from bot.adapters.slack.files import Files
from bot.adapters.slack.hosts import FILES
from bot.adapters.slack.install import SealedStates, add_install_page
from bot.adapters.slack.intake import Door
from bot.adapters.slack.members import Members
from bot.adapters.slack.render import Renderer
from bot.adapters.slack.request import to_request
from bot.adapters.slack.scopes import SCOPES
from bot.adapters.slack.sockets import Socket, SocketHandler
from bot.adapters.slack.workspaces import Many, Single, seal
from bot.core.errors import NotAllowed, SettingsError, not_listening
from bot.core.frozen import frozen
from bot.ports.platform import House
from bot.ports.vault import Vault

_log = structlog.get_logger(__name__)

PATH = "/slack/events"
"""Where Slack sends everything over HTTP."""


@frozen
class Access:
    """What it takes to be connected. app_token: Socket Mode; signing_secret: HTTP at `host` and `port`.

    client_id, client_secret, token_keys: for an app that many workspaces install. api_url: of the Web API, for Slack's
    other clouds. watched: channels to read along in. admins: who may manage all.
    """

    bot_token: str = field(default="", repr=False)
    app_token: str = field(default="", repr=False)
    signing_secret: str = field(default="", repr=False)
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    token_keys: str = field(default="", repr=False)
    api_url: str = "https://slack.com/api/"
    host: str = "127.0.0.1"
    port: int = 3000
    watched: frozenset[str] = frozenset()
    admins: frozenset[str] = frozenset()

    @property
    def many(self) -> bool:
        """Say whether workspaces install the app by themselves."""
        return bool(self.client_id or self.client_secret)

    def __post_init__(self) -> None:
        """Refuse what cannot work, naming the variable."""
        if self.app_token and not self.app_token.startswith("xapp-"):
            raise SettingsError("SLACK_APP_TOKEN is not an app-level token: those begin with xapp- (Basic Information)")
        if self.many:
            needs = (self.client_id, self.client_secret, self.signing_secret, self.token_keys)
            if self.bot_token or not all(needs):
                raise SettingsError(
                    "several workspaces need SLACK_CLIENT_ID, SLACK_CLIENT_SECRET, SLACK_SIGNING_SECRET and"
                    " SLACK_TOKEN_KEYS, and no SLACK_BOT_TOKEN: each workspace gets its own at /slack/install"
                )
            seal(self.token_keys)
            return
        if not self.bot_token.startswith("xoxb-"):
            raise SettingsError("SLACK_BOT_TOKEN is not a bot token: those begin with xoxb- (OAuth & Permissions)")
        if not (self.app_token or self.signing_secret):
            raise SettingsError("Slack needs SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP) as well")


@frozen
class SlackRunning:
    """Implements the Running and the Announces port. url: where HTTP requests are taken, if they are.

    app: takes every payload, whichever way it comes. socket: Socket Mode, where it is used.
    """

    chat: SlackChat
    channels: SlackChannels
    says: str
    workspaces: Single | Many
    app: AsyncApp
    url: str = ""
    socket: Socket | None = None

    @property
    def trouble(self) -> str:
        """Why Slack is not heard."""
        if self.workspaces.over:
            return "the token is of no more use"
        return "" if self.url or self.socket is None or self.socket.connected else "Socket Mode is not connected"

    async def ended(self) -> str:
        """Wait until the one token, or that of the only way in, is of no more use; return why."""
        if self.url or self.socket is None:
            return await self.workspaces.ended()
        over = asyncio.ensure_future(self.workspaces.ended())
        try:
            done, _ = await asyncio.wait({over, self.socket.refused}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            over.cancel()
        return done.pop().result()


@asynccontextmanager
async def start(access: Access, house: House, vault: Vault | None = None) -> AsyncIterator[SlackRunning]:
    """Connect; raises `ChatError` for a token that is refused, or Slack out of reach. vault: for many workspaces."""
    async with AsyncExitStack() as closing:
        timeout = aiohttp.ClientTimeout(total=TIMEOUT)
        session = aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar())
        await closing.enter_async_context(session)
        client = AsyncWebClient(base_url=access.api_url, session=session, retry_handlers=[], logger=_quiet())
        workspaces = Many(vault, access.token_keys) if access.many and vault else Single(access.bot_token)
        api = Api(client, workspaces)
        chat = SlackChat(api, Renderer(house.messages), access.admins)
        files = Files(api, session, FILES | {urlsplit(access.api_url).netloc})
        members = Members(api)
        closing.push_async_callback(members.stop)
        door = Door(house, chat, files, members, access.watched)
        name = "many workspaces"
        if isinstance(workspaces, Single):
            workspaces.one = one = await identify(api, access.bot_token)
            await members.learn(one.id)
            name = f"{one.name} as {one.me}"
        app, ways, url, socket = _app(access, client, workspaces, door), [], "", None
        if access.signing_secret:
            url = await _listen(access, app, workspaces, client, closing)
            ways.append(f"HTTP at {url}")
        if access.app_token:
            socket = await _connect(access, client, app, closing)
            ways.append("Socket Mode")
        channels = SlackChannels(api, chat.renderer)
        yield SlackRunning(chat, channels, f"{name}, {' and '.join(ways)}", workspaces, app, url, socket)


async def identify(api: Api, token: str) -> Workspace:
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


def _app(access: Access, client: AsyncWebClient, workspaces: Single | Many, door: Door) -> AsyncApp:
    """Return Bolt's app with one listener for everything, in front of which requests are verified."""

    async def authorize(context: AsyncBoltContext, team_id: str | None, enterprise_id: str | None) -> AuthorizeResult:
        one = await workspaces.named(team_id or "", enterprise_id or "")
        if one is None:
            return AuthorizeResult(enterprise_id=context.enterprise_id, team_id=context.team_id)
        return AuthorizeResult(
            enterprise_id=context.enterprise_id, team_id=one.id, bot_token=one.token, bot_id=one.bot, bot_user_id=one.me
        )

    async def take(body: dict[str, Any], context: AsyncBoltContext, next: object) -> BoltResponse:  # noqa: A002, ARG001 - Bolt's names
        one = await workspaces.named(context.team_id or "", context.enterprise_id or "")
        # What comes for a workspace that was stopped is taken and let go: nobody could be answered.
        return await door.take(body, one) if one else BoltResponse(status=200, body="")

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


async def _listen(
    access: Access, app: AsyncApp, workspaces: Single | Many, client: AsyncWebClient, closing: AsyncExitStack
) -> str:
    """Serve Slack's requests; returns the address."""

    async def receive(request: web.Request) -> web.Response:
        # What Slack never sends, and its libraries trip over: a stranger is not to fill the log with errors.
        packed = "Content-Encoding" in request.headers
        if packed or not request.headers.get("X-Slack-Request-Timestamp", "").isdecimal():
            return web.Response(status=401, text="not signed by Slack")
        try:
            asked = to_request(await request.text(), request.headers)
        except ValueError:
            asked = None
        if asked is None:
            return web.Response(status=400, text="not a payload of Slack")
        return await to_aiohttp_response(await app.async_dispatch(asked))

    server = web.Application()
    server.router.add_post(PATH, receive)
    if isinstance(workspaces, Many):
        states = SealedStates(seal(access.token_keys), _quiet())
        flow = (access.client_id, access.client_secret)
        add_install_page(server, flow, workspaces, states, client, list(SCOPES))
    # What is under way gets a moment, not aiohttp's minute: the process has ten seconds to end.
    runner = web.AppRunner(server, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    closing.push_async_callback(runner.cleanup)
    try:
        site = web.TCPSite(runner, access.host, access.port)
        await site.start()
    except OSError as error:
        raise not_listening(access.host, access.port, "slack.port", error) from error
    host, port = runner.addresses[0][:2]
    return f"http://{host}:{port}{PATH}"


async def _connect(access: Access, client: AsyncWebClient, app: AsyncApp, closing: AsyncExitStack) -> Socket:
    """Open Socket Mode, which then reconnects by itself."""
    try:
        # Asked once before: a start does not go on trying with a token that is refused.
        await client.apps_connections_open(app_token=access.app_token)
    except FAULTS as error:
        failed = translated(error, "apps.connections.open")
        if isinstance(failed, NotAllowed):
            do = "SLACK_APP_TOKEN is not valid, or lacks connections:write"
            raise NotAllowed(f"{failed}: {do}", missing=failed.missing) from error
        raise failed from error
    socket = Socket(access.app_token, client, _quiet())
    handler = SocketHandler(app, socket)
    closing.push_async_callback(handler.close_async)
    await handler.connect_async()  # type: ignore[no-untyped-call]
    return socket


def _quiet() -> logging.Logger:
    """Return a logger for Slack's libraries that says what fails, without the payloads that come with less."""
    logger = logging.getLogger("redial.slack")
    logger.setLevel(logging.ERROR)
    return logger
