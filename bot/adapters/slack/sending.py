"""Slack for who only sends: nothing is heard, so that a running bot keeps what is said to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.slack.api import TIMEOUT, Api
from bot.adapters.slack.channels import SlackChannels
from bot.adapters.slack.connection import Access, identify
from bot.adapters.slack.render import Renderer
from bot.adapters.slack.workspaces import Many, Single
from bot.core.messages import Messages
from bot.ports.vault import Vault


@asynccontextmanager
async def sending(access: Access, messages: Messages, vault: Vault | None = None) -> AsyncIterator[SlackChannels]:
    """Return Slack's channels; raises `ChatError` for a token that is refused, or Slack out of reach."""
    timeout = aiohttp.ClientTimeout(total=TIMEOUT)
    async with aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()) as session:
        client = AsyncWebClient(base_url=access.api_url, session=session, retry_handlers=[])
        workspaces = Many(vault, access.token_keys) if access.many and vault else Single(access.bot_token)
        api = Api(client, workspaces)
        if isinstance(workspaces, Single):
            workspaces.one = await identify(api, access.bot_token)
        yield SlackChannels(api, Renderer(messages))
