"""One turn in the making: the conversation as it changes, and what is to be said before the question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from bot.core.changing import changed
from bot.core.frozen import frozen
from bot.core.guides.guide import UNSURE, Choice, Outcome, Question, Step, ToOutcome, ToStep
from bot.core.guides.library import FACTS, WHICH, Library
from bot.core.messages import Value
from bot.core.status.incident import Board
from bot.core.status.official import ELSEWHERE, INCIDENT, OFFICIAL_STATUS, UNKNOWN, Reading, reading
from bot.core.text import Block, Bullets, Span, Text
from bot.core.triage.asking import LINE, following
from bot.core.triage.conversation import WHAT, Conversation, Visit
from bot.core.triage.life import Pace

if TYPE_CHECKING:
    from bot.core.triage.gathering import Gathering

OVER = "over"
"""The question, among those for facts, that is asked when the incident somebody waited for has ended."""
SAME = "same"
"""The one that is asked first of a report that many share."""
DIFFERENT = "different"
"""The choice, here and in guides, that says that an open incident is not what somebody has."""

NONE_OF_THESE = "@none"
"""The choice of an offer that says that no guide fits."""

PROVIDER = "provider"
"""The fact that says how Claude is reached."""
_PROVIDED = ("claude-code", "api", UNSURE)
"""Where others than Anthropic may provide Claude: not on claude.ai and in its apps."""

_HOPS = 60
"""More steps than any chain of automatic answers has: a guide that goes round in circles stops here."""


@frozen
class Around:
    """What holds while a turn is played. now: seconds since the epoch; managed: devices belong to the company.

    gatherings: what many share in this workspace; None where nobody counts, or not yet.
    pace: how long silence lasts before something is done about it. odds: how often a step, as `guide#step`, was the one
    that helped, and how often it was tried, where that has been counted often enough.
    """

    now: float
    board: Board | None = None
    managed: bool = True
    gatherings: tuple[Gathering, ...] | None = None
    pace: Pace = field(default_factory=Pace)
    odds: Mapping[str, tuple[int, int]] = field(default_factory=dict)


class Turn:
    """Changes a conversation step by step; nothing outside sees it before it is whole."""

    def __init__(self, library: Library, conversation: Conversation, around: Around, by: str) -> None:
        self.library, self.conversation, self.around, self.by = library, conversation, around, by
        self.preface: list[Block] = []
        self.status_told = False
        self.changed = False
        self.known: list[str] = []
        """Answers taken from the report instead of asked for."""
        self.aside = False
        """What was said did not answer the question, which is then repeated without its body."""
        self.opened = self.chosen = False
        """A guide was begun in this turn, and its quick answer comes first; the person chose it by name."""
        self._read: tuple[tuple[str, Mapping[str, str]], Reading] | None = None

    # --- what is open ---

    @property
    def place(self) -> str:
        """The step a press has to belong to: a step id, `@which`, `@what`, or `@` and a fact that is asked for."""
        here = self.conversation
        return f"@{here.asking}" if here.asking else here.step

    @property
    def question(self) -> Step | None:
        """The step or the fact's question that is open; None where guides are offered."""
        here = self.conversation
        asking = here.asking or (LINE if self.asks_line else "")
        if asking:
            return self.library.question(asking)
        return self.library.step(here.guide, here.step)[1] if here.guide else None

    @property
    def asks_line(self) -> bool:
        """Say whether the exact line is asked for, or what happens instead."""
        here = self.conversation
        return not here.guide and here.step == WHAT and not here.asking and LINE not in here.facts

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What can be answered now, offers of guides included, in the order shown."""
        if self.question:
            return self.question.choices
        if self.conversation.step == WHAT:
            return ()
        offers = map(self.library.beginning, self.conversation.candidates)
        say = self.library.messages
        none = Choice(NONE_OF_THESE, say.text("which.none"), ToStep("", WHAT), says=say.list("says.none-of-these"))
        return (*offers, none)

    @property
    def other(self) -> str:
        """The guide that "switch" goes to: the sign of another was seen in this conversation."""
        here = self.conversation
        first = here.candidates[0] if here.guide and here.candidates else ""
        return first if first != here.guide and self.library.known(first) else ""

    def not_refused(self, guides: Iterable[str]) -> tuple[str, ...]:
        """Return those of `guides` that are there and that nobody has called wrong in this conversation."""
        return tuple(g for g in guides if self.library.known(g) and g not in self.conversation.refused)

    # --- changing ---

    def change(self, **fields: Any) -> None:  # noqa: ANN401 - the fields of Conversation, checked by changed()
        """Change fields of the conversation."""
        self.conversation = changed(self.conversation, **fields)
        self.changed = True

    def tell(self, key: str, **fields: Value) -> None:
        """Say one of Redial's sentences before the question."""
        self.preface.append(Text(self.library.messages.inline(key, **fields)))

    def tell_aside(self, key: str, **fields: Value) -> None:
        """Say one of Redial's sentences, and then only repeat the question."""
        self.tell(key, **fields)
        self.aside = True

    def tell_known(self) -> None:
        """Say what was taken from the report, so that it can be corrected."""
        if self.known:
            self.tell("step.known", label=" · ".join(self.known))

    def tell_status(self, now: Reading) -> None:
        """Say what the page says, unless it says what it said when it was told last."""
        told = f"{now.answer}:{now.incident.id if now.incident else ''}"
        if not self.status_told and told != self.conversation.told:
            self.preface += now.lines
            self.status_told = True
            self.change(told=told)

    def tell_answer(self, question: Question) -> None:
        """Answer a question people ask, with its grade; the step stays."""
        self.aside = True
        grade = self.library.messages.text(f"evidence.{question.evidence}") if question.evidence else ""
        title = tuple(replace(span, bold=True) for span in question.title)
        self.preface.append(Text((*title, Span(f" · {grade}", italic=True)) if grade else title))
        self.preface += question.body
        guide = self.library.known(self.conversation.guide)
        if guide and question.source and (url := guide.sources.get(question.source)):
            self.preface.append(Text((Span(url, href=url),)))

    def tell_questions(self, questions: Sequence[Question]) -> None:
        """List the questions people ask."""
        self.tell_aside("step.questions")
        self.preface.append(Bullets(tuple((Text(question.title),) for question in questions)))

    def visit(self, guide: str, step: str, choice: Choice, by: str) -> None:
        """Record an answer and what it states."""
        here = self.conversation
        self.change(
            history=(*here.history, Visit(guide, step, choice.id, by, self.around.now)),
            facts={**here.facts, **choice.facts},
        )

    def finish(self, outcome: Outcome) -> None:
        """End the conversation."""
        incident = ""
        if outcome is Outcome.WAITING:
            official = self.reading().incident
            # What the room reports may be waited for too: it was noted when that was asked.
            incident = official.id if official else self.conversation.incident
        self.change(outcome=outcome, asking="", incident=incident)

    def switch(self, guide_id: str) -> None:
        """Go to another guide, keeping what is known."""
        guide = self.library.guide(guide_id)
        rest = tuple(c for c in self.conversation.candidates if c not in {guide_id, self.conversation.guide})
        self.change(candidates=rest, because="", asking="", cause="")
        self.choose(guide.id)

    def choose(self, guide_id: str) -> None:
        """Begin a guide the person chose."""
        self.chosen = True
        rest = tuple(one for one in self.conversation.candidates if one != guide_id)
        self.change(candidates=(guide_id, *rest))
        self.start(guide_id)

    def start(self, guide_id: str) -> None:
        """Begin a guide."""
        self.opened = True
        self.change(guide=guide_id)
        self.enter(guide_id, "")

    def ask(self) -> None:
        """Ask what tells the guides left apart; else offer the likeliest of them, or begin the one that is plain."""
        here = self.conversation
        then = following(self.library, here.facts, here.candidates, here.refused, here.report)
        if then.plain:
            self.visit(FACTS, WHICH, self.library.beginning(then.plain), by="")
            self.start(then.plain)
        elif then.offered:
            self.change(guide="", step=WHICH, asking="", candidates=then.offered)
        else:
            self.change(guide="", step=WHAT, asking=then.fact if then.fact != LINE else "")
            if not then.fact:
                self.unsure(LINE)

    def unsure(self, fact: str) -> None:
        """Take a fact for asked and not known, unless it is known."""
        here = self.conversation
        if fact not in here.facts:
            self.change(stated={**here.stated, fact: UNSURE}, facts={**here.facts, fact: UNSURE})

    def reopen(self) -> None:
        """Go on after an end, at the same place; a fact that was being asked for there is asked for again."""
        here = self.conversation
        asking = here.asking or (self._missing(self.library.step(here.guide, here.step)[1]) if here.guide else "")
        self.change(outcome=None, incident="", asking=asking or "", helped="")

    # --- moving ---

    def enter(self, guide_id: str, step_id: str, *, chosen: bool = False) -> None:
        """Go to a step, past every question whose answer is already known, to the next one a person has to answer.

        chosen: a choice of the same guide leads there. A question people come back to so ("a different error now") is
        asked anew: what was known of it is no longer so.
        """
        for hop in range(_HOPS):
            guide, step = self.library.step(guide_id, step_id)
            again = chosen and hop == 0 and self._visited(guide.id, step.id)
            finding = self._finding(guide.id, step)
            self.change(guide=guide.id, step=step.id, asking="")
            choice = None if again and not step.auto else self._by_itself(step)
            missing = self._missing(step) if choice is None else ""
            # A finding is named when its step is shown, not while a fact is still asked for.
            cause = self.conversation.cause if missing and step.cause else finding
            if missing or cause != self.conversation.cause:
                self.change(asking=missing, cause=cause)
            if choice is None:
                return
            self.visit(guide.id, step.id, choice, by="")
            match choice.target:
                case ToOutcome(outcome):
                    self.finish(outcome)
                    return
                case ToStep(guide_id, step_id):
                    continue
            return

    def _visited(self, guide_id: str, step_id: str) -> bool:
        return any((visit.guide, visit.step) == (guide_id, step_id) for visit in self.conversation.history)

    def _finding(self, guide_id: str, step: Step) -> str:
        """Return the finding that stands at a step: its own, or the last one if this step belongs to its remedy.

        A step that other ways lead to as well is a next test: whoever goes there has found the finding wanting.
        """
        here = self.conversation
        if step.cause:
            return f"{guide_id}#{step.id}"
        kept = step.human or (guide_id, step.id) == (here.guide, here.step)
        kept = kept or self.library.only_way((guide_id, step.id)) == (here.guide, here.step)
        return here.cause if kept else ""

    def _by_itself(self, step: Step) -> Choice | None:
        """Return the choice Redial can make: from the status page, or from a fact it already knows."""
        if self._different(step):
            return step.choice(DIFFERENT)
        if self._named_too_early(step):
            return None
        if step.auto == OFFICIAL_STATUS:
            now = self.reading()
            self.tell_status(now)
            fallback = UNKNOWN if now.answer == ELSEWHERE else now.answer
            return step.choice(now.answer) or step.choice(fallback)
        fact = step.asks
        known = self.conversation.facts.get(fact, "") if fact else ""
        choice = next((c for c in step.choices if fact and known and c.facts[fact] == known), None)
        said = fact and known != UNSURE and fact in self.conversation.stated
        if choice and fact and said and not self._used(fact):
            self.known.append(choice.label)
        return choice

    def _named_too_early(self, step: Step) -> bool:
        """Say whether an incident would be named as the cause to somebody who may reach Claude through a provider.

        They are asked first: Claude's page says nothing about those. Where the trouble is local it is never the cause.
        """
        here, guide = self.conversation, self.library.known(self.conversation.guide)
        return (
            step.choice(ELSEWHERE) is not None
            and not (guide and guide.local)
            and PROVIDER not in here.facts
            and here.facts.get("surface", UNSURE) in _PROVIDED
            and self.reading().answer == INCIDENT
        )

    def _different(self, step: Step) -> bool:
        """Say whether a finding "it is the incident" was contradicted before it was shown; that counts once."""
        history = self.conversation.history
        last = next((visit for visit in reversed(history) if visit.guide != FACTS), None)
        if last is None or last.by or last.choice != INCIDENT or not step.choice(DIFFERENT):
            return False
        said = any((visit.guide, visit.choice) == (FACTS, DIFFERENT) for visit in history)
        return said and not any(visit.step == step.id and visit.guide == self.conversation.guide for visit in history)

    def _used(self, fact: str) -> bool:
        """Say whether a fact from the report was already used, and so already told."""
        return any(not visit.by and self._stated_by(visit) == fact for visit in self.conversation.history)

    def _missing(self, step: Step) -> str:
        """Return the fact that has to be asked for before this step's variants can be shown, if there is one."""
        facts = self.conversation.facts
        if self._named_too_early(step):
            return PROVIDER
        for variant in step.variants:
            if variant.when and not variant.when.excluded(facts):
                fact = variant.when.unknown(facts)
                if fact:
                    return fact
        return ""

    def look_again(self) -> None:
        """Go on where it stood. Where that was what the official status led to, it is read, and told, anew."""
        here = self.conversation
        self.change(told="", asking="")
        places = (
            v for v in reversed(here.history) if v.guide != FACTS and (v.guide, v.step) != (here.guide, here.step)
        )
        last = next(places, None)
        if last and not last.by and self.library.step(last.guide, last.step)[1].auto:
            self.enter(last.guide, last.step)
        elif here.guide:
            self.enter(here.guide, here.step)

    def back(self) -> bool:
        """Go back to the question answered last; False at the first one."""
        here = self.conversation
        history, stated = list(here.history), dict(here.stated)
        guide, step, asking = here.guide, here.step, ""
        while history:
            visit = history.pop()
            if visit.guide != FACTS:
                guide, step, asking = visit.guide, visit.step, ""
            elif visit.step == WHICH:
                guide, step, asking = "", WHICH, ""
            elif visit.step == LINE:
                guide, step, asking = "", WHAT, ""
            else:
                step, asking = step if guide else WHAT, visit.step
            fact = self._stated_by(visit)
            if not visit.by and fact in stated:
                del stated[fact]
            elif not visit.by:
                continue
            self.change(
                guide=guide, step=step, asking=asking, outcome=None, incident="", cause=self._cause(guide, step),
                history=tuple(history), stated=stated, facts=self._learned(history, stated),
                refused=tuple(one for one in here.refused if one != guide),
            )  # fmt: skip
            if step == WHICH and not self.not_refused(here.candidates):
                self.ask()
            return True
        return False

    def _cause(self, guide_id: str, step_id: str) -> str:
        return f"{guide_id}#{step_id}" if guide_id and self.library.step(guide_id, step_id)[1].cause else ""

    def _stated_by(self, visit: Visit) -> str:
        if visit.guide == FACTS:
            return visit.step
        return self.library.step(visit.guide, visit.step)[1].asks or ""

    def _learned(self, history: Sequence[Visit], stated: dict[str, str]) -> dict[str, str]:
        facts = dict(stated)
        for visit in history:
            choice = self.library.choice(visit.guide, visit.step, visit.choice)
            facts.update(choice.facts if choice else {})
        return facts

    def reading(self) -> Reading:
        """Return what the official page says about this trouble."""
        here = self.conversation
        if self._read is None or self._read[0] != (here.guide, here.facts):
            guide, around = self.library.known(here.guide), self.around
            self._read = (here.guide, here.facts), reading(self.library, guide, here.facts, around.board, around.now)
        return self._read[1]
