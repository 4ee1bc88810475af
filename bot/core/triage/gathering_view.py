"""How a trouble that many share looks in a channel: what is known of it, from whom, and what it is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from bot.core.guides.guide import UNSURE, Guide
from bot.core.guides.library import Library
from bot.core.moments import moment
from bot.core.status.announcement_view import Notice, Tone
from bot.core.status.incident import Board, Incident
from bot.core.status.official import CLEAR, UNKNOWN, state_word
from bot.core.text import Block, Inline, Text, plain
from bot.core.triage.gathering import Doing, Gathering, State, officially
from bot.core.triage.room import Shared, Verdict
from bot.core.view import Cite, View

_BODY = 300
"""Longest piece of the vendor's words."""


def shown(library: Library, here: Gathering, doing: str, board: Board | None, now: float) -> Notice:
    """Return the message in the channel, or one below it."""
    face = _Face(library, here, board, now)
    if doing == Doing.POST:
        return Notice(face.post(), face.tone)
    view = View(lead=face.talk() if doing == Doing.TALK else face.end())
    return Notice(view, face.tone, thread=library.messages.text("room.name"))


def mark(library: Library, here: Gathering, board: Board | None, now: float) -> str:
    """Return the mark of what the message in the channel says; it changes when its words do."""
    view = shown(library, here, Doing.POST, board, now).view
    said = "\n".join(plain(inline) for inline in (view.lead, *_texts(view.blocks)))
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _texts(blocks: Iterable[Block]) -> Iterator[Inline]:
    return (block.inline for block in blocks if isinstance(block, Text))


class _Face:
    """One gathering in words."""

    def __init__(self, library: Library, here: Gathering, board: Board | None, now: float) -> None:
        self._library, self._here, self._board, self._now = library, here, board, now
        self._say, self._guide = library.messages, library.known(here.guide)
        self._incident = board.incident(here.incident) if board and here.incident else None

    @property
    def tone(self) -> Tone:
        """What it is coloured by: grey where nothing official is known."""
        impact = self._incident.impact if self._incident else ""
        match self._here.state:
            case State.OFFICIAL:
                return Tone(impact) if impact in {"none", "minor", "major", "critical"} else Tone.UNKNOWN
            case State.OVER:
                return Tone.OVER
            case _:
                return Tone.NONE

    def post(self) -> View:
        """Return the message in the channel."""
        match self._here.state:
            case State.ROOM:
                lead, lines = self._lead("room.open"), (*self._status(), *self._verdict(), self._line("room.promise"))
            case State.CALM:
                lead, lines = self._lead("room.calm"), (self._line("room.calm-body"),)
            case State.OFFICIAL:
                lead = self._lead("room.official")
                lines = (*self._reported(), *self._latest(), self._line("room.thread"))
            case State.OVER:
                lead, lines = self._lead("room.over"), (*self._reported(), self._line("room.over-body"))
        page, board = self._library.services.page, self._board
        source = Cite(page.name, (board.link if board else "") or page.hosts[0])
        return View(lead=lead, blocks=tuple(Text(line) for line in lines), sources=(source,))

    def _line(self, key: str) -> Inline:
        return self._say.inline(key)

    def talk(self) -> Inline:
        """Return the first line below it, which makes the thread."""
        return self._say.inline("room.talk")

    def end(self) -> Inline:
        """Return the last line below it."""
        return self._lead("room.over" if self._here.state is State.OVER else "room.calm")

    def _lead(self, key: str) -> Inline:
        here, incident, say = self._here, self._incident, self._say
        sign = say.text(f"announce.mark.{self.tone.value}")
        if key in {"room.open", "room.calm"}:
            n = here.people if key == "room.open" else here.most
            title = self._guide.title if self._guide else ""
            return say.inline(key, mark=sign, n=n, title=title, since=moment(here.began))
        if key == "room.over":
            ended = incident.resolved_at if incident and incident.resolved_at else here.changed
            return say.inline(key, mark=sign, name=here.name, at=moment(ended))
        began = incident.started_at if incident and incident.started_at else here.began
        impact = state_word(say, "impact", incident.impact if incident else "none")
        return say.inline(key, mark=sign, name=here.name, impact=impact, since=moment(began))

    def _reported(self) -> Iterator[Inline]:
        """Say who noticed first, where that was the room."""
        here = self._here
        if here.most and self._guide:
            yield self._say.inline("room.reported", n=here.most, title=self._guide.title, since=moment(here.began))

    def _status(self) -> Iterator[Inline]:
        """Say what the page says, or that nobody can tell; never that all is well."""
        found = officially(self._library, self._guide, self._board, self._now)
        page = self._library.services.page.name
        keys = {CLEAR: "room.not-official", UNKNOWN: "room.unread"}
        yield self._say.inline(keys.get(found.answer, "room.degraded"), page=page)

    def _verdict(self) -> Iterator[Inline]:
        here = self._here
        if here.verdict is not Verdict.OPEN:
            why = self._list(here.because, "room.because")
            yield self._say.inline(f"room.{here.verdict.value}", why=why)
        if here.common:
            yield self._say.inline("room.common", what=self._list(here.common, "room.all"))

    def _list(self, facts: Iterable[Shared], prefix: str) -> str:
        return ", ".join(self._fact(shared, prefix) for shared in facts)

    def _fact(self, shared: Shared, prefix: str) -> str:
        """Return a fact in words: a network's from its own sentence, any other as people choose it."""
        key = f"{prefix}-{shared.fact}" + (f"-{shared.value}" if prefix == "room.because" and shared.value else "")
        key = key if key in self._say else "room.all"
        return self._say.text(key, n=shared.people, what=_label(self._library.facts, shared))

    def _latest(self) -> Iterator[Inline]:
        incident: Incident | None = self._incident
        latest = incident.latest if incident else None
        if latest and latest.at and latest.body:
            body = latest.body if len(latest.body) <= _BODY else latest.body[: _BODY - 1] + "…"
            yield self._say.inline("status.latest", at=moment(latest.at), body=body)


def _label(facts: Guide, shared: Shared) -> str:
    """Return what people choose when they state this; a version and the like is its own name."""
    question = facts.step(shared.fact)
    choices = question.choices if question else ()
    named = (choice.label for choice in choices if choice.facts.get(shared.fact) == shared.value != UNSURE)
    return next(named, shared.value)
