"""`redial doctor`: what works, what does not, and what to do about it."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bot.core.errors import ContentError, RedialError, SettingsError
from bot.core.services import Page
from bot.core.status.incident import Health as PageHealth
from bot.core.status.subscription import Place
from bot.runtime import proxies
from bot.runtime.checks import Check, Health
from bot.runtime.content import Content
from bot.runtime.loading import load
from bot.runtime.pages import watched
from bot.runtime.platforms import PLATFORMS, Platform
from bot.runtime.settings import HealthSettings, Settings, load_settings
from bot.runtime.sources import config_file
from bot.runtime.wiring import status_source

_PATIENCE = 10.0
"""Seconds the status page gets to answer."""


async def examine(platforms: Sequence[Platform] = PLATFORMS, *, data_dir: Path | None = None) -> list[Check]:
    """Look at everything, in the order in which a start would need it; never raises."""
    try:
        settings = load_settings(data_dir=data_dir)
    except SettingsError as error:
        return [Check("settings", Health.FAIL, str(error), "correct that setting; `redial init` writes an example")]
    checks = [_settings(), *_proxy()]
    content, found = _content(settings)
    pages = watched(settings, content.library.services.page) if content else ()
    stored, places = await _store(settings, [page.id for page in pages])
    checks += [found, *stored]
    places += [Place(one.platform, one.workspace, one.channel) for one in settings.subscriptions]
    places += [Place(one.platform, one.workspace, one.channel) for one in settings.operators]
    checks += _health(settings.health)
    if content:
        checks.append(await _page(settings, content.library.services.page))
    for platform in platforms:
        if platform.configured(settings):
            told = dict.fromkeys(place for place in places if place.platform == platform.name)
            checks += await platform.examine(settings, tuple(told))
    return checks + _platforms(settings, platforms)


def as_text(checks: Sequence[Check]) -> str:
    """Return a line for each check, and below it what to do."""
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        lines.append(f"{check.health.value:<4}  {check.name:<{width}}  {check.says}")
        if check.do:
            lines.append(f"{'':<{width + 6}}  → {check.do}")
    return "\n".join(lines)


def as_json(checks: Sequence[Check]) -> str:
    """Return the checks as one JSON list."""
    return msgspec.json.encode(checks).decode()


def _settings() -> Check:
    path = config_file()
    says = f"read from {path} and the environment" if path.is_file() else "from the environment and defaults"
    return Check("settings", Health.OK, says)


def _proxy() -> list[Check]:
    """Say what the environment makes of the way out, where it says anything."""
    try:
        name, address = proxies.named()
    except SettingsError as error:
        return [Check("proxy", Health.FAIL, str(error), "correct that variable, or take it away")]
    if name:
        return [Check("proxy", Health.OK, f"everything but the store goes through {proxies.shown(address)} ({name})")]
    if socks := proxies.socks():
        do = "name an HTTP proxy in HTTPS_PROXY, or take that variable away"
        return [Check("proxy", Health.WARN, f"{socks} names a SOCKS proxy, which Redial cannot use", do)]
    return []


def _content(settings: Settings) -> tuple[Content | None, Check]:
    try:
        content = load(settings.content_dirs, locale=settings.locale)
    except (ContentError, SettingsError) as error:
        return None, Check("content", Health.FAIL, str(error), "`redial check` names every problem with its line")
    return content, Check("content", Health.OK, f"{len(content.library.guides)} guides")


async def _store(settings: Settings, pages: Sequence[str]) -> tuple[list[Check], list[Place]]:
    from bot.adapters.store.doctor import examine as ask  # noqa: PLC0415 - redis-py takes a while to load

    url = settings.redis_url.get_secret_value() if settings.redis_url else None
    found, places = await ask(url, settings.data_dir, pages)
    return [Check(one.name, Health(one.health), one.says, one.do) for one in found], places


def _health(settings: HealthSettings) -> list[Check]:
    """Say whether the port of the probes is free, where they are asked for."""
    if not settings.port:
        return []
    place = f"{settings.host}:{settings.port}"
    try:
        with socket.create_server((settings.host, settings.port)):
            return [Check("health port", Health.OK, f"{place} is free")]
    except OSError as error:
        do = "fine if Redial runs here already; else set another `health.port`"
        why = (error.strerror or "").partition(" (")[0]
        return [Check("health port", Health.WARN, f"{place} cannot be taken: {why}", do)]


async def _page(settings: Settings, page: Page) -> Check:
    source = status_source(settings, page, patience=_PATIENCE)
    try:
        board = await source.board()
    except RedialError as error:
        return Check("status page", Health.FAIL, str(error), "correct `status.page_id` and `status.hosts`")
    finally:
        await source.close()
    if board.health is PageHealth.OK:
        return Check("status page", Health.OK, f"read, open incidents: {len(board.open)}")
    do = "let this machine reach the page over HTTPS; without it the status is said to be unknown"
    return Check("status page", Health.WARN, "cannot be read", do)


def _platforms(settings: Settings, platforms: Sequence[Platform]) -> list[Check]:
    """Say what could be set where no platform is configured, which is all `redial chat` needs."""
    if not platforms or any(platform.configured(settings) for platform in platforms):
        return []
    wants = "; ".join(f"{platform.name}: {platform.wants}" for platform in platforms)
    return [Check("platforms", Health.WARN, "none is configured: `redial chat` works, `redial run` does not", wants)]
