"""A platform of one direct message, and `redial run` with it in this process."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from bot.core.event import InboundEvent, Origin, Said
from bot.core.status.subscription import Place
from bot.core.triage.folding import Folded
from bot.core.triage.placement import Where
from bot.core.view import View
from bot.ports.chat import Posted
from bot.ports.platform import House
from bot.runtime import running
from bot.runtime.checks import Check
from bot.runtime.platforms import Platform
from bot.runtime.rhythm import RHYTHM, Rhythm
from bot.runtime.settings import Settings

CUT_OFF = "API Error: Connection closed mid-response. The response above may be incomplete."
ALICE = Origin("slack", "T1", "D1", "U1")
DEADLINE = 20.0


@dataclass
class Line:
    """A platform of one direct message; `pause` is what a post takes."""

    pause: Callable[[], Awaitable[object]] = lambda: asyncio.sleep(0)
    says: str = "connected to nobody"
    trouble: str = ""
    name: str = "slack"
    opening: Callable[[], Awaitable[object]] = lambda: asyncio.sleep(0)
    views: list[View] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    house: House | None = None
    log: list[str] = field(default_factory=list)
    found: Posted | None = None
    broken: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def chat(self) -> Line:
        return self

    async def ended(self) -> str:
        await self.broken.wait()
        return "the token was revoked"

    async def private(self, origin: Origin) -> Origin:
        return origin

    async def show(self, origin: Origin, view: View, where: Where, *, message: str = "") -> Posted:  # noqa: ARG002
        self.begun.set()
        await self.pause()
        self.views.append(view)
        self.log.append("shown")
        return Posted("", str(len(self.views)))

    async def tell(self, origin: Origin, view: View) -> None:
        await self.show(origin, view, Where.DIRECT)

    async def fold(self, origin: Origin, message: str, folded: Folded) -> None:
        """Nothing is folded here."""

    async def shown(self, origin: Origin, key: str) -> Posted | None:  # noqa: ARG002
        return self.found

    def submit(self, number: int) -> bool:
        assert self.house
        return self.house.intake.submit(InboundEvent(f"e{number}", ALICE, Said(CUT_OFF, "direct")), self)

    def row(self) -> Platform:
        @contextlib.asynccontextmanager
        async def start(_settings: Settings, house: House) -> AsyncIterator[Line]:
            self.house = house
            await self.opening()
            try:
                yield self
            finally:
                self.log.append("client closed")

        async def examine(_settings: Settings, _told: Sequence[Place]) -> Sequence[Check]:
            return ()

        return Platform(self.name, lambda _: True, "A_TOKEN", start, examine)


@contextlib.asynccontextmanager
async def served(
    settings: Settings, line: Line, said: list[str], *more: Line, up: int = 0, rhythm: Rhythm = RHYTHM
) -> AsyncIterator[asyncio.Task[int]]:
    """Run until the end; enters once all platforms, or `up` of them, are connected."""
    connected = asyncio.Event()

    def say(text: str) -> None:
        said.append(text)
        if len(said) == (up or 1 + len(more)):
            connected.set()

    serving = asyncio.create_task(running.run(settings, say, [one.row() for one in (line, *more)], rhythm))
    try:
        async with asyncio.timeout(DEADLINE):
            waiting = asyncio.create_task(connected.wait())
            await asyncio.wait({waiting, serving}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            yield serving
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
