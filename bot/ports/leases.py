"""Turns at work that one process alone should do."""

from __future__ import annotations

from typing import Protocol


class Leases(Protocol):
    """Every method raises `StoreUnavailable`. A lease only saves work: nothing may break when two hold one."""

    async def take(self, name: str, holder: str, seconds: float) -> bool:
        """Take a turn, or go on holding it, for so many seconds; False while somebody else has it."""

    async def release(self, name: str, holder: str) -> None:
        """Give a turn back before its time, if it is the holder's."""
