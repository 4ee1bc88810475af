"""How often Discord is asked: under its limit of a bot, and not at all where it just said no."""

from __future__ import annotations

import asyncio
from collections import deque

from bot.core.errors import NotAllowed

RATE = 45
"""Requests in any second; Discord allows a bot fifty."""
PAUSE = 60.0
"""Seconds a channel is left alone after a refusal: 10,000 refusals in ten minutes get an address banned."""
_MOST = 1000
"""Refusals that are remembered."""


class Pace:
    """Lets `RATE` requests through in any second, however they come."""

    def __init__(self, rate: int = RATE) -> None:
        """Take the rate."""
        self._times = deque([-1.0] * rate, maxlen=rate)

    async def turn(self) -> None:
        """Wait until a request may be sent."""
        now = asyncio.get_running_loop().time()
        # A second after the one so many places before it; whoever comes next counts from there.
        at = max(now, self._times[0] + 1.0)
        self._times.append(at)
        if at > now:
            await asyncio.sleep(at - now)


class Refusals:
    """Channels that refused, each for a while, with the right that was missing."""

    def __init__(self) -> None:
        self._until: dict[int, tuple[float, str]] = {}

    def note(self, channel: int, missing: str) -> None:
        """Leave a channel alone from now on."""
        if len(self._until) >= _MOST:
            self._until.clear()
        self._until[channel] = (asyncio.get_running_loop().time() + PAUSE, missing)

    def check(self, channel: int) -> None:
        """Raise `NotAllowed` for a channel that is left alone."""
        until, missing = self._until.get(channel, (0.0, ""))
        if asyncio.get_running_loop().time() < until:
            raise NotAllowed(f"channel {channel} refused a moment ago", missing=missing)

    def clear(self) -> None:
        """Forget all: rights have changed."""
        self._until.clear()
