"""The chat platforms, a row each: when one is configured, how it starts, what `redial doctor` asks of it.

An adapter is imported only when it starts or is examined. Its client, tokens included, is made from these settings.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from pydantic import SecretStr

from bot.core.errors import SettingsError, StoreError
from bot.core.frozen import frozen
from bot.core.messages import Messages
from bot.core.status.subscription import Place
from bot.ports.announcing import Channels
from bot.ports.platform import House, Running
from bot.ports.vault import Vault
from bot.runtime import proxies
from bot.runtime.checks import Check, Health
from bot.runtime.settings import ChannelSettings, Settings

if TYPE_CHECKING:
    from bot.adapters.slack.connection import Access


@frozen
class Platform:
    """A row. name: as in `Origin.platform`. wants: what to set, for those who have set nothing.

    start: enters connected, leaves with its clients closed; raises `SettingsError` or `ChatError` with what to do.
    sending: its channels, for who says something and hears nothing; raises the same.
    examine: the checks of `redial doctor`, which never raise; it is given the channels that hear of a page.
    """

    name: str
    configured: Callable[[Settings], bool]
    wants: str
    start: Callable[[Settings, House], AbstractAsyncContextManager[Running]]
    examine: Callable[[Settings, Sequence[Place]], Awaitable[Sequence[Check]]]
    sending: Callable[[Settings, Messages], AbstractAsyncContextManager[Channels]] | None = None


def _access(settings: Settings) -> Access:
    from bot.adapters.slack.connection import Access  # noqa: PLC0415 - loads Slack's libraries

    proxies.named()  # Slack's library takes it as it is
    return Access(
        bot_token=_secret(settings.slack_bot_token),
        app_token=_secret(settings.slack_app_token),
        signing_secret=_secret(settings.slack_signing_secret),
        client_id=settings.slack_client_id,
        client_secret=_secret(settings.slack_client_secret),
        token_keys=_secret(settings.slack_token_keys),
        api_url=settings.slack.api_url,
        host=settings.slack.host,
        port=settings.slack.port,
        watched=settings.slack.rooms.watched,
        admins=frozenset(settings.slack.admins),
    )


def _places(platform: str, settings: ChannelSettings) -> tuple[Place, ...]:
    """Return the channels of the settings Redial is to post in; their workspace is not said there."""
    channels = (
        *settings.triage_channels, *settings.watched_channels, *settings.room_channels, settings.handoff_channel,
    )  # fmt: skip
    return tuple(Place(platform, "", channel) for channel in dict.fromkeys(channels) if channel)


def _proxy() -> str | None:
    return proxies.named()[1] or None


def _secret(value: SecretStr | None) -> str:
    return value.get_secret_value() if value else ""


@asynccontextmanager
async def _vault(settings: Settings, access: Access) -> AsyncIterator[Vault | None]:
    """Open where the tokens of many workspaces are kept; one workspace needs none."""
    if not access.many:
        yield None
        return
    from bot.adapters.store import open_vault  # noqa: PLC0415 - redis-py takes a while to load

    vault = await open_vault(_secret(settings.redis_url) or None, settings.data_dir)
    try:
        yield vault
    finally:
        await vault.close()


@asynccontextmanager
async def _slack(settings: Settings, house: House) -> AsyncIterator[Running]:
    from bot.adapters.slack.connection import start  # noqa: PLC0415 - loads Slack's libraries

    access = _access(settings)
    async with _vault(settings, access) as vault, start(access, house, vault) as running:
        yield running


@asynccontextmanager
async def _sending_slack(settings: Settings, messages: Messages) -> AsyncIterator[Channels]:
    from bot.adapters.slack.sending import sending  # noqa: PLC0415 - loads Slack's libraries

    access = _access(settings)
    async with _vault(settings, access) as vault, sending(access, messages, vault) as channels:
        yield channels


def _sending_discord(settings: Settings, messages: Messages) -> AbstractAsyncContextManager[Channels]:
    from bot.adapters.discord.sending import sending  # noqa: PLC0415 - loads discord.py

    return sending(_secret(settings.discord_token), messages, _proxy())


async def _examined_slack(settings: Settings, told: Sequence[Place]) -> Sequence[Check]:
    from bot.adapters.slack.doctor import examine  # noqa: PLC0415 - loads Slack's libraries
    from bot.adapters.slack.workspaces import Many  # noqa: PLC0415 - the same

    try:
        access = _access(settings)
    except SettingsError as error:
        return (Check("slack", Health.FAIL, str(error), "deploy/README.md shows where each comes from"),)
    places = (*_places("slack", settings.slack), *told)
    try:
        async with _vault(settings, access) as vault:
            found = await examine(access, places, Many(vault, access.token_keys) if vault else None)
    except StoreError as error:
        return (Check("slack", Health.FAIL, str(error), "start the store, see above"),)
    return [Check(one.name, Health(one.health), one.says, one.do) for one in found]


def _discord(settings: Settings, house: House) -> AbstractAsyncContextManager[Running]:
    from bot.adapters.discord.gateway import Access, start  # noqa: PLC0415 - loads discord.py

    discord = settings.discord
    access = Access(_secret(settings.discord_token), discord.rooms, frozenset(discord.admins), _proxy())
    return start(access, house)


async def _examined_discord(settings: Settings, told: Sequence[Place]) -> Sequence[Check]:
    from bot.adapters.discord.doctor import examine  # noqa: PLC0415 - loads discord.py
    from bot.adapters.discord.gateway import Access  # noqa: PLC0415 - the same

    places = (*_places("discord", settings.discord), *told)
    try:
        access = Access(_secret(settings.discord_token), proxy=_proxy())
    except SettingsError as error:
        return (Check("discord", Health.FAIL, str(error), "correct that variable"),)
    found = await examine(access, [place.channel for place in places])
    return [Check(one.name, Health(one.health), one.says, one.do) for one in found]


PLATFORMS: tuple[Platform, ...] = (
    Platform(
        "slack",
        lambda settings: any(
            (
                settings.slack_bot_token,
                settings.slack_app_token,
                settings.slack_signing_secret,
                settings.slack_client_id,
            )
        ),
        "SLACK_BOT_TOKEN, and SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP)",
        _slack,
        _examined_slack,
        _sending_slack,
    ),
    Platform(
        "discord",
        lambda settings: settings.discord_token is not None,
        "DISCORD_TOKEN",
        _discord,
        _examined_discord,
        _sending_discord,
    ),
)
