"""`redis+sentinel://user:password@host:26379,host:26379/name/0`: whoever the sentinels call the primary just now.

With `rediss+sentinel://`, servers and sentinels are spoken to over TLS. Behind `?`: `sentinel_username` and
`sentinel_password`, where the sentinels want a login of their own, and what redis-py takes, such as `ssl_ca_certs`.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from redis.asyncio import Redis
from redis.asyncio.sentinel import Sentinel

from bot.adapters.store.limits import NO_URL, limits
from bot.adapters.store.server import Server
from bot.core.errors import SettingsError

_PORT = 26379


async def open_guarded(url: str, where: str) -> Server:
    """Return the primary, asked for anew with every connection. Raises `SettingsError` and `StoreUnavailable`."""
    try:
        sentinel, client = _asking(url)
    except (ValueError, TypeError):
        sentinel = None
    if sentinel is None:
        # Outside the handler: the reason may quote the URL, and with it a password.
        raise SettingsError(NO_URL)

    async def closing() -> None:
        for one in sentinel.sentinels:
            await one.aclose()

    server = Server(client, where, closing=closing)
    return await server.met()


def _asking(url: str) -> tuple[Sentinel, Redis]:
    parts = urlsplit(url)
    login, _, hosts = parts.netloc.rpartition("@")
    service, _, database = parts.path.strip("/").partition("/")
    if not (service and hosts):
        raise ValueError("no hosts, or no name of the primary")
    user, _, password = login.partition(":")
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    own = {name: options.pop(f"sentinel_{name}", None) for name in ("username", "password")}
    shared = {**limits(), **options, "ssl": parts.scheme.startswith("rediss")}
    sentinel = Sentinel(  # type: ignore[no-untyped-call]
        [_address(host) for host in hosts.split(",")],
        sentinel_kwargs={**shared, **{name: value for name, value in own.items() if value}},
    )
    shared |= {"username": unquote(user) or None, "password": unquote(password) or None}
    client: Redis = sentinel.master_for(service, db=int(database or 0), **shared)
    # An option redis-py does not know shows itself only when a connection is made.
    client.connection_pool.make_connection()  # type: ignore[no-untyped-call]
    return sentinel, client


def _address(host: str) -> tuple[str, int]:
    name, _, port = host.rpartition(":")
    return (name, int(port)) if name else (host, _PORT)
