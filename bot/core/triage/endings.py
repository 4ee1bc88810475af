"""What is said and offered at an end, and what may still be wished for there."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.guides.guide import Outcome
from bot.core.messages import Messages
from bot.core.text import Block, Code, Inline, Span, Text
from bot.core.triage.conversation import EVERYONE, GONE, Conversation, Handoff
from bot.core.triage.handoff import cause_title, packet
from bot.core.triage.life import ASKED, HELPED, HELPER, ITSELF, POSTED, RETURNED, STUCK, TAKEN, remedies
from bot.core.triage.turn import Turn
from bot.core.view import Offer

_LABEL = 75
"""Characters a choice may have on every platform."""
_ASKED_OF = 2
"""Steps from which on it is worth asking which of them helped."""


def wish(turn: Turn, name: str) -> None:
    """Take a wish that is no answer: go on after an end, say what helped, let others help."""
    here = turn.conversation
    if name == "reopen" and not here.open:
        turn.reopen()
        turn.tell("outcome.reopened")
    elif name.startswith(HELPED) and _asks(turn):
        _helped(turn, name.removeprefix(HELPED))
    elif name == "share" and not here.shared and turn.by == here.origin.user:
        turn.change(helpers=(*here.helpers, EVERYONE))
        turn.tell_aside("step.shared")


def _helped(turn: Turn, which: str) -> None:
    tried = remedies(turn.library, turn.conversation)
    found = tried[int(which)] if which.isdecimal() and int(which) < len(tried) else ITSELF if which == ITSELF else ""
    if found:
        turn.change(helped=found)
        turn.tell("fixed.noted")


def _asks(turn: Turn) -> bool:
    """Say whether it is worth asking what helped: it is not known, and several things were tried."""
    here = turn.conversation
    fixed = here.outcome is Outcome.FIXED and not here.helped
    return fixed and len(remedies(turn.library, here)) >= _ASKED_OF


def blocks(turn: Turn, body: tuple[Block, ...]) -> Iterator[Block]:
    """Yield what is said at the end of a conversation that does not wait. body: what the content says of this end."""
    here, say = turn.conversation, turn.library.messages
    if here.cause:
        key = "outcome.cause" if here.outcome is Outcome.FIXED else "outcome.cause-so-far"
        yield Text(say.inline(key, cause=cause_title(turn.library, here.cause)))
    if here.handed:
        yield from _handed(turn, body)
        return
    if not here.helped:
        yield from body
    if _asks(turn):
        yield Text(say.inline("fixed.what"))


def lead(turn: Turn, title: Inline) -> Inline:
    """Return the first line of an end: the content's, or who of the helpers has done what."""
    here, say = turn.conversation, turn.library.messages
    hand = here.handoff
    if hand and here.handed and hand.act in {TAKEN, ASKED, RETURNED}:
        return say.inline(f"handed.{hand.act}", who=person(say, hand.by))
    if hand and here.outcome is Outcome.FIXED and here.helped == HELPER:
        return say.inline("handed.resolve", who=person(say, hand.by))
    return title


def _handed(turn: Turn, body: tuple[Block, ...]) -> Iterator[Block]:
    """Yield where it is, and the packet where that has just been put together."""
    here, say = turn.conversation, turn.library.messages
    hand = here.handoff
    match hand.act if hand else "":
        case act if hand and act in {TAKEN, ASKED, RETURNED}:
            yield from _news(say, here, hand)
            return
        case act if hand and act == POSTED:
            where = (Span(say.text("handed.there"), href=hand.link),) if hand.link else say.inline("handed.there")
            yield Text(say.inline("handed.posted", where=where))
        case act if hand and act == STUCK:
            yield Text(say.inline("handed.stuck", why=hand.why))
        case _:
            yield from body
    yield Code(packet(turn.library, here, turn.around.board))


def _news(say: Messages, here: Conversation, hand: Handoff) -> Iterator[Block]:
    if hand.act == ASKED:
        yield Text(say.inline("handed.ask-body" if here.where.public else "handed.ask-private"))
    if hand.holder and hand.act != TAKEN:
        yield Text(say.inline("handed.holder", who=person(say, hand.holder)))
    if hand.act == TAKEN and not here.where.public:
        yield Text(say.inline("handed.ask-private"))


def offers(turn: Turn) -> Iterator[Offer]:
    """Yield what can still be pressed after the end."""
    say = turn.library.messages
    for n, (id_, label) in enumerate(_offered(turn), 1):
        yield Offer(n, f"@{id_}", say.text(label) if label in say else label)


def _offered(turn: Turn) -> Iterator[tuple[str, str]]:
    here = turn.conversation
    if _asks(turn):
        for n, place in enumerate(remedies(turn.library, here)):
            yield f"{HELPED}{n}", _short(cause_title(turn.library, place))
        yield f"{HELPED}{ITSELF}", "fixed.itself"
    if here.handed and here.handoff and here.handoff.act == STUCK:
        yield "human", "handed.again"
    if here.handed or here.waiting:
        yield "fixed", "control.fixed"
    if here.outcome and (here.guide or here.step):
        yield "reopen", f"reopen.{here.outcome.value}"
    if here.waiting:
        yield "human", "control.human"


def person(say: Messages, user: str) -> Inline:
    """Return somebody to be named in a sentence."""
    return (Span(say.text("handed.somebody"), user="" if user == GONE else user),)


def _short(label: str) -> str:
    return label if len(label) <= _LABEL else label[: _LABEL - 1] + "…"
