"""A room two replicas serve from one store, whose time passes as a test says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.adapters.store import connect
from bot.adapters.store.pages import RedisPages
from bot.adapters.store.tallies import RedisTallies
from bot.core.errors import ChatUnavailable
from bot.core.triage import flow, helping
from bot.core.triage.conversation import Conversation
from bot.core.triage.flow import Begin, Press
from bot.core.triage.placement import Where
from handlers.desk import Desk
from handlers.life import look_after
from handlers.triage import show_owed
from tests.contract.bench_room import RoomBench, room
from tests.contract.test_chat import CUT_OFF
from tests.scenarios.desk import Page
from tests.scenarios.playing import NOW, recogniser

HALF, DAY = 1800.0, 86400.0
ANN = "U0FORGETME7"
BOB = "U0HELPER8"
WORDS = "two files edited, tests not run"
AWAY = ChatUnavailable("the platform is away")


@dataclass
class House:
    """A room, and two replicas that serve it from one store."""

    bench: RoomBench
    other: Desk
    now: float = NOW
    data_dir: Path = field(default_factory=Path)

    @property
    def desk(self) -> Desk:
        return self.bench.desk

    @property
    def desks(self) -> tuple[Desk, Desk]:
        return self.desk, self.other

    def set(self, **changes: object) -> None:
        for desk in self.desks:
            rooms = replace(desk.rooms["room"], **changes)  # type: ignore[arg-type]
            desk.rooms = {"room": rooms}

    async def minute(self) -> int:
        """What both replicas do once a minute, at the same moment."""
        place = self.bench.origin(ANN)
        return sum(await asyncio.gather(*(look_after(desk, place, self.bench.chat) for desk in self.desks * 2)))

    async def owed(self) -> int:
        """What both do about answers that are owed, at the same moment."""
        place = self.bench.origin(ANN)
        rounds = (show_owed(desk, place, self.bench.chat, older_than=0) for desk in self.desks)
        return sum(await asyncio.gather(*rounds))

    async def here(self, user: str = ANN) -> Conversation:
        (found,) = await self.desk.store.of(self.bench.origin(user))
        return found

    async def texts(self) -> list[str]:
        return [one.text for one in await self.bench.seen()]

    async def packets(self) -> list[str]:
        return [text for text in await self.texts() if "needs a human" in text]


@asynccontextmanager
async def opened(data_dir: Path) -> AsyncIterator[House]:
    """Open it; its store lives in `data_dir`."""
    async with AsyncExitStack() as closing:
        bench = await closing.enter_async_context(room(data_dir))
        assert isinstance(bench, RoomBench)
        store = await connect(None, data_dir)
        closing.push_async_callback(store.close)
        found = House(bench, replace(bench.desk, store=store), data_dir=data_dir)
        for desk in found.desks:
            desk.clock = lambda: found.now
        bench.desk.pages, bench.desk.watched = RedisPages(store.server), {"p1": "Claude"}
        bench.desk.tallies = RedisTallies(store.server)
        yield found


def page_of(house: House) -> Page:
    assert isinstance(house.desk.status, Page)
    return house.desk.status


async def handed(house: House, key: str = "crashed1") -> Conversation:
    """A hand-off as a process leaves it that dies right after its turn was stored."""
    desk, origin = house.desk, house.bench.origin(ANN)
    house.set(handoff="other")
    around = await desk.around()
    opened = flow.begin(
        desk.library, key, origin, Begin(CUT_OFF, recogniser().recognise(CUT_OFF), Where.THREAD), around
    )
    await desk.store.commit(f"{key}-1", opened.conversation)
    posted = await house.bench.chat.show(origin, opened.view, Where.THREAD)
    before = replace(opened.conversation, origin=replace(origin, thread=posted.thread), shown=posted.message)
    press = Press("@human", opened.view.step, opened.view.revision)
    after = flow.play(desk.library, before, press, around, by=ANN).conversation
    after = helping.asked(before, after)
    await desk.store.commit(f"{key}-2", after)
    return after
