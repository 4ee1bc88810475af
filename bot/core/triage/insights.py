"""What is counted of conversations, without anybody's id, and what may be said of it.

Counted are whole conversations, by guide and step; small figures are not shown, since among few people a number can
be a person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from bot.core.frozen import frozen
from bot.core.guides.guide import Outcome
from bot.core.guides.library import FACTS, WHICH, Library
from bot.core.triage.conversation import WHAT, Conversation
from bot.core.triage.life import STUCK, does, helped_by

FEW = 5
"""Below this a figure is only called small: four people in a team can be guessed from three."""
ENOUGH = 10
"""Times a step has to have been tried before it is said how often it helped: below, chance decides more."""
WEEKS = 5
"""Weeks of a month, this one included."""

_DAY = 86400
_STEPS = 6
"""Most steps listed."""
_MINUTES = (2, 5, 10, 30, 60, 240)
"""Bounds of the classes of time to an outcome."""


def week_of(now: float) -> str:
    """Return the week a moment is in, named by its Monday in UTC, such as `2026-11-30`."""
    return _week_of_day(int(now // _DAY))


@lru_cache(maxsize=64)
def _week_of_day(number: int) -> str:
    day = datetime.fromtimestamp(number * _DAY, UTC).date()
    return (day - timedelta(days=day.weekday())).isoformat()


def weeks(now: float, count: int = WEEKS) -> tuple[str, ...]:
    """Return this week and those before it."""
    return tuple(week_of(now - n * 7 * _DAY) for n in range(count))


def counted(library: Library, before: Conversation | None, after: Conversation) -> tuple[str, ...]:
    """Return what a turn adds to the counts."""
    return tuple(_counted(library, before, after))


def _counted(library: Library, before: Conversation | None, after: Conversation) -> Iterator[str]:
    if before is None:
        yield "opened"
        if not after.guide and after.step in {WHAT, WHICH}:
            yield "asked-back"
    if after.guide and (before is None or before.guide != after.guide):
        yield f"guide:{after.guide}"
    if before is not None and before.guide and len(after.refused) > len(before.refused):
        yield f"corrected:{before.guide}"
    yield from (f"tried:{place}" for place in _tried(library, before, after))
    yield from _ended(library, before, after)
    yield from _handed(before, after)


def _tried(library: Library, before: Conversation | None, after: Conversation) -> Iterator[str]:
    """Yield the steps somebody did for the first time in this conversation; ended at, it was tried too."""
    history = before.history if before else ()
    known = {(visit.guide, visit.step) for visit in history if visit.by}
    new = [(visit.guide, visit.step) for visit in after.history[len(history) :] if visit.by]
    fixed = after.outcome is Outcome.FIXED and (before is None or before.outcome is not Outcome.FIXED)
    if fixed and after.guide:
        known |= set() if len(after.history) > len(history) else {(v.guide, v.step) for v in after.history if v.by}
        new.append((after.guide, after.step))
    for guide, step in dict.fromkeys(new):
        if guide != FACTS and (guide, step) not in known and does(library.step(guide, step)[1]):
            yield f"{guide}#{step}"


def _ended(library: Library, before: Conversation | None, after: Conversation) -> Iterator[str]:
    was, now = before.outcome if before else None, after.outcome
    if now is not None and was is not now:
        yield f"ended:{now.value}"
        if after.guide:
            yield f"ended:{now.value}:{after.guide}"
        if now is not Outcome.LEFT:
            yield f"took:{_class(after.touched - after.opened)}"
    elif now is None and was is not None and was is not Outcome.WAITING:
        yield "reopened"
    credited = helped_by(library, after) if now is Outcome.FIXED else ""
    once = helped_by(library, before) if before and was is Outcome.FIXED else ""
    if credited != once:
        yield from (f"{what}:{place}" for what, place in (("fixed", credited), ("unfixed", once)) if place)


def _handed(before: Conversation | None, after: Conversation) -> Iterator[str]:
    hand, was = after.handoff, before.handoff if before else None
    if hand and hand != was and hand.act:
        yield f"handoff:{hand.act}"


def _class(seconds: float) -> str:
    return next((str(bound) for bound in _MINUTES if seconds < bound * 60), "more")


def summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return counts of several weeks or workspaces as one."""
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(total)


def odds(counts: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return of each step how often it helped and was tried, where that is often enough to be said beside it."""
    found = {place: _helped(counts, place) for place in _places(counts)}
    return {place: (fixed, tried) for place, (fixed, tried) in found.items() if tried >= ENOUGH and fixed >= FEW}


def _helped(counts: Mapping[str, int], place: str) -> tuple[int, int]:
    tried = counts.get(f"tried:{place}", 0)
    fixed = counts.get(f"fixed:{place}", 0) - counts.get(f"unfixed:{place}", 0)
    # A week may begin between trying and helping.
    return max(0, min(fixed, tried)), tried


def _places(counts: Mapping[str, int]) -> Iterator[str]:
    return (name.removeprefix("tried:") for name in counts if name.startswith("tried:"))


@frozen
class StepInsight:
    """How often a step, as `guide#step`, helped, and was tried."""

    place: str
    fixed: int
    tried: int


@frozen
class GuideInsight:
    """How many conversations came to a guide, at least; fixed, corrected: of those, None where that is few."""

    guide: str
    conversations: int
    fixed: int | None
    corrected: int | None


@frozen
class Insight:
    """What may be said of a time. None stands for a figure that is there but small; `few`: nothing is said at all.

    since, until: the days it is of, the second not included. conversations: at least so many, or what is left out could
    be worked out. within: minutes half of those that came to an end took.
    """

    since: str
    until: str
    few: bool
    conversations: int | None = None
    outcomes: Mapping[str, int | None] | None = None
    within: int | None = None
    asked_back: int | None = 0
    corrected: int | None = 0
    reopened: int | None = 0
    handoffs: Mapping[str, int | None] | None = None
    guides: tuple[GuideInsight, ...] = ()
    steps: tuple[StepInsight, ...] = ()


def insight(counts: Mapping[str, int], since: str, until: str) -> Insight:
    """Return what may be said of counts."""
    opened = counts.get("opened", 0)
    if opened < FEW:
        return Insight(since, until, few=True)
    corrected = sum(n for name, n in counts.items() if name.startswith("corrected:"))
    asked = sum(counts.get(f"handoff:{act}", 0) for act in ("posted", STUCK)) or counts.get("ended:handed_off", 0)
    return Insight(
        since,
        until,
        few=False,
        conversations=opened - opened % FEW,
        outcomes={outcome.value: _shown(counts.get(f"ended:{outcome.value}", 0)) for outcome in Outcome},
        within=_half(counts),
        asked_back=_shown(counts.get("asked-back", 0)),
        corrected=_shown(corrected),
        reopened=_shown(counts.get("reopened", 0)),
        handoffs={"asked": _shown(asked)}
        | {act: _shown(counts.get(f"handoff:{act}", 0)) for act in ("take", "resolve", "return", "stuck")},
        guides=tuple(_guides(counts)),
        steps=tuple(_steps(counts)),
    )


def _guides(counts: Mapping[str, int]) -> Iterator[GuideInsight]:
    found = [(n, name.removeprefix("guide:")) for name, n in counts.items() if name.startswith("guide:") and n >= FEW]
    for n, guide in sorted(found, key=lambda one: (-one[0], one[1])):
        fixed = counts.get(f"ended:fixed:{guide}", 0)
        yield GuideInsight(guide, n - n % FEW, _shown(fixed), _shown(counts.get(f"corrected:{guide}", 0)))


def _steps(counts: Mapping[str, int]) -> list[StepInsight]:
    found = [StepInsight(place, *shares) for place, shares in odds(counts).items()]
    return sorted(found, key=lambda one: (-one.fixed, -one.tried, one.place))[:_STEPS]


def _shown(n: int) -> int | None:
    return None if 0 < n < FEW else n


def _half(counts: Mapping[str, int]) -> int | None:
    """Return within how many minutes half of what was counted came to an end; None where that is few, or long."""
    took = [(bound, counts.get(f"took:{bound}", 0)) for bound in _MINUTES]
    total = sum(n for _, n in took) + counts.get("took:more", 0)
    if total < FEW:
        return None
    so_far = 0
    for bound, n in took:
        so_far += n
        if 2 * so_far >= total:
            return bound
    return None
