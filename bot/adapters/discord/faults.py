"""Discord's errors as Redial's: the one place that knows its codes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType

import aiohttp
import discord

from bot.core.errors import ChannelGone, ChatError, ChatUnavailable, NotAllowed
from bot.ports.announcing import Failed, Why

LIMITED = 30.0
"""Seconds a limit may last that discord.py waits for, which takes no less; a longer one is an error at once."""
TIMEOUT = 10.0
"""Seconds a request may take; afterwards its result is unknown, and the answer stays owed."""

_NO_MESSAGE = 10008
_NO_DIRECT = frozenset({50007, 50278})
_GONE = frozenset({10003, 10004, 10008, 10013})
"""Unknown channel, server, message, person."""


class ThreadExists(ChannelGone):
    """A thread was to be begun on a message that has one."""


class Archived(ChatUnavailable):
    """The thread is archived; it can be opened again."""


class Locked(ChannelGone):
    """The thread was closed by somebody who looks after the channel."""


class Expired(ChannelGone):
    """The quarter of an hour in which an interaction can be answered is over."""


_OWN: dict[int, type[ChannelGone | ChatUnavailable]] = {
    10015: Expired,
    10062: Expired,
    50027: Expired,
    50083: Archived,
    160004: ThreadExists,
    160005: Locked,
}


class told:  # noqa: N801 - read as the sentence it begins: `async with told("Send Messages"):`
    """Turn what Discord or its library raises into a `ChatError`. right: what a refusal would mean is missing.

    late: called when it is broken off for taking too long.
    """

    __slots__ = ("_late", "_right", "_within")

    def __init__(self, right: str = "", late: Callable[[], None] = lambda: None) -> None:
        self._right, self._late, self._within = right, late, asyncio.timeout(TIMEOUT)

    async def __aenter__(self) -> None:
        await self._within.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._within.__aexit__(kind, error, trace)
        except TimeoutError as late:
            self._late()
            raise ChatUnavailable("Discord does not answer: TimeoutError") from late
        if error is None:
            return
        if isinstance(error, discord.HTTPException):
            raise translated(error, self._right) from error
        if isinstance(error, discord.RateLimited):
            raise ChatUnavailable(str(error), retry_after=error.retry_after) from error
        if isinstance(error, aiohttp.ClientError | OSError):
            raise ChatUnavailable(f"Discord does not answer: {type(error).__name__}") from error
        if isinstance(error, discord.DiscordException):
            raise ChatUnavailable(f"discord.py: {type(error).__name__}: {error}") from error


def failed(error: ChatError) -> Failed:
    """Return an error as what became of an announcement."""
    cause, says = error.__cause__, str(error)
    if isinstance(error, NotAllowed):
        return Failed(Why.CLOSED, detail=f"{says}; missing: {error.missing}" if error.missing else says)
    if isinstance(error, ChannelGone):
        code = cause.code if isinstance(cause, discord.HTTPException) else 0
        why = Why.GONE if code == _NO_MESSAGE else Why.REFUSED if _refused(cause) else Why.CLOSED
        return Failed(why, detail=says)
    wait = error.retry_after if isinstance(error, ChatUnavailable) else 0.0
    busy = isinstance(cause, discord.RateLimited | aiohttp.ClientConnectorError) or _status(cause) == 429  # noqa: PLR2004
    return Failed(Why.WAIT if busy else Why.UNKNOWN, wait, says)


def _status(cause: BaseException | None) -> int:
    return cause.status if isinstance(cause, discord.HTTPException) else 0


def _refused(cause: BaseException | None) -> bool:
    return _status(cause) == 400  # noqa: PLR2004 - HTTP


def translated(error: discord.HTTPException, right: str) -> ChatError:
    """Return an answer of Discord's as the error it means; its text carries no words of people."""
    says, code, status = f"Discord answers {error.status}, code {error.code}", error.code, error.status
    if code in _OWN:
        return _OWN[code](says)
    if code in _NO_DIRECT or status in {401, 403}:
        return NotAllowed(says, missing="direct messages" if code in _NO_DIRECT else right)
    if status == 429 or status >= 500:  # noqa: PLR2004 - HTTP
        return ChatUnavailable(says)
    # A 400: Discord will never take this message, and asking again is of no use. A mistake of ours, and it is logged.
    return ChannelGone(says if code in _GONE or status != 400 else f"{says}: the message was refused")  # noqa: PLR2004
