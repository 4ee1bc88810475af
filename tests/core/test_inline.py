"""One line of Markdown as spans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.guides.inline import inline_text, joined
from bot.core.text import Span, plain, words


@pytest.mark.parametrize(
    ("source", "spans"),
    [
        ("plain", (Span("plain"),)),
        ("**bold** and *italic*", (Span("bold", bold=True), Span(" and "), Span("italic", italic=True))),
        ("***both***", (Span("both", bold=True, italic=True),)),
        ("run `git status`", (Span("run "), Span("git status", code=True))),
        ("**bold `code`**", (Span("bold ", bold=True), Span("code", bold=True, code=True))),
        ("[here](https://x.y/z)", (Span("here", href="https://x.y/z"),)),
        ("one\ntwo", (Span("one two"),)),
        ("one\\\ntwo", (Span("one\ntwo"),)),
        ("2 \\* 3", (Span("2 * 3"),)),
        ("", ()),
        # What no chat can show stays as it was typed; guides are told so by `unshown`.
        ("<b>x</b>", (Span("<b>x</b>"),)),
        ("<https://x.y>", (Span("<https://x.y>"),)),
        ("![x](https://x.y)", (Span("!"), Span("x", href="https://x.y"))),
        ("[x](javascript:alert(1))", (Span("[x](javascript:alert(1))"),)),
    ],
)
def test_a_line_becomes_spans(source: str, spans: tuple[Span, ...]) -> None:
    assert inline_text(source) == spans


def test_neighbours_of_one_style_are_one() -> None:
    assert joined([Span("a"), Span(""), Span("b"), Span("c", bold=True)]) == (Span("ab"), Span("c", bold=True))


def test_foreign_text_is_one_span_without_a_style() -> None:
    assert words("**@everyone** <b>") == (Span("**@everyone** <b>"),)
    assert words("") == ()


@given(st.text())
def test_any_line_can_be_read(source: str) -> None:
    assert isinstance(plain(inline_text(source)), str)
