"""What a person types becomes events: numbers pick, `/redial …` commands, anything else is said."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable

from bot.adapters.console.chat import ConsoleChat
from bot.core.event import Commanded, InboundEvent, Origin, Pressed, Said
from bot.core.frozen import frozen
from bot.core.triage.matching import number
from bot.core.view import View
from bot.ports.intake import Intake

Read = Callable[[str], Commanded | Said]


@frozen
class Session:
    """One run of `redial chat`.

    idle: waits until everything handed in has been answered. read: decides what follows `/redial`.
    busy: what is shown when the intake is full.
    """

    intake: Intake
    idle: Callable[[], Awaitable[None]]
    chat: ConsoleChat
    origin: Origin
    read: Read
    busy: View

    async def run(self, lines: AsyncIterator[str]) -> None:
        """Play every line to its answer before the next is read."""
        async for line in lines:
            if line.strip():
                await self.line(line)

    async def line(self, line: str) -> None:
        """Play one line."""
        event = InboundEvent(uuid.uuid4().hex, self.origin, self.decode(line))
        if not self.intake.submit(event, self.chat):
            await self.chat.tell(self.origin, self.busy)
        await self.idle()

    def decode(self, line: str) -> Commanded | Said | Pressed:
        """Return what one line means."""
        text = line.strip()
        head, _, rest = text.partition(" ")
        if head == "/redial":
            return self.read(rest)
        if head in {"/help", "/quit", "help"} and not rest:
            return Commanded("help")
        last, n = self.chat.last, number(text)
        if last and n and n <= len(last.offers):
            return Pressed(last.conversation, last.revision, last.step, last.offers[n - 1].id)
        # The first text of a run is a report like one behind `/redial`, whatever an earlier run left open.
        return Said(text, "direct" if last else "command")
