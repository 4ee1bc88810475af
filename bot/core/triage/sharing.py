"""What is shown of a trouble that many share: one line instead of a thread, and a quiet word in open conversations."""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.moments import duration, moment
from bot.core.status.incident import Board, Incident, age
from bot.core.status.official import Reading
from bot.core.text import Inline, Span
from bot.core.triage.gathering import Gathering
from bot.core.triage.turn import Turn
from bot.core.view import Control, Offer, View


def one_line(turn: Turn, title: Inline, offers: Sequence[Offer]) -> View:
    """Return the one question of a report that many share; its first line says it all."""
    say, here = turn.library.messages, turn.conversation
    now, shared, guide = turn.reading(), _gathering(turn), turn.library.known(here.guide)
    if now.incident and turn.around.board:
        title = _it_is_claude(turn, now.incident, turn.around.board)
    elif shared and guide:
        title = say.inline("same.room", n=shared.people, title=guide.title, since=moment(shared.began))
    if shared and shared.link:
        where = (Span(say.text("same.thread"), href=shared.link),)
        title = (*title, Span(" "), *say.inline("same.where", where=where))
    summary = guide.summary[:1] if guide else ()
    return View(lead=title, blocks=summary if now.incident else (*now.lines, *summary), offers=tuple(offers))


def quiet_word(turn: Turn, now: Reading) -> View:
    """Return a word about a new incident, with the one thing to press."""
    say, here = turn.library.messages, turn.conversation
    return View(
        lead=say.inline("waiting.touched"),
        blocks=now.lines,
        controls=(Control("@wait", say.text("control.wait")),),
        conversation=here.id,
        revision=here.revision,
        guide=here.guide,
        step=turn.place,
    )


def _it_is_claude(turn: Turn, incident: Incident, board: Board) -> Inline:
    say, now = turn.library.messages, board.clock(turn.around.now)
    ages = {"same.open": incident.lasted(now), "same.quiet": incident.quiet(now)}
    known = [say.text(key, age=duration(say, seconds)) for key, seconds in ages.items() if seconds is not None]
    read = duration(say, age(board, turn.around.now) or 0)
    return say.inline("same.incident", what=" · ".join((incident.name, *known)), age=read)


def _gathering(turn: Turn) -> Gathering | None:
    here = turn.conversation
    found = (one for one in turn.around.gatherings or () if one.channel == here.origin.channel)
    return next((one for one in found if here.incident and here.incident in {one.id, one.incident}), None)
