from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import pytest

from bot.core.changing import changed
from bot.core.triage.conversation import Conversation
from bot.core.view import View
from tests.scenarios.playing import ORIGIN


@dataclass(frozen=True, slots=True)
class Careful:
    low: int
    high: int

    def __post_init__(self) -> None:
        assert self.low <= self.high


RECORDS: tuple[Any, ...] = (Conversation("c", ORIGIN, 1, 2.0, 3.0), View(key="k"), ORIGIN)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_it_is_what_replace_returns_and_leaves_the_record_alone(record: Any) -> None:  # noqa: ANN401 - records of several classes
    before = replace(record)
    for one in fields(record):
        assert changed(record, **{one.name: "new"}) == replace(record, **{one.name: "new"})
    assert changed(record) == record == before
    assert changed(record) is not record


def test_a_field_that_is_not_there_is_refused() -> None:
    with pytest.raises(TypeError, match="colour"):
        changed(ORIGIN, colour="red")


def test_a_class_that_checks_its_values_is_refused() -> None:
    with pytest.raises(TypeError, match="Careful"):
        changed(Careful(1, 2), low=3)
