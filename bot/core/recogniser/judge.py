"""From what was seen in a text to a decision: how likely each guide is, and what that is worth saying."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bot.core.frozen import frozen
from bot.core.recogniser.match import Found
from bot.core.recogniser.sight import Pointer, Sight, Wording

GUIDE, CHOOSE, ASK, NONE = "guide", "choose", "ask", "none"

_OFFERS = 3
_NAMED = 2
_SIGN, _RULED = 0.55, 0.95
"""How far a guide's own sign is trusted beside the weights; and where they do not know its guide, or it outranks."""
_HINT, _STRENGTH = 0.3, (0.45, 0.6, 0.75, 0.8, 0.85)
"""How far a phrase is: one that is only a hint, and one of one, two … five or more groups of words."""
_RANKED = ((1.0,), (0.65, 0.35), (0.6, 0.25, 0.15))
"""How several guides share what is trusted, by their number: the likeliest first."""
_WRONG, _AWAY, _CLAIM, _OFFER = 0.9, 3.0, 1.3, 0.08
"""What it costs, where a right answer gains 1: a wrong guide, stepping aside from trouble of ours, claiming what is not
ours, and one press more for an offer. Asking back costs nothing but its turn."""
_BARE = 0.45
"""The share of a text that is literal output, from which on it is hardly anything else."""
_SETTLED, _UNMISTAKABLE = 0.75, 0.88
"""How likely a guide is that no second look could change, and one that needs no offer and no other sign of Claude."""
_NOT_STRANGE = 0.2
"""How unlikely it has to be that a text is not ours before another product's name alone does not decide."""
_OFFERED = 0.01
"""How likely a third guide has to be to be offered beside two."""
_TRANSPORT = 2
"""The rank of shared output, as in `shared-output.toml`, that tells only how something failed."""


@frozen
class Verdict:
    """A decision with what it rests on; `settled`: looking again could not change it."""

    decision: str
    candidates: tuple[tuple[str, float], ...] = ()
    found: Found | None = None
    sign: bool = False
    product: str = ""
    link: str = ""
    settled: bool = False

    @property
    def best(self) -> float:
        """How likely the first guide is."""
        return self.candidates[0][1] if self.candidates else 0.0

    def backed_by(self, attached: Verdict) -> Verdict:
        """Let errors a client attached by itself break a tie or fill a silence, but never contradict."""
        if self.product or attached.decision not in {GUIDE, CHOOSE}:
            return self
        first = attached.candidates[0]
        if self.decision in {ASK, NONE}:
            return replace(self, decision=attached.decision, candidates=attached.candidates)
        if any(guide == first[0] for guide, _ in self.candidates):
            rest = tuple(c for c in self.candidates if c[0] != first[0])
            return replace(self, decision=GUIDE, candidates=(first, *rest)[:_OFFERS])
        return self


def judge(sight: Sight, shares: Mapping[str, float]) -> Verdict:
    """Decide about one text; `shares` is what its words and all that was seen speak for."""
    own = [pointer for pointer in sight.pointers if pointer.own]
    beliefs = _trusted(sight, own, shares)
    return _section(sight, own) or _stranger(sight, own, beliefs[NONE]) or _worth_most(sight, beliefs)


def _section(sight: Sight, own: Sequence[Pointer]) -> Verdict | None:
    """Step aside with the official section, unless a guide's own sign says more."""
    if not sight.sections:
        return None
    section, found = max(sight.sections, key=lambda pair: pair[1].length)
    if any(len(pointer.form.replace(" ", "")) >= found.length for pointer in own):
        return None
    return Verdict(NONE, found=found, sign=True, product=section.title, link=section.link, settled=True)


def _stranger(sight: Sight, own: Sequence[Pointer], strange: float) -> Verdict | None:
    """Step aside from what another product wrote, or somebody says of one without naming Claude.

    A product is also named because it works, or because Claude is used there: not where all else speaks for a guide.
    """
    if own:
        return None
    if sight.foreign or (sight.others and sight.claude < _NAMED and strange > _NOT_STRANGE):
        return Verdict(NONE, product=sight.foreign or sight.others[0], settled=True)
    return None


def _trusted(sight: Sight, own: Sequence[Pointer], shares: Mapping[str, float]) -> dict[str, float]:
    """Return how likely each guide is once signs, and what points to guides without weights, had their say."""
    beliefs = dict(shares) or {NONE: 0.5, ASK: 0.5}
    new = [pointer for pointer in sight.pointers if pointer.guide not in shares and not pointer.own]
    if own:
        top = max(pointer.rank for pointer in sight.pointers)
        ranked = _latest_first([pointer for pointer in sight.pointers if pointer.rank == top])
        trust = _SIGN if ranked[0] in shares and not sight.ruled else _RULED
    elif new and (sight.claude or sight.literal >= _BARE):
        top = max(pointer.rank for pointer in new)
        ranked = _latest_first([pointer for pointer in new if pointer.rank == top])
        trust = _RULED * (0.5 + 0.5 * sight.literal)
    else:
        said = _phrases(wording for wording in sight.wordings if wording.guide not in shares)
        ranked = [guide for guide, _ in said[:_OFFERS]]
        trust = said[0][1] if said else 0.0
    if not ranked:
        return beliefs
    beliefs = {guide: share * (1 - trust) for guide, share in beliefs.items()}
    parts = _RANKED[min(len(ranked), _OFFERS) - 1]
    for guide, part in zip(ranked, parts, strict=False):
        beliefs[guide] = beliefs.get(guide, 0.0) + trust * part
    return beliefs


def _worth_most(sight: Sight, beliefs: Mapping[str, float]) -> Verdict:
    """Choose what is worth most: a guide, an offer, stepping aside, or a question where nothing is likely enough."""
    ranked = sorted(sorted(beliefs.keys() - {NONE, ASK}), key=beliefs.__getitem__, reverse=True)
    candidates = tuple((guide, round(min(1.0, beliefs[guide]), 3)) for guide in ranked[:_OFFERS])
    strange = beliefs[NONE]
    worth = {ASK: beliefs[ASK], NONE: strange - _AWAY * (1 - strange)}
    if candidates:
        worth[GUIDE] = _gain(beliefs[ranked[0]], strange)
    if len(candidates) > 1 and beliefs[ranked[0]] < _UNMISTAKABLE:
        worth[CHOOSE] = _gain(sum(beliefs[guide] for guide in ranked[:_OFFERS]), strange) - _OFFER
    decision = ASK if sight.vague else max(worth, key=lambda name: worth[name])
    if decision in {GUIDE, CHOOSE} and beliefs[ranked[0]] < _UNMISTAKABLE and not _ours(sight):
        decision = ASK
    if decision == NONE:
        return Verdict(NONE, product=sight.others[0] if sight.others else "", settled=strange > _SETTLED)
    if not candidates:
        return Verdict(decision)
    if decision == CHOOSE:
        candidates = candidates[:2] + tuple(one for one in candidates[2:] if one[1] >= _OFFERED)
    found = _reason(sight, ranked[0])
    sign = decision != ASK and found is not None and _printed(sight, ranked[0])
    return Verdict(decision, candidates, found, sign=sign, settled=decision == GUIDE and candidates[0][1] > _SETTLED)


def _ours(sight: Sight) -> bool:
    """Say whether anything but the choice of words sounds like Claude."""
    if sight.claude == _NAMED or any(pointer.own or pointer.code for pointer in sight.pointers):
        return True
    return sight.trouble or bool(sight.claude or sight.pointers or sight.wordings)


def _gain(likely: float, strange: float) -> float:
    return likely - _WRONG * (1 - likely) - _CLAIM * strange


def _reason(sight: Sight, guide: str) -> Found | None:
    """Return the output that tells most for `guide`, if any."""
    pointing = [pointer for pointer in sight.pointers if pointer.guide == guide]
    if pointing:
        return max(pointing, key=lambda pointer: (pointer.rank, pointer.at)).found
    return next((wording.found for wording in sight.wordings if wording.guide == guide), None)


def _printed(sight: Sight, guide: str) -> bool:
    """Say whether Claude printed what points to `guide`. Words such as "rate limit reached" are said as well."""
    if any(pointer.own and pointer.guide == guide for pointer in sight.pointers):
        return True
    shared = [pointer for pointer in sight.pointers if pointer.guide == guide]
    code = any(pointer.code for pointer in shared)
    several = len({pointer.form for pointer in shared if pointer.rank > _TRANSPORT}) > 1
    return sight.claude == _NAMED and bool(shared) and (sight.client or code or several)


def _phrases(wordings: Iterable[Wording]) -> list[tuple[str, float]]:
    """Return guides by the phrase for each that says most."""
    best: dict[str, float] = {}
    for wording in wordings:
        strength = _HINT if wording.hint else _STRENGTH[min(wording.groups, len(_STRENGTH)) - 1]
        best[wording.guide] = max(best.get(wording.guide, 0.0), strength)
    return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))


def _latest_first(pointers: Sequence[Pointer]) -> list[str]:
    """Rank guides by their latest piece: in a ladder of retries the later line is nearer to the cause."""
    last: dict[str, float] = {}
    for pointer in pointers:
        last[pointer.guide] = max(last.get(pointer.guide, -1.0), pointer.at)
    return sorted(last, key=lambda guide: -last[guide])
