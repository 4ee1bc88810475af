"""How fast announcements may go out: so many a second on a platform, a minute in a workspace, a second in a channel.

Waiting is done before an intent is written, so that nothing under way has to wait.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from bot.core.frozen import frozen
from bot.core.status.subscription import Place


@frozen
class Budget:
    """What announcements may use of a platform; 0: no limit. The rest is left to conversations.

    second: requests in all. posts, edits: requests a workspace and minute. channel: seconds between two in one channel.
    """

    second: float = 0.0
    posts: float = 0.0
    edits: float = 0.0
    channel: float = 1.0


PATIENCE = 3.0
"""Seconds a place that asked to be left alone is waited for; else it is left to a later walk, and holds up nobody."""
_SHORTLY = 30.0
"""Seconds within which refusals in two channels of a workspace mean the whole workspace."""
_LOOK = 0.5
"""Seconds between two looks whether waiting is still of use."""
_KEPT = 500
"""Gates remembered before those nobody waits at are forgotten: a walk passes through thousands, each once."""


@dataclass(slots=True)
class _Gate:
    """Lets one through at a time. next: when the next may pass; held: until when none may, as the platform asked."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    next: float = 0.0
    held: float = 0.0


class Pacer:
    """Gives turns of one platform, in the order they are asked for."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._gates: dict[tuple[str, ...], _Gate] = {}
        self._most = _KEPT
        # The last channel of a workspace that refused, and until when that counts.
        self._refused: dict[tuple[str, ...], tuple[str, float]] = {}

    async def turn(self, place: Place, *, edit: bool, useless: asyncio.Event | None = None) -> bool:
        """Wait for a turn; False if there is none now, or waiting became `useless`.

        The narrowest gate first, so that nobody holds a place in a wide one while waiting there.
        """
        budget = self._budget
        each = budget.edits if edit else budget.posts
        for name, apart in (
            (_channel(place), budget.channel),
            (_lane(place, edit=edit), 60.0 / each if each else 0.0),
            (("platform",), 1.0 / budget.second if budget.second else 0.0),
        ):
            if not await self._passed(self._gate(name), apart, useless):
                return False
        # It is sent now, which may be long after the channel's own gate was passed.
        self._gate(_channel(place)).next = asyncio.get_running_loop().time() + budget.channel
        return True

    def hold(self, place: Place, *, edit: bool, seconds: float) -> None:
        """Leave a channel alone for as long as the platform asks, and its workspace if another channel is, too."""
        now = asyncio.get_running_loop().time()
        until, lane = now + max(seconds, 1.0), _lane(place, edit=edit)
        self._gate(_channel(place)).held = until
        channel, counts = self._refused.get(lane, ("", 0.0))
        if channel not in {"", place.channel} and now < counts:
            self._gate(lane).held = until
        self._refused[lane] = (place.channel, max(until, now + _SHORTLY))

    async def _passed(self, gate: _Gate, apart: float, useless: asyncio.Event | None) -> bool:
        loop = asyncio.get_running_loop()
        async with gate.lock:
            while (left := max(gate.next, gate.held) - loop.time()) > 0:
                if gate.held - loop.time() > PATIENCE or (useless and useless.is_set()):
                    return False
                await asyncio.sleep(min(left, _LOOK))
            gate.next = loop.time() + apart
        return not (useless and useless.is_set())

    def _gate(self, name: tuple[str, ...]) -> _Gate:
        if len(self._gates) > self._most:
            now = asyncio.get_running_loop().time()
            self._gates = {n: g for n, g in self._gates.items() if g.lock.locked() or max(g.next, g.held) > now}
            self._most = max(_KEPT, 2 * len(self._gates))
        return self._gates.setdefault(name, _Gate())


def _channel(place: Place) -> tuple[str, ...]:
    return ("channel", place.workspace, place.channel)


def _lane(place: Place, *, edit: bool) -> tuple[str, ...]:
    return ("workspace", place.workspace, "edits" if edit else "posts")
