"""Redial's sub-commands, the same on every platform, such as `/redial help`, `status` or `resume 2`."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from bot.core.errors import StoreError
from bot.core.event import Commanded, InboundEvent, Origin, Said
from bot.core.guides.guide import UNSURE
from bot.core.guides.library import Library
from bot.core.moments import duration
from bot.core.status.incident import Board
from bot.core.text import Bullets, Heading, Span, Text
from bot.core.triage.conversation import Conversation
from bot.core.triage.life import closed
from bot.core.view import COMMAND, START, Offer, View
from bot.ports.chat import Chat
from bot.ports.managing import Manages
from bot.ports.store import Duplicate
from handlers import triage
from handlers.claims import first
from handlers.desk import Desk
from handlers.insights import tell_insights
from handlers.status import status_view

MANAGING = ("subscribe", "unsubscribe", "subscriptions")
"""The sub-commands where a platform tells who may manage a channel, in the order `help` lists them."""
COMMANDS = ("triage", "guides", "guide", "status", "resume", "reset", "insights", "forget-me", "help")
"""The sub-commands, in the order `help` lists them."""

HOME = "home"
"""What platforms with a page for each person ask for when somebody opens it; nobody types it."""

_CLAIM_THEMSELVES = frozenset({"resume", "guide", HOME})
"""What is played as a turn, which claims its event, or does no harm when it is done again."""
_HOME_RESUMES = 4
"""Open conversations with a button on somebody's page; all are listed."""

_TAKES = {
    **dict.fromkeys(("guides", "status", "reset", "insights", "forget-me", "help", "subscriptions"), re.compile("")),
    # Parts and pages have names of their own: `handlers.channel` knows them, and plays what is no wish as a report.
    **dict.fromkeys(("subscribe", "unsubscribe"), re.compile(r"[^\n]{0,300}")),
    "resume": re.compile(r"\d{0,3}"),
    "guide": re.compile(r"\S+"),
}
"""What may stand behind a sub-command; with anything else behind it, the text is a report ("status page says…")."""


def read(text: str) -> Commanded | Said:
    """Decide whether what follows `/redial` is a sub-command; any other text is a report."""
    head, _, rest = text.strip().partition(" ")
    name, rest = head.casefold() or "help", rest.strip()
    if _TAKES[name].fullmatch(rest) if name in _TAKES else False:
        return Commanded(name, rest)
    return Said(rest if name == "triage" and rest else text, "command")


async def commanded(desk: Desk, event: InboundEvent, what: Commanded, chat: Chat) -> None:
    """Carry out a sub-command."""
    if what.name in MANAGING:
        from handlers.channel import managed  # noqa: PLC0415 - all of announcing comes with it; a terminal needs none

        await managed(desk, event, what, chat)
        return
    if what.name not in _CLAIM_THEMSELVES and not await first(desk, event):
        return
    use: dict[str, Callable[[Desk, InboundEvent, str, Chat], Awaitable[None]]] = {
        "guides": _guides,
        "guide": _guide,
        "status": _status,
        "resume": _resume,
        "reset": _reset,
        "insights": _insights,
        "forget-me": _forget,
        HOME: _home,
    }
    await use.get(what.name, _help)(desk, event, what.argument, chat)


async def _help(desk: Desk, event: InboundEvent, _argument: str, chat: Chat) -> None:
    say = desk.library.messages
    lines = [
        (Text(say.inline("command.help", usage=say.text(f"usage.{name}"), what=say.text(f"what-it-does.{name}"))),)
        for name in (*COMMANDS, *(MANAGING if isinstance(chat, Manages) else ()))
    ]
    blocks = (Text(say.inline("command.help-body")), Text(say.inline("command.help-commands")), Bullets(tuple(lines)))
    await chat.tell(event.origin, View(lead=say.inline("command.help-lead"), blocks=blocks))


async def _guides(desk: Desk, event: InboundEvent, _argument: str, chat: Chat) -> None:
    guides = sorted(desk.library.guides.values(), key=lambda guide: guide.title)
    items = tuple((Text((Span(guide.id, code=True), Span(f" {guide.title}"))),) for guide in guides)
    await chat.tell(event.origin, View(lead=desk.library.messages.inline("command.guides"), blocks=(Bullets(items),)))


async def _guide(desk: Desk, event: InboundEvent, argument: str, chat: Chat) -> None:
    guide = desk.library.known(argument)
    if guide is None:
        say = desk.library.messages
        await chat.tell(event.origin, View(lead=say.inline("command.unknown-guide", name=argument)))
        await _guides(desk, event, "", chat)
        return
    await triage.start(desk, event, guide.id, chat)


async def _status(desk: Desk, event: InboundEvent, _argument: str, chat: Chat) -> None:
    try:
        mine = await desk.store.of(event.origin)
    except StoreError:
        # The page can be read all the same.
        mine = ()
    board = await desk.status.board()
    await chat.tell(event.origin, status_view(desk.library, board, desk.clock(), _facts(mine)))


def _facts(mine: Sequence[Conversation]) -> Mapping[str, str]:
    """Return how somebody works with Claude, as their newest conversation that knows it has it."""
    return next((one.facts for one in mine if one.facts.get("surface", UNSURE) != UNSURE), {})


async def _home(desk: Desk, event: InboundEvent, _argument: str, chat: Chat) -> None:
    mine = await desk.store.of(event.origin)
    board = await desk.status.board()
    await chat.tell(event.origin, home_view(desk.library, mine, board, event.origin.channel, desk.clock()))


def home_view(library: Library, mine: Sequence[Conversation], board: Board, channel: str, now: float) -> View:
    """Return a person's page: what they have open, the official status, and a way to begin."""
    say = library.messages
    status, listed = status_view(library, board, now, _facts(mine)), open_view(library, mine, now)
    opened = (Heading(listed.lead), *listed.blocks) if mine else (Text(say.inline("home.none")),)
    starts = [(START, say.text("home.start"))]
    starts += [(f"resume {n}", say.text("home.resume", n=n)) for n in range(1, min(len(mine), _HOME_RESUMES) + 1)]
    return View(
        lead=say.inline("home.lead"),
        blocks=(Text(say.inline("home.body")), *opened, Heading(status.lead), *status.blocks),
        offers=tuple(Offer(n, id_, label) for n, (id_, label) in enumerate(starts, 1)),
        sources=status.sources,
        conversation=channel,
        step=COMMAND,
    )


async def _resume(desk: Desk, event: InboundEvent, argument: str, chat: Chat) -> None:
    mine = await desk.store.of(event.origin)
    say = desk.library.messages
    n = int(argument or 0)
    if not mine:
        await chat.tell(event.origin, View(lead=say.inline("command.none-open")))
    elif n > len(mine):
        await chat.tell(event.origin, View(lead=say.inline("command.no-such", n=n)))
    elif n or len(mine) == 1:
        await triage.take_up(desk, event, mine[max(n, 1) - 1], chat)
    else:
        await chat.tell(event.origin, open_view(desk.library, mine, desk.clock()))


def open_view(library: Library, mine: Sequence[Conversation], now: float) -> View:
    """Return the list of somebody's open conversations, numbered as `resume` takes them."""
    say = library.messages
    lines = []
    for n, conversation in enumerate(mine, 1):
        guide = library.known(conversation.guide)
        key = "command.open-line-waiting" if conversation.waiting else "command.open-line"
        title = guide.title if guide else " ".join(conversation.report.split())[:60]
        lines.append((Text(say.inline(key, n=n, title=title, age=duration(say, now - conversation.touched))),))
    return View(lead=say.inline("command.open", n=len(mine)), blocks=(Bullets(tuple(lines)),))


async def _reset(desk: Desk, event: InboundEvent, _argument: str, chat: Chat) -> None:
    count = 0
    for conversation in await desk.store.of(event.origin):
        after = closed(conversation, desk.clock())
        result = await desk.store.commit(f"{event.id}:{conversation.id}", after, shows=False)
        count += not isinstance(result, Duplicate)
    say = desk.library.messages
    lead = say.inline("command.reset", n=count) if count else say.inline("command.reset-none")
    await chat.tell(event.origin, View(lead=lead))


async def _insights(desk: Desk, event: InboundEvent, _argument: str, chat: Chat) -> None:
    await tell_insights(desk, event.origin, chat)


async def _forget(desk: Desk, event: InboundEvent, _argument: str, chat: Chat) -> None:
    count = await desk.store.forget(event.origin)
    await _unsigned(desk, event.origin)
    if desk.lookout:
        await desk.lookout.rooms.forget(event.origin)
    say = desk.library.messages
    posts = () if event.origin.platform == "console" else (Text(say.inline("command.forgot-posts")),)
    await chat.tell(event.origin, View(lead=say.inline("command.forgot", n=count), blocks=posts))


async def _unsigned(desk: Desk, origin: Origin) -> None:
    """Take somebody's name off what they subscribed channels to: that is the channel's, and stays."""
    if desk.pages is None:
        return
    who = (origin.platform, origin.workspace, origin.user)
    for page in desk.watched:
        for found in await desk.pages.subscriptions(page):
            if (found.place.platform, found.place.workspace, found.by) == who:
                await desk.pages.change(found, replace(found, by=""))
