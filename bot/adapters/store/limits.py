"""What every connection to a server is made with, however the server is found."""

from __future__ import annotations

from typing import Any

from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from bot.adapters.store.line import ANSWERS, CONNECTIONS

CONNECTS = 2.0
"""Seconds for a connection to be made."""
NO_URL = (
    "REDIS_URL is not one: redis://host:6379/0, rediss://user:password@host:6379, unix:///path or"
    " redis+sentinel://host:26379,host:26379/name."
)


def limits() -> dict[str, Any]:
    """Return what every connection is made with: time limits, and no repeats of redis-py's own."""
    return {
        "max_connections": CONNECTIONS,
        "socket_connect_timeout": CONNECTS,
        "socket_timeout": ANSWERS,
        # Whether to repeat is decided in one place: server.py.
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
        "driver_info": None,
    }
