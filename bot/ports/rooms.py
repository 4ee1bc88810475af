"""Where it is counted what a workspace reports, and kept what its channels were sent of it."""

from __future__ import annotations

from typing import Protocol

from bot.core.event import Origin
from bot.core.frozen import frozen
from bot.core.triage.gathering import Gathering
from bot.core.triage.room import Signal


@frozen
class Heard:
    """A workspace as it stands: what people reported within the window, and what channels have of it.

    at: the store's clock, seconds since the epoch.
    """

    at: float
    signals: tuple[Signal, ...] = ()
    gatherings: tuple[Gathering, ...] = ()


class RoomStore(Protocol):
    """Every method but `report` raises `StoreUnavailable`. Nobody's id is kept, only what cannot be turned back."""

    def report(self, origin: Origin, signal: Signal | None) -> None:
        """Note what `origin.user` reports, in place of what they reported before; None: nothing any more.

        Costs nothing: it is written with others by `flush`.
        """

    async def flush(self) -> None:
        """Write what was noted."""

    async def heard(self, origin: Origin) -> Heard:
        """Return what a workspace reports; what is older than the window is deleted."""

    async def record(self, origin: Origin, gathering: Gathering) -> Gathering | None:
        """Write a gathering over its own version and return it as stored; an intent has the store's time then.

        None when somebody else wrote it meanwhile. A repeat of a write that succeeded succeeds.
        """

    async def drop(self, origin: Origin, gathering: Gathering) -> None:
        """Forget a gathering nobody will hear of again."""

    async def forget(self, origin: Origin) -> None:
        """Delete what `origin.user` reported."""
