"""A Discord in memory with the real client in it, a real store behind it, and people who press and write."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import discord
import simcord

from bot.adapters.discord.client import RedialClient
from bot.adapters.store import connect
from bot.adapters.store.embedded import stop_embedded
from bot.adapters.store.pages import RedisPages
from bot.adapters.store.redis_store import RedisConversations
from bot.core.event import InboundEvent, Origin
from bot.core.moments import clock
from bot.core.triage.placement import Rooms
from bot.ports.chat import Chat
from bot.ports.platform import House
from bot.runtime.dispatcher import Dispatcher
from handlers.channel import Suggested
from handlers.commands import read
from handlers.desk import Desk
from handlers.turns import handle
from tests.scenarios.desk import Page
from tests.scenarios.playing import NOW, content

Json = Mapping[str, object]


@dataclass
class Heard:
    """An intake that keeps what it was given, so that it can come again."""

    dispatcher: Dispatcher
    events: list[tuple[InboundEvent, Chat]] = field(default_factory=list)
    context: Context | None = None
    """In which the last event was handed over: what runs in it lives by the clock of this Discord."""
    dropped: bool = False
    """Nothing is played at all, as what somebody asks beyond their limit."""
    late: bool = False
    """Nothing is played until the test hands it on."""

    def submit(self, event: InboundEvent, chat: Chat, done: Callable[[], None] | None = None) -> bool:
        self.context = copy_context()
        self.events.append((event, chat))
        if self.dropped and done:
            done()
        return self.late or self.dropped or self.dispatcher.submit(event, chat, done)


@dataclass
class Town:
    """A server with a triage channel, a watched one, a forum and another, and two people. `rooms` names them."""

    env: simcord.Env
    client: RedialClient
    desk: Desk
    page: Page
    heard: Heard
    guild: simcord.GuildHandle
    channels: dict[str, simcord.ChannelHandle]
    people: dict[str, simcord.MemberActor]

    @property
    def me(self) -> str:
        return f"<@{self.client.me}>"

    def origin(self, user: str, channel: str = "triage") -> Origin:
        return Origin("discord", str(self.guild.id), str(self.channels[channel].id), str(self.people[user].id))

    def ours(self, place: simcord.ChannelHandle) -> list[discord.Message]:
        return [message for message in place.history() if message.author.id == self.client.me and _shown(message)]

    def public(self) -> list[discord.Message]:
        """Every message of Redial's that all can see, oldest first."""
        places = [place for channel in self.channels.values() for place in (channel, *channel.threads)]
        return sorted((one for place in places for one in self.ours(place)), key=lambda message: message.id)

    def private(self, user: str) -> list[discord.Message]:
        """What Redial has told one person alone."""
        actor, seen = self.people[user], {message.id for message in self.public()}
        places = [place for channel in self.channels.values() for place in (channel, *channel.threads)]
        found = {
            message.id: message
            for place in places
            for message in place.history(viewer=actor)
            if message.author.id == self.client.me and message.components and message.id not in seen
        }
        with contextlib.suppress(simcord.BackendError, simcord.SetupError):
            found |= {message.id: message for message in self.ours(actor.user.dm_channel)}
        return [found[number] for number in sorted(found)]

    async def press(self, user: str, message: discord.Message, label: str) -> simcord.InteractionResult:
        """Press a button, or choose an option, by its label."""
        for part in parts(message):
            for option in options(part):
                if option["label"] == label:
                    return await self.people[user].select(message, [option["value"]], custom_id=str(part["custom_id"]))
        actor = self.people[user]
        who = actor.user if isinstance(message.channel, discord.DMChannel) else actor
        return await who.click(message, label=label)


@contextlib.asynccontextmanager
async def town(
    data_dir: Path, *, content_intent: bool = True, store: RedisConversations | None = None
) -> AsyncIterator[Town]:
    """Open a town; its store lives in `data_dir`."""
    kept = store or await connect(None, data_dir)
    try:
        page, found = Page(), content()
        ids = dict[str, frozenset[str]]()
        rooms = dict[str, Rooms]()
        desk = Desk(
            found.library, found.recogniser(), kept, page, lambda: NOW, rooms=rooms,
            pages=RedisPages(kept.server), watched={found.library.services.page.id: "Claude"},
        )  # fmt: skip
        heard = Heard(Dispatcher(partial(handle, desk)))
        client = built(desk, heard, content_intent=content_intent)
        env = simcord.Env(client, settle_timeout=20)
        # Not `simcord.run`: it wants to be left in the context it was entered in, which a fixture is not.
        await env.start()
        try:
            guild = env.create_guild()
            channels = {name: guild.create_text_channel(name) for name in ("triage", "watched", "other")}
            channels["forum"] = guild.create_forum_channel("forum")
            people = {name: guild.add_member(env.create_user(name)) for name in ("ann", "bob")}
            ids["triage"] = frozenset({str(channels["triage"].id)})
            ids["watched"] = frozenset({str(channels["watched"].id), str(channels["forum"].id)})
            rooms["discord"] = client.rooms = Rooms(ids["triage"], ids["watched"])
            with _unbroken():
                yield Town(env, client, desk, page, heard, guild, channels, people)
            env.raise_errors()
        finally:
            await env.shutdown()
    finally:
        if store is None:
            await kept.close()
            stop_embedded(data_dir)


@contextlib.contextmanager
def _unbroken() -> Iterator[None]:
    """Fail for a press that broke: discord.py only logs what the handler of an event raises."""
    broken = list[str]()

    class Listening(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            broken.append(self.format(record))

    log, handler = logging.getLogger("discord.client"), Listening(logging.ERROR)
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
    assert not broken, "\n".join(broken)


def built(desk: Desk, heard: Heard, *, content_intent: bool = True) -> RedialClient:
    """A client as `redial run` makes it."""
    titles = {guide.id: guide.title for guide in desk.library.guides.values()}
    house = House(heard, desk.library.messages, read, titles, pages=desk.watched, parts=Suggested(desk))
    rooms = desk.rooms.get("discord", Rooms())
    return RedialClient(house, rooms, content=content_intent, shards=1)


def parts(message: discord.Message) -> Iterator[Json]:
    """Every component of a message as Discord's JSON, nested ones too."""
    yield from walked([component.to_dict() for component in message.components])


def walked(components: object) -> Iterator[Json]:
    """Every component of a piece of JSON."""
    for part in components if isinstance(components, list) else []:
        yield part
        yield from walked(part.get("components"))


def options(part: Json) -> Sequence[Mapping[str, str]]:
    """The options of a select."""
    found = part.get("options")
    return found if isinstance(found, list) else []


def labels(components: object) -> tuple[str, ...]:
    """What can be pressed or chosen, in the order people see it."""
    found: list[str] = []
    for part in walked(components):
        found += [option["label"] for option in options(part)]
        if isinstance(part.get("label"), str):
            found.append(str(part["label"]))
    return tuple(found)


def said(message: discord.Message) -> str:
    """A message's words as they look: without the marks of Markdown, and with what was escaped."""
    texts = [str(part["content"]) for part in parts(message) if part.get("type") == 10]
    return "\n".join(plain(text) for text in texts)


def plain(markdown: str) -> str:
    """Markdown as people see it."""
    out = []
    for n, piece in enumerate(
        re.split(r"(?m)^(?:> |- |\d+\. )?```[a-z0-9+#-]*\n(.*?)\n(?:> )?```$", markdown, flags=re.DOTALL)
    ):
        out.append(piece if n % 2 else _inline(piece))
    return "".join(out).replace("\u200b", "")


_CODE = re.compile(r"(?<![\\`])(`+) ?(.+?) ?\1(?!`)")
_ESCAPED = re.compile(r"\\([^0-9A-Za-z\s])")
_LINK = re.compile(r"\[((?:[^\]\\]|\\.)*)\]\(<([^>]*)>\)")


def _inline(text: str) -> str:
    held: list[str] = []

    def hold(words: str) -> str:
        held.append(words)
        return f"\x00{len(held) - 1}\x00"

    text = _CODE.sub(lambda found: hold(found[2]), text)
    text = _ESCAPED.sub(lambda found: hold(found[1]), text)
    text = re.sub(r"<t:(\d+):t>", lambda found: clock(int(found[1])), text)
    text = _LINK.sub(lambda found: f"{found[1]} ({found[2]})", text)
    text = re.sub(r"\*\*|\*|~~|(?m:^-# )|(?m:^> )|(?m:^### )", "", text)
    return re.sub("\x00(\\d+)\x00", lambda found: held[int(found[1])], text)


def _shown(message: discord.Message) -> bool:
    return bool(message.components) and not message.flags.ephemeral
