"""One Redis or Valkey as the stores use it: commands and scripts with one way to time out, repeat and fail."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha1
from importlib.resources import files
from typing import Self

from redis import exceptions as redis_errors
from redis.asyncio import Redis, RedisCluster

from bot.adapters.store.faults import FAULTS, root, translated, unavailable
from bot.adapters.store.line import TRY, Argument, ClusterLine, Line
from bot.core.frozen import frozen
from bot.ports.meters import UNMETERED, Meters

BREATH = 0.01
"""Seconds before the one repeat of a call; each of the two has its time in line.py."""

_HOPELESS = (
    redis_errors.BusyLoadingError,
    redis_errors.AuthenticationError,
    redis_errors.AuthorizationError,
    redis_errors.MaxConnectionsError,
)


@frozen
class Script:
    """A Lua script of this package; every key it touches is in KEYS."""

    name: str
    body: str
    sha: str


def load_script(name: str, *, after: str = "", **numbers: int) -> Script:
    """Read `scripts/<name>.lua`. after: a script whose functions it uses; that, and `numbers`, are put before it."""
    scripts = files(__package__) / "scripts"
    parts = [f"local {known} = {number}" for known, number in numbers.items()]
    parts += [(scripts / f"{part}.lua").read_text(encoding="utf-8") for part in (after, name) if part]
    body = "\n".join(parts)
    # What EVALSHA calls a script by; nothing is protected with it.
    return Script(name, body, sha1(body.encode(), usedforsecurity=False).hexdigest())


class Server:
    """A client and the name it may be called by in a log. What is sent through it must be safe to repeat."""

    def __init__(
        self,
        client: Redis | RedisCluster,
        where: str,
        *,
        closing: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._client = client
        self._closing = closing
        self._line = ClusterLine(client) if isinstance(client, RedisCluster) else Line(client)
        self.where = where
        self.meters: Meters = UNMETERED

    def __repr__(self) -> str:
        return f"Server({self.where!r})"

    async def met(self) -> Self:
        """Return itself once it has answered; closed where it does not. Raises `StoreUnavailable`."""
        try:
            await self.command("PING")
        except BaseException:
            await self.close()
            raise
        return self

    async def command(self, *words: Argument) -> object:
        """Send one command; raises `StoreUnavailable`."""
        try:
            return await self._sent(*words)
        except FAULTS as error:
            raise unavailable(error, self.where) from error

    async def run(self, script: Script, keys: Sequence[str], args: Sequence[Argument] = ()) -> object:
        """Run a script; the server is sent its text only when it does not know it. Raises `StoreUnavailable`."""
        try:
            try:
                return await self._sent("EVALSHA", script.sha, len(keys), *keys, *args)
            except redis_errors.NoScriptError:
                return await self._sent("EVAL", script.body, len(keys), *keys, *args)
        except FAULTS as error:
            raise unavailable(error, self.where) from error

    async def replication_ids(self, key: str) -> tuple[str, str]:
        """Return what the server that holds `key` calls its data, and what it called it before.

        A new name once it was started again, or another took over, which knows the name before. Empty where it does not
        say; raises `StoreUnavailable`.
        """
        client, words = self._client, ("INFO", "replication")
        with translated(self.where):
            try:
                if isinstance(client, RedisCluster):
                    async with asyncio.timeout(TRY):
                        told = await client.execute_command(*words, target_nodes=client.get_node_from_key(key))
                else:
                    told = await self._line.ask(*words)
            except (redis_errors.NoPermissionError, redis_errors.ResponseError):
                return "", ""
        found = told if isinstance(told, dict) else {}
        return str(found.get("master_replid", "")), str(found.get("master_replid2", ""))

    async def close(self) -> None:
        """Let go of the connections."""
        with translated(self.where):
            try:
                await self._client.aclose()
            finally:
                if self._closing is not None:
                    await self._closing()

    async def _sent(self, *words: Argument) -> object:
        try:
            return await self._once(*words)
        except redis_errors.ConnectionError as error:
            # A connection that was cut is worth one more try; a server that is slow or says no is not.
            if isinstance(root(error), _HOPELESS):
                raise
            # The other connections of a server that went are noticed to be dead in the meantime.
            await asyncio.sleep(BREATH)
            return await self._once(*words)

    async def _once(self, *words: Argument) -> object:
        began, failed, task = time.perf_counter(), True, asyncio.current_task()
        before = task.cancelling() if task else 0
        try:
            answer = await self._line.ask(*words)
            failed = False
        except redis_errors.NoScriptError:
            # An answer like any other: it is sent the script then.
            failed = False
            raise
        finally:
            self.meters.tripped(time.perf_counter() - began, failed=failed)
            if task and task.cancelling() > before:
                # redis-py does not heed it: Python 3.11's `wait_for` drops a cancellation as a command has been sent.
                raise asyncio.CancelledError
        return answer
