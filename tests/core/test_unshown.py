"""What Markdown can do and no chat can show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.guides.unshown import unshown


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("a <b>bold</b> word", "HTML"),
        ("line<br>break", "HTML"),
        ("<!-- to do -->", "HTML"),
        ("put <your key> here", "HTML"),
        ("see <https://x.y/z>", "[words](https://…)"),
        ("![a chart](https://x.y/z.png)", "picture"),
        ("![a chart][chart]", "picture"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "table"),
        ("a | b\n--|--\n1 | 2", "table"),
    ],
)
def test_it_is_named_with_what_to_write_instead(source: str, word: str) -> None:
    assert any(word in message for message in unshown(source))


@pytest.mark.parametrize(
    "source",
    [
        "plain",
        "`<b>` in code",
        "``a ` <b>``",
        "3 < 4 and 5 > 4",
        "a -> b",
        "<- back",
        "a | b",
        "x <= y",
        "wow! [a](https://x.y)",
    ],
)
def test_what_can_be_shown_is_let_through(source: str) -> None:
    assert list(unshown(source)) == []


@given(st.text(alphabet="<>!-[]()|:` \na/"))
def test_any_text_is_judged(source: str) -> None:
    assert all(unshown(source))
