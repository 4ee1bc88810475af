"""Text without a platform."""

from __future__ import annotations

import pytest

from bot.core.text import Span, plain, visible


def test_plain_is_the_words_alone() -> None:
    assert plain((Span("Run "), Span("git", code=True), Span(" now", bold=True))) == "Run git now"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\u202eevil\u202c line", "evil line"),
        ("C\u200bonn\u2060ection\ufeff", "Connection"),
        ("\x1b[31mred\x1b[0m \x00\x07bell", "red bell"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        (
            "\u0645\u0631\u062d\u0628\u0627 \u0928\u092e\u0938\u094d\u0924\u0947 \tok",
            "\u0645\u0631\u062d\u0628\u0627 \u0928\u092e\u0938\u094d\u0924\u0947 \tok",
        ),
        ("a\ud800b", "ab"),
    ],
)
def test_what_nobody_sees_is_left_out_and_the_rest_stays(text: str, seen: str) -> None:
    assert visible(text) == seen
