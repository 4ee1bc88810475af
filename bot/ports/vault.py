"""Where what is secret is kept, sealed by who keeps it there."""

from __future__ import annotations

from typing import Protocol


class Vault(Protocol):
    """Sealed records by name. Every method raises `StoreUnavailable`."""

    async def get(self, name: str) -> bytes | None:
        """Return what is kept under a name."""

    async def put(self, name: str, sealed: bytes) -> None:
        """Keep something, over what was there."""

    async def delete(self, name: str) -> None:
        """Forget something."""
