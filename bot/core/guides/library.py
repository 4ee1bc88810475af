"""All content of one locale, and the way to find a guide or step by an id that may be an old one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, TypeVar

from bot.core.errors import RecordTooNew
from bot.core.frozen import frozen
from bot.core.guides.guide import Choice, Guide, Outcome, Step, ToStep
from bot.core.messages import Messages
from bot.core.services import Services

FACTS = "facts"
"""Id of the guide-shaped file that holds the questions for facts, and of visits to them."""
WHICH = "@which"
"""Step of a visit, among those to `FACTS`, in which a guide was chosen out of several: its choice is the guide's id."""
OUTCOMES = "outcomes"
"""Id of the guide-shaped file that says what is said at each end."""

T = TypeVar("T")
Place = tuple[str, str]
"""A guide's id and a step's."""


@frozen
class Library:
    """Guides by id, the questions for facts, the ends, Redial's sentences, and what the status page covers.

    only_ways: of steps that only one other step leads to, that one (`with_ways`).
    """

    guides: Mapping[str, Guide]
    facts: Guide
    outcomes: Guide
    messages: Messages
    services: Services
    only_ways: Mapping[Place, Place] = field(default_factory=dict)
    _found: dict[Place, tuple[Guide, Step]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _former: list[Mapping[str, Guide]] = field(default_factory=list, init=False, repr=False, compare=False)
    _made: dict[tuple[object, Place], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def only_way(self, place: Place) -> Place | None:
        """Return the one step that leads to `place`; None where there are several, or where people begin."""
        return self.only_ways.get(place)

    def known(self, guide_id: str) -> Guide | None:
        """Return the guide of that id or former id, if there is one."""
        found = self.guides.get(guide_id)
        if found is None:
            if not self._former:  # once, however many ids are asked for: thousands of guides name thousands of others
                self._former.append(
                    {was: guide for guide in reversed(tuple(self.guides.values())) for was in guide.was}
                )
            found = self._former[0].get(guide_id)
        return found

    def guide(self, guide_id: str) -> Guide:
        """Return the guide; raises RecordTooNew when this version does not know it."""
        guide = self.known(guide_id)
        if guide is None:
            raise RecordTooNew(f"no guide `{guide_id}`")
        return guide

    def step(self, guide_id: str, step_id: str) -> tuple[Guide, Step]:
        """Return guide and step; raises RecordTooNew when this version does not know them."""
        # Each is asked for a dozen times a turn; what is found never changes.
        if found := self._found.get((guide_id, step_id)):
            return found
        guide = self.guide(guide_id)
        step = guide.step(step_id)
        if step is None:
            raise RecordTooNew(f"no step `{step_id}` in guide `{guide_id}`")
        self._found[guide_id, step_id] = guide, step
        return guide, step

    def once(self, make: Callable[[Library, Step], T], place: Place) -> T:
        """Return what is made of a step, and of other content, alone: the same whoever stands there."""
        key = make, place
        if key not in self._made:
            self._made[key] = make(self, self.step(*place)[1])
        found: T = self._made[key]
        return found

    def question(self, fact: str) -> Step:
        """Return the question that asks for a fact; raises RecordTooNew when there is none."""
        step = self.facts.step(fact)
        if step is None:
            raise RecordTooNew(f"no question for the fact `{fact}`")
        return step

    def choice(self, guide_id: str, step_id: str, choice_id: str) -> Choice | None:
        """Return a choice somebody made earlier, of a guide's step, of a question for a fact, or among guides."""
        if step_id == WHICH:
            return self.beginning(choice_id)
        if guide_id == FACTS:
            return self.question(step_id).choice(choice_id)
        return self.step(guide_id, step_id)[1].choice(choice_id)

    def beginning(self, guide_id: str) -> Choice:
        """Return the choice that begins a guide, where several are offered."""
        guide = self.guide(guide_id)
        return Choice(guide.id, guide.title, ToStep(guide.id, ""))

    def ending(self, outcome: Outcome) -> Step:
        """Return what is said at an end."""
        step = self.outcomes.step(outcome.value)
        if step is None:
            raise RecordTooNew(f"no ending `{outcome}`")
        return step


def with_ways(library: Library) -> Library:
    """Return it with the steps found that only one other step leads to."""
    before: dict[Place, set[Place]] = defaultdict(set)
    for guide in library.guides.values():
        for step in guide.steps:
            for choice in step.choices:
                if isinstance(choice.target, ToStep) and (there := library.known(choice.target.guide)):
                    target = there.step(choice.target.step)
                    before[there.id, target.id if target else ""].add((guide.id, step.id))
    starts = {(guide.id, guide.start.id) for guide in library.guides.values()}
    only = {place: ways.pop() for place, ways in before.items() if len(ways) == 1 and place not in starts}
    return replace(library, only_ways=only)
