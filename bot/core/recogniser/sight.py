"""Everything a text holds that could matter, collected before anything is decided."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bot.core.frozen import frozen
from bot.core.guides.guide import Guide
from bot.core.recogniser.match import Begins, Found, Literals, Phrases
from bot.core.recogniser.names import Names, asks
from bot.core.recogniser.normalise import Normal, words
from bot.core.recogniser.products import SIGN_RANK, Products, Section
from bot.core.recogniser.weights import weighed

_STATUS = re.compile(r" ([45]\d\d)(s?) ")
_AROUND = 26
_BEFORE = re.compile(
    r"\b(?:errors?|status|code|http|api|erro|ошибк\w*|fehler|erreur|fallo|错误|报错|エラー|오류|에러)\b"
)
_AFTER = re.compile(
    r"^(?:errors?|type|overload\w*|bad gateway|internal|forbidden|unauthorized|too many|not found|service|status"
    r"|upstream|gateway|no body|invalid|error type|server|due to|messages|payment|again|after|since"
    r"|错误|报错|エラー|오류|에러)\b"
)
_UNIT = re.compile(
    r"^(?:lines?|files?|ms|s|sec\w*|min\w*|h|hours?|tokens?|k|m|mb|gb|kb|px|times|usd|eur|users?|people|tests?|rows|chars|words|行|个|个文件|円|元|원)\b"
)
_STRONG = frozenset({"429", "502", "503", "504", "529", "401", "403", "500", "400"})
_OURS = frozenset({"529"})  # a status that only Anthropic answers with
_SMALL = 3
_NAMED = 2
_STATUS_WEIGHT = 8
"""Letters a status counts for as literal output: its own and those of the word that makes it one."""
_UPSET = ("trouble", "complaint", "hang", "down")
_MARKED = ("client", "trouble", "chatty", "computing", "vague", "foreign", "sections")
_NO_KEY = -1
"""Of a piece that was not added with a key: a status, or a whole text."""
_FEW = 12
"""A text of more words says something, whatever they are."""
_CLAUDE, _CLIENT, _PRINTED, _CHATTING, _TROUBLE, _COMPUTING, _AILING, _OTHERS = range(8)
_KINDS = (
    *(
        ("claude", _CLAUDE),
        ("clients", _CLIENT),
        ("printed", _PRINTED),
        ("chatting", _CHATTING),
        ("computing", _COMPUTING),
    ),
    *((name, _TROUBLE) for name in ("trouble", "complaint", "down", "overload", "hang", "signed_out", "expired")),
    *((name, _AILING) for name in ("cut", "lost", "allowed", "reporting")),
)


class Pointer(NamedTuple):
    """Literal output that points to a guide. A tuple, as `Found` is: dozens are made for every text.

    own: a sign of the guide, not output shared with other programs; code: nothing a person would say (`ECONNRESET`).
    """

    guide: str
    rank: int
    found: Found
    at: float
    form: str
    outranks: tuple[str, ...] = ()
    own: bool = False
    code: bool = False


@frozen
class Wording:
    """People's words that point to a guide; `groups` says how many things had to be said for it."""

    guide: str
    groups: int
    hint: bool
    found: Found


@frozen
class Sight:
    """What was seen in one text.

    claude: 2 where it names Claude or shows what only its clients write, 1 where it talks of prompts and sessions;
    client: it shows such output; literal: the share of the text that is literal output;
    vague: it says nothing but that something is wrong; ruled: a guide's sign outranked another's;
    near: what stands close to Claude's name, or to another product's, as hints; asks: whether it holds a question;
    begins: whose trouble it is by what stands before its first colon;
    clues: what `Clues.facts` reads.
    """

    pointers: tuple[Pointer, ...]
    wordings: tuple[Wording, ...]
    sections: tuple[tuple[Section, Found], ...]
    others: tuple[str, ...]
    foreign: str
    claude: int
    client: bool
    trouble: bool
    chatty: bool
    computing: bool
    vague: bool
    literal: float
    ruled: bool
    near: frozenset[str]
    asks: str
    begins: str
    clues: Begins

    def marks(self) -> set[str]:
        """Return what has weights besides words: see `weights`."""
        seen = {"=", f"=claude {self.claude}"}
        for guide, rank, own in {(pointer.guide, pointer.rank, pointer.own) for pointer in self.pointers}:
            seen |= {f"=sign {guide}" if own else f"=output{rank} {guide}", f"=any {guide}"}
        if self.pointers:
            seen.add(f"=last {max(self.pointers, key=lambda pointer: (pointer.rank, pointer.at)).guide}")
        if self.others:
            seen.add("=others" if self.claude == _NAMED else "=only others")
            seen.update(f"=other {name}" for name in self.others)
        if self.asks:
            seen.add(f"={self.asks}" if self.pointers else f"={self.asks}, nothing printed")
        if self.begins:
            seen.add(f"=begins {self.begins}")
        seen.update(f"={name}" for name in _MARKED if getattr(self, name))
        return seen

    @property
    def status(self) -> str:
        """The first HTTP status the text names, if any."""
        return next((pointer.form for pointer in self.pointers if pointer.form.isdigit()), "")


class Eyes:
    """Looks at texts for everything the guides and products name, in a few passes whatever their number."""

    def __init__(self, guides: Sequence[Guide], products: Products, clues: Iterable[tuple[str, int]] = ()) -> None:
        self._products = products
        self._known = frozenset(guide.id for guide in guides)
        self._pointers, self._sections, self._foreign = _pointers(guides, products), products.sections, products.others
        self._alone = {words(piece): section for section in products.sections for piece in section.alone}
        self._literals = Literals(self._literal_pieces())
        self._said = [(guide.id, phrase, len(phrase.split())) for guide in guides for phrase in guide.phrases]
        self._phrases = Phrases((products.expand(phrase), n) for n, (_, phrase, _) in enumerate(self._said))
        self._upset = _single_words(products, _UPSET)
        self._vague = self._upset | _single_words(products, ("vague", "claude"))
        self._names = Names(products)
        self._numbers = {f"{number}{plural}" for number in products.statuses for plural in ("", "s")}
        self._clues = _OTHERS + len(products.others)
        self._around = Phrases(self._told_around(clues), everywhere=self._clues)

    @property
    def signs(self) -> list[tuple[str, str]]:
        """The guides' signs in their words, each with its guide."""
        return [(form, guide) for guide, _, form, _, own, _ in self._pointers if own]

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every word that phrases and signs are made of."""
        signs = " ".join([form for form, _ in self.signs]).split()
        return frozenset(signs).union(self._phrases.vocabulary, self._around.vocabulary)

    def _told_around(self, clues: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
        """Yield the words that say what a text is about, and those that state facts, with their keys."""
        products = self._products
        for name, kind in _KINDS:
            yield from ((word, kind) for word in products.words.get(name, ()))
        yield from ((name, _OTHERS + n) for n, other in enumerate(products.others) for name in other.names)
        yield from ((phrase, self._clues + n) for phrase, n in clues)

    def look(self, text: Normal) -> Sight:
        """Collect everything `text` holds."""
        pointers, sections, foreign, covered = self._read(text)
        kinds, clues = self._around.part(text)
        context = kinds.keys()
        seen, pointers = len(pointers), _outranking(pointers)
        own = any(pointer.own for pointer in pointers)
        client = _PRINTED in context or _unmistakable(text)
        others = tuple(self._foreign[key - _OTHERS].name for key in sorted(context) if key >= _OTHERS)
        named = _CLAUDE in context or _BODY in text.spaced or ((client or _CLIENT in context) and not others)
        claude = _NAMED if named else int(_CHATTING in context)
        trouble = _TROUBLE in context or (_AILING in context and claude > 0)
        statuses = [] if self._numbers.isdisjoint(text.each) else list(self._statuses(text, claude))
        covered += _STATUS_WEIGHT * len(statuses)
        return Sight(
            pointers=(*pointers, *statuses),
            wordings=() if own else tuple(self._wordings(text)),  # a guide's own sign decides without them
            sections=tuple(sections),
            others=others,
            foreign=foreign,
            claude=_NAMED if own else claude,
            client=client,
            trouble=trouble,
            chatty=kinds.get(_CHATTING, 0) > 1,
            computing=_COMPUTING in context,
            vague=self._says_nothing(text),
            literal=min(1.0, covered / max(1, len(text.squeezed))),
            ruled=len(pointers) < seen,
            near=self._names.near(weighed(text.said)),
            asks=asks(text.clean),
            begins=self._names.begins(text.clean),
            clues=clues,
        )

    def _read(self, text: Normal) -> tuple[list[Pointer], list[tuple[Section, Found]], str, int]:
        """Return pointers, official sections, another product that wrote this, and how much of it is literal output."""
        pointers: list[Pointer] = []
        sections: list[tuple[Section, Found]] = []
        foreign, covered, read = "", 0, 0
        scale = len(text.spaced) / max(1, len(text.squeezed))
        for found in self._literals.find(text):
            if not found.squeezed or found.start >= read:
                covered += found.length
                read = found.start + found.length if found.squeezed else read
            number = found.key - len(self._pointers)
            if number < 0:
                guide, rank, form, outranks, own, code = self._pointers[found.key]
                at = found.start * (scale if found.squeezed else 1)
                pointers.append(Pointer(guide, rank, found, at, form, outranks, own, code and form in text.spaced))
            elif number < len(self._sections):
                sections.append((self._sections[number], found))
            else:
                foreign = foreign or self._foreign[number - len(self._sections)].name
        if text.spaced in self._alone:
            sections.append((self._alone[text.spaced], Found(_NO_KEY, 0, len(text.spaced))))
        return pointers, sections, foreign, covered

    def _says_nothing(self, text: Normal) -> bool:
        """Say whether a text is nothing but a cry for help."""
        return len(text.said) <= _FEW and text.each <= self._vague and not self._upset.isdisjoint(text.each)

    def _wordings(self, text: Normal) -> Iterator[Wording]:
        """Yield people's words for guides."""
        for found, hint in self._phrases.find(text):
            guide, _, groups = self._said[found.key]
            yield Wording(guide, groups, hint, found)

    def _statuses(self, text: Normal, claude: int) -> Iterator[Pointer]:
        """Find HTTP statuses: a number counts where the words around it make it one."""
        for match in _STATUS.finditer(text.spaced):
            number, plural = match.groups()
            guide = self._products.statuses.get(number)
            if guide not in self._known or guide is None:
                continue
            start = match.start(1)
            before, after = text.spaced[max(0, start - _AROUND) : start], text.spaced[match.end() :][:_AROUND]
            if _UNIT.match(after) or before[-2:-1].isdigit():
                continue
            said = _BEFORE.search(before) or _AFTER.match(after) or plural
            few = text.spaced.count(" ") <= _SMALL
            if said or (number in _STRONG and (claude == _NAMED or few)):
                rank = 3 if said else 1
                yield Pointer(guide, rank, Found(_NO_KEY, start, 3), start, number, code=number in _OURS and not plural)

    def _literal_pieces(self) -> Iterator[tuple[str, int]]:
        for number, (_, _, form, *_) in enumerate(self._pointers):
            yield form, number
        base = len(self._pointers)
        for number, section in enumerate(self._sections):
            yield from ((words(sign).strip(), base + number) for sign in section.signs)
        base += len(self._sections)
        for number, other in enumerate(self._foreign):
            yield from ((words(sign).strip(), base + number) for sign in other.signs)


def _outranking(pointers: list[Pointer]) -> list[Pointer]:
    """Drop signs that another guide's sign outranks, unless they outrank each other."""
    signs = [p for p in pointers if p.own]
    if len(signs) < 2:  # noqa: PLR2004 - nothing to compare
        return pointers
    beaten = [
        p for p in signs if any(p.guide in o.outranks and o.guide not in p.outranks and o.form != p.form for o in signs)
    ]
    return pointers if len(beaten) == len(signs) else [p for p in pointers if p not in beaten]


def _single_words(products: Products, lists: Iterable[str]) -> frozenset[str]:
    return frozenset(word for name in lists for form in products.words.get(name, ()) for word in words(form).split())


def _pointers(guides: Sequence[Guide], products: Products) -> list[tuple[str, int, str, tuple[str, ...], bool, bool]]:
    known = {guide.id for guide in guides}
    return [
        *((g.id, SIGN_RANK, words(s.text).strip(), s.outranks, True, False) for g in guides for s in g.signs),
        *(
            (output.guide, output.rank, words(text).strip(), (), False, _CODE.fullmatch(text) is not None)
            for output in products.outputs
            if output.guide in known
            for text in output.texts
        ),
    ]


_CODE = re.compile(r"(?=.*(?:[A-Z]{4}|[a-z][A-Z]|_))\S{5,}")
_MARKS = (
    "\u23bf",
    "\u23fa",
    "\u273b",
    "\u276f",
    "req_0",
    "/login",
    "\u00b7 Retrying in",
    '_error"',
    "_error'",
    "_error:",
)
_BODY = " type error error type "
"""How the body of an error of the Claude API begins, in its words."""
_LADDER = re.compile(r" attempt \d+ 1[01] ")


def _unmistakable(text: Normal) -> bool:
    """Say whether the text shows what only Claude's clients write around an error."""
    return any(mark in text.clean for mark in _MARKS) or (
        " attempt " in text.spaced and _LADDER.search(text.spaced) is not None
    )
