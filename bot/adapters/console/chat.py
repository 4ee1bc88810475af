"""The terminal as a chat: shows views, and remembers what a typed number means."""

from __future__ import annotations

from collections.abc import Callable

from bot.core.event import Origin
from bot.core.triage.folding import Folded
from bot.core.triage.placement import Where
from bot.core.view import View
from bot.ports.chat import Posted

Show = Callable[[View], None]


class ConsoleChat:
    """Implements the Chat port. The console is one person's direct message, so everything is shown in one place."""

    def __init__(self, show: Show) -> None:
        """Take what writes a view to the terminal, the pipe or the JSON stream."""
        self._show = show
        self.last: View | None = None

    async def private(self, origin: Origin) -> Origin:
        """Return the terminal itself."""
        return origin

    async def show(self, origin: Origin, view: View, where: Where, *, message: str = "") -> Posted:  # noqa: ARG002
        """Write the view out, and remember it if its choices can be picked by number."""
        self._show(view)
        if view.conversation:
            self.last = view
        return Posted("", "")

    async def tell(self, origin: Origin, view: View) -> None:
        """Write the view out: nobody else is here."""
        await self.show(origin, view, Where.DIRECT)

    async def fold(self, origin: Origin, message: str, folded: Folded) -> None:
        """Do nothing: what a terminal has written stays."""

    async def shown(self, origin: Origin, key: str) -> Posted | None:  # noqa: ARG002 - part of the port
        """Say no: a terminal cannot be looked at, and one that crashed is gone with what it showed."""
        return None
