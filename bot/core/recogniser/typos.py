"""Output and words typed from memory: single words set right, and signs that are almost there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

_SHORTEST, _LONG = 7, 9
_RARE, _FEW, _LIKE = 60, 12, 88
_WORDS, _SPARE = 3, 4


class Typos:
    """Knows every word of a vocabulary, and every word with one letter left out."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._known = frozenset(vocabulary)
        self._near: dict[str, list[str]] = defaultdict(list)
        for word in sorted(self._known):
            if len(word) >= _SHORTEST and word.isalpha():
                for form in _shortened(word):
                    self._near[form].append(word)

    def correct(self, spaced: str) -> str:
        """Return `spaced` with each misspelt word replaced by the one it is closest to."""
        return f" {' '.join(map(self._correct, spaced.split()))} "

    def _correct(self, word: str) -> str:
        if len(word) < _SHORTEST or word in self._known or not word.isascii() or not word.isalpha():
            return word
        allowed = 2 if len(word) >= _LONG else 1
        near = {known for form in _shortened(word) for known in self._near.get(form, ())}
        scored = [(OSA.distance(word, known, score_cutoff=allowed), known) for known in sorted(near)]
        distance, best = min(scored, default=(allowed + 1, word))
        return best if 0 < distance <= allowed else word


class Alike:
    """Finds the sign that a short text almost is, by the rarest words they share."""

    def __init__(self, signs: Sequence[tuple[str, str]]) -> None:
        self._signs = [(form, guide) for form, guide in signs if form.count(" ") >= _WORDS]
        self._with: dict[str, list[int]] = defaultdict(list)
        for number, (form, _) in enumerate(self._signs):
            for word in set(form.split()):
                self._with[word].append(number)

    def find(self, spaced: str) -> str:
        """Return the guide whose sign `spaced` almost is, or an empty text."""
        shared: dict[int, float] = defaultdict(float)
        for word in set(spaced.split()):
            numbers = self._with.get(word, ())
            if len(numbers) <= _RARE:
                for number in numbers:
                    shared[number] += 1 / len(numbers)
        best = sorted(shared, key=lambda number: -shared[number])[:_FEW]
        text = spaced.strip()
        near = [self._signs[n] for n in best if len(self._signs[n][0]) < len(text) + _SPARE]
        scored = [(fuzz.partial_ratio(form, text, score_cutoff=_LIKE), guide) for form, guide in near]
        score, guide = max(scored, default=(0.0, ""))
        return guide if score >= _LIKE else ""


def _shortened(word: str) -> Iterator[str]:
    yield word
    for n in range(len(word)):
        yield word[:n] + word[n + 1 :]
