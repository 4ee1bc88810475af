"""Slack's Socket Mode, connected again whatever fails."""

from __future__ import annotations

import asyncio
import logging
from time import time

import structlog
from slack_bolt.adapter.socket_mode.async_base_handler import AsyncBaseSocketModeHandler
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app, send_async_response
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.slack.errors import DEAD, FAULTS, code_of, retry_after, translated
from bot.core.errors import ChatError

_log = structlog.get_logger(__name__)

_ATTEMPT = 8.0
"""Seconds one connection may take to open."""
_PAUSE = 1.0
"""Seconds between two attempts."""


class Socket(SocketModeClient):
    """slack_sdk's client, with an address of its own for every attempt: Slack's serve once, and it tries one for ever.

    refused: set when Slack no longer takes the token; why.
    """

    def __init__(self, app_token: str, client: AsyncWebClient, logger: logging.Logger) -> None:
        """Take the app-level token, and what asks Slack for addresses."""
        super().__init__(app_token=app_token, logger=logger, web_client=client, ping_interval=10)
        self.refused: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    @property
    def connected(self) -> bool:
        """Say whether payloads can come."""
        return self.current_session is not None and not self.current_session.closed

    async def issue_new_wss_url(self) -> str:
        """Ask for an address; raises `ChatError` once Slack may be asked again."""
        try:
            answer = await self.web_client.apps_connections_open(app_token=self.app_token)
            return str(answer["url"])
        except FAULTS as error:
            if code_of(error) in DEAD and not self.refused.done():
                do = "make a new app-level token with connections:write and set it as SLACK_APP_TOKEN"
                self.refused.set_result(f"Slack says {code_of(error)} to SLACK_APP_TOKEN: {do}")
            await asyncio.sleep(retry_after(error))
            raise translated(error, "apps.connections.open") from error

    async def connect(self) -> None:
        """Connect, and go on trying until it is connected or closed."""
        while not self.closed:
            try:
                if self.wss_uri is None:
                    self.wss_uri = await self.issue_new_wss_url()
                async with asyncio.timeout(_ATTEMPT):
                    await super().connect()  # type: ignore[no-untyped-call]
            except (ChatError, TimeoutError) as error:
                self.wss_uri = None
                _log.warning("socket not opened", platform="slack", error=str(error) or "in time")
                await asyncio.sleep(_PAUSE)
            else:
                return


class SocketHandler(AsyncBaseSocketModeHandler):
    """Bolt's app behind a socket."""

    def __init__(self, app: AsyncApp, client: Socket) -> None:
        """Take the app, and where its payloads come from."""
        self.app, self.client, self._app = app, client, app
        client.socket_mode_request_listeners.append(self.handle)

    async def handle(self, client: AsyncBaseSocketModeClient, req: SocketModeRequest) -> None:
        """Play one payload, and acknowledge it if it was taken."""
        began = time()
        answer = await run_async_bolt_app(self._app, req)
        await send_async_response(client, req, answer, began)
