"""How much every word speaks for every guide: a sum of weights out of a table that people can read.

The table (`content/products/weights.toml`) is learnt from labelled reports by `python -m tests.learn`. A hint is a
word, two words in a row, one or two characters of East Asian writing, the beginning of a longer word (`conn*`), or
what stands near a name (`c>works`: close behind Claude's; `slow>o`: close before another product's).
A mark, written `=sign timeout`, is something that was seen in the text besides its words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

_FIRST, _LAST = 110, 40
"""Words at the beginning and at the end of a text that are weighed; what is printed in between is found as output."""
_BEGINNINGS = (3, 4, 6)
_EAST = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_LANE, _ZERO = 24, 512
"""Bits a guide's sum has in the packed numbers, and what stands for nought in them: a lane never holds less."""
_MASK = (1 << _LANE) - 1
_SCALE = 10
"""Weights are whole numbers of tenths."""
_LEAST_SAID = 10
"""Hints a text is counted as at least: of two words each says little."""
_SPAN = 5
"""Most words that are quoted as a reason."""
MARK_SHARE = 0.25
"""How much one mark counts beside all words together."""
SHARPNESS = 2.0
"""Makes shares as sure as they prove to be: learnt weights are held small and sound less sure than they are."""


def weighed(said: Sequence[str]) -> Sequence[str]:
    """Return those of the words of a text that are weighed, in their order."""
    return said if len(said) <= _FIRST + _LAST else [*said[:_FIRST], *said[-_LAST:]]


def hints(said: Sequence[str]) -> set[str]:
    """Return the words, pairs of words and East Asian characters of a text that may have a weight."""
    found = {*said, *map(" ".join, pairwise(said))}
    text = " ".join(said)
    if not text.isascii():
        for run in _EAST.findall(text):
            found.update(run)
            found.update(map("".join, pairwise(run)))
    return found


def beginnings(said: Iterable[str]) -> set[str]:
    """Return how the longer words of a text begin: one form of a word speaks for others, and a typo costs little."""
    found: set[str] = set()
    longer: Iterable[str] = set(said)
    for length in _BEGINNINGS:
        longer = [word for word in longer if len(word) > length]
        found.update([f"{word[:length]}*" for word in longer])
    return found


def part_of(known: int) -> float:
    """Return how much one hint counts in a text of so many known ones."""
    return 1 / math.sqrt(max(known, _LEAST_SAID))


class Weights:
    """The table, packed: the weights of a hint for all guides are one number, so that a sum is one addition a hint."""

    def __init__(self, guides: Sequence[str] = (), packed: Mapping[str, bytes] = MappingProxyType({})) -> None:
        """Take what `as_known` gave."""
        self.guides = tuple(guides)
        self._lanes = {guide: n * _LANE for n, guide in enumerate(self.guides)}
        self._packed = {hint: int.from_bytes(row, "little") for hint, row in packed.items()}

    @classmethod
    def of(cls, table: Mapping[str, str]) -> Weights:
        """Return the weights of a table as people write it."""
        rows = {hint: _row(text) for hint, text in table.items()}
        found = cls(sorted({guide for row in rows.values() for guide in row}))
        nought = sum(_ZERO << lane for lane in found._lanes.values())
        found._packed = {
            hint: nought + sum(weight << found._lanes[guide] for guide, weight in row.items())
            for hint, row in rows.items()
        }
        return found

    def as_known(self) -> tuple[tuple[str, ...], Mapping[str, bytes]]:
        """Return what makes these weights again, at a tenth of the time of reading their table."""
        size = len(self.guides) * _LANE // 8
        return self.guides, {hint: row.to_bytes(size, "little") for hint, row in self._packed.items()}

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every whole Latin word that has a weight."""
        return frozenset(hint for hint in self._packed if hint.isascii() and hint.isalpha())

    def shares(self, said: Iterable[Collection[str]], marks: Collection[str]) -> dict[str, float]:
        """Return for every guide, for `none` and for `ask` how likely it is; together they are 1.

        said: hints, a collection of each kind. Every kind counts the same, however many hints of it there are.
        """
        if not self.guides:
            return {}
        scores = [MARK_SHARE * much for much in self._sums(marks)[0]]
        for kind in said:
            sums, known = self._sums(kind)
            part = part_of(known)
            scores = [score + part * much for score, much in zip(scores, sums, strict=True)]
        top = max(scores)
        powers = [math.exp(SHARPNESS / _SCALE * (score - top)) for score in scores]
        whole = sum(powers)
        return {guide: power / whole for guide, power in zip(self.guides, powers, strict=True)}

    def reason(self, said: Sequence[str], guide: str) -> tuple[int, int] | None:
        """Return where the few words in a row begin that speak most for `guide`, and their length, if any do."""
        lane = self._lanes.get(guide)
        if lane is None:
            return None
        said = said[:_FIRST]
        worth = self._worths(said, lane)
        best, first, last = 0, 0, 0
        for begin in (n for n, much in enumerate(worth) if much > 0):
            so_far = 0
            for end, much in enumerate(worth[begin : begin + _SPAN], begin + 1):
                so_far += much
                if so_far > best or (so_far == best and end - begin < last - first):
                    best, first, last = so_far, begin, end
        if not best:
            return None
        return sum(map(len, said[:first])) + first + 1, len(" ".join(said[first:last]))

    def _worths(self, said: Sequence[str], lane: int) -> list[int]:
        """Return what each word and its pair with the word before it say for the guide of `lane`."""
        worths: list[int] = []
        before = ""
        for word in said:
            keys = {word} if word.isascii() else hints([word])
            keys |= {f"{before} {word}"}
            keys |= {f"{word[:length]}*" for length in _BEGINNINGS if len(word) > length}
            worths.append(sum([(self._packed[key] >> lane & _MASK) - _ZERO for key in self._packed.keys() & keys]))
            before = word
        return worths

    def _sums(self, keys: Collection[str]) -> tuple[list[int], int]:
        """Return what those of the keys that are known say for every guide, and how many they are."""
        known = self._packed.keys() & keys
        total, nought = sum(map(self._packed.__getitem__, known)), _ZERO * len(known)
        return [(total >> lane & _MASK) - nought for lane in self._lanes.values()], len(known)


def table_of(weights: Mapping[str, Mapping[str, float]], guides: Collection[str], least: int) -> dict[str, str]:
    """Return learnt weights as the text of a table, without those smaller than `least` tenths."""
    rows: dict[str, str] = {}
    for hint, row in weights.items():
        whole = {guide: max(1 - _ZERO, min(_ZERO - 1, round(_SCALE * row[guide]))) for guide in guides}
        shown = [f"{guide} {weight}" for guide, weight in whole.items() if abs(weight) >= least]
        if shown:
            rows[hint] = ", ".join(shown)
    return rows


def _row(text: str) -> dict[str, int]:
    """Read `timeout 12, overloaded -3`."""
    parts = (part.split() for part in text.split(","))
    return {guide: max(1 - _ZERO, min(_ZERO - 1, int(weight))) for guide, weight in parts}
