"""A word in passing: a report that many share is answered where it was made, without a thread of its own."""

from __future__ import annotations

from dataclasses import replace

from bot.core.event import InboundEvent, Said
from bot.core.guides.guide import Outcome
from bot.core.status.incident import Incident
from bot.core.status.official import reading
from bot.core.triage import flow
from bot.core.triage.conversation import Conversation
from bot.core.triage.placement import Where
from bot.core.triage.transition import Transition
from bot.core.triage.turn import SAME, Around
from bot.core.triage.waiting import aside
from bot.core.view import View
from handlers.desk import Desk


def shared(desk: Desk, event: InboundEvent, opened: Transition, where: Where, around: Around) -> Transition | None:
    """Return the one short question for a report that an incident or the room covers; None for any other.

    In a direct message nothing is in anybody's way: there, the triage begins and says it first.
    """
    here, guide = opened.conversation, desk.library.known(opened.conversation.guide)
    if where is Where.DIRECT or not here.open or (guide and guide.local):
        return None
    incident = _incident(desk, here, around)
    room = desk.lookout.covering(event.origin, here) if desk.lookout and incident is None else None
    trouble = incident.id if incident else room.id if room else ""
    if not trouble:
        return None
    place = replace(here.origin, channel=event.origin.channel, thread="")
    return aside(desk.library, replace(here, origin=place), around, trouble)


async def together(desk: Desk, event: InboundEvent, turn: Transition, where: Where, around: Around) -> Transition:
    """Return the short answer with the one thread for all who have it, which the first of them begins."""
    here, incident = turn.conversation, _incident(desk, turn.conversation, around)
    if desk.lookout and incident and where.public:
        await desk.lookout.gathered(desk, here.origin, incident)
        around = replace(around, gatherings=desk.lookout.known(here.origin))
    view = replace(flow.show(desk.library, here, around).view, preface=turn.view.preface)
    return replace(turn, view=_one_line(event, view))


def noted(desk: Desk, event: InboundEvent, here: Conversation) -> None:
    """Count a turn, where anybody counts."""
    if desk.lookout:
        desk.lookout.note(desk, event, here)


def leaves(conversation: Conversation) -> bool:
    """Say whether a conversation that was a word in passing now needs a place of its own, which is private."""
    going_on = conversation.asking != SAME and conversation.outcome in {None, Outcome.HANDED_OFF}
    return conversation.where is Where.ASIDE and going_on


def _incident(desk: Desk, here: Conversation, around: Around) -> Incident | None:
    guide = desk.library.known(here.guide)
    return reading(desk.library, guide, here.facts, around.board, around.now).incident


def _one_line(event: InboundEvent, view: View) -> View:
    """Return what is said below a mention, in sight of all: one line."""
    mentioned = isinstance(event.what, Said) and event.what.how == "mention"
    return replace(view, blocks=()) if mentioned else view
