"""The terminal as a chat: shows views, and remembers what a typed number means."""

from __future__ import annotations

from collections.abc import Callable

from bot.core.event import Origin
from bot.core.view import View

Show = Callable[[View], None]


class ConsoleChat:
    """Implements the Chat port. The console is one person's direct message, so everything is shown in one place."""

    def __init__(self, show: Show) -> None:
        """Take what writes a view to the terminal, the pipe or the JSON stream."""
        self._show = show
        self.last: View | None = None

    async def show(self, origin: Origin, view: View) -> None:  # noqa: ARG002 - one place
        """Write the view out, and remember it if its choices can be picked by number."""
        self._show(view)
        if view.conversation:
            self.last = view

    async def shown(self, origin: Origin, key: str) -> bool:  # noqa: ARG002 - part of the port
        """Say no: a terminal cannot be looked at, and one that crashed is gone with what it showed."""
        return False
