"""How something is measured: contenders take turns in one run, and what counts is the ratio of a round to its floor's.

CPU is that of this process, which plays the bot; servers and platforms are other processes. Wall time drifts on a busy
machine; the ratio of two CPU times that were measured a moment apart hardly does.
"""

from __future__ import annotations

import asyncio
import gc
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

Play = Callable[[int], Awaitable[None]]
"""Plays one thing; the number is that of the round's thing, counted from 0."""
Prepare = Callable[[int], Play]
"""Makes so many things ready, outside of what is measured."""
Tick = Callable[[str], None]
"""Says what is being done."""

SCALE = float(os.environ.get("REDIAL_BENCH_SCALE", "1"))
"""How much is measured, as a share: CI runs a little of each, to see that its counts hold."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One round of one contender. cpu: seconds of this process for one thing; wall: seconds of each thing."""

    cpu: float
    wall: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the results.

    value: of the thing itself, in `unit`. ratio: to the floor, the median of the rounds; spread: the least and most of
    them. goal: what `ratio`, or `value` where there is none, is to be at most. counts: what was asserted meanwhile.
    """

    bench: str
    name: str
    value: float = 0.0
    unit: str = ""
    floor: str = ""
    ratio: float | None = None
    spread: tuple[float, float] | None = None
    goal: float | None = None
    counts: Mapping[str, float] = field(default_factory=dict)

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None where there is none."""
        return None if self.goal is None else (self.value if self.ratio is None else self.ratio) <= self.goal


def scaled(count: int, least: int = 1) -> int:
    """How many of something are measured."""
    return max(least, int(count * SCALE))


async def sample(play: Play, count: int, at_once: int) -> Sample:
    """Play `count` things, `at_once` of them at a time."""
    numbers = iter(range(count))
    wall: list[float] = []

    async def worker() -> None:
        for number in numbers:
            began = time.perf_counter()
            await play(number)
            wall.append(time.perf_counter() - began)

    gc.collect()
    # What stays for good is not looked at again and again: neither the floor's rounds nor ours pay for the other's.
    gc.freeze()
    began = time.process_time()
    await asyncio.gather(*(worker() for _ in range(at_once)))
    return Sample((time.process_time() - began) / count, tuple(wall))


async def rounds(contenders: Mapping[str, Prepare], *, count: int, at_once: int, times: int) -> dict[str, list[Sample]]:
    """Measure every contender `times` times, in turn, after a first round that does not count."""
    found: dict[str, list[Sample]] = {name: [] for name in contenders}
    few = max(at_once, count // 5)
    for prepare in contenders.values():
        await sample(prepare(few), few, at_once)
    for number in range(times):
        for name in list(contenders) if number % 2 else reversed(list(contenders)):
            found[name].append(await sample(contenders[name](count), count, at_once))
    return found


def ratios(ours: Iterable[float], floor: Iterable[float]) -> tuple[float, tuple[float, float]]:
    """The median of the rounds' ratios, and the least and the most of them."""
    each = [one / other for one, other in zip(ours, floor, strict=True)]
    return round(statistics.median(each), 3), (round(min(each), 3), round(max(each), 3))


def compared(figure: Figure, ours: Sequence[Sample], floor: Sequence[Sample]) -> Figure:
    """A figure with the CPU of one thing, and its ratio to the floor's."""
    ratio, spread = ratios([one.cpu for one in ours], [one.cpu for one in floor])
    value = round(statistics.median(one.cpu for one in ours) * 1e6, 1)
    return replace(figure, value=value, unit="µs CPU", ratio=ratio, spread=spread)


def quantile(values: Iterable[float], share: float) -> float:
    """The value that this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def walls(samples: Iterable[Sample]) -> list[float]:
    """The wall times of all things of all rounds."""
    return [wall for one in samples for wall in one.wall]
