"""A chat platform as the rest of Redial sees it."""

from __future__ import annotations

from typing import Protocol

from bot.core.event import Origin
from bot.core.view import View


class Chat(Protocol):
    """Shows views to people. Adapters own rendering, limits and escaping."""

    async def show(self, origin: Origin, view: View) -> None:
        """Show `view` where the conversation of `origin` takes place."""

    async def shown(self, origin: Origin, key: str) -> bool:
        """Say whether the message with this key is already there; False where a platform cannot look."""
