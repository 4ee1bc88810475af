"""How much one person, and one channel, may ask of a process.

Kept in memory, not in the store: it costs no round trip, holds before anything is recognised, and guards a process
from a flood even while the store is away. With several processes a person may get as many times as much, which is
still a bound.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from bot.core.event import Origin

REMEMBERED = 20_000
"""Most people and channels that are counted at once; who asked longest ago is forgotten first."""
_MINUTE = 60.0


class Verdict(Enum):
    """What to do with an event: take it, say once that it is too much, or let it go since that was said."""

    TAKE = "take"
    TELL = "tell"
    DROP = "drop"


@dataclass(slots=True)
class _Bucket:
    """left: events that may come at once; at: when that was so; told: they know that it is too much."""

    left: float
    at: float
    told: bool = False


class Limits:
    """Token buckets of a minute's allowance each."""

    def __init__(self, person: int, channel: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Take events a minute of one person and of one channel."""
        self._person, self._channel, self._clock = float(person), float(channel), clock
        self._buckets: OrderedDict[tuple[str, ...], _Bucket] = OrderedDict()

    def judge(self, origin: Origin) -> tuple[Verdict, str]:
        """Say what to do with an event from there, and whose limit it is: person, channel or nobody's."""
        person = self._bucket(("person", origin.tenant, origin.user), self._person)
        if person.left < 1:
            return _over(person), "person"
        channel = self._bucket(("channel", origin.tenant, origin.channel), self._channel)
        if channel.left < 1:
            # Each person is told for themselves: in a full channel nobody is left without a word.
            return _over(person), "channel"
        for bucket in (person, channel):
            bucket.left -= 1
            bucket.told = False
        return Verdict.TAKE, ""

    def _bucket(self, key: tuple[str, ...], allowance: float) -> _Bucket:
        now = self._clock()
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = _Bucket(allowance, now)
            if len(self._buckets) > REMEMBERED:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(key)
        bucket.left = min(allowance, bucket.left + (now - bucket.at) * allowance / _MINUTE)
        bucket.at = now
        return bucket


def _over(bucket: _Bucket) -> Verdict:
    if bucket.told:
        return Verdict.DROP
    bucket.told = True
    return Verdict.TELL
