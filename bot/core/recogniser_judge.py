"""From what was seen in a text to a decision. Every rule here answers a way in which pasted texts mislead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bot.core.recogniser_match import Found
from bot.core.recogniser_sight import Pointer, Sight, Wording

GUIDE, CHOOSE, ASK, NONE = "guide", "choose", "ask", "none"

_OFFERS = 3
_NAMED = 2
_HINT, _STRENGTH = 0.3, (0.45, 0.55, 0.65, 0.7, 0.75)
"""How much a phrase says: one that is only a hint, and one of one, two … five or more groups of words."""
_AGAIN, _APART = 0.05, 0.1
"""What other phrases for the same guide add: the first of them, and each of two said somewhere else in the text."""
_PHRASE, _SURE = 0.45, 0.6
"""From here on a guide has been named by a phrase, and by a good one with something beside it."""
_PRECISE, _ENOUGH, _AHEAD = 0.55, 0.65, 0.1
"""Enough for one guide alone: of the precise ones, of the others, and how far it has to be ahead of the next."""
_SOME, _BARE, _ONLY = 0.2, 0.45, 0.85
"""Shares of a text that is literal output: beside other words, hardly anything else, and nothing else."""
_WRAPPER, _TRANSPORT, _ANSWERED = 1, 2, 4
"""Ranks of shared output, as in `shared-output.toml`; what ranks higher tells more than how something failed."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision with what it rests on; `settled`: looking again could not change it."""

    decision: str
    candidates: tuple[tuple[str, float], ...] = ()
    found: Found | None = None
    sign: bool = False
    product: str = ""
    link: str = ""
    settled: bool = False

    def backed_by(self, attached: Verdict) -> Verdict:
        """Let errors a client attached by itself break a tie or fill a silence, but never contradict."""
        if self.product or not attached.candidates:
            return self
        first = attached.candidates[0]
        if not self.candidates:
            if self.decision == NONE:
                return self
            return replace(
                self, decision=GUIDE if attached.decision == GUIDE else CHOOSE, candidates=attached.candidates
            )
        if any(guide == first[0] for guide, _ in self.candidates):
            rest = tuple(c for c in self.candidates if c[0] != first[0])
            return replace(self, decision=GUIDE, candidates=(first, *rest)[:_OFFERS])
        return self


def judge(sight: Sight) -> Verdict:
    """Decide about one text."""
    own = _outranking([pointer for pointer in sight.pointers if pointer.own])
    shared = [pointer for pointer in sight.pointers if not pointer.own]
    section = _section(sight, own)
    if section is not None:
        return section
    if not own and (sight.foreign or (sight.others and sight.claude < _NAMED)):
        return Verdict(NONE, product=sight.foreign or sight.others[0], settled=True)
    if not own and sight.working and sight.literal < _BARE:
        return Verdict(NONE, settled=True)
    return _literal(sight, own, shared) or _words(sight)


def _section(sight: Sight, own: Sequence[Pointer]) -> Verdict | None:
    """Step aside with the official section, unless a guide's own sign says more."""
    if not sight.sections:
        return None
    section, found = max(sight.sections, key=lambda pair: pair[1].length)
    if any(len(pointer.form.replace(" ", "")) >= found.length for pointer in own):
        return None
    return Verdict(NONE, found=found, sign=True, product=section.title, link=section.link, settled=True)


def _outranking(own: Sequence[Pointer]) -> list[Pointer]:
    """Drop signs that another guide's sign outranks, unless they outrank each other."""
    kept = [
        p for p in own if not any(p.guide in o.outranks and o.guide not in p.outranks and o.form != p.form for o in own)
    ]
    return kept or list(own)


def _literal(sight: Sight, own: Sequence[Pointer], shared: Sequence[Pointer]) -> Verdict | None:
    """Decide by literal output, if there is any that belongs to Claude."""
    if own:
        return _printed((*own, *shared), sign=True)
    top = _top(shared)
    code = any(pointer.code for pointer in shared)
    printed = sight.client or code or _several(shared, _TRANSPORT)
    told = printed or sight.trouble or sight.literal >= (_SOME if sight.claude else _BARE) or top > _ANSWERED
    if not (shared and told and _ours(sight, shared, code=code)):
        return None
    ranked = _latest_first([pointer for pointer in shared if pointer.rank == top])
    if not sight.claude and sight.literal < (_BARE if code else _ONLY):
        much = top > _ANSWERED or (sight.literal >= _SOME and (code or _several(shared, _WRAPPER)))
        return Verdict(CHOOSE if much else ASK, _with_neighbours(sight, ranked), shared[-1].found)
    said = _said(sight, ranked[0][0], top)
    if said is not None:
        return said
    if top == _WRAPPER and len(ranked) == 1 and not sight.client and sight.literal < _ONLY:
        ranked = _with_neighbours(sight, ranked)
    # Sentences such as "rate limit reached" are said as well as printed; codes and what stands around them are printed.
    return _printed(shared, ranked, sign=sight.claude == _NAMED and printed)


def _printed(pointers: Sequence[Pointer], ranked: tuple[tuple[str, float], ...] = (), *, sign: bool) -> Verdict:
    """Decide for the guides literal output points to: one is certain, of several the first is the likeliest."""
    top = _top(pointers)
    best = [pointer for pointer in pointers if pointer.rank == top]
    ranked = ranked or _latest_first(best)
    found = next(pointer.found for pointer in reversed(best) if pointer.guide == ranked[0][0])
    decision = GUIDE if len(ranked) == 1 else CHOOSE
    return Verdict(decision, ranked[:_OFFERS], found, sign=sign, settled=decision == GUIDE and top > _WRAPPER)


def _top(pointers: Sequence[Pointer]) -> int:
    return max((pointer.rank for pointer in pointers), default=0)


def _several(pointers: Sequence[Pointer], rank: int) -> bool:
    """Say whether more than one piece of output ranks higher than `rank`."""
    return len({pointer.form for pointer in pointers if pointer.rank > rank}) > 1


def _ours(sight: Sight, shared: Sequence[Pointer], *, code: bool) -> bool:
    """Say whether output other programs write as well is Claude's here."""
    if sight.claude:
        return sight.claude == _NAMED or not sight.elsewhere
    if sight.elsewhere or sight.others:
        return False
    plain = code or _several(shared, _TRANSPORT) or _top(shared) > _ANSWERED
    return plain or sight.literal >= (_SOME if sight.trouble and sight.computing else _BARE)


def _said(sight: Sight, guide: str, rank: int) -> Verdict | None:
    """Let people's words speak where the output only tells how something failed, not where or why."""
    scores = _scores(sight.wordings)
    if not scores or scores[0][0] == guide or rank > _TRANSPORT + 1:
        return None
    other, score = scores[0]
    found = next(w.found for w in sight.wordings if w.guide == other)
    if other in sight.places and score >= _SURE:
        return Verdict(GUIDE, ((other, score), (guide, 0.4)), found, settled=True)
    if rank <= _TRANSPORT and score >= _SURE:
        both = ((other, score), (guide, 0.5)) if rank == _WRAPPER else ((guide, score), (other, 0.5))
        return Verdict(CHOOSE, both, found)
    return None


def _words(sight: Sight) -> Verdict:
    """Decide by people's own words: much said makes a guide, a phrase an offer; a hint is asked about.

    Measured on reports not used in writing the phrases, nine offers from one phrase in ten hold the right guide, and
    of guesses from hints every second one. The guesses go with the question.
    """
    vague = Verdict(ASK if _unhappy(sight) else NONE)
    scores = [pair for pair in _scores(sight.wordings) if pair[1] >= _PHRASE or sight.claude == _NAMED]
    if not scores or (sight.claude < _NAMED and sight.elsewhere):
        return vague
    best, score = scores[0]
    found = next(w.found for w in sight.wordings if w.guide == best)
    guesses = _with_neighbours(sight, scores)
    heard = bool(sight.claude) or vague.decision == ASK
    if not heard and not sight.trouble:
        return vague
    if score < _PHRASE or sight.vague or (sight.asking and not sight.trouble) or not heard:
        return Verdict(ASK, guesses, found)
    enough = _PRECISE if best in sight.precise else _ENOUGH
    second = scores[1][1] if len(scores) > 1 else 0.0
    if sight.claude and score >= enough and score - second >= _AHEAD:
        return Verdict(GUIDE, tuple(scores[:_OFFERS]), found, settled=True)
    return Verdict(CHOOSE if sight.claude or score >= enough else ASK, guesses, found)


def _unhappy(sight: Sight) -> bool:
    """Say whether somebody has trouble with something that may be Claude, so that it is worth asking back."""
    if sight.vague:
        return True
    if sight.claude == _NAMED:  # who tells us about Claude and does not ask a question has something to sort out
        return sight.trouble or not sight.asking
    if sight.others:
        return False
    said = any(score >= _SURE for _, score in _scores(sight.wordings))
    if sight.elsewhere:
        return bool(sight.claude) and (said or (sight.trouble and sight.chatty))
    shown = _several(sight.pointers, 0) or any(pointer.code for pointer in sight.pointers)
    return said or shown or sight.chatty or (sight.trouble and bool(sight.claude or sight.computing))


def _with_neighbours(sight: Sight, scores: Sequence[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Fill an offer up with what is easily confused with its best guess."""
    offered = {guide for guide, _ in scores}
    more = [(guide, 0.2) for guide in sight.neighbours.get(scores[0][0], ()) if guide not in offered]
    return (*scores, *more)[:_OFFERS]


def _scores(wordings: Iterable[Wording]) -> list[tuple[str, float]]:
    """Score guides by people's words: the phrase that says most, and a little for each one said elsewhere."""
    by_guide: dict[str, list[tuple[float, Found]]] = {}
    for wording in wordings:
        weight = _HINT if wording.hint else _STRENGTH[min(wording.groups, len(_STRENGTH)) - 1]
        by_guide.setdefault(wording.guide, []).append((weight, wording.found))
    scored = [(guide, round(_score(said), 2)) for guide, said in by_guide.items()]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


def _score(said: list[tuple[float, Found]]) -> float:
    """Take the best phrase whole; others overlap it as a rule, being other ways to read the same words."""
    said.sort(key=lambda pair: -pair[0])
    best, place = said[0]
    apart = sum(f.start >= place.start + place.length or f.start + f.length <= place.start for _, f in said[1:])
    return best + _AGAIN * min(1, len(said) - 1) + _APART * min(2, apart)


def _latest_first(pointers: Sequence[Pointer]) -> tuple[tuple[str, float], ...]:
    """Rank guides by their latest piece: in a ladder of retries the later line is nearer to the cause."""
    last: dict[str, float] = {}
    for pointer in pointers:
        last[pointer.guide] = max(last.get(pointer.guide, -1.0), pointer.at)
    order = sorted(last, key=lambda guide: -last[guide])
    return tuple((guide, round(0.9 - 0.1 * n, 2)) for n, guide in enumerate(order))
