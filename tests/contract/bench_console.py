"""The console as a bench: one person in one place."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from uuid import uuid4

from bot.adapters.console.chat import ConsoleChat
from bot.adapters.console.plain import as_text
from bot.adapters.console.session import Session
from bot.adapters.store import connect
from bot.adapters.store.embedded import stop_embedded
from bot.core.event import InboundEvent, Origin, Pressed
from bot.core.text import Evidence
from bot.core.triage.placement import Rooms, Where
from bot.core.view import View
from bot.runtime.dispatcher import Dispatcher
from handlers.commands import read
from handlers.desk import Desk
from handlers.turns import handle
from tests.contract.bench import Bench, Seen
from tests.scenarios.desk import Page
from tests.scenarios.playing import NOW, ORIGIN, content

GRADES = {grade.value: grade.value for grade in Evidence}


class Recorder:
    """An intake that keeps the last event, to deliver it again."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self.dispatcher = dispatcher
        self.last: InboundEvent | None = None

    def submit(self, event: InboundEvent, chat: ConsoleChat) -> bool:
        self.last = event
        return self.dispatcher.submit(event, chat)


class Console:
    """Implements Bench."""

    lacks = frozenset({"others", "threads", "look", "channels", "offers"})

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.views: list[View] = []
        self.chat = ConsoleChat(self.views.append)
        self.dispatcher = Dispatcher(partial(handle, desk))
        self.intake = Recorder(self.dispatcher)
        busy = View(lead=desk.library.messages.inline("trouble.busy"))
        self.session = Session(self.intake, self.dispatcher.idle, self.chat, ORIGIN, read, busy)  # type: ignore[arg-type]

    def origin(self, user: str) -> Origin:  # noqa: ARG002 - one person
        return ORIGIN

    def channel(self, name: str) -> str:
        raise NotImplementedError

    async def group(self, user: str) -> str:
        raise NotImplementedError

    async def mention(self, user: str, text: str, *, channel: str = "triage") -> None:  # noqa: ARG002
        await self.session.line(f"/redial {text}")

    async def command(self, user: str, text: str, *, channel: str = "triage") -> None:  # noqa: ARG002
        await self.session.line(f"/redial {text}")

    async def post(self, user: str, text: str, *, channel: str = "watched") -> None:
        raise NotImplementedError

    async def say(self, user: str, text: str) -> None:  # noqa: ARG002
        await self.session.line(text)

    async def press(self, user: str, label: str, *, message: int = -1) -> None:  # noqa: ARG002
        view = self.views[message]
        (choice,) = [id_ for id_, its in labels(view) if its == label]
        what = Pressed(view.conversation, view.revision, view.step, choice)
        self.intake.submit(InboundEvent(uuid4().hex, ORIGIN, what), self.chat)
        await self.dispatcher.idle()

    async def press_private(self, user: str, label: str) -> None:
        raise NotImplementedError

    async def resend(self) -> None:
        assert self.intake.last
        self.intake.submit(self.intake.last, self.chat)
        await self.dispatcher.idle()

    async def show(self, view: View) -> Seen:
        await self.chat.show(ORIGIN, view, Where.DIRECT)
        return (await self.seen())[-1]

    async def seen(self) -> Sequence[Seen]:
        return [
            Seen(as_text(view, grades=GRADES, width=0), tuple(label for _, label in labels(view)))
            for view in self.views
        ]

    async def private(self, user: str) -> Sequence[Seen]:  # noqa: ARG002 - everything is private here
        return await self.seen()

    async def pinged(self) -> Sequence[str]:
        return ()


def labels(view: View) -> Sequence[tuple[str, str]]:
    """What can be chosen: ids and labels."""
    return [*((one.id, one.label) for one in view.offers), *((one.id, one.label) for one in view.controls)]


@asynccontextmanager
async def console(data_dir: Path) -> AsyncIterator[Bench]:
    """Open a console on a store of its own."""
    store = await connect(None, data_dir)
    try:
        desk = Desk(content().library, content().recogniser(), store, Page(), lambda: NOW, rooms={"console": Rooms()})
        yield Console(desk)
    finally:
        await store.close()
        stop_embedded(data_dir)
