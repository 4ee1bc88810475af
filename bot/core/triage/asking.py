"""Asking back: the one question that tells the guides left apart best, until few enough are left to offer.

Four facts are missing most, and nothing else is asked before there is a guide: the exact line (or, without one, what
happens instead), where, since when, and whether others have it. Guides say which answers are those of their readers
(`surfaces`, `fits`) and how often they are the one (`often`); what somebody said already makes some of them likelier.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from heapq import nlargest
from math import log2, prod

from bot.core.frozen import frozen
from bot.core.guides.guide import UNSURE, Guide
from bot.core.guides.library import Library
from bot.core.triage.conversation import Conversation

LINE = "shows"
"""The fact that is asked for first, in words: the exact line, else what happens."""
FACTS_FIRST = (LINE, "surface", "since", "others")
"""The facts that are asked for while there is no guide, the one that is missing most first."""

ASKED_FIRST = "what.lead"
"""The key of the sentence that asks for it where nothing like it was pasted."""
OFFERED = 4
"""Most guides on offer."""
_IN_VAIN = 2 * OFFERED
"""How many guides may be refused before nothing more is offered."""
_NAMED = 6.0
"""How much likelier a guide is that the person's own words speak for."""
_UNLIKE = 0.08
"""How likely somebody who needs a guide gives an answer that is not one of its readers'."""
_PLAIN, _FEW = 0.75, 0.6
"""How likely one guide is to be begun without an offer, and those of an offer together, to need no other question."""
_LOOKED_AT = 50
"""Of how many guides, the likeliest, it is reckoned what an answer tells: of thousands it would take too long."""
_TELLS = 0.15
"""Bits an answer has to tell, to be worth its question."""
_PRINTED = re.compile(
    r"`[^`\n]{4,}`|\b\w*(?:error|exception)\b\s*[:(]|\b(?:failed|unable) to\b|\bE[A-Z]{5,}\b|\b[45]\d\d\b",
    re.IGNORECASE,
)


@frozen
class Next:
    """What comes next without a guide: a fact to ask for, guides to offer, the one that is plain, or nothing."""

    fact: str = ""
    offered: tuple[str, ...] = ()
    plain: str = ""


def following(
    library: Library, facts: Mapping[str, str], named: Collection[str], refused: Collection[str], report: str
) -> Next:
    """Return what to do about a report that is not placed. named: guides its own words speak for."""
    alike = _alike(library, facts, named)
    likeliest = nlargest(_LOOKED_AT, ((weight, guide) for guide, weight in alike.items() if guide not in refused))
    left = _shares({guide: weight for weight, guide in likeliest})
    if not left or len(refused) >= _IN_VAIN:
        return Next()
    ranked = sorted(left, key=lambda guide: (-left[guide], guide))
    # Among all guides: the one that others were refused before is not plain, it is only left over.
    plain = _shares(alike)[ranked[0]] > _PLAIN
    if LINE not in facts and not (plain and printed(report)):
        return Next(LINE)
    if plain:
        return Next(plain=ranked[0])
    few = any(guide in left for guide in named) or sum(left[guide] for guide in ranked[:OFFERED]) > _FEW
    missing = (fact for fact in FACTS_FIRST if fact not in facts and not few)
    fact = next((fact for fact in missing if _told(library, fact, left) > _TELLS), "")
    return Next(fact) if fact else Next(offered=tuple(ranked[:OFFERED]))


def what_is_asked(here: Conversation) -> str:
    """Return the key of the sentence by which the exact line is asked for, or that nothing is left to ask."""
    if LINE in here.facts:
        return "what.human"
    return "what.instead" if printed(here.report) else ASKED_FIRST


def printed(report: str) -> bool:
    """Say whether a report holds what looks like a program's own line."""
    return _PRINTED.search(report) is not None


def _alike(library: Library, facts: Mapping[str, str], named: Collection[str]) -> dict[str, float]:
    """Return how well each guide goes with what is known, weighed by how often it is the one."""
    known = [(fact, facts[fact]) for fact in FACTS_FIRST if facts.get(fact, UNSURE) != UNSURE]
    weights = {}
    for guide in library.guides.values():
        fits = prod(_fit(guide, fact, value) for fact, value in known)
        weights[guide.id] = guide.often * fits * (_NAMED if guide.id in named else 1.0)
    return weights


def _shares(weights: Mapping[str, float]) -> dict[str, float]:
    whole = sum(weights.values())
    return {guide: weight / whole for guide, weight in weights.items()}


def _fit(guide: Guide, fact: str, value: str) -> float:
    values = guide.surfaces if fact == "surface" else guide.fits.get(fact, ())
    return 1.0 if not values or value in values else _UNLIKE


def _told(library: Library, fact: str, likely: Mapping[str, float]) -> float:
    """Return how many bits the answer to a question tells on average about which guide it is."""
    values = {choice.facts.get(fact, UNSURE) for choice in library.question(fact).choices} - {UNSURE}
    told = _bits(likely.values())
    answers = {
        guide: _shares({value: _fit(library.guides[guide], fact, value) for value in values}) for guide in likely
    }
    for value in sorted(values):
        shares = [likely[guide] * answers[guide][value] for guide in likely]
        whole = sum(shares)
        told -= whole * _bits(share / whole for share in shares)
    return told


def _bits(shares: Iterable[float]) -> float:
    return -sum(share * log2(share) for share in shares if share > 0)
