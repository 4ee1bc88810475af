"""A client of Redial's own server that attaches to it, or starts it, whenever it has to connect."""

from __future__ import annotations

import asyncio
import os
import secrets
from pathlib import Path
from typing import Any

from redis import exceptions as redis_errors
from redis.asyncio import ConnectionPool, Redis, UnixDomainSocketConnection

from bot.adapters.store.embedded import ensure_running, leave
from bot.adapters.store.limits import limits
from bot.adapters.store.server import Server
from bot.core.errors import SettingsError, StoreUnavailable


async def open_embedded(data_dir: Path) -> Server:
    """Attach to or start the server in `data_dir`; closing it ends the server when nobody else is connected."""
    place = await asyncio.to_thread(ensure_running, data_dir)
    name = f"redial-{os.getpid()}-{secrets.token_hex(4)}"
    pool = ConnectionPool(
        connection_class=EmbeddedConnection,
        path=str(place.socket),
        data_dir=data_dir,
        client_name=name,
        **limits(),
    )

    async def closing() -> None:
        await asyncio.to_thread(leave, data_dir, name)

    server = Server(Redis.from_pool(pool), str(place.directory), closing=closing)
    # A connection is what tells others who leave that somebody is here.
    return await server.met()


class EmbeddedConnection(UnixDomainSocketConnection):
    """A connection that looks for its server, or starts it, when it cannot be reached."""

    def __init__(self, *, data_dir: Path, **kwargs: Any) -> None:  # noqa: ANN401 - redis-py's own arguments
        super().__init__(**kwargs)
        self._data_dir = data_dir

    async def connect(self) -> None:
        """Connect; after a failure attach or start, and try once more."""
        try:
            await super().connect()  # type: ignore[no-untyped-call]
        except redis_errors.ConnectionError:
            await _revive(self._data_dir)
            await super().connect()  # type: ignore[no-untyped-call]


async def _revive(data_dir: Path) -> None:
    try:
        await asyncio.to_thread(ensure_running, data_dir)
    except SettingsError as error:
        # It worked when the process started, so what is wrong now is the store.
        raise StoreUnavailable(str(error)) from error
