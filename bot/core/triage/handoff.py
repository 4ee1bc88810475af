"""What a human needs in order to take over without a second question, as text to copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bot.core.guides.guide import UNSURE
from bot.core.guides.library import FACTS, WHICH, Library
from bot.core.moments import clock, stamp
from bot.core.status.incident import Board, Health
from bot.core.status.official import state_word
from bot.core.text import Inline, plain
from bot.core.triage.conversation import Conversation, Visit
from bot.core.triage.life import causes_left

_REPORT, _LINE, _TITLE, _LABEL, _NOTE, _NOTES, _VISITS = 400, 300, 60, 50, 140, 4, 10
"""Longest report, line, title, answer and note, most notes and answers: below 3000 characters in all, so that a
hand-off fits into one message on every platform, whatever people and the vendor write."""

_WHERE = (
    "surface",
    "tool_ran",
    "os",
    "browser",
    "provider",
    "network",
    "vpn",
    "proxy",
    "place",
    "private",
    "device",
    "others",
)
"""Facts a helper asks for first, in this order; each is named in words."""
_PROGRAM = ("version", "model", "status", "attempt")
"""What a report says of the program and its answer."""
_ALONE = frozenset({"line", "time", "request_id", *_PROGRAM, *_WHERE})
"""What has a line of its own, or one with others."""


def packet(library: Library, conversation: Conversation, board: Board | None) -> str:
    """Return the hand-off: problem, exact line, ids, facts, finding, status then and now, answers, what is left."""
    return "\n".join(_lines(library, conversation, board))


def _lines(library: Library, conversation: Conversation, board: Board | None) -> Iterator[str]:
    say = library.messages.text
    yield say("handoff.title")
    yield from _problem(library, conversation)
    yield from _facts(library, conversation)
    if conversation.cause:
        yield say("handoff.found", cause=_short(cause_title(library, conversation.cause), _TITLE))
    if conversation.began:
        yield say("handoff.status-then", at=clock(conversation.opened), status=_began(library, conversation.began))
    yield say("handoff.status", status=_status(library, board))
    yield from _tried(library, conversation)
    if left := [_short(cause_title(library, cause), _TITLE) for cause in causes_left(library, conversation)]:
        yield say("handoff.left", causes=" · ".join(left))
    if conversation.notes:
        yield say("handoff.notes")
        yield from (f"  “{_short(note.text, _NOTE)}”" for note in conversation.notes[-_NOTES:])
    yield say("handoff.redacted")


def _problem(library: Library, conversation: Conversation) -> Iterator[str]:
    say, details = library.messages.text, conversation.details
    guide = library.known(conversation.guide)
    if guide:
        yield say("handoff.problem", title=guide.title)
    if details.get("line"):
        yield say("handoff.line", line=_short(details["line"], _LINE))
    elif conversation.report:
        yield say("handoff.report", report=_short(conversation.report, _REPORT))
    yield say("handoff.opened", at=stamp(conversation.opened))
    if details.get("time"):
        yield say("handoff.happened", time=_short(details["time"], _LABEL))
    if details.get("request_id"):
        yield say("handoff.request", request=_short(details["request_id"], _LABEL))


def _facts(library: Library, conversation: Conversation) -> Iterator[str]:
    """Yield what is known in words, and what is not but will be asked for."""
    say, facts, details = library.messages.text, conversation.facts, conversation.details
    known = {name: value for name, value in facts.items() if value != UNSURE or name == "tool_ran"}
    for key, names in (("where", _WHERE), ("facts", [name for name in known if name not in _ALONE])):
        if told := [f"{_fact(library, name)}: {_value(library, name, known[name])}" for name in names if name in known]:
            yield say(f"handoff.{key}", facts=_short(" · ".join(told), _LINE))
    if told := [f"{_fact(library, name)} {details[name]}" for name in _PROGRAM if details.get(name)]:
        yield say("handoff.program", facts=_short(" · ".join(told), _LINE))
    if unsaid := [_fact(library, name) for name in _wanted(known) if name not in {**known, **details}]:
        yield say("handoff.unsaid", facts=", ".join(unsaid))


def _wanted(known: Mapping[str, str]) -> Iterator[str]:
    """Yield what the vendor's support will want to know, by where it happened."""
    surface = known.get("surface", "")
    yield from ("surface", "os")
    yield from {"web": ("browser",), "claude-code": ("version", "request_id"), "api": ("request_id",)}.get(surface, ())


def _fact(library: Library, name: str) -> str:
    key = f"fact.{name}"
    if key in library.messages:
        return library.messages.text(key)
    question = library.facts.step(name)
    return plain(question.title) if question else name


def _value(library: Library, name: str, value: str) -> str:
    """Return an answer as the question for a fact offers it."""
    question = library.facts.step(name)
    choice = next((c for c in question.choices if c.facts.get(name) == value), None) if question else None
    return _short(choice.label, _LABEL) if choice else value


def cause_title(library: Library, cause: str) -> str:
    """Return the words of a finding stored as `guide#step`."""
    guide_id, _, step_id = cause.partition("#")
    return plain(library.step(guide_id, step_id)[1].title)


def _tried(library: Library, conversation: Conversation) -> Iterator[str]:
    say = library.messages.text
    answered = tuple(_once(library, conversation.history))
    if answered:
        yield say("handoff.tried")
    if len(answered) > _VISITS:
        yield f"  {say('handoff.earlier', n=len(answered) - _VISITS)}"
    for visit in answered[-_VISITS:]:
        choice = library.choice(visit.guide, visit.step, visit.choice)
        title = _short(plain(_asked(library, visit)), _TITLE)
        yield f"  {clock(visit.at)}  {title} → {_short(choice.label, _LABEL) if choice else visit.choice}"


def _asked(library: Library, visit: Visit) -> Inline:
    """Return the question a visit answered."""
    if visit.step == WHICH:
        return library.messages.inline("which.lead")
    return (library.question(visit.step) if visit.guide == FACTS else library.step(visit.guide, visit.step)[1]).title


def _once(library: Library, history: Iterable[Visit]) -> Iterator[Visit]:
    """Leave out what Redial answered by itself a second time: the page is asked again and again."""
    known = set[tuple[str, str]]()
    for visit in history:
        asked = plain(_asked(library, visit)), visit.choice
        if visit.by or asked not in known:
            yield visit
        known.add(asked)


def _began(library: Library, began: str) -> str:
    """Return what the page said when the conversation began."""
    answer, _, name = began.partition(":")
    said = library.messages.text(f"handoff.then-{answer}")
    return f"{said} {_short(name, _LINE // 2)}".strip()


def _status(library: Library, board: Board | None) -> str:
    say = library.messages.text
    if board is None or board.health is not Health.OK or board.read_at is None:
        return say("handoff.then-unknown")
    names = [incident.name for incident in board.open]
    parts = [f"{part.name}: {state_word(library.messages, 'state', part.status)}" for part in board.components]
    broken = [words for words, part in zip(parts, board.components, strict=True) if not part.operational]
    lead = say("board.lead-open", n=len(names)) if names else say("board.lead-degraded" if broken else "board.lead-ok")
    return f"{lead} {_short(', '.join(names + broken), _LINE)}".strip() + f" ({clock(board.read_at)})"


def _short(text: str, longest: int) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= longest else one_line[: longest - 1] + "…"
