"""What would break a conversation, or promise more than is known: the rules `redial check` applies to merged content.

Each rule has a stable name, shown behind its message. Rules that look at whole paths are in `paths`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from bot.core.frozen import frozen
from bot.core.guides.guide import UNSURE, Choice, Guide, Onward, Outcome, Step, ToStep, Variant
from bot.core.guides.library import Library
from bot.core.guides.problem import Problem
from bot.core.lint.paths import path_problems
from bot.core.lint.signs import fights
from bot.core.status.official import ANSWERS, ELSEWHERE, OFFICIAL_STATUS
from bot.core.text import Block, Bullets, Code, Evidence, Note, Steps, Text, Undo, plain
from bot.core.triage.asking import FACTS_FIRST
from bot.core.triage.showing import as_lines
from bot.core.triage.turn import OVER, PROVIDER, SAME

TITLE, LABEL, TEXT, CODE, CHOICES, SUMMARY = 120, 75, 1500, 900, 7, 280
"""Longest title, label of a choice, text of a step, block to copy, most choices, longest first paragraph: below every
platform's own limit (Slack's button 75 and section 3000, Discord's label 80 and 4000 in all), and short on a phone."""

_NAME = 60
"""Longest title of a guide: it stands on buttons, and behind "Go to"."""
_SIGN = 4
"""Shortest sign: anything shorter stands in every other text."""

_AGAIN = re.compile(
    r"\b(try again|retry|send (it|that|the (message|prompt|request)) again|resend|repeat the request)\b", re.IGNORECASE
)
_NOT_AGAIN = re.compile(
    r"\b(do not|don't|never|before|not|without|no need to|retrying|whether|automatic)\b", re.IGNORECASE
)
_AROUND = re.compile(
    r"(chrome://flags|about:config|(turn|switch) (the |your )?(vpn|proxy|firewall|blocker|ad-?blocker) off"
    r"|disable (the |your )?(vpn|proxy|firewall|antivirus|ad-?blocker|inspection))",
    re.IGNORECASE,
)


def problems(library: Library, released: Iterable[str] = ()) -> tuple[Problem, ...]:
    """Return every problem of the content. `released`: the ids of the last release, as `ids` lists them."""
    found: list[Problem] = []
    for guide in library.guides.values():
        found += _Checked(library, guide).problems()
    found += [problem for step in library.facts.steps for problem in _fact_problems(library.facts, step)]
    found += _needed(library)
    found += path_problems(library)
    found += fights(library)
    found += _lost(library, released)
    return tuple(sorted(set(found)))


def ids(library: Library) -> Iterator[str]:
    """Yield the ids that stored conversations may name: `guide`, `guide#step`, `guide#step#choice`."""
    for guide in (*library.guides.values(), library.facts):
        yield guide.id
        for step in guide.steps:
            yield f"{guide.id}#{step.id}"
            yield from (f"{guide.id}#{step.id}#{choice.id}" for choice in step.choices)


@frozen
class _Checked:
    """One guide under the rules."""

    library: Library
    guide: Guide

    def problems(self) -> Iterator[Problem]:
        yield from self._head()
        yield from self._clashes()
        for step in self.guide.steps:
            for rule in _STEP_RULES:
                yield from rule(self, step)
            for choice in step.choices:
                yield from self._choice(choice)
        for question in self.guide.questions:
            if question.evidence is None:
                message = f"the answer to `{question.id}` needs `evidence=`"
                yield self._at(question.line, "evidence", message, question.path)
            yield from self._graded(question.evidence, question.source, question.line, question.path)
            yield from self._notes(question.body, question.line, question.path)

    def _at(self, line: int, rule: str, message: str, path: str = "") -> Problem:
        return Problem(path or self.guide.path, line, rule, message)

    def step_problem(self, step: Step, rule: str, message: str) -> Problem:
        return self._at(step.line, rule, message, step.path)

    def _head(self) -> Iterator[Problem]:
        guide = self.guide
        if not guide.summary or not isinstance(guide.summary[0], Text):
            yield self._at(1, "summary", "before its first step a guide says the one thing to know or do now")
        elif len(plain(guide.summary[0].inline)) > SUMMARY:
            yield self._at(1, "too-long", f"the first paragraph is what people see first: at most {SUMMARY} characters")
        if not guide.reviewed:
            yield self._at(1, "reviewed", "the front matter needs `reviewed:`, the day its facts were checked")
        yield from self._front()
        yield from self._notes(guide.summary, 1)

    def _front(self) -> Iterator[Problem]:
        guide = self.guide
        surfaces = _values(self.library, "surface") - {UNSURE}
        if len(guide.title) > _NAME:
            message = f"the title of a guide stands on buttons: at most {_NAME} characters"
            yield self._at(guide.lines.get("title", 1), "too-long", message)
        for surface in sorted(set(guide.surfaces) - surfaces):
            yield self._at(
                guide.lines.get("surfaces", 1),
                "unknown-surface",
                f"no surface `{surface}`; there are {', '.join(sorted(surfaces))}",
            )
        for fact, values in guide.fits.items():
            yield from self._fact_use(fact, values, guide.lines.get("fits", 1))
        for sign in guide.signs:
            if len(sign.text.strip()) < _SIGN:
                yield self._at(sign.line, "sign", f"the sign `{sign.text}` is too short to point anywhere", sign.path)
            for other in sign.outranks:
                if self.library.known(other) is None:
                    message = f"outranks `{other}`, and there is no such guide"
                    yield self._at(sign.line, "unknown-target", message, sign.path)

    def _clashes(self) -> Iterator[Problem]:
        guide = self.guide
        named = [(name, (step.path, step.line)) for step in guide.steps for name in (step.id, *step.was)]
        named += [(question.id, (question.path, question.line)) for question in guide.questions]
        places = dict(named)
        for name, count in Counter([*(name for name, _ in named), *_note_ids(guide)]).items():
            if count > 1:
                path, line = places.get(name, ("", 1))
                yield self._at(line, "clash", f"the id `{name}` is used {count} times in this guide", path)
        for old in guide.was:
            others = [other.id for other in self.library.guides.values() if old == other.id or old in other.was]
            if others != [guide.id]:
                yield self._at(1, "clash", f"`was: {old}` is the name of another guide too")
        for step in guide.steps:
            yield from self._choices_clash(step)

    def _choices_clash(self, step: Step) -> Iterator[Problem]:
        named = [(name, choice) for choice in step.choices for name in (choice.id, *choice.was)]
        last = dict(named)
        for name, count in Counter(name for name, _ in named).items():
            if count > 1:
                message = f"the choice `{name}` of step `{step.id}` is there {count} times"
                yield self._at(last[name].line, "clash", message, last[name].path)

    def size(self, step: Step) -> Iterator[Problem]:
        longest = max(sum(map(len, as_lines((*step.body, *part)))) for part in _shown_parts(step))
        if len(plain(step.title)) > TITLE:
            yield self.step_problem(step, "too-long", f"a title has at most {TITLE} characters")
        if longest > TEXT:
            yield self.step_problem(step, "too-long", f"step `{step.id}` shows {longest} characters; at most {TEXT}")
        if len(step.choices) > CHOICES:
            yield self.step_problem(step, "too-long", f"{len(step.choices)} choices; at most {CHOICES}")
        for code in _codes((*step.body, *(block for part in step.variants for block in part.body))):
            if len(code.text) > CODE:
                yield self.step_problem(step, "too-long", f"a block to copy has at most {CODE} characters")

    def ends(self, step: Step) -> Iterator[Problem]:
        if not step.choices:
            yield self.step_problem(step, "dead-end", f"step `{step.id}` has no choices: nobody can go on from here")

    def evidence(self, step: Step) -> Iterator[Problem]:
        # A note has a grade of its own: a company may add one to a plain question.
        says = any(not isinstance(block, Note) for block in step.body)
        advises = says or bool(step.variants or step.cause or step.bypass or step.destructive or step.retry)
        if advises and step.evidence is None:
            yield self.step_problem(step, "evidence", f"step `{step.id}` says something and needs `evidence=`")
        yield from self._graded(step.evidence, step.source, step.line, step.path)
        yield from self._notes((*step.body, *(b for part in step.variants for b in part.body)), step.line, step.path)

    def _graded(self, evidence: Evidence | None, source: str | None, line: int, path: str = "") -> Iterator[Problem]:
        if evidence is Evidence.OFFICIAL and source is None:
            yield self._at(line, "source", "`evidence=official` needs `source=` and the name of an address", path)
        if source is not None and source not in self.guide.sources:
            yield self._at(line, "source", f"no source `{source}` in the front matter's `sources`", path)

    def _notes(self, blocks: Sequence[Block], line: int, path: str = "") -> Iterator[Problem]:
        for note in _notes(blocks):
            yield from self._graded(note.evidence, note.source, line, path)

    def asking(self, step: Step) -> Iterator[Problem]:
        """Refuse two choices of one value: a known fact could not tell them apart."""
        fact = step.asks or ""
        values = Counter(choice.facts[fact] for choice in step.choices) if fact else Counter[str]()
        for value, count in values.items():
            if count > 1 and value != UNSURE:
                message = f"{count} choices of `{step.id}` state {fact}={value}: a known answer would pick the first"
                yield self.step_problem(step, "ambiguous", message)

    def automatic(self, step: Step) -> Iterator[Problem]:
        if step.auto is None:
            return
        if step.auto != OFFICIAL_STATUS:
            yield self.step_problem(step, "auto", f"`auto` is `{OFFICIAL_STATUS}`, not `{step.auto}`")
        missing = [name for name in ANSWERS if step.choice(name) is None]
        others = [choice.id for choice in step.choices if choice.id not in {*ANSWERS, ELSEWHERE}]
        if missing or others:
            yield self.step_problem(step, "auto", f"an automatic step has the choices {', '.join(ANSWERS)}")
        claude = {"claude-code", "api"}.intersection(self.guide.surfaces)
        first = next(other for other in self.guide.steps if other.auto)
        if claude and step is first and step.choice(ELSEWHERE) is None:
            message = "in a guide for Claude Code or the API, people on another provider need the choice `elsewhere`"
            yield self.step_problem(step, "auto", message)
        if step.body or step.variants:
            yield self.step_problem(
                step, "auto", "an automatic step is never seen: put its text into the steps it leads to"
            )

    def variants(self, step: Step) -> Iterator[Problem]:
        conditional = [part for part in step.variants if part.when]
        for part in conditional:
            for fact, values in part.when.needs if part.when else ():
                yield from self._fact_use(fact, values, part.line, part.path)
        if conditional and len(conditional) == len(step.variants) and not self._cover(conditional):
            message = f'step `{step.id}` needs a `###` part without `when`, for everybody else and for "not sure"'
            yield self.step_problem(step, "variants", message)

    def _cover(self, parts: Sequence[Variant]) -> bool:
        facts = {fact for part in parts for fact, _ in (part.when.needs if part.when else ())}
        if len(facts) != 1:
            return False
        fact = facts.pop()
        covered = {value for part in parts for _, values in (part.when.needs if part.when else ()) for value in values}
        return _values(self.library, fact) <= covered

    def _fact_use(self, fact: str, values: Iterable[str], line: int, path: str = "") -> Iterator[Problem]:
        known = _values(self.library, fact)
        if not known:
            yield self._at(line, "unknown-fact", f"no fact `{fact}` in facts.md", path)
            return
        for value in sorted(set(values) - known):
            yield self._at(line, "unknown-fact", f"the fact `{fact}` has no value `{value}`", path)

    def risky(self, step: Step) -> Iterator[Problem]:
        if (step.bypass or step.destructive) and not any(isinstance(b, Undo) for b in _all(step)):
            yield self.step_problem(
                step, "undo", f"step `{step.id}` is risky and says nowhere how to take it back (`.undo`)"
            )
        if step.bypass and step.choice("skip") is None:
            yield self.step_problem(
                step, "skip", f"step `{step.id}` is `bypass` and needs a choice `skip` that goes on without it"
            )

    def words(self, step: Step) -> Iterator[Problem]:
        """English only: what reads like a risky advice has to be marked as one."""
        if self.guide.locale != "en":
            return
        text = "\n".join((plain(step.title), *as_lines(tuple(_all(step)))))
        if not step.bypass and _AROUND.search(text):
            yield self.step_problem(
                step, "unmarked", f"step `{step.id}` reads as if it went around controls: mark it `bypass`"
            )
        sentences = re.split(r"(?<=[.!?:;])\s|\n", text)
        if not step.retry and any(_AGAIN.search(s) and not _NOT_AGAIN.search(s) for s in sentences):
            yield self.step_problem(
                step, "unmarked", f"step `{step.id}` reads as if it advised to send again: mark it `retry`"
            )

    def _choice(self, choice: Choice) -> Iterator[Problem]:
        if not 0 < len(choice.label) <= LABEL:
            yield self._at(choice.line, "too-long", f"a label has 1 to {LABEL} characters", choice.path)
        for fact, value in choice.facts.items():
            yield from self._fact_use(fact, [value], choice.line, choice.path)
        if isinstance(choice.target, Onward):
            message = "`[…](#)` is for facts.md: a choice of a guide leads somewhere"
            yield self._at(choice.line, "unknown-target", message, choice.path)
        if isinstance(choice.target, ToStep):
            guide = self.library.known(choice.target.guide)
            if guide is None:
                yield self._at(choice.line, "unknown-target", f"no guide `{choice.target.guide}`", choice.path)
            elif guide.step(choice.target.step) is None:
                where = f"{choice.target.guide}#{choice.target.step}"
                yield self._at(choice.line, "unknown-target", f"no step `{where}`", choice.path)


_STEP_RULES: tuple[Callable[[_Checked, Step], Iterator[Problem]], ...] = (
    _Checked.size,
    _Checked.ends,
    _Checked.evidence,
    _Checked.asking,
    _Checked.automatic,
    _Checked.variants,
    _Checked.risky,
    _Checked.words,
)


def _fact_problems(facts: Guide, step: Step) -> Iterator[Problem]:
    path = step.path or facts.path
    if not step.choices:
        yield Problem(path, step.line, "dead-end", f"the question for `{step.id}` has no choices")
    elif step.choices[-1].facts and all(choice.facts.get(step.id) != UNSURE for choice in step.choices):
        yield Problem(path, step.line, "unsure", f'the question for `{step.id}` needs a way to say "not sure"')
    for choice in step.choices:
        if step.id not in {OVER, SAME} and isinstance(choice.target, Onward) and step.id not in choice.facts:
            message = f"the choice `{choice.id}` has to state the fact it answers: `{step.id}=…`"
            yield Problem(choice.path or path, choice.line, "facts", message)


def _needed(library: Library) -> Iterator[Problem]:
    """Yield what Redial itself asks and says, and which is gone under what lies over the built-in files."""
    for fact in (*FACTS_FIRST, PROVIDER, OVER, SAME):
        if library.facts.step(fact) is None:
            yield Problem(library.facts.path, 1, "facts", f"the question `{fact}` is missing: Redial asks it")
    for outcome in Outcome:
        if library.outcomes.step(outcome.value) is None:
            yield Problem(library.outcomes.path, 1, "outcomes", f"the end `{outcome}` is missing")


def _lost(library: Library, released: Iterable[str]) -> Iterator[Problem]:
    for name in released:
        guide_id, _, rest = name.partition("#")
        step_id, _, choice_id = rest.partition("#")
        guide = library.facts if guide_id == library.facts.id else library.known(guide_id)
        step = guide.step(step_id) if guide and step_id else None
        lost = guide is None or (step_id and step is None)
        # A step that was renamed or hidden is found by its old id; what it asked then need not be asked now.
        if step and choice_id and step.id == step_id:
            lost = step.choice(choice_id) is None
        if lost:
            path, line = (step.path, step.line) if step else (guide.path if guide else f"{guide_id}.md", 1)
            yield Problem(path, line, "lost-id", f"`{name}` was released and is gone: keep it with `was`")


def _values(library: Library, fact: str) -> frozenset[str]:
    step = library.facts.step(fact)
    stated = {choice.facts.get(fact, "") for choice in step.choices} if step else set()
    return frozenset(stated - {""} | {UNSURE}) if step else frozenset()


def _all(step: Step) -> tuple[Block, ...]:
    return (*step.body, *(block for part in step.variants for block in part.body))


def _shown_parts(step: Step) -> list[tuple[Block, ...]]:
    return [part.body for part in step.variants] or [()]


def _inner(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Steps | Bullets):
            yield from (inner for item in block.items for inner in _inner(item))
        elif isinstance(block, Note):
            yield from _inner(block.blocks)


def _notes(blocks: Sequence[Block]) -> Iterator[Note]:
    return (block for block in _inner(blocks) if isinstance(block, Note))


def _codes(blocks: Sequence[Block]) -> Iterator[Code]:
    return (block for block in _inner(blocks) if isinstance(block, Code))


def _note_ids(guide: Guide) -> Iterator[str]:
    bodies = [guide.summary, *(_all(step) for step in guide.steps), *(q.body for q in guide.questions)]
    return (note.id for body in bodies for note in _notes(body))
