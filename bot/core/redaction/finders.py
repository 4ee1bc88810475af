"""Small makers of `find` functions, shared by the rule modules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from bot.core.redaction.jumble import drawn
from bot.core.redaction.kinds import Kind, Rule, Span
from bot.core.redaction.projection import Projection

Judge = Callable[[re.Match[str], str], bool]
"""Decides on a match; the string is the text of the span to remove."""

MASKED = r"(?:…|\.{2,6}|[*•●]{1,64}|<[a-z ]{1,20}>)"
"""What people and programs write in place of the middle or the end of a key."""


def listed(words: str) -> tuple[str, ...]:
    """Return the words of a list that is written as text, for the reader's sake."""
    return tuple(words.split())


def matching(
    expression: str, judge: Judge | None = None, *, low: bool = False, part: str = "x"
) -> Callable[[Projection], Iterator[Span]]:
    """Find the group `part` of `expression` (all of it without one) where `judge` agrees; low: in lower-cased text."""

    # There are a hundred of them, and most texts hold no hint of any: each is compiled when it is first needed.
    @cache
    def compiled() -> tuple[re.Pattern[str], str | int]:
        pattern = re.compile(expression, re.ASCII)
        return pattern, part if part in pattern.groupindex else 0

    def find(view: Projection) -> Iterator[Span]:
        pattern, group = compiled()
        for found in pattern.finditer(view.low if low else view.text):
            start, end = found.span(group)
            if end > start and (judge is None or judge(found, view.text[start:end])):
                yield start, end

    return find


def drawn_from(least: int) -> Judge:
    """Agree to values of `least` characters or more that look drawn."""

    def judge(_: re.Match[str], value: str) -> bool:
        return drawn(value, least)

    return judge


def prefixed(prefix: str, kind: Kind, least: int = 8, *, more: str = "") -> Rule:
    """Find tokens known by their first characters: whole, cut short by an ellipsis, or with a masked middle.

    The boundary is tested behind the prefix, so that the search itself stays one for a literal, which is fast.
    """
    masked = re.compile(MASKED)
    literal, body = re.escape(prefix), rf"[\w{more}-]"
    bounded = rf"(?:(?<![A-Za-z0-9]{literal})|(?<=\\[nrtbf]{literal}))" if prefix[0].isalnum() else ""
    # The first alternative must not take the dots of an ellipsis, or the characters shown after it would stay.
    expression = rf"{literal}{bounded}(?:{body}{{{least},}}|{body}*(?={MASKED}))(?:{MASKED}[\w-]*){{0,4}}"

    def judge(_: re.Match[str], value: str) -> bool:
        # `npm_config_registry`, `hf_hub_download` and `sk-learn` are names
        return drawn(value[len(prefix) :], least) or masked.search(value) is not None

    return Rule(prefix, kind, matching(expression, judge), hints=(prefix.lower(),))
