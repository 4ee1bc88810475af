"""The install page: a workspace's admin presses "Add to Slack", and Redial keeps the token it is given, encrypted."""

from __future__ import annotations

import secrets
from logging import Logger
from typing import Any, cast

from aiohttp import web
from cryptography.fernet import InvalidToken, MultiFernet
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.error import BoltError
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_sdk.oauth.installation_store import Installation
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.slack.api import Workspace
from bot.adapters.slack.errors import FAULTS
from bot.adapters.slack.workspaces import Many
from bot.core.errors import StoreError

INSTALL, REDIRECT = "/slack/install", "/slack/oauth_redirect"
"""Where an installation begins, and where Slack sends the browser afterwards."""
_WAITS = 600
"""Seconds somebody may take to press Allow."""


class SealedStates(AsyncOAuthStateStore):
    """States any replica can check and nobody else can make; the browser's cookie binds them to who began."""

    def __init__(self, seal: MultiFernet, logger: Logger) -> None:
        """Take what seals."""
        self._seal, self._logger = seal, logger

    @property
    def logger(self) -> Logger:
        """Part of slack_sdk's interface."""
        return self._logger

    async def async_issue(self, *_args: object, **_more: object) -> str:
        """Return a new state."""
        return self._seal.encrypt(secrets.token_bytes(16)).decode()

    async def async_consume(self, state: str) -> bool:
        """Say whether a state is one of ours and young enough."""
        try:
            self._seal.decrypt(state.encode(), ttl=_WAITS)
        except (InvalidToken, UnicodeEncodeError):
            return False
        return True


class Kept(AsyncInstallationStore):
    """slack_sdk's way to save; everything else is asked of `Many`."""

    def __init__(self, many: Many, client: AsyncWebClient, logger: Logger) -> None:
        """Take where installations are kept, and the client that asks what a token does not say."""
        self._many, self._client, self._logger = many, client, logger

    @property
    def logger(self) -> Logger:
        """Part of slack_sdk's interface."""
        return self._logger

    async def async_save(self, installation: Installation) -> None:
        """Keep an installation, of a workspace or of a whole organisation."""
        whole = installation.is_enterprise_install
        name = str((installation.enterprise_id if whole else installation.team_id) or "")
        token = str(installation.bot_token or "")
        try:
            asked = cast("dict[str, Any]", (await self._client.auth_test(token=token)).data)
            await self._many.save(
                Workspace(
                    id=name,
                    token=token,
                    me=str(installation.bot_user_id or asked.get("user_id") or ""),
                    bot=str(asked.get("bot_id") or ""),
                    name=str((installation.enterprise_name if whole else installation.team_name) or name),
                    url="" if whole else str(asked.get("url") or ""),
                )
            )
        except (StoreError, *FAULTS) as error:
            raise BoltError(f"the installation could not be kept: {type(error).__name__}") from error


def add_install_page(
    server: web.Application, flow: tuple[str, str], many: Many, states: SealedStates, client: AsyncWebClient,
    scopes: list[str],
) -> None:  # fmt: skip
    """Add the two addresses of an installation; `flow`: the app's client id and secret."""
    settings = AsyncOAuthSettings(
        client_id=flow[0],
        client_secret=flow[1],
        scopes=scopes,
        install_path=INSTALL,
        redirect_uri_path=REDIRECT,
        installation_store=Kept(many, client, states.logger),
        state_store=states,
        state_expiration_seconds=_WAITS,
        logger=states.logger,
    )
    oauth = AsyncOAuthFlow(client=client, settings=settings, logger=states.logger)

    async def begin(request: web.Request) -> web.Response:
        return await to_aiohttp_response(await oauth.handle_installation(await to_bolt_request(request)))

    async def end(request: web.Request) -> web.Response:
        return await to_aiohttp_response(await oauth.handle_callback(await to_bolt_request(request)))

    server.router.add_get(INSTALL, begin)
    server.router.add_get(REDIRECT, end)
