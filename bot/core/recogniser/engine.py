"""Decide which guide a pasted text calls for, whether to offer several, to ask back, or to step aside.

Everything is collected before anything is decided, because the first error named is often not the cause: literal output
(guides' own signs, output shared with other programs), what the text is about, and its words. A table of weights says
how much each of these speaks for each guide (`weights`), and `judge` what is most worth saying.

What a text costs depends on its length, not on the number of guides: it is brought to one form and parted into words
once (`normalise`); words, pairs and beginnings of words are looked up in tables; only what is no whole word is searched
for, by automatons that find all pieces in one pass; where a word stands is worked out when something asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum

from bot.core.frozen import frozen
from bot.core.guides.guide import Guide
from bot.core.recogniser.clues import Clues, details
from bot.core.recogniser.judge import GUIDE, Verdict, judge
from bot.core.recogniser.language import Languages
from bot.core.recogniser.match import Found
from bot.core.recogniser.normalise import Normal, normalise
from bot.core.recogniser.products import Products, parse_products
from bot.core.recogniser.sight import Eyes, Sight
from bot.core.recogniser.typos import Alike, Typos
from bot.core.recogniser.weights import weighed

__all__ = ["Candidate", "Decision", "Products", "Recogniser", "Recognition", "parse_products"]

_SAID = -2
"""The key of what was found by its words alone."""
_SHORT = 400
"""Longest text, in characters, in which misspelt words are looked for."""


class Decision(StrEnum):
    """What to do with a text."""

    GUIDE = "guide"
    CHOOSE = "choose"
    ASK = "ask"
    NONE = "none"


@frozen
class Candidate:
    """A guide on offer; `score` is between 0 and 1."""

    guide: str
    score: float


@frozen
class Recognition:
    """What was recognised.

    why: the piece of the text that decided, as the person wrote it, shortened; empty if there was none.
    sign: decided by literal program output of Claude's, not by a guess.
    product: what it is instead, when known; link: the official section, when it is Claude but no connection problem.
    facts, details: see `clues`; language: best guess of the language it was written in.
    """

    decision: Decision
    guide: str = ""
    candidates: tuple[Candidate, ...] = ()
    why: str = ""
    sign: bool = False
    product: str = ""
    link: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, str] = field(default_factory=dict)
    language: str = "en"


class Recogniser:
    """Recognises texts among `guides`; building it takes a moment, using it does not depend on their number."""

    def __init__(self, guides: Sequence[Guide], products: Products) -> None:
        self._clues = Clues(products)
        self._eyes = Eyes(guides, products, self._clues.phrases)
        self._weights = products.weights
        self._languages = Languages(products.languages)
        # Few texts need these, but none should wait for them.
        self._alike = Alike(self._eyes.signs)
        self._typos = Typos(self._eyes.vocabulary | self._weights.vocabulary)

    def recognise(self, text: str) -> Recognition:
        """Decide about `text`, which is expected to be redacted already."""
        normal = normalise(text)
        sight = self._eyes.look(normal)
        verdict = self._judge(sight, normal)
        if not verdict.settled:
            verdict = self._look_again(normal, verdict)
        known = details(normal.clean) if verdict.decision != Decision.NONE else {}
        if sight.status and verdict.decision != Decision.NONE:
            known["status"] = sight.status
        why = ""
        if verdict.found is not None:
            why, line = normal.quote(*verdict.found.place(normal))
            # Only what a program wrote is the line; somebody's own words are the report.
            known |= {"line": line} if verdict.found.key != _SAID else {}
        candidates = tuple(Candidate(guide, score) for guide, score in verdict.candidates)
        return Recognition(
            decision=Decision(verdict.decision),
            guide=candidates[0].guide if verdict.decision == Decision.GUIDE else "",
            candidates=candidates,
            why=why,
            sign=verdict.sign,
            product=verdict.product,
            link=verdict.link,
            facts=self._clues.facts(sight.clues, normal),
            details=known,
            language=self._languages.of(normal.clean),
        )

    def _judge(self, sight: Sight, text: Normal) -> Verdict:
        """Judge one sight of a text; where only its words speak, the strongest of them are the reason."""
        said = weighed(text.said)
        verdict = judge(sight, self._weights.shares(said, sight.near, sight.marks()))
        if verdict.found is None and verdict.candidates:
            reason = self._weights.reason(text.said, verdict.candidates[0][0])
            return replace(verdict, found=Found(_SAID, *reason)) if reason else verdict
        return verdict

    def _look_again(self, normal: Normal, verdict: Verdict) -> Verdict:
        """Try what is left when nothing was certain: corrected spelling, a sign typed from memory, attached errors."""
        if len(normal.spaced) <= _SHORT and (spaced := self._typos.correct(normal.spaced)) != normal.spaced:
            corrected = Normal.of(normal.clean, spaced.split(), normal.dump)
            second = self._judge(self._eyes.look(corrected), corrected)
            if second.best > verdict.best:
                verdict = replace(second, sign=False, found=None)
            if verdict.decision != GUIDE and (guide := self._alike.find(spaced)):
                return Verdict(GUIDE, ((guide, 0.7),))
        if normal.dump:
            attached = Normal.of(normal.clean, normal.dump.split())
            return verdict.backed_by(self._judge(self._eyes.look(attached), attached))
        return verdict
