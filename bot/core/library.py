"""All content of one locale, and the way to find a guide or step by an id that may be an old one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.core.errors import RecordTooNew
from bot.core.guide import Choice, Guide, Outcome, Step
from bot.core.messages import Messages
from bot.core.services import Services

FACTS = "facts"
"""Id of the guide-shaped file that holds the questions for facts, and of visits to them."""
OUTCOMES = "outcomes"
"""Id of the guide-shaped file that says what is said at each end."""


@dataclass(frozen=True, slots=True)
class Library:
    """Guides by id, the questions for facts, the ends, Redial's sentences, and what the status page covers."""

    guides: Mapping[str, Guide]
    facts: Guide
    outcomes: Guide
    messages: Messages
    services: Services

    def known(self, guide_id: str) -> Guide | None:
        """Return the guide of that id or former id, if there is one."""
        return self.guides.get(guide_id) or next((g for g in self.guides.values() if guide_id in g.was), None)

    def guide(self, guide_id: str) -> Guide:
        """Return the guide; raises RecordTooNew when this version does not know it."""
        guide = self.known(guide_id)
        if guide is None:
            raise RecordTooNew(f"no guide `{guide_id}`")
        return guide

    def step(self, guide_id: str, step_id: str) -> tuple[Guide, Step]:
        """Return guide and step; raises RecordTooNew when this version does not know them."""
        guide = self.guide(guide_id)
        step = guide.step(step_id)
        if step is None:
            raise RecordTooNew(f"no step `{step_id}` in guide `{guide_id}`")
        return guide, step

    def question(self, fact: str) -> Step:
        """Return the question that asks for a fact; raises RecordTooNew when there is none."""
        step = self.facts.step(fact)
        if step is None:
            raise RecordTooNew(f"no question for the fact `{fact}`")
        return step

    def choice(self, guide_id: str, step_id: str, choice_id: str) -> Choice | None:
        """Return a choice somebody made earlier, of a guide's step or of a question for a fact."""
        if guide_id == FACTS:
            return self.question(step_id).choice(choice_id)
        return self.step(guide_id, step_id)[1].choice(choice_id)

    def ending(self, outcome: Outcome) -> Step:
        """Return what is said at an end."""
        step = self.outcomes.step(outcome.value)
        if step is None:
            raise RecordTooNew(f"no ending `{outcome}`")
        return step
