"""An event loop whose clock jumps to whatever is waited for next: minutes of waiting pass in the time of the work."""

from __future__ import annotations

import asyncio
import selectors
from typing import Any


class _Jumping(selectors.DefaultSelector):
    """Does not wait: it says that the time has passed."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        """Look once; whoever would have waited is told that it is later now."""
        if timeout is None:
            return super().select(None)
        found = super().select(0)
        if not found:
            self.passed += max(timeout, 0.0)
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """Its time is only what was waited for; it is for code that waits for nothing outside this process."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return the seconds that have been waited so far."""
        return self._jumping.passed
