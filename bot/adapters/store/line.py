"""The way to one server: what turns ask for in the same pass of the event loop goes out, and comes back, together.

It uses redis-py's connections below its client, whose layers take longer than the question and its answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import hiredis
from redis import exceptions as redis_errors
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.connection import AbstractConnection

CONNECTIONS = 32
"""Most connections of a process (to a node, in a cluster); what comes further waits for one."""
ANSWERS = 2.0
"""Seconds for an answer to be read, where redis-py waits for it itself."""
TRY = 2.5
"""Seconds for what is asked together to be answered, with waiting for a connection and making it."""

Argument = str | bytes | int | float
_Question = tuple[bytes, "asyncio.Future[object]"]


class Line:
    """The connections to a server: who asks first in a pass of the loop takes along what others ask, without a task."""

    def __init__(self, client: Redis) -> None:
        """Take the client, of which only the connections and the ways to read an answer are used."""
        self._pool = client.connection_pool
        self._readers = cast("dict[str, Any]", client.response_callbacks)
        self._asked: list[_Question] = []
        # The pool counts them as used: to give one back and take it again takes longer than to ask and be answered.
        self._idle: list[AbstractConnection] = []
        # A pool that is used up fails at once; waiting is fairer.
        self._slots = asyncio.Semaphore(CONNECTIONS)

    async def ask(self, *words: Argument) -> object:
        """Send one command and return its answer; raises what redis-py raises, and `TimeoutError`."""
        # Its stub knows words of one type only.
        packed = hiredis.pack_command(words)  # type: ignore[arg-type]
        mine = asyncio.get_running_loop().create_future()
        self._asked.append((packed, mine))
        if len(self._asked) == 1:
            await self._carry(mine)
        answer = await mine
        read = self._readers.get(str(words[0]))
        return read(answer) if read else answer

    async def _carry(self, mine: asyncio.Future[object]) -> None:
        """Take everything asked in this pass of the loop to the server."""
        asked: Sequence[_Question] | None = None
        try:
            await asyncio.sleep(0)
            async with asyncio.timeout(TRY) as limit, self._slots:
                asked = self._taken()
                connection = self._idle.pop() if self._idle else await self._made()
                try:
                    await _exchanged(connection, asked, limit)
                except BaseException:
                    await self._let_go(connection)
                    raise
                self._idle.append(connection)
        except BaseException as error:
            # For the others, it is a connection that broke when who carries is broken off: they ask again themselves.
            broke = error if isinstance(error, Exception) else redis_errors.ConnectionError("broken off")
            for _, answer in self._taken() if asked is None else asked:
                if answer is not mine and not answer.done():
                    answer.set_exception(broke)
            if mine.done() and not mine.cancelled():
                mine.exception()
            raise

    async def _made(self) -> AbstractConnection:
        return await self._pool.get_connection()  # type: ignore[no-untyped-call,no-any-return]

    async def _let_go(self, broken: AbstractConnection) -> None:
        """Leave it to the pool to look at a connection, and at all others: what broke one will have broken more."""
        await self._pool.release(broken)
        while self._idle:
            await self._pool.release(self._idle.pop())

    def _taken(self) -> Sequence[_Question]:
        asked, self._asked = self._asked, []
        return asked


class ClusterLine:
    """The way to a cluster, whose client finds the node that holds a key."""

    def __init__(self, client: RedisCluster) -> None:
        """Take the client."""
        self._client = client
        self._slots = asyncio.Semaphore(CONNECTIONS)

    async def ask(self, *words: Argument) -> object:
        """Send one command and return its answer; raises what redis-py raises."""
        async with asyncio.timeout(TRY), self._slots:
            return await self._client.execute_command(*words)


async def _exchanged(connection: AbstractConnection, asked: Sequence[_Question], limit: asyncio.Timeout) -> None:
    """Send and read; what the server says no to is an answer, everything else ends the exchange and the connection."""
    if limit.expired():
        # Whoever made the connection may not have heeded it, and nothing else limits what follows.
        raise TimeoutError
    # Who carries it has the time limited: with a limit of its own, redis-py makes a task for every write.
    connection.socket_timeout = None
    await connection.send_packed_command([packed for packed, _ in asked])
    for _, answer in asked:
        try:
            said = await connection.read_response()
        except redis_errors.ResponseError as error:
            if not answer.done():
                answer.set_exception(error)
        else:
            if not answer.done():
                answer.set_result(said)
