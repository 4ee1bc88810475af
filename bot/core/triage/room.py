"""The room as a sensor: several people who report the same within minutes say what the official page may not say yet.

Pure counting. What comes out are counts and what enough people stated; nobody's name or id ever comes in here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from enum import StrEnum

from bot.core.frozen import frozen
from bot.core.guides.guide import UNSURE, Outcome
from bot.core.guides.library import Library
from bot.core.status.official import INCIDENT
from bot.core.triage.conversation import Conversation

TOLD_BY = 3
"""People who have to have stated a fact before it is said of all: fewer could be recognised by it."""

_COMMON = ("surface", "browser", "version", "provider")
"""Facts that are worth saying when all who stated one stated the same."""
_NETWORK = ("place", "vpn", "network")
"""Facts that tell "our network" from "Claude"."""


@frozen
class Sensor:
    """When a room is heard: so many people, with the same kind of trouble, within so many minutes."""

    people: int = 4
    minutes: int = 30

    @property
    def window(self) -> float:
        """Seconds a report counts."""
        return self.minutes * 60.0

    @property
    def calm(self) -> int:
        """Fewer people than this, and it has calmed down; well below `people`, so that nothing flickers."""
        return max(1, self.people // 2)


@frozen
class Signal:
    """What one person last reported: a guide's id, when, and what they stated of it."""

    kind: str
    at: float
    facts: Mapping[str, str] = field(default_factory=dict)


class Verdict(StrEnum):
    """What the reports have in common, as far as it tells where the trouble is."""

    OURS = "ours"
    CLAUDES = "claudes"
    OPEN = "open"


@frozen
class Shared:
    """A fact all who stated it stated alike."""

    fact: str
    value: str
    people: int


@frozen
class Murmur:
    """What a room says of one kind of trouble. since: the first report that counts."""

    kind: str
    people: int
    since: float
    verdict: Verdict = Verdict.OPEN
    because: tuple[Shared, ...] = ()
    common: tuple[Shared, ...] = ()


def signal(library: Library, conversation: Conversation) -> Signal | None:
    """Return what a conversation says to the room; None where it says nothing (any more).

    What is on this side does not count, nor what the official page explained when it was reported, nor trouble that is
    over, or that its owner has called another.
    """
    guide, over = library.known(conversation.guide), conversation.outcome in {Outcome.FIXED, Outcome.LEFT}
    if guide is None or guide.local or over or conversation.told.startswith(f"{INCIDENT}:"):
        return None
    known = {**conversation.details, **conversation.facts}
    stated = {fact: known[fact] for fact in (*_COMMON, *_NETWORK) if known.get(fact, UNSURE) != UNSURE}
    return Signal(guide.id, conversation.opened, stated)


def murmurs(signals: Iterable[Signal], now: float, sensor: Sensor, library: Library) -> Mapping[str, Murmur]:
    """Return what the room says of every kind that anybody reported within the window."""
    kinds: dict[str, list[Signal]] = {}
    for one in signals:
        if now - one.at <= sensor.window and library.known(one.kind):
            kinds.setdefault(one.kind, []).append(one)
    return {kind: _murmur(library, kind, found) for kind, found in kinds.items()}


def _murmur(library: Library, kind: str, signals: list[Signal]) -> Murmur:
    verdict, because = _verdict(signals)
    guide = library.guide(kind)
    told = (fact for fact in _COMMON if fact != "surface" or len(guide.surfaces) != 1)
    common = tuple(shared for fact in told if (shared := _alike(signals, fact)))
    return Murmur(kind, len(signals), min(one.at for one in signals), verdict, because, common)


def _verdict(signals: list[Signal]) -> tuple[Verdict, tuple[Shared, ...]]:
    """Say whether it is our network: only if nothing that was stated speaks against it."""
    found = dict(_pointing(signals))
    if len(found) != 1:
        return Verdict.OPEN, ()
    return next(iter(found.items()))


def _pointing(signals: list[Signal]) -> Iterator[tuple[Verdict, tuple[Shared, ...]]]:
    ours = [shared for fact, value in _OURS.items() if (shared := _alike(signals, fact)) and shared.value == value]
    if ours:
        yield Verdict.OURS, tuple(ours)
    different = [
        Shared(fact, "", sum(stated.values()))
        for fact in ("place", "vpn")
        if len(stated := _stated(signals, fact)) > 1 and sum(stated.values()) >= TOLD_BY
    ]
    elsewhere = _alike(signals, "network")
    if elsewhere and elsewhere.value == "drops":
        different.append(elsewhere)
    if different:
        yield Verdict.CLAUDES, tuple(different)


_OURS = {"place": "company", "vpn": "yes", "network": "holds"}
"""What points to our own network, when all state it."""


def _stated(signals: Iterable[Signal], fact: str) -> Counter[str]:
    return Counter(one.facts[fact] for one in signals if fact in one.facts)


def _alike(signals: Iterable[Signal], fact: str) -> Shared | None:
    """Return a fact that enough people stated, and nobody otherwise."""
    stated = _stated(signals, fact)
    if len(stated) != 1:
        return None
    ((value, people),) = stated.items()
    return Shared(fact, value, people) if people >= TOLD_BY else None
