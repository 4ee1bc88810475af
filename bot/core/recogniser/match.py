"""Find thousands of pieces of text in one pass, however many there are: literal output, words, and phrases of words.

A phrase is written by a person: `cut|stopped halfway|mid answer|reply` asks for one word of every group, in any order
and close together. `stop*` stands for every word that begins so, `cut_off` for two words in a row. A phrase that ends
in `?` is only a hint: enough to offer a guide, not to choose it. One that begins with `^` asks for its groups in order.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import ahocorasick

from bot.core.recogniser.normalise import Normal, words

LONG = 12
"""Literal output of several words and at least so many characters is found across line breaks inside words."""

_NEAR, _NEAR_EAST, _NEXT, _MORE = 56, 24, 16, 18
_FIRST_EAST = "\u3040"
_EAST = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Found(NamedTuple):
    """A piece that was found: `key` as it was added, where it begins in `spaced` or `squeezed`, and its length.

    A tuple, because a hundred are made for every text, three times as fast as dataclasses are.
    """

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
            # Several words are broken anywhere by narrow panes, and East Asian ones have no blanks around them.
            # A single word stands for itself: `NotFoundError` is no `ModuleNotFoundError`.
            anywhere = (len(squeezed) >= LONG and " " in spaced.strip()) or _EAST.search(squeezed)
            automaton, form = (self._long, squeezed) if anywhere else (self._short, spaced)
            keys, _ = automaton.get(form, ((), 0))
            automaton.add_word(form, ((*keys, key), len(form)))
        self._long.make_automaton()
        self._short.make_automaton()

    def find(self, spaced: str, squeezed: str) -> list[Found]:
        """Return all pieces of a text in the order of their ends, short ones last."""
        found: list[Found] = []
        if len(self._long):
            begins = {0, *accumulate(map(len, spaced.split()))}
            for end, (keys, length) in self._long.iter(squeezed):
                start = end + 1 - length
                if start in begins or squeezed[start] > _FIRST_EAST:
                    found += [Found(key, start, length, squeezed=True) for key in keys]
        if len(self._short):
            for end, (keys, length) in self._short.iter(spaced):
                found += [Found(key, end + 2 - length, length - 2) for key in keys]
        return found


@dataclass(frozen=True, slots=True)
class Phrase:
    """A compiled phrase: the ids of its groups, and what finding it means."""

    groups: tuple[int, ...]
    key: int
    hint: bool
    ordered: bool


Spot = tuple[int, int]
"""Where words begin and end in `spaced`."""


class Phrases:
    """Phrases in people's words, each with a key; several phrases may share one.

    everywhere: what `part` only counts is below this key; from it on, all places are told.
    """

    def __init__(self, phrases: Iterable[tuple[str, int]], *, everywhere: int = 0) -> None:
        self._everywhere = everywhere
        self._forms: dict[str, int] = {}
        self._groups: dict[frozenset[int], int] = {}
        self._read: dict[str, frozenset[int]] = {}
        compiled = [phrase for phrase in (self._compile(text, key) for text, key in phrases) if phrase.groups]
        self._members = list(self._groups)
        several = [phrase for phrase in compiled if len(phrase.groups) > 1]
        self._uses = self._by_form({group for phrase in several for group in phrase.groups})
        self._anchored = _anchored(several)
        self._alone: dict[int, list[Phrase]] = defaultdict(list)
        for phrase in compiled:
            if len(phrase.groups) == 1:
                for number in self._members[phrase.groups[0]]:
                    self._alone[number].append(phrase)
        self._counted: dict[str, list[int]] = {}
        self._automaton = ahocorasick.Automaton()
        for form, number in self._forms.items():
            if self._only_counted(form, number):
                self._counted[form.strip()] = [phrase.key for phrase in self._alone.pop(number)]
                continue
            # Of the last letter of a form: how far its first word begins before, and its last word ends behind.
            began, ended = len(form.lstrip()) - 1, int(not form.endswith(" "))
            self._automaton.add_word(form, (number, began, ended))
        self._automaton.make_automaton()

    def _only_counted(self, form: str, number: int) -> bool:
        """Say whether a form is one whole word of which no place is asked for: a set finds those sooner."""
        if not form.endswith(" ") or " " in form.strip() or number in self._uses:
            return False
        return all(phrase.key < self._everywhere for phrase in self._alone.get(number, ()))

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every whole Latin word the phrases are made of."""
        return frozenset(w for form in self._forms if form.endswith(" ") for w in form.split() if not _EAST.search(w))

    def find(self, spaced: str) -> list[tuple[Found, bool]]:
        """Return every phrase of a text where it is first complete, and whether it is only a hint."""
        spots = self._spots(spaced)
        found = [
            (Found(phrase.key, start, end - start), phrase.hint)
            for number in spots.keys() & self._alone.keys()
            for start, end in spots[number][:1]
            for phrase in self._alone[number]
        ]
        return found + [(found, phrase.hint) for found, phrase in self._several(spots, spaced)]

    def part(self, spaced: str) -> tuple[Counter[int], list[Found]]:
        """Return how many words are there for each key below `everywhere`, and all that was found from it on."""
        spots = self._spots(spaced)
        there = self._counted.keys() & set(spaced.split())
        keys = Counter(key for word in there for key in self._counted[word])
        found: list[Found] = []
        for number in spots.keys() & self._alone.keys():
            for phrase in self._alone[number]:
                if phrase.key < self._everywhere:
                    keys[phrase.key] += 1
                else:
                    found += [Found(phrase.key, start, end - start) for start, end in spots[number]]
        for place, phrase in self._several(spots, spaced):
            if phrase.key < self._everywhere:
                keys[phrase.key] += 1
            else:
                found.append(place)
        return keys, found

    def _several(self, spots: Mapping[int, Sequence[Spot]], spaced: str) -> Iterator[tuple[Found, Phrase]]:
        """Yield the phrases of several groups where they are first complete."""
        present = frozenset().union(*(self._uses[number] for number in spots.keys() & self._uses.keys()))
        places = _Places(self._members, spots, spaced)
        for group in present & self._anchored.keys():
            for needed, phrase in self._anchored[group]:
                if needed <= present:
                    span = places.in_order(phrase) if phrase.ordered else places.together(phrase, group)
                    if span is not None:
                        yield Found(phrase.key, span[0], span[1] - span[0]), phrase

    def _by_form(self, wanted: set[int]) -> dict[int, frozenset[int]]:
        """Return the wanted groups every form is a member of, for forms that are in any."""
        uses: dict[int, set[int]] = defaultdict(set)
        for group in wanted:
            for number in self._members[group]:
                uses[number].add(group)
        return {number: frozenset(groups) for number, groups in uses.items()}

    def _spots(self, spaced: str) -> dict[int, list[Spot]]:
        """Return the places of every word that is there."""
        spots: dict[int, list[Spot]] = defaultdict(list)
        if len(self._automaton):
            for at, (number, began, ended) in self._automaton.iter(spaced):
                spots[number].append((at - began, at + ended))
        return spots

    def _compile(self, text: str, key: int) -> Phrase:
        """Read a phrase; groups of the same words are one group, however many phrases use it."""
        groups: list[int] = []
        for group in text.removesuffix("?").removeprefix("^").split():
            members = self._read.get(group)
            if members is None:
                forms = sorted({form for form in map(_form, group.split("|")) if form.strip()})
                members = frozenset(self._forms.setdefault(form, len(self._forms)) for form in forms)
                self._read[group] = members
            if members:
                groups.append(self._groups.setdefault(members, len(self._groups)))
        return Phrase(tuple(groups), key, hint=text.endswith("?"), ordered=text.startswith("^"))


def _anchored(phrases: Sequence[Phrase]) -> Mapping[int, Sequence[tuple[frozenset[int], Phrase]]]:
    """Hang every phrase on its rarest group, so that common words wake up few phrases."""
    uses = Counter(group for phrase in phrases for group in set(phrase.groups))
    anchored: dict[int, list[tuple[frozenset[int], Phrase]]] = defaultdict(list)
    for phrase in phrases:
        anchored[min(phrase.groups, key=lambda group: uses[group])].append((frozenset(phrase.groups), phrase))
    return anchored


def _form(word: str) -> str:
    """Return the form in which a phrase's word is looked for: whole, as a beginning (`stop*`), or anywhere (CJK)."""
    spaced = words(word.replace("_", " "))
    if _EAST.search(spaced):
        return spaced.strip()
    return spaced.rstrip() if word.endswith("*") else spaced


class _Places:
    """Where the groups of phrases stand in one text; worked out for a group when a phrase asks for it."""

    def __init__(self, members: Sequence[frozenset[int]], spots: Mapping[int, Sequence[Spot]], spaced: str) -> None:
        self._members, self._spots, self._spaced = members, spots, spaced
        self._known: dict[int, list[Spot]] = {}

    def of(self, group: int) -> list[Spot]:
        """Return the places of a group's words, in order."""
        known = self._known.get(group)
        if known is None:
            there = [self._spots[number] for number in self._members[group] & self._spots.keys()]
            known = list(there[0]) if len(there) == 1 else sorted(spot for spots in there for spot in spots)
            self._known[group] = known
        return known

    def together(self, phrase: Phrase, rarest: int) -> Spot | None:
        """Return the first place where one word of every group is near the others."""
        others = [self.of(group) for group in phrase.groups if group != rarest]
        more = _MORE * (len(others) - 1)
        for start, end in self.of(rarest):
            first, last = start, end
            for hits in others:
                begins, ends = hits[0] if len(hits) == 1 else _nearest(hits, start)
                first = min(first, begins)
                last = max(last, ends)
            if last - first <= _NEAR + more and (last - first <= _NEAR_EAST + more or not self._east(start, last)):
                return first, last
        return None

    def _east(self, start: int, last: int) -> bool:
        """Say whether the words are Chinese, Japanese or Korean, where fewer characters say as much."""
        return self._spaced[start] > _FIRST_EAST or self._spaced[last - 1] > _FIRST_EAST

    def in_order(self, phrase: Phrase) -> Spot | None:
        """Return the first place where the groups follow each other closely."""
        for first, end in self.of(phrase.groups[0]):
            last = end
            for group in phrase.groups[1:]:
                hits = self.of(group)
                at = bisect_left(hits, (last - 1, 0))
                if at == len(hits) or hits[at][0] - last > _NEXT:
                    break
                last = hits[at][1]
            else:
                return first, last
        return None


def _nearest(hits: Sequence[Spot], start: int) -> Spot:
    """Return the spot that begins nearest to `start`."""
    at = bisect_left(hits, (start, 0))
    if at == len(hits) or (at and start - hits[at - 1][0] < hits[at][0] - start):
        at -= 1
    return hits[at]
