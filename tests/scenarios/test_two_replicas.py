"""Two replicas answer one conversation in turn, quicker than either tells the store where it has posted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.adapters.store import connect
from bot.adapters.store.embedded import stop_embedded
from bot.core.event import InboundEvent, Origin, Said
from bot.core.triage.folding import Folded
from bot.core.triage.placement import Where
from bot.core.view import View
from bot.ports.chat import Posted
from handlers.desk import Desk
from handlers.turns import handle
from tests.scenarios.desk import Page
from tests.scenarios.playing import NOW, content

CUT_OFF = "API Error: Connection closed mid-response. The response above may be incomplete."
ALICE = Origin("slack", "T1", "D1", "U1")


@dataclass
class Thread:
    """A direct message whose posts can be looked for. folded: what was folded to which answer."""

    posts: list[View] = field(default_factory=list)
    folded: dict[str, str] = field(default_factory=dict)
    looked: int = 0

    async def private(self, origin: Origin) -> Origin:
        return origin

    async def show(self, origin: Origin, view: View, where: Where, *, message: str = "") -> Posted:  # noqa: ARG002
        self.posts.append(view)
        return Posted("", str(len(self.posts)))

    async def tell(self, origin: Origin, view: View) -> None:
        """Nobody is told anything here."""

    async def fold(self, origin: Origin, message: str, folded: Folded) -> None:  # noqa: ARG002
        assert message not in self.folded, "a question is answered once"
        self.folded[message] = folded.answer

    async def shown(self, origin: Origin, key: str) -> Posted | None:  # noqa: ARG002
        self.looked += 1
        return next((Posted("", str(n)) for n, view in enumerate(self.posts, 1) if view.key == key), None)


@asynccontextmanager
async def replicas(folder: Path, count: int) -> AsyncIterator[list[Desk]]:
    async with AsyncExitStack() as stack:
        stack.callback(stop_embedded, folder)
        desks = []
        for _ in range(count):
            store = await connect(None, folder)
            stack.push_async_callback(store.close)
            desks.append(Desk(content().library, content().recogniser(), store, Page(), lambda: NOW))
        yield desks


@pytest.mark.parametrize("count", [1, 2])
async def test_each_answer_folds_its_own_question(tmp_path: Path, count: int) -> None:
    thread = Thread()
    async with replicas(tmp_path / "data", count) as desks:
        for n, text in enumerate([CUT_OFF, "1", "1", "1"]):
            await handle(desks[n % count], InboundEvent(f"e{n}", ALICE, Said(text, "direct")), thread)
    assert len(thread.posts) == 4
    labels = [next(offer.label for offer in view.offers if offer.n == 1) for view in thread.posts[:3]]
    assert thread.folded == {str(n): label for n, label in enumerate(labels, 1)}
    assert thread.looked == (0 if count == 1 else 3), "one replica knows by itself"
