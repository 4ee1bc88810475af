"""People who answer truthfully: what they know of their world, and how they find the choice that says it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

from bot.core.text import Text, plain
from bot.core.view import Offer, View

HERE = Path(__file__).parent

DEFAULTS = {"over": "no", "since": "now", "stopped": "connection", "wants": "go_on", "tool": "no"}
"""What holds of a person if nothing else is said."""

_UNSURE = re.compile(
    r"^(I )?(can't|cannot|can not) (tell|see|say|look|try|compare|run|test)|not sure|don't know|^no idea"
    r"|can't or may not|can't tell|no other device|can't try",
    re.IGNORECASE,
)
_NONE_FITS = re.compile(
    r"^none of|^something else|^another (one|error)|^other words|^none:|nothing fits|^nothing", re.IGNORECASE
)
_HAND_OVER = re.compile(
    r"write (it|the request) up|write it|^get the report|^make the summary|hand it to|^report it", re.IGNORECASE
)
_ENOUGH = 0.75
_SMALL = frozenset(
    """a all an and another any are as at be but by claude code comes do does else error for from had has have here i in
    is it its line me mine my names no not now of on one only or other our same say says shows something still that the
    there this to too was what when which with you your""".split()  # noqa: SIM905 - a list of words reads as words
)


class Truth(Enum):
    """Whether a choice says what is the case, as far as the person knows."""

    YES = "yes"
    NO = "no"
    OPEN = "open"


@dataclass(frozen=True)
class Person:
    """Somebody with a hidden cause; see `people.toml` for what the fields mean."""

    name: str
    says: str
    line: str = ""
    page: str = "clear"
    devices: str = "personal"
    sees: str = ""
    truths: Mapping[str, str] = field(default_factory=dict)
    causes: Sequence[str] = ()
    ends: Sequence[str] = ()
    within: int = 7
    handed: bool = False

    def knows(self, fact: str) -> str:
        """What is the case, or nothing if the person does not know."""
        return self.truths.get(fact, DEFAULTS.get(fact, ""))


@dataclass(frozen=True)
class Rule:
    """What a choice in these words, under such a question, says."""

    label: re.Pattern[str]
    asked: re.Pattern[str] | None
    needs: tuple[tuple[str, tuple[str, ...]], ...]


def read_people(name: str) -> list[Person]:
    rows: list[dict[str, Any]] = tomllib.loads((HERE / name).read_text("utf-8"))["person"]
    return [Person(**row) for row in rows]


@cache
def rules() -> tuple[Rule, ...]:
    rows: list[dict[str, str]] = tomllib.loads((HERE / "answers.toml").read_text("utf-8"))["rule"]
    return tuple(_rule(row) for row in rows)


def _rule(row: Mapping[str, str]) -> Rule:
    needs = tuple((fact, tuple(values.split("|"))) for fact, _, values in (n.partition("=") for n in row["is"].split()))
    return Rule(re.compile(row["label"]), re.compile(row["asked"], re.IGNORECASE) if "asked" in row else None, needs)


def pick(person: Person, view: View) -> Offer | None:
    """The choice this person takes, or None where no choice can be taken truthfully."""
    asked = _asked(view)
    judged = [(offer, *judge(person, offer.label, asked)) for offer in view.offers]
    true = [(score, -offer.n, offer) for offer, truth, score in judged if truth is Truth.YES]
    if true:
        return max(true, key=lambda row: row[:2])[2]
    groups = [[o for o in view.offers if how.search(o.label)] for how in (_UNSURE, _NONE_FITS, _HAND_OVER)]
    if all(truth is Truth.NO for _, truth, _ in judged):
        groups[:2] = groups[1::-1]
    return next((offer for group in groups for offer in group), None)


def _asked(view: View) -> str:
    """The question: the title, and at an opening the bold line before the choices."""
    texts = [block.inline for block in view.blocks if isinstance(block, Text)]
    bold = [plain(inline) for inline in texts if inline and all(span.bold for span in inline)]
    return " ".join((plain(view.lead), *bold))


def judge(person: Person, label: str, asked: str) -> tuple[Truth, float]:
    """Whether a choice is true for this person, and how much it says."""
    for rule in rules():
        if rule.label.search(label) and (rule.asked is None or rule.asked.search(asked)):
            return _held(person, rule, label), 10.0 * len(rule.needs)
    return _compared(person, label)


def _held(person: Person, rule: Rule, label: str) -> Truth:
    found = Truth.YES
    for fact, values in rule.needs:
        known = person.knows(fact)
        wanted = tuple(label.lower() if value == "$label" else value for value in values)
        if known in wanted or (not known and "unknown" in wanted):
            continue
        if known and known != "unknown":
            return Truth.NO
        found = Truth.OPEN
    return found


def _compared(person: Person, label: str) -> tuple[Truth, float]:
    """Compare the words of a choice with what the person sees: enough of its weighty words make it true."""
    seen = set(_words(f"{person.sees} {person.says}"))
    best, most = 0.0, 0
    for part in (label, *re.split(r",| or |: ", label)):
        words = [word for word in _words(part) if word not in _SMALL]
        hits = sum(word in seen for word in words)
        if hits:
            best, most = max(best, hits / len(words) + 0.2 * hits), max(most, hits)
    return (Truth.YES, best + most) if best >= _ENOUGH else (Truth.NO, 0.0)


def _words(text: str) -> list[str]:
    text = text.lower().replace("\u2019", "'").replace("'", "")
    return [word.strip(".-") for word in re.findall(r"[a-z0-9_.-]{2,}", text)]
