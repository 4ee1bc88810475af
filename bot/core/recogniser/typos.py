"""Output and words typed from memory: single words set right, and signs that are almost there."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

_SHORTEST = 7
_RARE, _FEW, _LIKE = 60, 12, 88
_WORDS, _SPARE = 3, 4


class Typos:
    """Knows every word of a vocabulary by how it begins and how it ends: one mistake leaves one of them as it is."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._known = frozenset(vocabulary)
        long = [word for word in self._known if len(word) >= _SHORTEST and word.isalpha()]
        self._forwards, self._backwards = sorted(long), sorted([word[::-1] for word in long])

    def correct(self, spaced: str) -> str:
        """Return `spaced` with each misspelt word replaced by the one it is closest to."""
        return f" {' '.join(map(self._correct, spaced.split()))} "

    def _correct(self, word: str) -> str:
        if len(word) < _SHORTEST or word in self._known or not word.isascii() or not word.isalpha():
            return word
        half = (len(word) - 1) // 2
        near = _beginning(self._forwards, word[:half])
        near += [known[::-1] for known in _beginning(self._backwards, word[: -half - 1 : -1])]
        best = process.extractOne(word, sorted(near), scorer=OSA.distance, score_cutoff=1)
        return best[0] if best else word


class Alike:
    """Finds the sign that a short text almost is, by the rarest words they share."""

    def __init__(self, signs: Sequence[tuple[str, str]]) -> None:
        self._signs = [(form, guide) for form, guide in signs if form.count(" ") >= _WORDS]
        uses = Counter(" ".join([form for form, _ in self._signs]).split())
        self._with: dict[str, list[int]] = {word: [] for word, times in uses.items() if times <= _RARE}
        for number, (form, _) in enumerate(self._signs):
            for word in self._with.keys() & form.split():
                self._with[word].append(number)

    def find(self, spaced: str) -> str:
        """Return the guide whose sign `spaced` almost is, or an empty text."""
        shared: dict[int, float] = defaultdict(float)
        for word in self._with.keys() & spaced.split():
            numbers = self._with[word]
            for number in numbers:
                shared[number] += 1 / len(numbers)
        best = sorted(shared, key=lambda number: -shared[number])[:_FEW]
        text = spaced.strip()
        near = [self._signs[n] for n in best if len(self._signs[n][0]) < len(text) + _SPARE]
        scored = [(fuzz.partial_ratio(form, text, score_cutoff=_LIKE), guide) for form, guide in near]
        score, guide = max(scored, default=(0.0, ""))
        return guide if score >= _LIKE else ""


def _beginning(words: Sequence[str], start: str) -> list[str]:
    """Return those of sorted words that begin so."""
    return list(words[bisect_left(words, start) : bisect_left(words, f"{start}\U0010ffff")])
