"""The official status as it bears on one person's trouble: what an `auto=official-status` step answers, and says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bot.core.frozen import frozen
from bot.core.guides.guide import UNSURE, Guide
from bot.core.guides.library import Library
from bot.core.messages import Messages
from bot.core.moments import duration, moment
from bot.core.services import Provider
from bot.core.status.incident import Board, Component, Health, Incident, age
from bot.core.text import Block, Inline, Span, Text

OFFICIAL_STATUS = "official-status"
"""The value of `auto` for a step that the status page answers."""

INCIDENT, CLEAR, UNKNOWN, ELSEWHERE = "incident", "clear", "unknown", "elsewhere"
"""The choices such a step may have; `elsewhere` falls back to `unknown`."""

ANSWERS = (INCIDENT, CLEAR, UNKNOWN)

_LATEST_BODY = 300


@frozen
class Reading:
    """What the page says about one person's trouble; worded only where it is said, which few turns do."""

    answer: str
    words: Callable[[], tuple[Block, ...]]
    incident: Incident | None = None

    @property
    def lines(self) -> tuple[Block, ...]:
        """What may be shown as it is."""
        return self.words()


def reading(
    library: Library, guide: Guide | None, facts: Mapping[str, str], board: Board | None, now: float
) -> Reading:
    """Judge the board for somebody with these facts; without a fresh reading the answer is never `clear`."""
    say = library.messages
    provider = library.services.provider(facts.get("provider", ""))
    if provider is not None:
        return Reading(ELSEWHERE, lambda: (Text(elsewhere(say, provider)),))
    if board is None or board.health is not Health.OK:
        return Reading(UNKNOWN, lambda: (Text(_unknown(say, board)),))
    components = _components(library, guide, facts)
    if touching := board.touching(components):
        return Reading(INCIDENT, lambda: _open(say, touching[0], board, now), touching[0])
    if degraded := board.degraded(components):
        return Reading(INCIDENT, lambda: (Text(_degraded(say, degraded, board, now)),))
    if not board.clear(components):
        return Reading(UNKNOWN, lambda: (Text(say.inline("status.incomplete", age=_old(say, board, now))),))
    return Reading(CLEAR, lambda: (Text(_clear(say, board, facts, now)),))


def elsewhere(say: Messages, provider: Provider) -> Inline:
    """Say that the page tells nothing about this way to Claude, and what does."""
    key = "status.elsewhere" if provider.status else "status.elsewhere-own"
    return say.inline(key, provider=provider.name, page=(Span(provider.status, href=provider.status),))


def _components(library: Library, guide: Guide | None, facts: Mapping[str, str]) -> frozenset[str]:
    """Return the parts of Claude that bear on this: those of the surface, of the guide's surfaces, or all."""
    services, surface = library.services, facts.get("surface", UNSURE)
    also = services.also.get(guide.id, frozenset()) if guide else frozenset[str]()
    if surface != UNSURE or not guide or not guide.surfaces:
        return services.needed(surface) | also
    return also.union(*(services.needed(s) for s in guide.surfaces))


def _unknown(say: Messages, board: Board | None) -> Inline:
    if board is None or board.read_at is None:
        return say.inline("status.unknown")
    return say.inline("status.unknown-since", at=moment(board.read_at))


def _old(say: Messages, board: Board, now: float) -> str:
    return duration(say, age(board, now) or 0)


def _degraded(say: Messages, degraded: Sequence[Component], board: Board, now: float) -> Inline:
    parts = ", ".join(f"{c.name}: {state_word(say, 'state', c.status)}" for c in degraded)
    return say.inline("status.degraded", parts=parts, age=_old(say, board, now))


def _clear(say: Messages, board: Board, facts: Mapping[str, str], now: float) -> Inline:
    others = ", ".join(incident.name for incident in board.open if incident.begun)
    surface = facts.get("surface", UNSURE)
    what = say.text(f"surface.{surface}" if surface != UNSURE else "status.everything")
    key = "status.clear-other" if others else "status.clear"
    return say.inline(key, what=what, others=others, age=_old(say, board, now))


def _open(say: Messages, incident: Incident, board: Board, now: float) -> tuple[Block, ...]:
    lasted, old = incident.lasted(board.clock(now)), _old(say, board, now)
    impact = state_word(say, "impact", incident.impact)
    if lasted is None:
        lead = say.inline("status.open-undated", name=incident.name, impact=impact, age=old)
    else:
        since = duration(say, lasted)
        lead = say.inline("status.open", name=incident.name, impact=impact, since=since, age=old)
    latest = incident.latest
    if latest is None or latest.at is None or not latest.body:
        return (Text(lead),)
    body = latest.body if len(latest.body) <= _LATEST_BODY else latest.body[: _LATEST_BODY - 1] + "…"
    return (Text(lead), Text(say.inline("status.latest", at=moment(latest.at), body=body)))


def state_word(say: Messages, table: str, value: str) -> str:
    """Return the page's word in ours, or as it stands when nobody knows it."""
    key = f"{table}.{value}"
    return say.text(key) if key in say else value
