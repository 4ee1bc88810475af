"""Text without a platform."""

from __future__ import annotations

from bot.core.text import Span, plain


def test_plain_is_the_words_alone() -> None:
    assert plain((Span("Run "), Span("git", code=True), Span(" now", bold=True))) == "Run git now"
