"""What is kept sealed, such as the tokens of installed workspaces: whoever seals it holds the key, not the store."""

from __future__ import annotations

from bot.adapters.store.registry import INSTALLATIONS
from bot.adapters.store.server import Server

_KEY = INSTALLATIONS.key("")


class RedisVault:
    """Implements the Vault port. Every method raises `StoreUnavailable`."""

    def __init__(self, server: Server) -> None:
        """Take the server; `close` lets go of it."""
        self._server = server

    async def get(self, name: str) -> bytes | None:
        """Return what is kept under a name."""
        found = await self._server.command("HGET", _KEY, name)
        return found if isinstance(found, bytes) else None

    async def put(self, name: str, sealed: bytes) -> None:
        """Keep something, over what was there."""
        await self._server.command("HSET", _KEY, name, sealed)

    async def delete(self, name: str) -> None:
        """Forget something."""
        await self._server.command("HDEL", _KEY, name)

    async def close(self) -> None:
        """Let go of the connection."""
        await self._server.close()
