"""The view of where a conversation stands: opening, question, offer, or end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from bot.core.changing import changed
from bot.core.frozen import frozen
from bot.core.guides.guide import UNSURE, Choice, Guide, Outcome, Step, ToOutcome, ToStep
from bot.core.guides.library import WHICH, Library
from bot.core.moments import duration
from bot.core.status.official import INCIDENT
from bot.core.text import Block, Bullets, Code, Heading, Inline, Note, Span, Steps, Text, Undo, plain
from bot.core.triage import endings
from bot.core.triage.asking import ASKED_FIRST, what_is_asked
from bot.core.triage.conversation import Visit
from bot.core.triage.gathering import ROOM
from bot.core.triage.placement import Where
from bot.core.triage.sharing import one_line
from bot.core.triage.turn import OVER, SAME, Turn
from bot.core.view import Cite, Control, Offer, Tone, View

_NOTES = "{notes}"
_WAYS_OUT = ("back", "start-over", "human", "not-this", "fixed", "stop")
_PLACELESS = ("back", "human", "fixed", "stop")
"""The ways out while no guide is chosen."""
_AFTER = ("human", "stop")
"""The ways out when it is over: what was asked before is nothing to go back to."""
_FIXED, _WAITING = ToOutcome(Outcome.FIXED), ToOutcome(Outcome.WAITING)
_TWICE = 2
"""Answers from which on "start over" leads further than "back"."""


@frozen
class _Asked:
    """What can be answered. ways: the ways out by their names, but for "fixed" where a choice says it.

    waits: a choice is to wait.
    """

    offers: tuple[Offer, ...]
    ways: Mapping[str, Control]
    waits: bool


class Showing:
    """Builds the one view a turn answers with."""

    def __init__(self, turn: Turn, *, opening: bool) -> None:
        """Take a turn whose conversation is as it will be stored."""
        self.turn, self.library, self.here = turn, turn.library, turn.conversation
        self.messages = turn.library.messages
        self.opening = opening
        self.guide = turn.library.known(turn.conversation.guide)

    @cached_property
    def asked(self) -> _Asked:
        """What can be answered now."""
        if self.here.guide and not self.here.asking:
            return self.library.once(_asked_at, (self.here.guide, self.here.step))
        return _asked(self.library, self.turn.choices)

    def view(self) -> View:
        """Return the view, marked with the conversation it belongs to."""
        if self.here.outcome is not None:
            view = self._end(self.here.outcome)
        elif self.here.asking == SAME:
            view = one_line(self.turn, self.library.question(SAME).title, self.asked.offers)
        elif self.here.asking == OVER:
            view = self._over(self.library.question(OVER))
        elif not self.here.guide and not self.here.asking:
            view = self._which() if self.here.step == WHICH else self._what()
        elif self.here.asking:
            view = self._fact(self.library.question(self.here.asking))
        else:
            view = self._step(self.library.step(self.here.guide, self.here.step)[1])
        asks_first = self.opening and self.here.outcome is None and self.here.asking != SAME
        if asks_first and self.guide:
            view = self._opened(view, self.guide)
        elif asks_first:
            view = self._asked(view)
        elif self.turn.aside:
            view = changed(view, preface=tuple(self.turn.preface), blocks=(), sources=(), evidence=None)
        elif self.turn.preface:
            view = changed(view, preface=(*self.turn.preface, *view.preface))
        return changed(
            view,
            key=self.here.key,
            conversation=self.here.id,
            revision=self.here.revision,
            guide=self.here.guide,
            step=self.turn.place,
            cause=self._cause_id(),
        )

    def _cause_id(self) -> str | None:
        if not self.here.cause:
            return None
        guide_id, _, step_id = self.here.cause.partition("#")
        return self.library.step(guide_id, step_id)[1].cause

    # --- questions ---

    def _step(self, step: Step) -> View:
        body = step.body + self._fitting(step)
        managed = step.bypass and self.turn.around.managed
        blocks = self._request(step, body) if managed else self._with_notes(body)
        blocks += self._odds(step)
        lead = self.messages.inline("bypass.lead") if managed and not step.cause else step.title
        return View(
            lead=lead,
            blocks=blocks,
            offers=self.asked.offers,
            controls=self._controls(it=managed),
            evidence=step.evidence,
            sources=tuple(self._sources(step, body)),
        )

    def _odds(self, step: Step) -> tuple[Block, ...]:
        """Return how often a step helped here, where that has been counted often enough to say it."""
        fixed, tried = self.turn.around.odds.get(f"{self.here.guide}#{step.id}", (0, 0))
        return (Text(self.messages.inline("step.odds", fixed=fixed, tried=tried)),) if tried else ()

    def _fitting(self, step: Step, unknown: Mapping[str, str] = MappingProxyType({})) -> tuple[Block, ...]:
        """Return the parts of a step that fit what is known; the one for all others if none does.

        unknown: what is taken for so while nobody has said.
        """
        facts = {**unknown, **self.here.facts}
        fits = [variant for variant in step.variants if variant.when and variant.when.holds(facts)]
        chosen = fits or [variant for variant in step.variants if variant.when is None]
        out: list[Block] = []
        for variant in chosen:
            out += [Heading(variant.title), *variant.body]
        return tuple(out)

    def _request(self, step: Step, body: Sequence[Block]) -> tuple[Block, ...]:
        """Return a step that goes around the company's controls as a request its IT can act on."""
        say = self.messages.text
        lines = [say("bypass.request"), say("bypass.what", title=plain(step.title))]
        if self.guide:
            lines.append(say("bypass.why", guide=self.guide.title))
        if self.here.details.get("line"):
            lines.append(say("bypass.line", line=self.here.details["line"]))
        lines += [say("bypass.how"), *(f"  {line}" for line in as_lines(b for b in body if not isinstance(b, Undo)))]
        lines += [say("bypass.undo", undo=plain(block.inline)) for block in body if isinstance(block, Undo)]
        return (Text(self.messages.inline("bypass.body")), Code("\n".join(lines)))

    def _fact(self, step: Step) -> View:
        controls = self._controls(_WAYS_OUT if self.here.guide else _PLACELESS)
        return View(lead=step.title, blocks=step.body, offers=self.asked.offers, controls=controls)

    def _over(self, question: Step) -> View:
        """Return the question after the end, with what is to be looked at before anything is sent again."""
        careful = {"tool_ran": UNSURE}
        mine = next((self._fitting(step, careful) for step in self._waited() if step.variants), ())
        checks = mine or self._fitting(question, careful)
        body = (*question.body, *(block for block in checks if not isinstance(block, Heading)))
        return View(lead=question.title, blocks=body, offers=self.asked.offers, controls=self._controls(_AFTER))

    def _waited(self) -> Iterator[Step]:
        """Yield the steps of the guide that an incident leads to: they say what to do when it is over."""
        for step in self.guide.steps if self.guide else ():
            target = found.target if step.auto and (found := step.choice(INCIDENT)) else None
            there = self.library.step(target.guide, target.step)[1] if isinstance(target, ToStep) else None
            if there:
                yield there

    def _which(self) -> View:
        lead = self.messages.inline("which.lead")
        return View(lead=lead, offers=self.asked.offers, controls=self._controls(_PLACELESS))

    def _what(self) -> View:
        asked, question, say = what_is_asked(self.here), self.turn.question, self.messages.inline
        blocks = (Text(say("what.body")),) if question is None else question.body if asked == ASKED_FIRST else ()
        return View(lead=say(asked), blocks=blocks, offers=self.asked.offers, controls=self._controls(_PLACELESS))

    def _opened(self, view: View, guide: Guide) -> View:
        """Put the guide's quick answer and the official status before the first question."""
        summary = list(guide.summary)
        first = summary.pop(0) if summary and isinstance(summary[0], Text) else None
        now = self.turn.reading()
        if not self.turn.status_told:
            self.turn.preface += now.lines
        lead: Inline = first.inline if isinstance(first, Text) else (Span(guide.title),)
        blocks: tuple[Block, ...] = (*summary, *self.turn.preface)
        if now.answer == INCIDENT and not guide.local:
            # Said before anything else: nobody should look for a fault of their own meanwhile.
            blocks = (*self.turn.preface, Text(lead), *summary)
            lead = self.messages.inline("opening.incident")
        return changed(
            view,
            lead=lead,
            blocks=(*blocks, Heading(view.lead, view.evidence), *view.blocks),
            read_as=self._read_as(guide),
        )

    def _asked(self, view: View) -> View:
        """Put the official status before the question what it is: it may be all somebody wanted to know."""
        now = self.turn.reading()
        if not self.turn.status_told:
            self.turn.preface += now.lines
        if now.answer != INCIDENT:
            return changed(view, preface=tuple(self.turn.preface))
        blocks = (*self.turn.preface, Heading(view.lead), *view.blocks)
        return changed(view, lead=self.messages.inline("opening.incident"), blocks=blocks)

    def _read_as(self, guide: Guide) -> Inline:
        if self.turn.chosen or not self.here.report:
            return ()
        because = self.here.because
        if not because:
            return self.messages.inline("opening.guess", title=guide.title)
        # Only what a program wrote is kept as the line: without one, words were all there was.
        key = "opening.read-as" if "line" in self.here.details else "opening.guess-because"
        return self.messages.inline(key, title=guide.title, because=because)

    def _controls(self, names: Sequence[str] = _WAYS_OUT, *, it: bool = False) -> tuple[Control, ...]:
        ways = self.asked.ways
        out = [ways[name] for name in names if name in ways and self._leads(name)]
        if it:
            asks = Control("@human", self.messages.text("control.it"))
            out = [asks if way.id == asks.id else way for way in out]
        if not self.asked.waits and self.turn.reading().answer == INCIDENT:
            out.insert(0, ways["wait"])
        if self.here.where.public and not self.here.shared:
            out.append(ways["share"])
        if other := self.library.known(self.turn.other):
            out.append(Control("@switch", self.messages.text("control.switch", title=other.title)))
        return tuple(out)

    def _leads(self, name: str) -> bool:
        """Say whether a way out leads where no other way out does."""
        if name == "back":
            return bool(self.here.history)
        return name != "start-over" or sum(bool(visit.by) for visit in self.here.history) >= _TWICE

    def _sources(self, step: Step, body: Sequence[Block]) -> Iterator[Cite]:
        names = [step.source, *(block.source for block in body if isinstance(block, Note))]
        for name in dict.fromkeys(name for name in names if name):
            url = self.guide.sources.get(name) if self.guide else None
            if url:
                yield Cite(name, url)

    def _with_notes(self, body: tuple[Block, ...]) -> tuple[Block, ...]:
        """Put what the person said where a step has room for it; few have."""
        here = self.here.guide, self.here.step
        return tuple(self._filled(body)) if self.library.once(_takes_notes, here) else body

    def _filled(self, blocks: Sequence[Block]) -> Iterator[Block]:
        """Put what the person said into the blocks to copy that have room for it (`{notes}`)."""
        for block in blocks:
            if isinstance(block, Code) and _NOTES in block.text:
                said = self._done_so_far() or self.messages.text("step.notes-blank")
                yield Code(block.text.replace(_NOTES, said.replace("`", "'")), block.language)
            elif isinstance(block, Steps | Bullets):
                yield type(block)(tuple(tuple(self._filled(item)) for item in block.items))
            else:
                yield block

    def _done_so_far(self) -> str:
        """Return what the person wrote since they were asked what ran: that is what is done."""
        asked = [visit.at for visit in self.here.history if "tool_ran" in self._stated(visit)]
        since = max(asked, default=0.0)
        return " ".join(note.text for note in self.here.notes if note.at > since)

    def _stated(self, visit: Visit) -> Mapping[str, str]:
        choice = self.library.choice(visit.guide, visit.step, visit.choice)
        return choice.facts if choice else {}

    # --- ends ---

    def _end(self, outcome: Outcome) -> View:
        ending = self.library.ending(outcome)
        if outcome is Outcome.WAITING:
            blocks = (*self._waiting(), *ending.body)
            return View(lead=ending.title, blocks=blocks, offers=tuple(endings.offers(self.turn)), outcome=outcome)
        return View(
            lead=endings.lead(self.turn, ending.title),
            blocks=tuple(endings.blocks(self.turn, ending.body)),
            offers=tuple(endings.offers(self.turn)),
            outcome=outcome,
        )

    def _waiting(self) -> Iterator[Block]:
        board = self.turn.around.board
        incident = board.incident(self.here.incident) if board and self.here.incident else None
        if self.here.incident.startswith(ROOM):
            yield Text(self.messages.inline("outcome.waiting-room"))
        elif board and incident:
            lasted = incident.lasted(board.clock(self.turn.around.now))
            since = duration(self.messages, lasted) if lasted is not None else "?"
            yield Text(self.messages.inline("outcome.waiting-for", name=incident.name, since=since))
        else:
            yield Text(self.messages.inline("outcome.waiting-page"))
        # A terminal is there only while it is open; everywhere else somebody is always listening.
        key = "outcome.promise-terminal" if self.here.origin.platform == "console" else "outcome.promise"
        yield Text(self.messages.inline("outcome.promise-aside" if self.here.where is Where.ASIDE else key))


def _asked_at(library: Library, step: Step) -> _Asked:
    return _asked(library, step.choices)


def _asked(library: Library, choices: Sequence[Choice]) -> _Asked:
    say = library.messages
    fixed = say.list("says.fixed")
    solved = any(one.target == _FIXED or one.label.casefold() in fixed for one in choices)
    names = (name for name in (*_WAYS_OUT, "wait", "share") if not (solved and name == "fixed"))
    return _Asked(
        tuple(Offer(n, one.id, one.label, _tone(library, one)) for n, one in enumerate(choices, 1)),
        ways={name: Control(f"@{name}", say.text(f"control.{name}")) for name in names},
        waits=any(one.target == _WAITING for one in choices),
    )


def _tone(library: Library, choice: Choice) -> Tone:
    """Return what a choice leads to: the end everybody wants, or a step that cannot be taken back by waiting."""
    if choice.target == _FIXED:
        return Tone.GOOD
    if isinstance(choice.target, ToStep) and choice.target.guide and choice.target.step:
        grave = library.step(choice.target.guide, choice.target.step)[1].destructive
        return Tone.GRAVE if grave else Tone.PLAIN
    return Tone.PLAIN


def _takes_notes(_: Library, step: Step) -> bool:
    """Say whether a step has room for what the person said, in its body or in a part for some."""
    return any(map(_has_room, (step.body, *(variant.body for variant in step.variants))))


def _has_room(blocks: Sequence[Block]) -> bool:
    return any(
        any(map(_has_room, block.items))
        if isinstance(block, Steps | Bullets)
        else isinstance(block, Code) and _NOTES in block.text
        for block in blocks
    )


_SPACES = re.compile(r"[ \t]+")


def as_lines(blocks: Iterator[Block] | Sequence[Block], indent: str = "") -> Iterator[str]:
    """Return blocks as lines of plain text, for records and requests that are copied elsewhere."""
    for block in blocks:
        match block:
            case Text(inline) | Undo(inline) | Heading(inline):
                yield from (indent + _SPACES.sub(" ", line) for line in _addressed(inline).splitlines())
            case Code(text):
                yield from (f"{indent}    {line}" for line in text.splitlines())
            case Note(blocks=inner):
                yield from as_lines(inner, indent)
            case Steps(items):
                for n, item in enumerate(items, 1):
                    yield from _item(item, indent, f"{n}. ")
            case Bullets(items):
                for item in items:
                    yield from _item(item, indent, "- ")


def _item(item: Sequence[Block], indent: str, mark: str) -> Iterator[str]:
    lines = list(as_lines(item))
    for n, line in enumerate(lines):
        yield indent + (mark if n == 0 else " " * len(mark)) + line


def _addressed(inline: Inline) -> str:
    """Return the words of a text, with the address behind each link."""
    return "".join(
        f"{span.text} ({span.href})" if span.href and span.href != span.text else span.text for span in inline
    )
