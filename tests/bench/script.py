"""What people do in a benchmark: press their way down a guide, start over, and down again.

The presses come from the guide itself, played beforehand; a conversation's revision says which is next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.event import Origin
from bot.core.triage import flow
from bot.core.triage.flow import Begin, Press
from bot.core.triage.folding import Folded
from bot.core.triage.turn import Around
from bot.core.view import View
from handlers.desk import Desk

REPORT = "API Error: Connection closed mid-response. The response above may be incomplete."
DEEP = 4


@dataclass(frozen=True, slots=True)
class Scene:
    """A press: the view it is made on, the view it is answered with, and what stays of the question."""

    before: View
    choice: str
    after: View
    folded: Folded


async def scenes(desk: Desk, origin: Origin, conversation: str = "bench") -> Sequence[Scene]:
    """Play the presses of one round through the guide: four answers, then "start over"."""
    around = Around(desk.clock(), await desk.status.board(), managed=desk.managed)
    turn = flow.begin(desk.library, conversation, origin, Begin(REPORT, desk.recognise(REPORT)), around)
    found: list[Scene] = []
    while len(found) <= DEEP:
        before = turn.view
        for choice in ["@start-over"] if len(found) == DEEP else [offer.id for offer in before.offers]:
            press = Press(choice, before.step, before.revision)
            after = flow.play(desk.library, turn.conversation, press, around, by=origin.user)
            if after.changed and after.view.outcome is None and after.view.offers and after.folded is not None:
                break
        else:
            raise AssertionError(f"no way on from {before.guide}#{before.step}")
        assert after.folded is not None
        found.append(Scene(before, choice, after.view, after.folded))
        turn = after
    assert turn.view.step == found[0].before.step, "the round ends where it began"
    return found
