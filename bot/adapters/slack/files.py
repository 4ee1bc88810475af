"""Text files that hang on messages: read from Slack only, in memory only, never more than a megabyte."""

from __future__ import annotations

import aiohttp
import structlog

from bot.adapters.slack.api import Api
from bot.adapters.slack.decode import File
from bot.adapters.slack.errors import FAULTS
from bot.adapters.slack.hosts import trusted
from bot.adapters.slack.limits import ATTACHMENT
from bot.core.errors import ChatError

_log = structlog.get_logger(__name__)

_ANSWERED = 200


class Files:
    """Downloads with a workspace's token, which goes to Slack's hosts alone."""

    def __init__(self, api: Api, session: aiohttp.ClientSession, hosts: frozenset[str]) -> None:
        """Take the shared session and the hosts (with port, where it is not the usual) files may be at."""
        self._api, self._session, self._hosts = api, session, hosts

    async def read(self, workspace: str, file: File) -> str:
        """Return the text of a file; empty, and a line in the log, where it cannot be had."""
        if not trusted(file.url, self._hosts):
            _log.warning("file elsewhere not read", workspace=workspace)
            return ""
        try:
            headers = {"Authorization": f"Bearer {(await self._api.workspace(workspace)).token}"}
            way = self._api.client.proxy
            async with self._session.get(file.url, headers=headers, allow_redirects=False, proxy=way) as answer:
                # Without the scope Slack sends its sign-in page instead.
                if answer.status != _ANSWERED or answer.content_type == "text/html":
                    _log.warning("file not read", workspace=workspace, status=answer.status)
                    return ""
                data = await answer.content.read(ATTACHMENT)
                return data.decode("utf-8", "replace")
        except (ChatError, *FAULTS) as error:
            _log.warning("file not read", workspace=workspace, error=type(error).__name__)
            return ""
