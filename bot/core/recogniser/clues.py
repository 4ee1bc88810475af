"""Facts and details out of a text: only what it really says, never what it is likely to mean."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate

from bot.core.recogniser.match import Begins
from bot.core.recogniser.normalise import Normal, words
from bot.core.recogniser.products import Products

_CLAUSE = re.compile(r"[,.;!?()\n](?=\s|$)|\s(?:but|while|whereas|aber|pero|mais|mas|но)\s|[\u3001\u3002]")
_END = "xclausex"
"""Marks the end of a clause: a word, so that it outlives the form of words, and one that nobody writes."""
_CLAUSE_LENGTH = 100
_GRADED = ("surface", "os", "browser", "provider", "tool_ran")
_TIMELY = "since"
_NOT = {
    f" {form} ": form.split()[0]
    for form in (
        "no", "not", "without", "isnt", "arent", "never", "off", "kein", "keine", "sin", "sans", "sem", "без",
        "instead of",
    )
}  # fmt: skip
"""What denies what follows it, and the word that has to be in a text for that."""
_NOT_AFTER = (" nicht ", " pas ", " plus ")

_REQUEST = re.compile(r"\breq_[0-9A-Za-z]{4,40}")
_ATTEMPT = re.compile(r"attempt\s*#?\s*(\d{1,3})\s*(?:/|of)\s*(\d{1,3})")
# What has digits is looked for by the sign in its middle: there are few of those, and a text is passed over fast.
_VERSION = re.compile(r"\.(?<=\d\.)\d{1,3}\.\d{1,4}(?![.\d])")
_VERSION_OF = re.compile(r"(?:claude[ -]?code|version|cli|\bv)[ :=\n]{0,3}v?(\d{1,3})$")
_MODELS = {
    # With a number or a family: `claude-code` and the like are products.
    "claude-": re.compile(
        r"claude-(?<!\wclaude-)(?!code)(?=[a-z.-]{0,20}(?:\d|opus|sonnet|haiku|fable))[a-z0-9.-]{2,39}[a-z0-9]"
    ),
    **{name: re.compile(rf"{name}(?<!\w{name})(?: ?\d(?:\.\d)?)?\b") for name in ("opus", "sonnet", "haiku", "fable")},
}
_DATE = re.compile(
    r"-(?<=\d{4}-)(?<!\w\d{4}-)\d\d-\d\d"
    r"(?:[t ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?: ?(?:z\b|utc|gmt|[+-]\d\d:?\d\d))?)?"
)
_CLOCK = re.compile(
    # No port, no line and column.
    r":(?:(?<=\d:)(?<![\w.:]\d:)|(?<=\d\d:)(?<![\w.:]\d\d:))[0-5]\d(?::[0-5]\d)?(?!\d|:\d)"
    r"(?: ?(?:am|pm)\b)?(?: ?(?:utc|gmt|cet|cest|est|edt|pst|pdt|jst|kst|ist|bst)\b)?"
)
_LOOK = 6_000


class Clues:
    """Facts by the words of `Products.clues`; what was found of them is handed in, so that texts are searched once."""

    def __init__(self, products: Products) -> None:
        self._clues = products.clues
        self._failing = frozenset(n for n, clue in enumerate(self._clues) if clue.failing)
        well = "|".join(products.words.get("gone_well", ()))
        self.phrases = [
            *((products.expand(phrase), n) for n, clue in enumerate(self._clues) for phrase in clue.phrases),
            *((word, len(self._clues)) for word in well.split("|") if word),
        ]

    def facts(self, found: Begins, text: Normal) -> Mapping[str, str]:
        """Return the facts stated; of two values, the one listed first says more (`wsl` before `windows`).

        found: numbers of clues, and where in `text.spaced` they begin.
        """
        nots = [form for form, word in _NOT.items() if word in text.each]
        fine, clauses = self._fine(found, text, nots)
        first: dict[str, int] = {}
        values: dict[str, set[str]] = {}
        for number in sorted(found.keys):
            if number == len(self._clues):
                continue
            clue = self._clues[number]
            # "Not working since today": what is denied there is not the time.
            denying = nots if clue.fact != _TIMELY else ()
            away = fine if clue.failing else ()
            if (denying or away) and all(
                _denied(text.spaced, start, denying) or bisect_right(clauses, start) in away
                for start in found.of(number)
            ):
                continue
            first.setdefault(clue.fact, number)
            values.setdefault(clue.fact, set()).add(clue.value)
        return {fact: self._clues[n].value for fact, n in first.items() if fact in _GRADED or len(values[fact]) == 1}

    def _fine(self, found: Begins, text: Normal, nots: Sequence[str]) -> tuple[Collection[int], Sequence[int]]:
        """Return the numbers of the clauses in which something works, and where clauses end, if that may matter."""
        well = [start for start in found.of(len(self._clues)) if not _unwell(text.spaced, start, nots)]
        failing = (start for number in self._failing & found.keys for start in found.of(number))
        if not well or not any(_near(start, well) for start in failing):
            return (), ()
        clauses = _clauses(text)
        return {bisect_right(clauses, start) for start in well}, clauses


def details(text: str) -> dict[str, str]:
    """Return what a support person would copy out of `text`: request id, attempt, version, model, time."""
    text = text[:_LOOK]
    low = text.lower()
    if len(low) != len(text):  # a letter that grows when lowered would shift what is cut out below
        low = text
    found: dict[str, str] = {}
    if "req_" in text and (request := _REQUEST.search(text)):
        found["request_id"] = request.group()
    if "attempt" in low and (attempts := _ATTEMPT.findall(low)):
        found["attempt"] = "/".join(attempts[-1])
    for match in _VERSION.finditer(low):
        if of := _VERSION_OF.search(low[max(0, match.start() - 17) : match.start()]):
            found["version"] = of[1] + match.group()
            break
    models = [model.span() for name, one in _MODELS.items() if name in low and (model := one.search(low))]
    if models:
        found["model"] = text[slice(*min(models))]
    if times := [_from_its_digits(low, *time.span()) for time in (_DATE.search(low), _CLOCK.search(low)) if time]:
        found["time"] = text[slice(*min(times))]
    return found


def _from_its_digits(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a place in `text` from the digits on that stand before it."""
    return len(text[:start].rstrip("0123456789")), end


def _near(start: int, others: Sequence[int]) -> bool:
    """Say whether two words may stand in one clause, before it is looked for where clauses end."""
    return any(abs(start - other) < _CLAUSE_LENGTH for other in others)


def _denied(spaced: str, start: int, nots: Iterable[str]) -> bool:
    before = spaced[max(0, start - 14) : start]
    return any(word in before for word in nots)


def _unwell(spaced: str, start: int, nots: Iterable[str]) -> bool:
    """Say whether "works" is turned round: "ne marche plus", "geht nicht"."""
    after = spaced[start : start + 28]
    return (
        _denied(spaced, start, nots)
        or " не " in spaced[max(0, start - 5) : start + 1]
        or any(word in after for word in _NOT_AFTER)
    )


def _clauses(text: Normal) -> list[int]:
    """Return where the clauses of a text end in `spaced`; "works fine" speaks only of what its own clause names."""
    clauses = words(_CLAUSE.sub(f" {_END} ", text.clean)).split(_END)
    return list(accumulate(len(clause.strip()) + 1 for clause in clauses if clause.strip()))
