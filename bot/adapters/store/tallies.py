"""What is counted, in Redis: a hash a workspace and week, added to in batches."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import cast

from bot.adapters.store.keys import Keys, keys_of
from bot.adapters.store.line import Argument
from bot.adapters.store.registry import TALLY
from bot.adapters.store.server import Server, load_script
from bot.core.event import Origin
from bot.ports.tallies import Counts

_TALLY = load_script("tally")
_MOST = 5000
"""Most names kept in memory while the store is away; what comes then is not counted."""

_Week = tuple[Keys, str]


class RedisTallies:
    """Implements the Tallies port; `server` is closed by whoever opened it."""

    def __init__(self, server: Server) -> None:
        """Take the server."""
        self._server = server
        self._process = secrets.token_hex(4)
        self._counted: dict[_Week, Counter[str]] = {}
        # A batch keeps its token until it is known to be written, so that a repeat adds nothing.
        self._sending: dict[_Week, tuple[str, Counter[str]]] = {}

    def count(self, origin: Origin, week: str, what: Iterable[str]) -> None:
        """Count each name once more."""
        names = tuple(what)
        if names and sum(map(len, self._counted.values())) < _MOST:
            self._counted.setdefault((keys_of(origin), week), Counter()).update(names)

    async def flush(self) -> None:
        """Write what is still in memory."""
        for at in {**self._sending, **self._counted}:
            if at not in self._sending:
                self._sending[at] = (secrets.token_hex(8), self._counted.pop(at))
            token, counts = self._sending[at]
            keys, week = at
            words: list[Argument] = [self._process, token, TALLY.ttl]
            for pair in counts.items():
                words += pair
            await self._server.run(_TALLY, [keys.tally(week)], words)
            del self._sending[at]

    async def read(self, origin: Origin, weeks: Sequence[str]) -> tuple[Counts, ...]:
        """Return what was counted in each of these weeks."""
        keys = keys_of(origin)
        return tuple([await self._week(keys.tally(week)) for week in weeks])

    async def _week(self, key: str) -> Counts:
        found = cast("dict[bytes, bytes]", await self._server.command("HGETALL", key))
        return {name.decode(): int(n) for name, n in found.items() if not name.startswith(b"@")}
