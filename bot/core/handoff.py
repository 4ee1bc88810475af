"""What a human needs in order to take over without a second question, as text to copy."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.conversation import Conversation
from bot.core.incident import Board, Health
from bot.core.library import FACTS, Library
from bot.core.moments import clock, stamp
from bot.core.text import plain

_REPORT = 600


def packet(library: Library, conversation: Conversation, board: Board | None) -> str:
    """Return the hand-off: problem, exact line, ids, facts, finding, status then, what was asked and answered."""
    return "\n".join(_lines(library, conversation, board))


def _lines(library: Library, conversation: Conversation, board: Board | None) -> Iterator[str]:
    say = library.messages.text
    details = conversation.details
    yield say("handoff.title")
    guide = library.known(conversation.guide)
    if guide:
        yield say("handoff.problem", title=guide.title)
    if details.get("line"):
        yield say("handoff.line", line=details["line"])
    elif conversation.report:
        yield say("handoff.report", report=_short(conversation.report))
    yield say("handoff.opened", at=stamp(conversation.opened))
    if details.get("time"):
        yield say("handoff.happened", time=details["time"])
    if details.get("request_id"):
        yield say("handoff.request", request=details["request_id"])
    known = [
        f"{key}={value}"
        for key, value in {**details, **conversation.facts}.items()
        if key not in {"line", "time", "request_id"}
    ]
    if known:
        yield say("handoff.facts", facts=", ".join(known))
    if conversation.cause:
        yield say("handoff.found", cause=cause_title(library, conversation.cause))
    yield say("handoff.status", status=_status(library, board))
    yield from _tried(library, conversation)
    if conversation.notes:
        yield say("handoff.notes")
        yield from (f"  “{note}”" for note in conversation.notes)
    yield say("handoff.redacted")


def cause_title(library: Library, cause: str) -> str:
    """Return the words of a finding stored as `guide#step`."""
    guide_id, _, step_id = cause.partition("#")
    return plain(library.step(guide_id, step_id)[1].title)


def _tried(library: Library, conversation: Conversation) -> Iterator[str]:
    answered = [visit for visit in conversation.history if visit.choice]
    if answered:
        yield library.messages.text("handoff.tried")
    for visit in answered:
        step = library.question(visit.step) if visit.guide == FACTS else library.step(visit.guide, visit.step)[1]
        choice = step.choice(visit.choice)
        yield f"  {clock(visit.at)}  {plain(step.title)} → {choice.label if choice else visit.choice}"


def _status(library: Library, board: Board | None) -> str:
    say = library.messages.text
    if board is None or board.health is not Health.OK or board.read_at is None:
        return say("board.lead-unknown")
    names = ", ".join(incident.name for incident in board.open)
    lead = say("board.lead-open", n=len(board.open)) if names else say("board.lead-ok")
    return f"{lead} {names}".strip() + f" ({clock(board.read_at)})"


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _REPORT else one_line[: _REPORT - 1] + "…"
