"""How much every word speaks for every guide: a sum of weights out of a table that people can read.

The table (`content/products/weights.toml`) is learnt from labelled reports by `python -m tests.learn`. A hint is a
word, two words in a row, one or two characters of East Asian writing, the beginning of a longer word (`conn*`), or
what stands near a name (`c>works`: close behind Claude's; `slow>o`: close before another product's).
A mark, written `=sign timeout`, is something that was seen in the text besides its words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from struct import unpack
from types import MappingProxyType

_FIRST, _LAST = 110, 40
"""Words at the beginning and at the end of a text that are weighed; what is printed in between is found as output."""
_BEGINNINGS = (3, 4, 6)
_EAST = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_LANE, _ZERO = 32, 512
"""Bits a guide's sum has in the packed numbers, and what stands for nought in them: a lane never holds less."""
_MASK = (1 << _LANE) - 1
_WORDS = 8_192
"""Words of which is remembered what they say: a text has a few hundred, and most are in the next as well."""
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
    return pairs(said).union(said)


def pairs(said: Sequence[str]) -> set[str]:
    """Return the hints of a text that are no words of it: two words in a row, East Asian characters."""
    found = set(map(" ".join, pairwise(said)))
    if not "".join(said).isascii():
        for run in _EAST.findall(" ".join(said)):
            found.update(run)
            found.update(map("".join, pairwise(run)))
        found.difference_update(said)
    return found


def beginnings(said: Iterable[str]) -> list[str]:
    """Return how the longer words of a text begin: one form of a word speaks for others, and a typo costs little."""
    return [beginning for word in set(said) for beginning in _beginnings(word)]


def _beginnings(word: str) -> list[str]:
    return [f"{word[:length]}*" for length in _BEGINNINGS if len(word) > length]


def part_of(known: int) -> float:
    """Return how much one hint counts in a text of so many known ones."""
    return 1 / math.sqrt(max(known, _LEAST_SAID))


class Weights:
    """The table, packed: the weights of a hint for all guides are one number, so that a sum is one addition a hint."""

    def __init__(self, guides: Sequence[str] = (), packed: Mapping[str, bytes] = MappingProxyType({})) -> None:
        """Take what `as_known` gave."""
        self.guides = tuple(guides)
        self._lanes = {guide: n * _LANE for n, guide in enumerate(self.guides)}
        # One lane more counts how many were added.
        self._bits = (len(self.guides) + 1) * _LANE
        self._packed = {hint: int.from_bytes(row, "little") for hint, row in packed.items()}
        self._word = lru_cache(_WORDS)(self._with_beginnings)

    @classmethod
    def of(cls, table: Mapping[str, str]) -> Weights:
        """Return the weights of a table as people write it."""
        rows = {hint: _row(text) for hint, text in table.items()}
        found = cls(sorted({guide for row in rows.values() for guide in row}))
        nought = sum(_ZERO << lane for lane in found._lanes.values()) + (1 << len(found.guides) * _LANE)
        found._packed = {
            hint: nought + sum(weight << found._lanes[guide] for guide, weight in row.items())
            for hint, row in rows.items()
        }
        return found

    def as_known(self) -> tuple[tuple[str, ...], Mapping[str, bytes]]:
        """Return what makes these weights again, at a tenth of the time of reading their table."""
        return self.guides, {hint: row.to_bytes(self._bits // 8, "little") for hint, row in self._packed.items()}

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every whole Latin word that has a weight."""
        return frozenset(hint for hint in self._packed if hint.isascii() and hint.isalpha())

    def shares(self, said: Sequence[str], near: Collection[str], marks: Collection[str]) -> dict[str, float]:
        """Return for every guide, for `none` and for `ask` how likely it is; together they are 1.

        said: the words of a text that are weighed; near: what stands near a name.
        Hints, beginnings and what is near count the same, however many there are of each.
        """
        if not self.guides:
            return {}
        (hinted, many), (begun, more), (close, few), (seen, _) = self._kinds(said, near, marks)
        one, two, three = part_of(many), part_of(more), part_of(few)
        scores = [
            MARK_SHARE * much + one * hint + two * beginning + three * word
            for much, hint, beginning, word in zip(seen, hinted, begun, close, strict=True)
        ]
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
            keys.update(_beginnings(word))
            worths.append(sum([(self._packed[key] >> lane & _MASK) - _ZERO for key in self._packed.keys() & keys]))
            before = word
        return worths

    def _kinds(self, said: Sequence[str], near: Iterable[str], marks: Iterable[str]) -> Iterator[tuple[list[int], int]]:
        """Yield what hints, beginnings, what is near, and marks say for every guide, and how many are known of each."""
        words = sum(filter(None, map(self._word, set(said))), self._sum(pairs(said)))
        others = self._sum(near) + (self._sum(marks) << self._bits)
        return self._unpacked(words + (others << 2 * self._bits), 4)

    def _with_beginnings(self, word: str) -> int:
        """Return what a word says, and packed beside it what its beginnings say."""
        return self._packed.get(word, 0) + (self._sum(_beginnings(word)) << self._bits)

    def _sum(self, keys: Iterable[str]) -> int:
        """Return, packed, what those of the keys that are known say."""
        return sum(filter(None, map(self._packed.get, keys)))

    def _unpacked(self, total: int, kinds: int) -> Iterator[tuple[list[int], int]]:
        """Yield what each of the sums packed in `total` says for every guide, and how many hints it is made of."""
        lanes = len(self.guides) + 1
        values = unpack(f"<{kinds * lanes}I", total.to_bytes(kinds * self._bits // 8, "little"))
        for at in range(0, len(values), lanes):
            *sums, known = values[at : at + lanes]
            yield [much - _ZERO * known for much in sums], known


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
