"""Find thousands of pieces of text in one pass, however many there are: literal output, words, and phrases of words.

A phrase is written by a person: `cut|stopped halfway|mid answer|reply` asks for one word of every group, in any order
and close together. `stop*` stands for every word that begins so, `cut_off` for two words in a row. A phrase that ends
in `?` is only a hint: enough to offer a guide, not to choose it. One that begins with `^` asks for its groups in order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import ahocorasick

from bot.core.frozen import frozen
from bot.core.recogniser.normalise import EAST, Normal, words

LONG = 12
"""Literal output of several words and at least so many characters is found across line breaks inside words."""

_NEAR, _NEAR_EAST, _NEXT, _MORE = 56, 24, 16, 18
_FIRST_EAST = "\u3040"


T = TypeVar("T")


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


class _Forms(Generic[T]):
    """Pieces of text, each with what it stands for, that are found in one pass however many they are.

    They are looked for byte by byte: of the letters of all scripts hundreds would be tried in turn at every place.
    """

    def __init__(self, forms: Mapping[str, T]) -> None:
        self._automaton = ahocorasick.Automaton()
        for form, meaning in forms.items():
            self._automaton.add_word(form.encode().decode("latin-1"), meaning)
        self._automaton.make_automaton()

    def find(self, text: str) -> list[tuple[int, T]]:
        """Return where in `text` each piece ends, and what it stands for, in the order of these ends."""
        if not len(self._automaton):
            return []
        if text.isascii():
            return [(end + 1, meaning) for end, meaning in self._automaton.iter(text)]
        found: list[tuple[int, T]] = []
        data = text.encode()
        letters = begin = 0
        for end, meaning in self._automaton.iter(data.decode("latin-1")):
            letters += len(data[begin : end + 1].decode())
            begin = end + 1
            found.append((letters, meaning))
        return found


class Literals:
    """Literal pieces of program output, each with a key; a text's pieces are found in one pass over each form.

    Pieces are words as `words` has them, without the blanks around them.
    """

    def __init__(self, pieces: Iterable[tuple[str, int]]) -> None:
        long: dict[str, tuple[int, tuple[int, ...]]] = {}
        short: dict[str, tuple[int, tuple[int, ...]]] = {}
        for text, key in pieces:
            spaced, squeezed = f" {text} ", text.replace(" ", "")
            if not squeezed:
                continue
            # Several words are broken anywhere by narrow panes, and East Asian ones have no blanks around them.
            # A single word stands for itself: `NotFoundError` is no `ModuleNotFoundError`.
            anywhere = (len(squeezed) >= LONG and " " in text) or EAST.search(squeezed)
            forms, form = (long, squeezed) if anywhere else (short, spaced)
            length, keys = forms.get(form, (len(form), ()))
            forms[form] = (length, (*keys, key))
        self._long = _Forms(long)
        self._short = _Forms({form: found for form, found in short.items() if not _is_word(form)})
        self._words = {form[1:-1]: keys for form, (_, keys) in short.items() if _is_word(form)}

    def find(self, text: Normal) -> list[Found]:
        """Return all pieces of a text in the order of their ends, short ones last."""
        found: list[Found] = []
        squeezed, ends = text.squeezed, text.ends
        for end, (length, keys) in self._long.find(squeezed):
            start = end - length
            if not start or ends[bisect_left(ends, start)] == start or squeezed[start] > _FIRST_EAST:
                found += [Found(key, start, length, squeezed=True) for key in keys]
        short = [(end - 1, length - 2, keys) for end, (length, keys) in self._short.find(text.spaced)]
        for word in self._words.keys() & text.each:
            short += [(end, end - start, self._words[word]) for start, end in _all(word, text.spaced)]
        for end, length, keys in sorted(short, key=_sooner):
            found += [Found(key, end - length, length) for key in keys]
        return found


@frozen
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
        # Whole words are looked up, which is sooner done than searching for them.
        self._whole = {form[1:-1]: number for form, number in self._forms.items() if _is_word(form)}
        self._rest = _Forms({form: _reach(form, n) for form, n in self._forms.items() if not _is_word(form)})

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every whole Latin word the phrases are made of."""
        return frozenset(w for form in self._forms if form.endswith(" ") for w in form.split() if not EAST.search(w))

    def find(self, text: Normal) -> list[tuple[Found, bool]]:
        """Return every phrase of a text where it is first complete, and whether it is only a hint."""
        places = self._places(text)
        found = [
            (Found(phrase.key, start, end - start), phrase.hint)
            for number in places.there & self._alone.keys()
            for start, end in places.spots(number)[:1]
            for phrase in self._alone[number]
        ]
        several = self._several(places)
        return found + [(Found(phrase.key, start, end - start), phrase.hint) for (start, end), phrase in several]

    def part(self, text: Normal) -> tuple[dict[int, int], list[tuple[int, int]]]:
        """Return how many words are there for each key below `everywhere`; from it on, where each key's begin."""
        places = self._places(text)
        counts: dict[int, int] = {}
        begins: list[tuple[int, int]] = []
        for number in places.there & self._alone.keys():
            for phrase in self._alone[number]:
                key = phrase.key
                if key < self._everywhere:
                    counts[key] = counts.get(key, 0) + 1
                else:
                    begins += [(key, start) for start, _ in places.spots(number)]
        for (start, _), phrase in self._several(places):
            if phrase.key < self._everywhere:
                counts[phrase.key] = counts.get(phrase.key, 0) + 1
            else:
                begins.append((phrase.key, start))
        return counts, begins

    def _several(self, places: _Places) -> Iterator[tuple[Spot, Phrase]]:
        """Yield the phrases of several groups where they are first complete."""
        present = frozenset().union(*map(self._uses.__getitem__, places.there & self._uses.keys()))
        for group in present & self._anchored.keys():
            for needed, phrase in self._anchored[group]:
                if needed <= present:
                    span = places.in_order(phrase) if phrase.ordered else places.together(phrase, group)
                    if span is not None:
                        yield span, phrase

    def _by_form(self, wanted: set[int]) -> dict[int, frozenset[int]]:
        """Return the wanted groups every form is a member of, for forms that are in any."""
        uses: dict[int, set[int]] = defaultdict(set)
        for group in wanted:
            for number in self._members[group]:
                uses[number].add(group)
        return {number: frozenset(groups) for number, groups in uses.items()}

    def _places(self, text: Normal) -> _Places:
        """Find what is there."""
        spots: dict[int, list[Spot]] = defaultdict(list)
        for end, (number, began, ended) in self._rest.find(text.spaced):
            spots[number].append((end - began, end - ended))
        whole = {self._whole[word]: word for word in self._whole.keys() & text.each}
        return _Places(self._members, whole, spots, text.spaced)

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
    if EAST.search(spaced):
        return spaced.strip()
    return spaced.rstrip() if word.endswith("*") else spaced


def _is_word(form: str) -> bool:
    """Say whether a form is one whole word."""
    return form[0] == form[-1] == " " and " " not in form[1:-1]


def _reach(form: str, number: int) -> tuple[int, int, int]:
    """Return how far before the end of a form its first word begins, and its last word ends."""
    return number, len(form.lstrip()), int(form.endswith(" "))


class _Places:
    """Where words and groups of them stand in one text; worked out when a phrase asks for it."""

    def __init__(
        self, members: Sequence[frozenset[int]], whole: Mapping[int, str], spots: dict[int, list[Spot]], spaced: str
    ) -> None:
        self._members, self._whole, self._spots, self._spaced = members, whole, spots, spaced
        self.there = whole.keys() | spots.keys()
        self._known: dict[int, list[Spot]] = {}

    def spots(self, number: int) -> list[Spot]:
        """Return the places of a form that is there, in order."""
        known = self._spots.get(number)
        if known is None:
            word = self._whole[number]
            known = self._spots[number] = _all(word, self._spaced)
        return known

    def of(self, group: int) -> list[Spot]:
        """Return the places of a group's words, in order."""
        known = self._known.get(group)
        if known is None:
            there = [self.spots(number) for number in self._members[group] & self.there]
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


def _all(word: str, spaced: str) -> list[Spot]:
    """Return every place of a whole word; two may share the blank between them."""
    form, length = f" {word} ", len(word) + 1
    spots: list[Spot] = []
    at = spaced.find(form)
    while at >= 0:
        spots.append((at + 1, at + length))
        at = spaced.find(form, at + length)
    return spots


def _sooner(piece: tuple[int, int, tuple[int, ...]]) -> tuple[int, int]:
    """Sort pieces by their ends, and the longer of two that end together first."""
    return piece[0], -piece[1]
