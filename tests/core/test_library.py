"""Guides, steps and questions by their ids, old ones too; and what a replica does with ids it does not know."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.core.errors import RecordTooNew
from bot.core.guides.guide import Condition, Guide, Outcome, Step
from bot.core.guides.library import FACTS
from tests.core.small import small, text_of, with_texts

if TYPE_CHECKING:
    from _collections_abc import dict_values

RENAMED = with_texts(
    limit=text_of("limit").replace("title:", "was: [limits]\ntitle:").replace("{#time}", '{#time was="when"}')
    .replace("{#no says", '{#no was="none" says')
)  # fmt: skip


def test_former_ids_lead_to_what_they_became() -> None:
    assert RENAMED.guide("limits").id == "limit"
    guide, step = RENAMED.step("limits", "when")
    assert (guide.id, step.id) == ("limit", "time")
    choice = RENAMED.choice("limits", "when", "none")
    assert choice
    assert choice.id == "no"


class Walked(dict[str, Guide]):
    """Guides that count how often all of them are gone through."""

    walks = 0

    def values(self) -> dict_values[str, Guide]:
        self.walks += 1
        return super().values()


def test_all_guides_are_gone_through_once_for_ids_that_none_has_now_however_many_are_asked_for() -> None:
    guides = Walked(RENAMED.guides)
    library = replace(RENAMED, guides=guides)
    assert [library.known(f"gone-{n}") for n in range(100)] == [None] * 100
    assert library.known("limits") == guides["limit"]
    assert guides.walks == 1


def test_an_empty_step_is_where_a_guide_begins() -> None:
    assert small().step("cut-off", "")[1].id == "doing"


def test_answers_to_questions_for_facts_are_found() -> None:
    choice = small().choice(FACTS, "browser", "firefox")
    assert choice
    assert choice.facts == {"browser": "firefox"}
    assert small().choice("limit", "time", "gone") is None


def test_what_this_version_does_not_know_is_a_record_too_new() -> None:
    for ask in (
        lambda: small().guide("gone"),
        lambda: small().step("limit", "gone"),
        lambda: small().step("gone", ""),
        lambda: small().question("gone"),
        lambda: with_texts(outcomes="---\ntitle: x\n---\n").ending(Outcome.FIXED),
    ):
        with pytest.raises(RecordTooNew, match=r"^no "):
            ask()


def test_the_only_way_to_a_step_is_known() -> None:
    assert small().only_way(("cut-off", "exempt")) == ("cut-off", "network")
    assert small().only_way(("cut-off", "short")) is None
    assert small().only_way(("cut-off", "doing")) is None
    assert small().only_way(("cut-off", "gone")) is None


def test_a_step_asks_for_the_fact_that_all_its_choices_state() -> None:
    guide = small().guides["cut-off"]
    assert guide.start.asks == "tool_ran"
    assert [step.id for step in guide.steps if step.asks] == ["doing"]
    assert Step("empty", ()).asks is None


@pytest.mark.parametrize(
    ("facts", "holds", "excluded", "unknown"),
    [
        ({}, False, False, "browser"),
        ({"browser": "edge"}, False, False, "os"),
        ({"browser": "edge", "os": "windows"}, True, False, None),
        ({"browser": "firefox"}, False, True, "os"),
        ({"browser": "unsure", "os": "windows"}, False, True, None),
    ],
)
def test_a_condition_holds_is_excluded_or_lacks_a_fact(
    facts: dict[str, str],
    holds: bool,  # noqa: FBT001 - a column of the table
    excluded: bool,  # noqa: FBT001 - the same
    unknown: str | None,
) -> None:
    condition = Condition((("browser", frozenset({"chrome", "edge"})), ("os", frozenset({"windows"}))))
    assert (condition.holds(facts), condition.excluded(facts), condition.unknown(facts)) == (holds, excluded, unknown)
