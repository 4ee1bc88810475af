"""A platform of a hundred lines, kept in memory: channels, threads, private messages, somebody else in the room.

It is the shortest adapter there can be, and proves the suite and the layers below it without a vendor's library.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path

from bot.adapters.console.plain import as_text
from bot.adapters.store import connect
from bot.adapters.store.embedded import stop_embedded
from bot.core.errors import ChannelGone, ChatError, NotAllowed
from bot.core.event import Commanded, InboundEvent, Origin, Pressed, Said
from bot.core.event import Room as Room_
from bot.core.text import plain
from bot.core.triage.folding import Folded
from bot.core.triage.placement import Rooms, Where
from bot.core.view import View
from bot.ports.chat import Posted
from bot.runtime.dispatcher import Dispatcher
from handlers.commands import read
from handlers.desk import Desk
from handlers.turns import handle
from tests.contract.bench import Bench, Seen
from tests.contract.bench_console import GRADES, labels
from tests.scenarios.desk import Page
from tests.scenarios.playing import NOW, content

ROOMS = Rooms(triage=frozenset({"triage"}), watched=frozenset({"watched"}))


@dataclass
class Message:
    """One message of Redial's. `view` is what it showed first, `edited` what it shows since it was edited."""

    id: str
    channel: str
    thread: str
    view: View
    seen: Seen
    edited: View | None = None


@dataclass
class Room:
    """The platform, and the Chat of one bot on it. refuses: what it answers a method of the port with."""

    numbers: count[int] = field(default_factory=lambda: count(1))
    messages: list[Message] = field(default_factory=list)
    told: dict[str, list[Message]] = field(default_factory=dict)
    groups: dict[str, set[str]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)
    spoke: dict[str, set[str]] = field(default_factory=dict)
    refuses: dict[str, ChatError] = field(default_factory=dict)

    def asked(self, method: str) -> None:
        if method in self.refuses:
            raise self.refuses[method]

    def put(self, origin: Origin, view: View, box: list[Message], thread: str = "") -> Message:
        number = str(next(self.numbers))
        shown = Seen(as_text(view, grades=GRADES, width=0), tuple(label for _, label in labels(view)))
        message = Message(number, origin.channel, thread or number, view, shown)
        box.append(message)
        return message

    async def private(self, origin: Origin) -> Origin:
        self.asked("private")
        return Origin(origin.platform, origin.workspace, f"direct-{origin.user}", origin.user)

    async def direct(self, origin: Origin) -> Origin:
        return await self.private(origin)

    async def may_help(self, origin: Origin, groups: frozenset[str]) -> bool:
        return any(origin.user in self.groups.get(group, ()) for group in groups)

    async def find(self, origin: Origin, key: str, since: float = 0.0) -> Posted | None:  # noqa: ARG002 - all is young
        if origin.channel in self.unread:
            raise NotAllowed("missing_scope", missing="history")
        return await self.shown(origin, key)

    async def link(self, origin: Origin, message: str) -> str:
        return f"https://room.example/{message or origin.thread}"

    async def show(self, origin: Origin, view: View, where: Where, *, message: str = "") -> Posted:
        self.asked("show")
        if origin.channel in self.gone:
            raise ChannelGone("is_archived")
        if message and where is Where.MESSAGE:
            return self.edit(origin, view, message)
        if not where.public:
            return Posted("", self.put(origin, view, self.told.setdefault(origin.user, [])).id)
        if origin.channel.startswith("direct-"):
            return Posted("", self.put(origin, view, self.told.setdefault(origin.user, [])).id)
        posted = self.put(origin, view, self.messages, origin.thread)
        return Posted(posted.thread, posted.id, link=f"https://room.example/{posted.id}")

    def edit(self, origin: Origin, view: View, message: str) -> Posted:
        everywhere = (*self.messages, *(one for box in self.told.values() for one in box))
        found = next((one for one in everywhere if one.id == message), None)
        if found is None:
            raise ChannelGone("message_not_found")
        edited = self.put(origin, view, [])
        found.edited, found.seen = edited.view, edited.seen
        return Posted(found.thread, found.id, link=f"https://room.example/{found.id}")

    async def tell(self, origin: Origin, view: View) -> None:
        self.asked("tell")
        self.put(origin, view, self.told.setdefault(origin.user, []))

    async def fold(self, origin: Origin, message: str, folded: Folded) -> None:  # noqa: ARG002 - ids say all here
        self.asked("fold")
        for one in (*self.messages, *(told for box in self.told.values() for told in box)):
            if one.id == message:
                one.seen = Seen(f"{plain(folded.lead)}\n{plain(folded.question)} → {folded.answer} · {folded.by}")

    async def others_since(self, origin: Origin, shown: str) -> bool:  # noqa: ARG002 - it is known who spoke since
        return bool(self.spoke.get(origin.thread, set()) - {origin.user})

    async def shown(self, origin: Origin, key: str) -> Posted | None:
        found = (m for m in self.messages if m.channel == origin.channel and m.view.key == key)
        return next((Posted(message.thread, message.id) for message in found), None)


class RoomBench:
    """Implements Bench."""

    lacks = frozenset[str]()

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.chat = Room()
        self.dispatcher = Dispatcher(partial(handle, desk))
        self.where = ("triage", "")
        self.room: Room_ = "threads"
        self.last: InboundEvent | None = None

    def origin(self, user: str) -> Origin:
        return Origin("room", "W1", "triage", user)

    def channel(self, name: str) -> str:
        return name

    async def group(self, user: str) -> str:
        self.chat.groups.setdefault("g1", set()).add(user)
        return "g1"

    async def mention(self, user: str, text: str, *, channel: str = "triage") -> None:
        self.where = (channel, str(next(self.chat.numbers)))
        await self.hear(user, Said(text, "mention"))

    async def command(self, user: str, text: str, *, channel: str = "triage") -> None:
        self.where = (channel, "")
        await self.hear(user, read(text))
        if public := [message for message in self.chat.messages if message.channel == channel]:
            self.where = (channel, public[-1].thread)

    async def post(self, user: str, text: str, *, channel: str = "watched") -> None:
        self.where = (channel, str(next(self.chat.numbers)))
        await self.hear(user, Said(text, "watched"))

    async def say(self, user: str, text: str) -> None:
        self.chat.spoke.setdefault(self.where[1], set()).add(user)
        await self.hear(user, Said(text, "thread"))

    async def press(self, user: str, label: str, *, message: int = -1) -> None:
        await self.press_on(user, label, self.chat.messages[message])

    async def press_private(self, user: str, label: str) -> None:
        await self.press_on(user, label, self.chat.told[user][-1])

    async def press_on(self, user: str, label: str, message: Message) -> None:
        view = message.view
        if message.edited and label not in [its for _, its in labels(view)]:
            view = message.edited
        choice = next(id_ for id_, its in labels(view) if its == label)
        self.where = (message.channel, message.thread)
        await self.hear(user, Pressed(view.conversation, view.revision, view.step, choice, message.id))

    async def resend(self) -> None:
        assert self.last
        self.dispatcher.submit(self.last, self.chat)
        await self.dispatcher.idle()

    async def hear(self, user: str, what: Said | Pressed | Commanded) -> None:
        channel, thread = self.where
        number = str(next(self.chat.numbers))
        self.last = InboundEvent(f"e{number}", Origin("room", "W1", channel, user, thread), what, room=self.room)
        posted = len(self.chat.messages)
        await self.resend()
        if len(self.chat.messages) > posted:
            self.chat.spoke.pop(thread, None)

    async def show(self, view: View) -> Seen:
        await self.chat.show(self.origin("ann"), view, Where.THREAD)
        return self.chat.messages[-1].seen

    async def seen(self) -> Sequence[Seen]:
        return [message.seen for message in self.chat.messages]

    async def private(self, user: str) -> Sequence[Seen]:
        return [message.seen for message in self.chat.told.get(user, [])]

    async def pinged(self) -> Sequence[str]:
        return tuple(re.findall(r"\x00ping:\w+", "".join(message.seen.text for message in self.chat.messages)))


@asynccontextmanager
async def room(data_dir: Path) -> AsyncIterator[Bench]:
    """Open the room on a store of its own."""
    store = await connect(None, data_dir)
    try:
        rooms = {"room": ROOMS}
        yield RoomBench(Desk(content().library, content().recogniser(), store, Page(), lambda: NOW, rooms=rooms))
    finally:
        await store.close()
        stop_embedded(data_dir)
