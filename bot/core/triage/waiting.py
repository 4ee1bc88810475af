"""What many share, and waiting for its end: one short question instead of a thread, a quiet word, the all-clear."""

from __future__ import annotations

from dataclasses import replace

from bot.core.guides.library import Library
from bot.core.moments import moment
from bot.core.status.incident import Health, Incident
from bot.core.status.official import CLEAR, INCIDENT
from bot.core.triage.conversation import Conversation
from bot.core.triage.gathering import ROOM
from bot.core.triage.placement import Where
from bot.core.triage.sharing import quiet_word
from bot.core.triage.transition import Transition, settled
from bot.core.triage.turn import OVER, SAME, Around, Turn
from bot.core.view import View


def aside(library: Library, conversation: Conversation, around: Around, shared: str) -> Transition:
    """Turn a report that was just opened into one short question, since many share it: to wait, or begin all the same.

    shared: id of the incident, or of what the room reports. It opens no thread: what follows is private.
    """
    passing = replace(conversation, revision=conversation.revision - 1, where=Where.ASIDE, incident=shared)
    turn = Turn(library, passing, around, by="")
    turn.change(asking=SAME)
    return settled(turn)


def over(library: Library, conversation: Conversation, around: Around) -> Transition | None:
    """Tell somebody who waits that it is over, and ask whether it works again; None while it is not.

    Over is what the page says is over: an incident it lists as ended, or, where none was posted, that all the parts
    that matter work again. An unreadable page, or an incident that is no longer listed, is no end. What only the room
    reported is over when the room is calm, and that is not called official.
    """
    turn = Turn(library, conversation, around, by="")
    if not (_calm(turn) or _officially_over(turn)):
        return None
    turn.change(outcome=None, asking=OVER)
    return settled(turn)


def another(library: Library, conversation: Conversation, around: Around) -> Transition | None:
    """Tell somebody whose incident has ended that one more touches them, which they wait for now; None where none does.

    It is no end for them, and is not called one.
    """
    turn = Turn(library, conversation, around, by="")
    ended, open_now = _ended(turn), turn.reading().incident
    if ended is None or open_now is None or open_now.id == ended.id:
        return None
    turn.tell("outcome.another", name=ended.name)
    turn.change(incident=open_now.id, told=f"{INCIDENT}:{open_now.id}")
    return settled(turn)


def became_official(library: Library, conversation: Conversation, around: Around) -> Transition | None:
    """Tell somebody who waits without an incident that there is one now; None while there is none."""
    turn = Turn(library, conversation, around, by="")
    incident = turn.reading().incident
    if conversation.incident or incident is None:
        return None
    turn.tell("outcome.became-official")
    turn.change(incident=incident.id, told=f"{INCIDENT}:{incident.id}")
    return settled(turn)


def touched(library: Library, conversation: Conversation, around: Around) -> tuple[str, View] | None:
    """Return the incident and one quiet word for an open conversation it touches anew; None where none does.

    The conversation stays as it is, and so do the choices that were offered in it.
    """
    turn = Turn(library, conversation, around, by="")
    guide, now = library.known(conversation.guide), turn.reading()
    if (guide and guide.local) or conversation.asking == SAME or now.incident is None:
        return None
    if conversation.told == f"{INCIDENT}:{now.incident.id}":
        return None
    return now.incident.id, quiet_word(turn, now)


def _calm(turn: Turn) -> bool:
    """Say, and tell, whether what the room reported has calmed down without becoming official."""
    waits_for, gatherings = turn.conversation.incident, turn.around.gatherings
    if gatherings is None or not waits_for.startswith(ROOM):
        return False
    there = next((one for one in gatherings if one.id == waits_for), None)
    if there and (there.state.open or there.incident):
        return False
    turn.tell("outcome.calm")
    return True


def _officially_over(turn: Turn) -> bool:
    """Say, and tell, whether the page calls it over."""
    here, board = turn.conversation, turn.around.board
    if board is None or board.health is not Health.OK:
        return False
    if ended := _ended(turn):
        turn.tell("outcome.over", name=ended.name, at=moment(ended.resolved_at or turn.around.now))
        return True
    # Who began to wait while the page called it fine waits for the page to notice.
    if not here.incident and not here.told.startswith(CLEAR) and turn.reading().answer == CLEAR:
        turn.tell("outcome.over-unnamed")
        return True
    return False


def _ended(turn: Turn) -> Incident | None:
    """Return what somebody waits for, where the page lists it as ended."""
    board, waits_for = turn.around.board, turn.conversation.incident
    if board is None or board.health is not Health.OK:
        return None
    became = {one.id: one.incident for one in turn.around.gatherings or () if one.incident}
    incident = board.incident(became.get(waits_for, waits_for))
    return incident if incident and not incident.open else None
