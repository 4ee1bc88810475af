"""Misspelt words, set right against the vocabulary of the guides: one letter wrong, missing, added or swapped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from rapidfuzz.distance import OSA

_SHORTEST, _LONG = 6, 9


class Typos:
    """Knows every word of a vocabulary, and every word with one letter left out."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._known = frozenset(vocabulary)
        self._near: dict[str, list[str]] = defaultdict(list)
        for word in sorted(self._known):
            if len(word) >= _SHORTEST:
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


def _shortened(word: str) -> Iterator[str]:
    yield word
    for n in range(len(word)):
        yield word[:n] + word[n + 1 :]
