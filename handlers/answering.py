"""How an answer reaches people: in the open or privately, confirmed, with what was answered folded away."""

from __future__ import annotations

from dataclasses import replace

import structlog

from bot.core.changing import changed
from bot.core.errors import ChatError
from bot.core.event import InboundEvent, Pressed
from bot.core.messages import Messages, Value
from bot.core.redaction import Redacted
from bot.core.text import Block, Span, Text
from bot.core.triage.conversation import Conversation
from bot.core.triage.folding import repeated
from bot.core.triage.placement import Where
from bot.core.triage.transition import Transition
from bot.core.triage.turn import SAME
from bot.core.view import View
from bot.ports.chat import Chat, Posted
from bot.ports.store import ConversationStore
from handlers.desk import Desk

_log = structlog.get_logger(__name__)


async def answer(desk: Desk, event: InboundEvent, turn: Transition, chat: Chat, clean: Redacted | None = None) -> None:
    """Show what a turn came to where its conversation takes place, and fold the question it answered."""
    here = turn.conversation
    view = await _warned(desk, event, here, turn.view, clean, chat)
    if here.where is Where.ASIDE:
        posted = Posted("", "")
        if not await told(event, chat, view):
            return
        desk.store.confirm(here)
    else:
        posted = await post(desk.store, here, view, chat)
        await _pointed(desk, event, here, posted, chat)
    again = here.open and bool(turn.view.offers) and not turn.folded
    if turn.folded or again:
        try:
            question = _last(here) if again else await _question(event, here, chat)
            if question and question != posted.message:
                await chat.fold(here.origin, question, turn.folded or repeated(desk.library, here))
        except ChatError as error:
            _log.info("not folded", platform=here.origin.platform, error=str(error))


def _last(here: Conversation) -> str:
    """Return the message before this one; none where another replica may have shown a later one since."""
    return here.shown if here.shown_at >= here.revision - 1 else ""


async def _question(event: InboundEvent, here: Conversation, chat: Chat) -> str:
    """Return the message whose question was answered: the one pressed, or the one before the answer.

    Another replica may have shown that one a moment ago, before it noted where: then it is looked for, as an older one
    must not be folded to somebody's answer to a later question.
    """
    # A word in passing that only its reader sees cannot be folded.
    if isinstance(event.what, Pressed) and (event.what.message or event.what.step == f"@{SAME}"):
        return event.what.message
    if here.shown_at == here.revision - 1:
        return here.shown
    found = await chat.shown(here.origin, f"{here.id}:{here.revision - 1}")
    return found.message if found else ""


async def post(store: ConversationStore, conversation: Conversation, view: View, chat: Chat) -> Posted:
    """Show a view of a conversation and confirm it with where it stands."""
    conversation = await at_home(conversation, chat)
    posted = await chat.show(conversation.origin, view, conversation.where, message=conversation.shown)
    store.confirm(posted_at(conversation, posted))
    return posted


async def at_home(conversation: Conversation, chat: Chat) -> Conversation:
    """Return a conversation that was a word in passing where it goes on: in private."""
    if conversation.where is not Where.ASIDE:
        return conversation
    home = await chat.private(conversation.origin)
    return replace(conversation, origin=home, where=Where.PRIVATE)


def posted_at(conversation: Conversation, posted: Posted) -> Conversation:
    """Return the conversation with what its last message tells of its place."""
    origin = conversation.origin
    if posted.thread and posted.thread != origin.thread:
        origin = replace(origin, thread=posted.thread)
    return changed(conversation, origin=origin, shown=posted.message, shown_at=conversation.revision)


async def tell(desk: Desk, event: InboundEvent, chat: Chat, key: str, **fields: Value) -> None:
    """Say one of Redial's sentences to the person alone; that it cannot be said is logged."""
    await told(event, chat, View(lead=desk.library.messages.inline(key, **fields)))


async def told(event: InboundEvent, chat: Chat, view: View) -> bool:
    """Show a view to the person alone; False, and a line in the log, when that cannot be done."""
    try:
        await chat.tell(event.origin, view)
    except ChatError as error:
        _log.warning("not told", platform=event.origin.platform, error=str(error))
        return False
    return True


def removed(say: Messages, clean: Redacted) -> tuple[Block, ...]:
    """Return what is said of the things taken out of a text; nothing where none were."""
    if not clean.removed:
        return ()
    kinds = ", ".join(dict.fromkeys(say.text(f"kind.{kind.name.lower()}") for kind in clean.removed))
    if not clean.secret:
        return (Text(say.inline("secret.personal", kinds=kinds)),)
    return (Text(say.inline("secret.lead", kinds=kinds)), Text(say.inline("secret.body")))


async def _warned(
    desk: Desk, event: InboundEvent, here: Conversation, view: View, clean: Redacted | None, chat: Chat
) -> View:
    """Say what was taken out of what was pasted: before everything else, and a leaked secret privately."""
    warning = removed(desk.library.messages, clean) if clean else ()
    if clean and clean.secret and (here.where.public or here.where is Where.ASIDE):
        lead, *rest = (block.inline for block in warning if isinstance(block, Text))
        alone = View(lead=lead, blocks=tuple(Text(inline) for inline in rest))
        owner = replace(event, origin=replace(event.origin, user=here.origin.user))
        warning = () if await told(owner, chat, alone) else warning
    return replace(view, preface=(*warning, *view.preface)) if warning else view


def _stays(event: InboundEvent) -> bool:
    """Say whether who pressed is where the answer comes; a word in passing leads elsewhere."""
    return isinstance(event.what, Pressed) and event.what.step != f"@{SAME}"


async def _pointed(desk: Desk, event: InboundEvent, here: Conversation, posted: Posted, chat: Chat) -> None:
    """Tell somebody who is elsewhere where they were answered."""
    origin = event.origin
    if (origin.channel, origin.thread) == (here.origin.channel, here.origin.thread) or _stays(event):
        return
    say = desk.library.messages
    key = "place.elsewhere" if here.where.public else "place.private"
    where = (Span(say.text("place.link"), href=posted.link),) if posted.link else say.inline(f"{key}-there")
    await tell(desk, event, chat, key, where=where)
