"""Find thousands of pieces of text in one pass, however many there are: literal output, words, and phrases of words.

A phrase is written by a person: `cut|stopped halfway|mid answer|reply` asks for one word of every group, in any order
and close together. `stop*` stands for every word that begins so, `cut_off` for two words in a row. A phrase that ends
in `?` is only a hint: enough to offer a guide, not to choose it. One that begins with `^` asks for its groups in order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Generic, NamedTuple, TypeVar

import ahocorasick

from bot.core.recogniser.normalise import EAST, Normal, words

LONG = 12
"""Literal output of several words and at least so many characters is found across line breaks inside words."""

_NEAR, _NEAR_EAST, _NEXT, _MORE = 56, 24, 16, 18
_FIRST_EAST = "\u3040"
_NO_FORM = -1


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
        self._long: dict[str, tuple[int, ...]] = {}
        self._short: dict[str, tuple[int, ...]] = {}
        for text, key in pieces:
            squeezed = text.replace(" ", "")
            # Several words are broken anywhere by narrow panes, and East Asian ones have no blanks around them.
            # A single word stands for itself: `NotFoundError` is no `ModuleNotFoundError`.
            if (len(squeezed) >= LONG and squeezed != text) or (not text.isascii() and EAST.search(text)):
                self._long[squeezed] = (*self._long.get(squeezed, ()), key)
            elif text:
                self._short[text] = (*self._short.get(text, ()), key)
        # Searched for by how they begin: all the rest of them would fill the memory.
        heads: dict[str, list[str]] = {}
        for form in self._long:
            heads.setdefault(form[:LONG], []).append(form)
        self._heads = _Forms({head: (len(head), forms) for head, forms in heads.items()})
        # Looked up by their rarest word.
        uses = Counter(word for text in self._short for word in text.split())
        self._by_word: dict[str, list[str]] = {}
        for text in self._short:
            self._by_word.setdefault(min(text.split(), key=uses.__getitem__), []).append(text)

    def find(self, text: Normal) -> list[Found]:
        """Return all pieces of a text in the order of their ends, short ones last."""
        squeezed, ends = text.squeezed, text.ends
        long: list[tuple[int, int, str]] = []
        for end, (length, forms) in self._heads.find(squeezed):
            start = end - length
            if not start or ends[bisect_left(ends, start)] == start or squeezed[start] > _FIRST_EAST:
                long += [(start + len(form), -len(form), form) for form in forms if squeezed.startswith(form, start)]
        pieces = [piece for word in self._by_word.keys() & text.each for piece in self._by_word[word]]
        short = [(end, start - end, piece) for piece in pieces for start, end in _all(piece, text.spaced)]
        # The longer of two that end together comes first.
        return [
            *(Found(key, end + less, -less, squeezed=True) for end, less, it in sorted(long) for key in self._long[it]),
            *(Found(key, end + less, -less) for end, less, it in sorted(short) for key in self._short[it]),
        ]


Group = tuple[int, ...]
"""The numbers of the forms of which a phrase asks for one."""
Spot = tuple[int, int]
"""Where words begin and end in `spaced`."""


class Phrase(NamedTuple):
    """A compiled phrase of several groups, and what finding it means: it is looked for where its first group is."""

    groups: tuple[Group, ...]
    key: int
    hint: bool
    ordered: bool


class Phrases:
    """Phrases in people's words, each with a key; several phrases may share one.

    everywhere: what `part` only counts is below this key; from it on, all places are told.
    """

    def __init__(self, phrases: Iterable[tuple[str, int]], *, everywhere: int = 0) -> None:
        self._everywhere = everywhere
        compiled = _Compiled()
        self._alone: dict[int, list[tuple[int, bool]]] = {}
        several: list[Phrase] = []
        for text, key in phrases:
            groups, hint = compiled.groups(text), text.endswith("?")
            if len(groups) > 1:
                several.append(Phrase(groups, key, hint, text.startswith("^")))
            for number in groups[0] if len(groups) == 1 else ():
                self._alone.setdefault(number, []).append((key, hint))
        self._several = list(_rarest_first(several))
        self._anchored: dict[int, list[int]] = {}
        for number, phrase in enumerate(self._several):
            for form in phrase.groups[0]:
                self._anchored.setdefault(form, []).append(number)
        # Whole words are looked up, which is sooner done than searching for them.
        self._whole, rest = compiled.whole, compiled.rest
        self._rest = _Forms({form: _reach(form, number) for form, number in rest.items()})
        self._words = {number: word for word, number in self._whole.items()}
        self._in_rest = frozenset(word for form in rest if form.endswith(" ") for word in form.split())

    @property
    def vocabulary(self) -> AbstractSet[str]:
        """Every whole Latin word the phrases are made of."""
        return self._whole.keys() | self._in_rest

    def find(self, text: Normal) -> list[tuple[Found, bool]]:
        """Return every phrase of a text where it is first complete, and whether it is only a hint."""
        places = self._places(text)
        found = [
            (Found(key, start, end - start), hint)
            for number in places.there & self._alone.keys()
            for start, end in places.spots(number)[:1]
            for key, hint in self._alone[number]
        ]
        several = self._complete(places)
        return found + [(Found(phrase.key, start, end - start), phrase.hint) for (start, end), phrase in several]

    def part(self, text: Normal) -> tuple[Mapping[int, int], Begins]:
        """Return how many words are there for each key below `everywhere`; from it on, where each key's begin."""
        places = self._places(text)
        counts: dict[int, int] = {}
        begins = Begins(places)
        for number in places.there & self._alone.keys():
            for key, _ in self._alone[number]:
                if key < self._everywhere:
                    counts[key] = counts.get(key, 0) + 1
                else:
                    begins.add(key - self._everywhere, number)
        for (start, _), phrase in self._complete(places):
            if phrase.key < self._everywhere:
                counts[phrase.key] = counts.get(phrase.key, 0) + 1
            else:
                begins.add_at(phrase.key - self._everywhere, start)
        return counts, begins

    def _complete(self, places: _Places) -> Iterator[tuple[Spot, Phrase]]:
        """Yield the phrases of several groups where they are first complete."""
        there = places.there
        woken = set[int]().union(*map(self._anchored.__getitem__, there & self._anchored.keys()))
        for number in woken:
            phrase = self._several[number]
            if not any(map(there.isdisjoint, phrase.groups)):
                span = places.in_order(phrase) if phrase.ordered else places.together(phrase)
                if span is not None:
                    yield span, phrase

    def _places(self, text: Normal) -> _Places:
        """Find what is there."""
        there = set(map(self._whole.__getitem__, self._whole.keys() & text.each))
        spots: dict[int, list[Spot]] = {}
        for end, (number, began, ended) in self._rest.find(text.spaced):
            spots.setdefault(number, []).append((end - began, end - ended))
        there.update(spots)
        return _Places(self._words, there, spots, text.spaced)


class _Compiled:
    """Phrases are read: forms get numbers, and groups of the same words are one object, however many phrases use it.

    A form is a whole word, or what is searched for: several words, a beginning (`stop*`), anything East Asian.
    """

    def __init__(self) -> None:
        self.whole: dict[str, int] = {}
        self.rest: dict[str, int] = {}
        self._read: dict[str, Group] = {}
        self._known: dict[Group, Group] = {}

    def groups(self, text: str) -> tuple[Group, ...]:
        """Return the groups of a phrase as it is written."""
        groups = map(self._group, text.removesuffix("?").removeprefix("^").split())
        return tuple(filter(None, groups))

    def _group(self, text: str) -> Group:
        group = self._read.get(text)
        if group is None:
            group = tuple(sorted({self._form(word) for word in text.split("|")} - {_NO_FORM}))
            group = self._read[text] = self._known.setdefault(group, group)
        return group

    def _form(self, word: str) -> int:
        """Return the number of the form in which a phrase's word is looked for."""
        if word.isascii() and word.isalnum():
            return self._number(self.whole, word.lower())
        form = words(word.replace("_", " "))
        if not form.strip():
            return _NO_FORM
        if not form.isascii() and EAST.search(form):
            return self._number(self.rest, form.strip())
        if word.endswith("*"):
            return self._number(self.rest, form.rstrip())
        several = " " in form[1:-1]
        return self._number(self.rest, form) if several else self._number(self.whole, form[1:-1])

    def _number(self, forms: dict[str, int], form: str) -> int:
        return forms.setdefault(form, len(self.whole) + len(self.rest))


def _rarest_first(phrases: Sequence[Phrase]) -> Iterator[Phrase]:
    """Yield phrases, those in no order with their rarest group first: common words wake up few phrases."""
    uses = Counter(chain.from_iterable([phrase.groups for phrase in phrases]))
    for phrase in phrases:
        groups, key, hint, ordered = phrase
        rarest = groups[0] if ordered else min(groups, key=uses.__getitem__)
        if rarest is groups[0]:
            yield phrase
        else:
            yield Phrase((rarest, *[group for group in groups if group != rarest]), key, hint, ordered)


def _reach(form: str, number: int) -> tuple[int, int, int]:
    """Return how far before the end of a form its first word begins, and its last word ends."""
    return number, len(form.lstrip()), int(form.endswith(" "))


class _Places:
    """Where words and groups of them stand in one text; worked out when a phrase asks for it."""

    def __init__(
        self, words: Mapping[int, str], there: AbstractSet[int], spots: dict[int, list[Spot]], spaced: str
    ) -> None:
        self._words, self._spots, self._spaced = words, spots, spaced
        self.there = there
        self._known: dict[Group, list[Spot]] = {}

    def spots(self, number: int) -> list[Spot]:
        """Return the places of a form that is there, in order."""
        known = self._spots.get(number)
        if known is None:
            known = self._spots[number] = _all(self._words[number], self._spaced)
        return known

    def of(self, group: Group) -> list[Spot]:
        """Return the places of a group's words, in order."""
        there = [number for number in group if number in self.there]
        if len(there) == 1:
            return self.spots(there[0])
        known = self._known.get(group)
        if known is None:
            known = self._known[group] = sorted(spot for number in there for spot in self.spots(number))
        return known

    def together(self, phrase: Phrase) -> Spot | None:
        """Return the first place where one word of every group is near the others."""
        anchors, *others = map(self.of, phrase.groups)
        more = _MORE * (len(others) - 1)
        for start, end in anchors:
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


class Begins:
    """Where the words of each key begin in one text; worked out when it is asked."""

    def __init__(self, places: _Places) -> None:
        self._places = places
        self._forms: dict[int, list[int]] = {}
        self._starts: dict[int, list[int]] = {}

    def add(self, key: int, form: int) -> None:
        """Note that a form of `key` is there."""
        self._forms.setdefault(key, []).append(form)

    def add_at(self, key: int, start: int) -> None:
        """Note where a phrase of `key` begins."""
        self._starts.setdefault(key, []).append(start)

    @property
    def keys(self) -> AbstractSet[int]:
        """The keys that are there."""
        return self._forms.keys() | self._starts.keys()

    def of(self, key: int) -> list[int]:
        """Return where the words of `key` begin, in order."""
        forms = self._forms.get(key, ())
        return sorted([*self._starts.get(key, ()), *(at for form in forms for at, _ in self._places.spots(form))])


def _nearest(hits: Sequence[Spot], start: int) -> Spot:
    """Return the spot that begins nearest to `start`."""
    at = bisect_left(hits, (start, 0))
    if at == len(hits) or (at and start - hits[at - 1][0] < hits[at][0] - start):
        at -= 1
    return hits[at]


def _all(words: str, spaced: str) -> list[Spot]:
    """Return every place of whole words; two may share the blank between them."""
    form, length = f" {words} ", len(words) + 1
    spots: list[Spot] = []
    at = spaced.find(form)
    while at >= 0:
        spots.append((at + 1, at + length))
        at = spaced.find(form, at + length)
    return spots
