"""Translates what redis-py and the server say into `StoreUnavailable`, without passing on anything secret."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from redis import exceptions as redis_errors
from redis.asyncio.sentinel import MasterNotFoundError

from bot.core.errors import StoreUnavailable

FAULTS: tuple[type[Exception], ...] = (redis_errors.RedisError, redis_errors.RedisClusterException, OSError)
"""What may come out of redis-py; its own timeouts are RedisErrors, asyncio's an OSError."""

_BY_TYPE: tuple[tuple[type[Exception], str], ...] = (
    (redis_errors.BusyLoadingError, "is still loading its data"),
    (redis_errors.AuthenticationError, "refused the user or the password"),
    (redis_errors.AuthorizationError, "refused the user or the password"),
    (redis_errors.NoPermissionError, "does not let this user run a command Redial needs"),
    (redis_errors.OutOfMemoryError, "is out of memory (maxmemory) and refuses to write"),
    (redis_errors.ReadOnlyError, "is a read-only replica: name the primary"),
    (redis_errors.ClusterDownError, "is a cluster that is down"),
    (redis_errors.TimeoutError, "did not answer in time"),
    (TimeoutError, "did not answer in time"),
    (redis_errors.MaxConnectionsError, "is used by more turns than connections are allowed"),
    (MasterNotFoundError, "is named by no sentinel: none can be reached, or none knows a primary of that name"),
    (redis_errors.ConnectionError, "cannot be reached, or cut the connection"),
    (OSError, "cannot be reached"),
)

_WITH_REASON = (redis_errors.ConnectionError, OSError)

_BY_WORD: tuple[tuple[str, str], ...] = (
    ("OOM", "is out of memory (maxmemory) and refuses to write"),
    ("READONLY", "is a read-only replica: name the primary"),
    ("MISCONF", "cannot write to its disk and refuses to write"),
    ("LOADING", "is still loading its data"),
    ("BUSY", "is busy with a script"),
    ("NOAUTH", "wants a password"),
    ("WRONGPASS", "refused the user or the password"),
    ("NOPERM", "does not let this user run a command Redial needs"),
    ("NOREPLICAS", "has too few replicas to accept writes"),
    ("MASTERDOWN", "is a replica that lost its primary"),
    ("MOVED", "is one node of a cluster: name it with redis:// or rediss://"),
)


def unavailable(error: Exception, where: str) -> StoreUnavailable:
    """Return the error an operator reads: what is wrong with the store at `where`."""
    return StoreUnavailable(f"The store at {where} {_what(root(error))}.")


def root(error: Exception) -> Exception:
    """Return what redis-py wrapped: on a unix socket, a refused login comes as a failed connection."""
    while isinstance(error.__cause__, FAULTS):
        error = error.__cause__
    return error


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Turn every fault of the store at `where` into `StoreUnavailable`."""
    try:
        yield
    except FAULTS as error:
        raise unavailable(error, where) from error


def place_of(url: str) -> str:
    """Return `url` without user, password and options: what may be logged."""
    try:
        parts = urlsplit(url)
        sentinels = parts.scheme.endswith("+sentinel")
        host = parts.hostname or ""
        port = f":{parts.port}" if not sentinels and parts.port else ""
    except ValueError:
        return "REDIS_URL"
    if parts.scheme == "unix":
        return f"unix://{parts.path}"
    if sentinels:
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    # A password with a slash in it makes the rest of the URL a path.
    database = parts.path if parts.path[1:].isdecimal() else ""
    return f"{parts.scheme}://{host}{port}{database}"


def _what(error: Exception) -> str:
    text = str(error).strip().rstrip(".")[:200]
    word = next((sentence for start, sentence in _BY_WORD if _says(text, start)), None)
    if word is not None:
        return word
    kind, sentence = next(((k, s) for k, s in _BY_TYPE if isinstance(error, k)), (None, f"failed: {text}"))
    # Of a connection redis-py says where to and why not: a name, a port, a certificate; never who or with what.
    return f"{sentence} ({text})" if kind in _WITH_REASON and text else sentence


def _says(text: str, word: str) -> bool:
    # Redis before 7 wraps an error inside a script: "ERR Error running script ...: -OOM command not allowed".
    return text.startswith(word) or f"-{word} " in text
