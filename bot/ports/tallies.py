"""What is counted, a week at a time and without anybody's id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from bot.core.event import Origin

Counts = Mapping[str, int]
"""How often, by what; the names are those of core/triage/insights.py."""


class Tallies(Protocol):
    """Counts of each workspace. `read` and `flush` raise `StoreUnavailable`."""

    def count(self, origin: Origin, week: str, what: Iterable[str]) -> None:
        """Count each name once more; written by `flush`, so that no turn waits. A crash loses seconds of it."""

    async def flush(self) -> None:
        """Write what is still in memory."""

    async def read(self, origin: Origin, weeks: Sequence[str]) -> tuple[Counts, ...]:
        """Return what was counted in a workspace in each of these weeks."""


class Uncounted:
    """Counts nothing, where nobody asks."""

    def count(self, origin: Origin, week: str, what: Iterable[str]) -> None:
        """Let go of it."""

    async def flush(self) -> None:
        """Write nothing."""

    async def read(self, origin: Origin, weeks: Sequence[str]) -> tuple[Counts, ...]:  # noqa: ARG002 - the port's
        """Return nothing counted."""
        return tuple({} for _ in weeks)


UNCOUNTED = Uncounted()
