"""A hand-off with the helpers: what they may do with it, and its message where they read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.core.guides.guide import Outcome
from bot.core.guides.library import Library
from bot.core.messages import Messages
from bot.core.moments import moment
from bot.core.text import Block, Code, Inline, Span, Text
from bot.core.triage.conversation import Conversation, Handoff
from bot.core.triage.endings import person
from bot.core.triage.handoff import packet
from bot.core.triage.life import ASKED, HELPER, POSTED, RESOLVED, RETURNED, STUCK, TAKEN
from bot.core.triage.transition import Transition, settled
from bot.core.triage.turn import Around, Turn
from bot.core.view import HANDOFF, Offer, Tone, View

ACTS = frozenset({TAKEN, ASKED, RESOLVED, RETURNED})
"""What helpers may press."""


def asked(before: Conversation, after: Conversation) -> Conversation:
    """Return a conversation that was just handed over, with its hand-off begun; any other as it is."""
    again = before.handed and before.handoff is not None and before.handoff.act == STUCK
    if not after.handed or (before.handed and not again) or after.revision == before.revision:
        return after
    return replace(after, handoff=Handoff(since=after.revision))


def undelivered(conversation: Conversation) -> bool:
    """Say whether a packet still has to be brought to the helpers."""
    return conversation.handed and conversation.handoff is not None and not conversation.handoff.act


def key(conversation: Conversation) -> str:
    """Return the mark by which the packet's message is found."""
    since = conversation.handoff.since if conversation.handoff else 0
    return f"{conversation.id}:{since}:handoff"


def delivered(conversation: Conversation, message: str, link: str) -> Conversation:
    """Return a conversation whose packet stands there now."""
    hand = conversation.handoff or Handoff(conversation.revision)
    return _with(conversation, replace(hand, act=POSTED, message=message, link=link))


def stuck(conversation: Conversation, why: str) -> Conversation:
    """Return a conversation whose packet cannot be brought to the helpers."""
    hand = conversation.handoff or Handoff(conversation.revision)
    return _with(conversation, replace(hand, act=STUCK, why=why))


def refusal(conversation: Conversation, act: str, by: str) -> str:
    """Return the key of the sentence why somebody may not do this now; empty if they may."""
    hand = conversation.handoff
    if hand is None or not conversation.handed:
        return "handoff.went-on"
    if act == TAKEN and hand.holder:
        return "handoff.yours" if hand.holder == by else "handoff.taken"
    if act in {RESOLVED, RETURNED} and hand.holder not in {"", by}:
        return "handoff.taken"
    return "handoff.not-held" if act == RETURNED and not hand.holder else ""


def helped(library: Library, conversation: Conversation, act: str, around: Around, by: str) -> Transition:
    """Do what a helper pressed; who asked for help is shown who it was."""
    turn = Turn(library, conversation, around, by)
    hand = conversation.handoff or Handoff(0)
    holder = {TAKEN: by, RETURNED: ""}.get(act, hand.holder)
    helpers = tuple(dict.fromkeys((*conversation.helpers, by))) if by != conversation.origin.user else ()
    turn.change(handoff=replace(hand, act=act, by=by, at=around.now, holder=holder), helpers=helpers)
    if act == RESOLVED:
        turn.change(outcome=Outcome.FIXED, helped=HELPER)
    return settled(turn)


def packet_view(library: Library, conversation: Conversation, around: Around, link: str) -> View:
    """Return the message helpers see. link: where the conversation can be opened, if others can read it."""
    say = library.messages
    guide = library.known(conversation.guide)
    title = guide.title if guide else say.text("handoff.unknown")
    blocks = [*_who(say, conversation, link), Text(_state(say, conversation))]
    if conversation.handed:
        blocks.append(Code(packet(library, conversation, around.board)))
    offers = tuple(
        Offer(n, act, say.text(f"handoff.{act}"), _TONES.get(act, Tone.PLAIN)) for n, act in _acts(conversation)
    )
    return View(
        lead=say.inline("handoff.lead" if conversation.handed else "handoff.lead-over", title=title),
        blocks=tuple(blocks),
        offers=offers,
        key=key(conversation),
        conversation=conversation.id,
        revision=conversation.revision,
        guide=conversation.guide,
        step=HANDOFF,
        outcome=conversation.outcome,
    )


_TONES = {RESOLVED: Tone.GOOD}


def _acts(conversation: Conversation) -> Iterator[tuple[int, str]]:
    if not conversation.handed or conversation.handoff is None:
        return iter(())
    return enumerate((ASKED, RESOLVED, RETURNED) if conversation.handoff.holder else (TAKEN, ASKED, RESOLVED), 1)


def _who(say: Messages, conversation: Conversation, link: str) -> Iterator[Block]:
    who = person(say, conversation.origin.user)
    if link:
        yield Text(say.inline("handoff.for", who=who, where=(Span(say.text("handoff.thread"), href=link),)))
    else:
        yield Text(say.inline("handoff.for-private", who=who))


def _state(say: Messages, conversation: Conversation) -> Inline:
    hand = conversation.handoff or Handoff(0)
    if not conversation.handed:
        outcome = conversation.outcome.value if conversation.outcome else "open"
        if outcome == Outcome.FIXED.value and conversation.helped == HELPER:
            return say.inline("handoff.state-resolved", who=person(say, hand.by), at=moment(hand.at))
        return say.inline(f"handoff.state-{outcome}")
    if hand.holder:
        return say.inline("handoff.state-held", who=person(say, hand.holder))
    if hand.act == RETURNED:
        return say.inline("handoff.state-returned", who=person(say, hand.by), at=moment(hand.at))
    return say.inline("handoff.state-nobody")


def _with(conversation: Conversation, hand: Handoff) -> Conversation:
    return replace(conversation, revision=conversation.revision + 1, handoff=hand)
