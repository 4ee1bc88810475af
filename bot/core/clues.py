"""Facts and details out of a text: only what it really says, never what it is likely to mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bot.core.normalise import Normal
from bot.core.recogniser_match import Phrases
from bot.core.recogniser_products import Products

_AFTER, _BEFORE, _OVERLAP = 28, 8, 12
_EXCLUSIVE = ("surface", "os", "browser", "provider")
_NOT = (
    " no ",
    " not ",
    " without ",
    " isnt ",
    " arent ",
    " never ",
    " off ",
    " kein ",
    " keine ",
    " sin ",
    " sans ",
    " sem ",
    " без ",
    " instead of ",
)

_REQUEST = re.compile(r"\breq_[0-9A-Za-z]{4,40}")
_ATTEMPT = re.compile(r"attempt\s*#?\s*(\d{1,3})\s*(?:/|of)\s*(\d{1,3})", re.IGNORECASE)
_VERSION = re.compile(r"\b(?:claude[ -]?code|version|cli|v)[ :=]{0,3}v?(\d{1,3}\.\d{1,3}\.\d{1,4})\b", re.IGNORECASE)
_MODEL = re.compile(
    r"\bclaude-[a-z0-9.-]{3,40}|\b(?:opus|sonnet|haiku|fable) ?\d(?:\.\d)?\b|\b(?:opus|sonnet|haiku)\b", re.IGNORECASE
)
_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)?"
    r"|\b\d{1,2}:\d\d(?::\d\d)?(?: ?(?:am|pm))?(?: ?(?:UTC|GMT|CET|CEST|EST|EDT|PST|PDT|JST|KST|IST|BST)\b)?",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"(?:error|status|code|http|API Error)[\s:=(]{1,4}(?:code[\s:=(]{0,3})?([45]\d\d)\b"
    r"|\b([45]\d\d)[ :]{0,2}(?:\{|status code|overloaded|internal server|bad gateway|service unavailable|forbidden"
    r"|unauthorized|too many|upstream)",
    re.IGNORECASE,
)


class Clues:
    """Reads facts by the words of `Products.clues`."""

    def __init__(self, products: Products) -> None:
        self._clues = products.clues
        self._phrases = Phrases((products.expand(p), n) for n, clue in enumerate(self._clues) for p in clue.phrases)
        well = "|".join(products.words.get("gone_well", ()))
        self._well = Phrases([(well, 0)] if well else [])

    def facts(self, text: Normal) -> Mapping[str, str]:
        """Return the facts `text` states; where it states two values of one fact, the first kind listed wins."""
        spaced = text.spaced
        well = self._well.places(spaced)
        found: dict[str, dict[str, int]] = {}
        for place, _ in self._phrases.find(spaced):
            clue = self._clues[place.key]
            if _denied(spaced, place.start) or (clue.failing and _went_well(well, place.start, place.length)):
                continue
            found.setdefault(clue.fact, {}).setdefault(clue.value, place.key)
        return {fact: _one(fact, values) for fact, values in found.items() if fact in _EXCLUSIVE or len(values) == 1}


def details(text: str) -> dict[str, str]:
    """Return what a support person would copy out of `text`: request id, attempt, version, model, status, time."""
    found: dict[str, str] = {}
    if "req_" in text and (request := _REQUEST.search(text)):
        found["request_id"] = request.group()
    attempts = _ATTEMPT.findall(text)
    if attempts:
        found["attempt"] = "/".join(attempts[-1])
    for name, pattern in (("version", _VERSION), ("status", _STATUS)):
        if match := pattern.search(text):
            found[name] = next(group for group in match.groups() if group)
    for name, pattern in (("model", _MODEL), ("time", _TIME)):
        if match := pattern.search(text):
            found[name] = match.group()
    return found


def _one(fact: str, values: Mapping[str, int]) -> str:
    """Take the value that is listed first: `wsl` says more than the `windows` around it."""
    del fact
    return min(values, key=lambda value: values[value])


def _denied(spaced: str, start: int) -> bool:
    before = spaced[max(0, start - 14) : start]
    return any(word in before for word in _NOT)


def _went_well(well: Sequence[tuple[int, int]], start: int, length: int) -> bool:
    """Say whether "works fine" stands close behind, or right before, the words that were found."""
    return any(-_OVERLAP <= at - (start + length) <= _AFTER or 0 <= start - end <= _BEFORE for at, end in well)
