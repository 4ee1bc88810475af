"""What a turn comes to: the conversation as it is to be stored, and the view to answer with."""

from __future__ import annotations

from dataclasses import replace

from bot.core.changing import changed
from bot.core.frozen import frozen
from bot.core.guides.library import Library
from bot.core.status.official import INCIDENT
from bot.core.triage.conversation import Conversation
from bot.core.triage.folding import Folded
from bot.core.triage.life import Quiet, due, quiet
from bot.core.triage.showing import Showing
from bot.core.triage.turn import SAME, Around, Turn
from bot.core.view import View


@frozen
class Transition:
    """The conversation after the turn and the view to answer with; unchanged ones need not be stored.

    folded: what stays of the question that was answered, or that a way out was taken from.
    """

    conversation: Conversation
    view: View
    changed: bool
    folded: Folded | None = None


def settled(turn: Turn, *, opening: bool = False, nudging: bool = False) -> Transition:
    """Close a turn: a revision on if anything changed. nudging: it is a question nobody has to answer."""
    turn.tell_known()
    if turn.opened and turn.conversation.open:
        turn.tell_status(turn.reading())
    if turn.changed:
        here, now = turn.conversation, turn.around.now
        looked_at = due(here, turn.around.pace, now, nudging=nudging)
        turn.conversation = changed(here, revision=here.revision + 1, touched=now, due=looked_at)
    return Transition(turn.conversation, Showing(turn, opening=opening or turn.opened).view(), turn.changed)


def nudge(library: Library, conversation: Conversation, around: Around) -> Transition | None:
    """Ask once whether somebody is still there; None where that has to wait: nobody is hurried in a storm."""
    turn = Turn(library, conversation, around, by="")
    channel = conversation.origin.channel
    shared = any(one.state.open and one.channel == channel for one in around.gatherings or ())
    storm = shared or conversation.asking == SAME or turn.reading().answer == INCIDENT
    if storm or quiet(conversation, around.pace, around.now) is not Quiet.NUDGE:
        return None
    turn.change(nudged=True)
    turn.tell_aside("life.nudge")
    asked = settled(turn, nudging=True)
    first = sorted(asked.view.controls, key=lambda control: control.id != "@fixed")
    return replace(asked, view=replace(asked.view, controls=tuple(first)))
