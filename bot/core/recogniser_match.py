"""Find thousands of pieces of text in one pass, however many there are: literal output, words, and phrases of words.

A phrase is written by a person: `cut|stopped halfway|mid answer|reply` asks for one word of every group, in any order
and close together. `stop*` stands for every word that begins so, `cut_off` for two words in a row. A phrase that ends
in `?` is only a hint: enough to offer a guide, not to choose it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import ahocorasick

from bot.core.normalise import Normal, words

LONG = 12
"""Literal output of at least so many characters is found across line breaks inside words."""

_NEAR, _NEAR_EAST = 46, 16
_EAST = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Found:
    """A piece that was found: `key` as it was added, where it begins in `spaced` or `squeezed`, and its length."""

    key: int
    start: int
    length: int
    squeezed: bool = False

    def place(self, text: Normal) -> tuple[int, int]:
        """Return start and length in `text.spaced`."""
        return text.unsqueeze(self.start, self.length) if self.squeezed else (self.start, self.length)


class Literals:
    """Literal pieces of program output, each with a key; a text's pieces are found in one pass over each form."""

    def __init__(self, pieces: Iterable[tuple[str, int]]) -> None:
        self._long = ahocorasick.Automaton()
        self._short = ahocorasick.Automaton()
        for text, key in pieces:
            spaced = words(text)
            squeezed = spaced.replace(" ", "")
            if not squeezed:
                continue
            long = len(squeezed) >= LONG
            automaton, form = (self._long, squeezed) if long else (self._short, spaced)
            keys, _ = automaton.get(form, ((), 0))
            automaton.add_word(form, ((*keys, key), len(form)))
        self._long.make_automaton()
        self._short.make_automaton()

    def find(self, spaced: str, squeezed: str) -> list[Found]:
        """Return all pieces of a text in the order of their ends, short ones last."""
        found: list[Found] = []
        if len(self._long):
            for end, (keys, length) in self._long.iter(squeezed):
                found += [Found(key, end + 1 - length, length, squeezed=True) for key in keys]
        if len(self._short):
            for end, (keys, length) in self._short.iter(spaced):
                found += [Found(key, end + 2 - length, length - 2) for key in keys]
        return found


@dataclass(frozen=True, slots=True)
class Phrase:
    """A compiled phrase: for every group the ids of its words."""

    groups: tuple[tuple[int, ...], ...]
    near: int
    hint: bool


class Phrases:
    """Phrases in people's words, each with a key."""

    def __init__(self, phrases: Iterable[tuple[str, int]]) -> None:
        self._ids: dict[str, int] = {}
        self._phrases: list[tuple[Phrase, int]] = [(self._compile(text), key) for text, key in phrases]
        self._automaton = ahocorasick.Automaton()
        for form, number in self._ids.items():
            self._automaton.add_word(form, (number, len(form)))
        self._automaton.make_automaton()
        self._anchored = self._anchor()

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every whole Latin word the phrases are made of."""
        return frozenset(w for form in self._ids if form.endswith(" ") for w in form.split() if not _EAST.search(w))

    def find(self, spaced: str) -> list[tuple[Found, bool]]:
        """Return every phrase of a text once, where it is first complete, and whether it is only a hint."""
        places = self._places(spaced)
        found: list[tuple[Found, bool]] = []
        seen: set[int] = set()
        for number in places:
            for index in self._anchored.get(number, ()):
                if index in seen:
                    continue
                phrase, key = self._phrases[index]
                span = _together(phrase, places)
                if span is not None:
                    seen.add(index)
                    found.append((Found(key, span[0], span[1] - span[0]), phrase.hint))
        return found

    def places(self, spaced: str) -> list[tuple[int, int]]:
        """Return where any word of any phrase begins and ends."""
        return [spot for spots in self._places(spaced).values() for spot in spots]

    def _places(self, spaced: str) -> dict[int, list[tuple[int, int]]]:
        places: dict[int, list[tuple[int, int]]] = defaultdict(list)
        if len(self._automaton):
            for end, (number, length) in self._automaton.iter(spaced):
                start = end + 1 - length
                places[number].append((start + (spaced[start] == " "), end + (spaced[end] != " ")))
        return places

    def _compile(self, text: str) -> Phrase:
        hint = text.endswith("?")
        groups = tuple(
            tuple(self._ids.setdefault(form, len(self._ids)) for form in map(_form, group.split("|")) if form.strip())
            for group in text.removesuffix("?").split()
        )
        return Phrase(tuple(g for g in groups if g), _NEAR_EAST if _EAST.search(text) else _NEAR, hint)

    def _anchor(self) -> Mapping[int, Sequence[int]]:
        """Hang every phrase on its rarest group, so that common words wake up few phrases."""
        uses: dict[int, int] = defaultdict(int)
        for phrase, _ in self._phrases:
            for number in {n for group in phrase.groups for n in group}:
                uses[number] += 1
        anchored: dict[int, list[int]] = defaultdict(list)
        for index, (phrase, _) in enumerate(self._phrases):
            if phrase.groups:
                for number in min(phrase.groups, key=lambda group: sum(uses[n] for n in group)):
                    anchored[number].append(index)
        return anchored


def _form(word: str) -> str:
    """Return the form in which a phrase's word is looked for: whole, as a beginning (`stop*`), or anywhere (CJK)."""
    spaced = words(word.replace("_", " "))
    if _EAST.search(spaced):
        return spaced.strip()
    return spaced.rstrip() if word.endswith("*") else spaced


def _together(phrase: Phrase, places: Mapping[int, Sequence[tuple[int, int]]]) -> tuple[int, int] | None:
    """Return the first place where one word of every group is near the others."""
    spots: list[list[tuple[int, int]]] = []
    for group in phrase.groups:
        hits = [spot for number in group for spot in places.get(number, ())]
        if not hits:
            return None
        spots.append(sorted(hits))
    if len(spots) == 1:
        return spots[0][0]
    reach = phrase.near + 8 * (len(spots) - 2)
    for start, end in min(spots, key=len):
        near = [_nearest(hits, start) for hits in spots]
        first = min(start, *(s for s, _ in near))
        last = max(end, *(e for _, e in near))
        if last - first <= reach:
            return first, last
    return None


def _nearest(hits: Sequence[tuple[int, int]], start: int) -> tuple[int, int]:
    after = bisect_left(hits, (start, 0))
    return min(hits[max(0, after - 1) : after + 1], key=lambda hit: abs(hit[0] - start))
