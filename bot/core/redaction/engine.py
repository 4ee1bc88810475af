"""Run the table over a text and cut what it finds out of the original."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.frozen import frozen
from bot.core.redaction.kinds import SECRETS, Kind, Rule
from bot.core.redaction.projection import BARRIER, Projection, clear
from bot.core.redaction.table import TABLE
from bot.core.redaction.unwrap import unwrap

_PLACEHOLDERS = re.compile("|".join(re.escape(kind.placeholder) for kind in Kind))
_ALWAYS = frozenset(rule for rule in TABLE if not rule.hints)
_HINTED = tuple((hint, rule) for rule in TABLE for hint in rule.hints)
_ROUNDS = 4  # a removal may lay something bare that stood against it; more than two rounds were never seen
_ORDER = {kind: order for order, kind in enumerate(Kind)}
_MASK = re.compile(r"…|\.{2,}|[*•●]{2,}|[xX]{4,}|<[^>]*>")
_HARMLESS = 12  # a masked key shows fewer characters than this in one piece
_ALNUM = re.compile(r"[A-Za-z0-9]+")


@frozen
class Redacted:
    """A text without what had to go. `removed`: distinct kinds, in order of first appearance."""

    text: str
    removed: tuple[Kind, ...] = ()

    @property
    def secret(self) -> bool:
        """Say whether the person has to revoke something and delete the original message."""
        return not SECRETS.isdisjoint(self.removed)


@frozen
class _Cut:
    start: int
    end: int
    kind: Kind


def redact(text: str) -> Redacted:
    """Return `text` without secrets and personal data; whatever is not removed is left as it was typed."""
    removed: dict[Kind, None] = {}
    for _ in range(_ROUNDS):
        cuts = _merged(_cuts(text))
        if not cuts:
            break
        removed |= dict.fromkeys(cut.kind for cut in cuts)
        text = _without(text, cuts)
    return Redacted(text, tuple(removed))


def _cuts(text: str) -> Iterator[_Cut]:
    plain = clear(text, _PLACEHOLDERS)
    views = [(plain, False)]
    if joined := unwrap(plain):
        views.append((joined, True))
    for view, wrapped in views:
        low = view.low
        for rule in _ALWAYS | {rule for hint, rule in _HINTED if hint in low}:
            if rule.wrapped or not wrapped:
                yield from _found(rule, view)


def _found(rule: Rule, view: Projection) -> Iterator[_Cut]:
    learned: set[str] = set()
    for start, end in rule.find(view):
        value = view.text[start:end]
        if not value.strip(BARRIER):
            continue
        yield _Cut(*view.original(start, end), _weighed(rule.kind, value))
        learned.add(view.low[start:end])
    if rule.learns:
        for name in learned:
            for start in _elsewhere(name, view.low):
                yield _Cut(*view.original(start, start + len(name)), rule.kind)


def _elsewhere(name: str, low: str) -> Iterator[int]:
    """Yield where `name` stands as a whole word."""
    for found in re.finditer(re.escape(name), low):
        around = low[max(0, found.start() - 1) : found.start()] + low[found.end() : found.end() + 1]
        if not any(char.isalnum() for char in around):
            yield found.start()


def _weighed(kind: Kind, value: str) -> Kind:
    """Return the lesser kind for a key of which only a few characters are shown."""
    if kind not in SECRETS or not _MASK.search(value):
        return kind
    longest = max((len(run) for part in _MASK.split(value) for run in _ALNUM.findall(part)), default=0)
    return Kind.MASKED if longest < _HARMLESS else kind


def _merged(cuts: Iterator[_Cut]) -> list[_Cut]:
    """Join cuts that overlap; the graver kind names the whole."""
    merged: list[_Cut] = []
    for cut in sorted(cuts, key=lambda cut: (cut.start, _ORDER[cut.kind])):
        if merged and cut.start < merged[-1].end:
            last = merged[-1]
            kind = min(last.kind, cut.kind, key=_ORDER.__getitem__)
            merged[-1] = _Cut(last.start, max(last.end, cut.end), kind)
        else:
            merged.append(cut)
    return merged


def _without(text: str, cuts: list[_Cut]) -> str:
    parts: list[str] = []
    upto = 0
    for cut in cuts:
        parts += text[upto : cut.start], cut.kind.placeholder
        upto = cut.end
    return "".join(parts) + text[upto:]
