"""The chat platforms, a row each: when one is configured, how it starts, what `redial doctor` asks of it.

An adapter is imported only when it starts or is examined. Its client, tokens included, is made from these settings.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from bot.core.errors import SettingsError
from bot.ports.platform import House, Running
from bot.runtime.checks import Check
from bot.runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class Platform:
    """A row. name: as in `Origin.platform`. wants: what to set, for those who have set nothing.

    start: enters connected, leaves with its clients closed; raises `SettingsError` or `ChatError` with what to do.
    examine: the checks of `redial doctor`, which never raise.
    """

    name: str
    configured: Callable[[Settings], bool]
    wants: str
    start: Callable[[Settings, House], AbstractAsyncContextManager[Running]]
    examine: Callable[[Settings], Awaitable[Sequence[Check]]]


def _not_yet(_settings: Settings, _house: House) -> AbstractAsyncContextManager[Running]:
    raise SettingsError("this platform is not built in yet")


async def _nothing(_settings: Settings) -> Sequence[Check]:
    return ()


PLATFORMS: tuple[Platform, ...] = (
    Platform(
        "slack",
        lambda settings: any((settings.slack_bot_token, settings.slack_app_token, settings.slack_signing_secret)),
        "SLACK_BOT_TOKEN, and SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP)",
        _not_yet,
        _nothing,
    ),
    Platform("discord", lambda settings: settings.discord_token is not None, "DISCORD_TOKEN", _not_yet, _nothing),
)
