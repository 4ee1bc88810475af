"""From a URL, or none, to a `Server`: where connections, time limits and cluster detection are decided."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from redis import exceptions as redis_errors
from redis.asyncio import ConnectionPool, Redis, RedisCluster

from bot.adapters.store.faults import FAULTS, place_of, translated
from bot.adapters.store.limits import NO_URL, limits
from bot.adapters.store.server import Server
from bot.core.errors import SettingsError, StoreError


async def open_server(url: str | None, data_dir: Path) -> Server:
    """Connect to the server `url` names, or to Redial's own in `data_dir`.

    Raises `SettingsError` for a URL or directory that cannot be used, `StoreUnavailable` when nothing answers.
    """
    if not url:
        from bot.adapters.store.embedded_client import open_embedded  # noqa: PLC0415 - only where no server is named

        return await open_embedded(data_dir)
    where = place_of(url)
    if url.partition("://")[0].endswith("+sentinel"):
        from bot.adapters.store.sentinel import open_guarded  # noqa: PLC0415 - only where there are sentinels

        return await open_guarded(url, where)
    server = Server(standalone(url), where)
    try:
        clustered = await _is_cluster(server)
    except BaseException:
        await server.close()
        raise
    if not clustered or url.startswith("unix:"):
        return server
    await server.close()
    return await _clustered(url, where)


def standalone(url: str) -> Redis:
    """Return a client of the one server at `url`, with Redial's limits; raises `SettingsError` for another text."""
    try:
        pool = ConnectionPool.from_url(url, **limits())
        # An option redis-py does not know shows itself only when a connection is made.
        pool.connection_class(**pool.connection_kwargs)
    except (ValueError, redis_errors.RedisError, TypeError):
        pool = None
    if pool is None:
        # Outside the handler: the reason may quote the URL, and with it a password.
        raise SettingsError(NO_URL)
    return Redis.from_pool(pool)


async def _is_cluster(server: Server) -> bool:
    await server.command("PING")
    try:
        info = cast("dict[str, object]", await server.command("INFO", "cluster"))
    except StoreError as error:
        if isinstance(error.__cause__, redis_errors.NoPermissionError):
            return False
        raise
    return info.get("cluster_enabled") == 1


async def _clustered(url: str, where: str) -> Server:
    client = RedisCluster.from_url(url, **limits())
    with translated(where):
        try:
            await client.initialize()
        except FAULTS:
            await client.aclose()
            raise
    return Server(client, where)
