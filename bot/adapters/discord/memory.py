"""What a process remembers by itself: never more than a fixed number of things, the oldest forgotten first."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

MOST = 2000

K = TypeVar("K")
V = TypeVar("V")


class Memory(Generic[K, V]):
    """The last things noted, by key."""

    def __init__(self, most: int = MOST) -> None:
        """Take how many."""
        self._most = most
        self._kept: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def note(self, key: K, value: V) -> None:
        """Remember a value."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def get(self, key: K) -> V | None:
        """Return what is remembered."""
        return self._kept.get(key)

    def pop(self, key: K) -> V | None:
        """Return what is remembered, and forget it."""
        return self._kept.pop(key, None)
