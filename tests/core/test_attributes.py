"""What stands between the braces behind a heading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.guides.attributes import Attributes, parse_attributes, split_attributes


def test_words_and_attributes_are_told_apart() -> None:
    words, attributes = split_attributes(
        'What stopped? {#doing evidence=official says="two words|one" retry .questions}'
    )
    assert words == "What stopped?"
    assert attributes == Attributes(
        "doing", {"evidence": "official", "says": "two words|one"}, frozenset({"retry", "questions"})
    )


@pytest.mark.parametrize("heading", ["Plain", "A {brace} inside", "Set {a} in {b} then", ""])
def test_a_heading_without_attributes_is_all_words(heading: str) -> None:
    assert split_attributes(heading) == (heading, Attributes())


@pytest.mark.parametrize(("inside", "named"), [("#", "#"), ("a=", "="), ('says="open', '="open'), ("#ok ??", "??")])
def test_what_cannot_be_read_is_named(inside: str, named: str) -> None:
    with pytest.raises(ValueError, match=r"\S") as caught:
        parse_attributes(inside)
    assert str(caught.value).endswith(named)


@given(st.text())
def test_any_heading_is_read_or_refused(heading: str) -> None:
    try:
        words, attributes = split_attributes(heading)
    except ValueError as error:
        assert str(error) in heading  # noqa: PT017 - which of the two happens depends on the text
    else:
        assert words in heading
        assert isinstance(attributes, Attributes)
