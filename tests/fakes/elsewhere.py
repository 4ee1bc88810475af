"""Where Discord is. Its addresses are attributes of the library's classes; there is no other way to name others."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route


@contextlib.contextmanager
def discord_at(address: str) -> Iterator[None]:
    """Let a server of this machine be Discord."""
    at = yarl.URL(address)
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = str(at / "api/v10"), at.with_scheme("ws")
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before
