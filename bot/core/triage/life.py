"""The life of a conversation besides its questions: silence, what helped, and what is left to try."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from bot.core.frozen import frozen
from bot.core.guides.guide import Outcome, Step, ToStep
from bot.core.guides.library import FACTS, Library
from bot.core.status.official import INCIDENT
from bot.core.triage.conversation import Conversation

ITSELF = "itself"
"""`Conversation.helped` where it went away by itself."""
HELPER = "helper"
"""`Conversation.helped` where somebody it was handed to solved it."""
HELPED = "helped:"
"""What the choices that say what helped begin with, as ways out; then a number, or `ITSELF`."""

POSTED, STUCK = "posted", "stuck"
"""What happens to a hand-off by itself: its packet is where it belongs, or cannot be brought there."""
TAKEN, ASKED, RESOLVED, RETURNED = "take", "ask", "resolve", "return"
"""What helpers do with it."""

_REMEDIES = 3
"""Most steps among which somebody picks what helped: those tried last."""
_LEFT = 3
"""Most causes a hand-off names as not yet ruled out."""

_PRESENT = "console"
"""The platform where silence means nothing: a terminal waits, and nobody else reads it."""


@frozen
class Pace:
    """Seconds of silence after which somebody is asked once whether they are still there, and a conversation ends.

    0: never.
    """

    nudge: float = 30 * 60.0
    close: float = 24 * 3600.0


class Quiet(StrEnum):
    """What silence calls for."""

    NUDGE = "nudge"
    CLOSE = "close"
    WAIT = "wait"


def due(conversation: Conversation, pace: Pace, now: float, *, nudging: bool = False) -> float:
    """Return when the silence of a conversation touched now is to be looked at, if nothing happens; 0 for never.

    nudging: it has just been asked whether somebody is still there, which is no reason to close it any later.
    """
    if not conversation.open or conversation.origin.platform == _PRESENT:
        return 0.0
    if pace.nudge and not conversation.nudged and (not pace.close or pace.nudge < pace.close):
        return now + pace.nudge
    if not pace.close:
        return 0.0
    return now + max(0.0, pace.close - pace.nudge if nudging else pace.close)


def quiet(conversation: Conversation, pace: Pace, now: float) -> Quiet:
    """Say what a conversation's silence calls for. Only those whose time has come are asked about."""
    if not conversation.open or not conversation.due or now < conversation.due:
        return Quiet.WAIT
    nudges = pace.nudge and not conversation.nudged and now - conversation.touched < pace.close
    if nudges:
        return Quiet.NUDGE if now - conversation.touched >= pace.nudge else Quiet.WAIT
    return Quiet.CLOSE if pace.close else Quiet.WAIT


def closed(conversation: Conversation, now: float) -> Conversation:
    """Return the conversation closed without a word: for a reset, or after long silence."""
    return replace(conversation, outcome=Outcome.LEFT, revision=conversation.revision + 1, touched=now, due=0.0)


def remedies(library: Library, conversation: Conversation) -> tuple[str, ...]:
    """Return the steps that may have helped, as `guide#step`: what was tried, the last first."""
    here = conversation
    visited = [(v.guide, v.step) for v in reversed(here.history) if v.by and v.guide != FACTS]
    places = dict.fromkeys([(here.guide, here.step), *visited] if here.guide else visited)
    return tuple(f"{guide}#{step}" for guide, step in places if does(library.step(guide, step)[1]))[:_REMEDIES]


def helped_by(library: Library, conversation: Conversation) -> str:
    """Return the step that fixed it, as the person said, else the last one tried; empty for none."""
    if conversation.helped:
        return conversation.helped if "#" in conversation.helped else ""
    return next(iter(remedies(library, conversation)), "")


def causes_left(library: Library, conversation: Conversation) -> tuple[str, ...]:
    """Return the findings that can still be come to from where it stands, as `guide#step`, the nearest first."""
    here = conversation
    if not here.guide:
        return ()
    seen, queue, found = {(here.guide, here.step)}, [(here.guide, here.step)], list[str]()
    works = library.messages.list("says.fixed")
    been = {(visit.guide, visit.step) for visit in here.history}
    while queue and len(found) < _LEFT:
        guide_id, step_id = queue.pop(0)
        here_now = library.step(guide_id, step_id)[1]
        for choice in here_now.choices:
            # What the official page says is no guess: it is asked, and it answers. That it works is no cause.
            if (here_now.auto and choice.id == INCIDENT) or choice.label.casefold() in works:
                continue
            if not isinstance(choice.target, ToStep) or choice.target.guide != here.guide:
                continue
            guide, step = library.step(choice.target.guide, choice.target.step)
            if (guide.id, step.id) in seen:
                continue
            seen.add((guide.id, step.id))
            queue.append((guide.id, step.id))
            if step.cause and (guide.id, step.id) not in been:
                found.append(f"{guide.id}#{step.id}")
    return tuple(found)[:_LEFT]


def does(step: Step) -> bool:
    """Say whether there is something to do at a step: what only asks cannot help."""
    return bool((step.body or step.variants) and not step.auto and not step.asks)
