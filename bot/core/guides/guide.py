"""A guide: what a failure means, and the steps that sort it out. Steps are data; `flow` plays them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum

from bot.core.frozen import frozen
from bot.core.text import Block, Evidence, Inline

UNSURE = "unsure"
"""The value of a fact a person was asked for and could not give."""


class Outcome(StrEnum):
    """How a conversation ends."""

    FIXED = "fixed"
    WAITING = "waiting"
    HANDED_OFF = "handed_off"
    LEFT = "left"


@frozen
class Condition:
    """`browser=chrome|edge os=windows`: every named fact has one of its values."""

    needs: tuple[tuple[str, frozenset[str]], ...]

    def holds(self, facts: Mapping[str, str]) -> bool:
        """Say whether all named facts are known and fit."""
        return all(facts.get(fact) in values for fact, values in self.needs)

    def excluded(self, facts: Mapping[str, str]) -> bool:
        """Say whether a known fact already rules this out."""
        return any(fact in facts and facts[fact] not in values for fact, values in self.needs)

    def unknown(self, facts: Mapping[str, str]) -> str | None:
        """Return the first fact that has to be asked for before this can be decided."""
        return next((fact for fact, _ in self.needs if fact not in facts), None)


@frozen
class ToStep:
    """A choice that goes to a step of a guide; an empty step is that guide's start."""

    guide: str
    step: str


@frozen
class ToOutcome:
    """A choice that ends the conversation."""

    outcome: Outcome


@frozen
class Onward:
    """A choice of a question about a fact: go on where the fact was needed (`[Chrome](#)`)."""


Target = ToStep | ToOutcome | Onward


@frozen
class Choice:
    """An answer a person can give at a step."""

    id: str
    label: str
    target: Target
    facts: Mapping[str, str] = field(default_factory=dict)
    says: tuple[str, ...] = ()
    was: tuple[str, ...] = ()
    path: str = ""
    line: int = 0


@frozen
class Variant:
    """A part of a step for those it fits; `when=None` is the short form that fits all the others."""

    title: Inline
    when: Condition | None
    body: tuple[Block, ...]
    path: str = ""
    line: int = 0


@frozen
class Step:
    """Something to look at or do, and the choices that follow.

    auto: the bot answers by itself (`official-status`: choices `incident`, `clear`, `unknown`).
    bypass: goes around a company's controls; destructive: cannot be taken back by doing nothing;
    retry: advises to send a request again; human: only a person can go on from here.
    cause: the finding this step states; its title names it for people.
    """

    id: str
    title: Inline
    body: tuple[Block, ...] = ()
    variants: tuple[Variant, ...] = ()
    choices: tuple[Choice, ...] = ()
    evidence: Evidence | None = None
    source: str | None = None
    auto: str | None = None
    cause: str | None = None
    bypass: bool = False
    destructive: bool = False
    retry: bool = False
    human: bool = False
    was: tuple[str, ...] = ()
    path: str = ""
    line: int = 0

    @property
    def asks(self) -> str | None:
        """The fact that every choice of this step states, so that a known answer needs no question."""
        if not self.choices:
            return None
        common = set(self.choices[0].facts)
        for choice in self.choices[1:]:
            common &= set(choice.facts)
        return min(common) if common else None

    def choice(self, choice_id: str) -> Choice | None:
        """Return the choice of that id, or of that former id."""
        return next((c for c in self.choices if choice_id == c.id or choice_id in c.was), None)


@frozen
class Question:
    """A question people ask while a guide is played, and its answer."""

    id: str
    title: Inline
    body: tuple[Block, ...]
    says: tuple[str, ...] = ()
    evidence: Evidence | None = None
    source: str | None = None
    path: str = ""
    line: int = 0


@frozen
class Sign:
    """A literal piece of program output that points to a guide; it may outrank other guides' signs."""

    text: str
    outranks: tuple[str, ...] = ()
    line: int = 0
    path: str = ""


@frozen
class Guide:
    """One article of `content/guides/<locale>/`. local: an incident at Claude does not explain what it is about.

    often: how many of a hundred reports are about it. fits: what its readers answer when they are asked for a fact;
    one that is not named may have any value. lines: where each line of the front matter stands.
    """

    id: str
    title: str
    summary: tuple[Block, ...]
    steps: Sequence[Step]
    locale: str = "en"
    questions: tuple[Question, ...] = ()
    surfaces: tuple[str, ...] = ()
    signs: tuple[Sign, ...] = ()
    phrases: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    reviewed: str = ""
    was: tuple[str, ...] = ()
    path: str = ""
    local: bool = False
    lines: Mapping[str, int] = field(default_factory=dict)
    often: int = 1
    fits: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def start(self) -> Step:
        """The step a conversation begins with."""
        return self.steps[0]

    def step(self, step_id: str) -> Step | None:
        """Return the step of that id, or of that former id; an empty id is the start."""
        if not step_id:
            return self.start
        return next((s for s in self.steps if step_id == s.id or step_id in s.was), None)
