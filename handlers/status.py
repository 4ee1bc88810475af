"""`/redial status`: what is open, what it means for who asks, how old that is, and what ended last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from bot.core.guides.guide import UNSURE
from bot.core.guides.library import Library
from bot.core.messages import Messages
from bot.core.moments import duration, moment, stamp
from bot.core.status.incident import Board, Health, Incident, age
from bot.core.status.official import elsewhere, state_word
from bot.core.text import Block, Bullets, Inline, Text
from bot.core.view import Cite, View

LAST = 5
"""Incidents that ended, shown besides those that are open."""
_GRAVITY = ("open", "degraded", "clear")
"""What the page can mean for a surface, in the order it is said."""
_Means = tuple[str, tuple[tuple[str, str], ...]]
"""One of these, and what its sentence names."""


def status_view(library: Library, board: Board, now: float, facts: Mapping[str, str] | None = None) -> View:
    """Return the official page as a message. facts: how who asks works with Claude, as far as that is known."""
    say, page = library.messages, library.services.page
    blocks = (
        *_known(say, board, now),
        *_meaning(library, board, facts or {}),
        *_open(library, board, now),
        *_parts(say, board),
        *_ended(say, board),
    )
    lead = _lead(say, board)
    return View(lead=lead, blocks=blocks, sources=(Cite(page.name, board.link or page.hosts[0]),))


def board_lead(board: Board) -> str:
    """Return the key of the sentence for a fresh reading: something is open, something does not work, or neither."""
    if board.open:
        return "board.lead-open"
    return "board.lead-ok" if all(part.operational for part in board.components) else "board.lead-degraded"


def _lead(say: Messages, board: Board) -> Inline:
    if board.health is Health.OK and board.read_at is not None:
        return say.inline(board_lead(board), n=len(board.open))
    if board.read_at is not None:
        return say.inline("board.lead-unread", at=moment(board.read_at))
    return say.inline("board.lead-unknown")


def _known(say: Messages, board: Board, now: float) -> Iterator[Block]:
    old = age(board, now)
    if board.health is Health.OK and old is not None:
        yield Text(say.inline("board.read", age=duration(say, old)))
        return
    yield Text(say.inline("board.unknown-body"))
    if old is not None:
        yield Text(say.inline("board.last-known", age=duration(say, old)))


def _meaning(library: Library, board: Board, facts: Mapping[str, str]) -> Iterator[Block]:
    """Say what the page means for who asks, and then elsewhere; nothing where it could not be read."""
    say, surface = library.messages, facts.get("surface", UNSURE)
    if board.health is not Health.OK:
        return
    if (provider := library.services.provider(facts.get("provider", ""))) is not None:
        yield Text(elsewhere(say, provider))
    elif surface in library.services.surfaces and (found := _means(library, board, surface)) is not None:
        kind, fields = found
        yield Text(say.inline(f"board.mine-{kind}", what=_where(library, surface), **dict(fields)))
    else:
        surface = ""
    groups: defaultdict[_Means, list[str]] = defaultdict(list)
    for other in library.services.surfaces:
        if other != surface and (found := _means(library, board, other)) is not None:
            groups[found].append(_where(library, other))
    for (kind, fields), where in sorted(groups.items(), key=lambda group: _GRAVITY.index(group[0][0])):
        yield Text(say.inline(f"board.others-{kind}", where=", ".join(where), **dict(fields)))


def _means(library: Library, board: Board, surface: str) -> _Means | None:
    """Return what the page says of a surface; None where it does not say enough."""
    needed = library.services.needed(surface)
    if touching := board.touching(needed):
        return "open", (("name", touching[0].name),)
    if degraded := board.degraded(needed):
        say = library.messages
        parts = ", ".join(f"{part.name}: {state_word(say, 'state', part.status)}" for part in degraded)
        return "degraded", (("parts", parts),)
    return ("clear", ()) if board.clear(needed) else None


def _where(library: Library, surface: str) -> str:
    say, key = library.messages, f"surface.{surface}"
    return say.text(key) if key in say else library.services.surfaces[surface].name


def _open(library: Library, board: Board, now: float) -> Iterator[Block]:
    say = library.messages
    for incident in board.open:
        yield Text(_line(say, incident, board.clock(now)))
        names = [library.services.components.get(c, "") for c in incident.components]
        if named := ", ".join(name for name in names if name):
            yield Text(say.inline("board.parts", parts=named))


def _line(say: Messages, incident: Incident, now: float) -> Inline:
    fields = {
        "name": incident.name,
        "impact": state_word(say, "impact", incident.impact),
        "state": state_word(say, "state", incident.status),
    }
    lasted, quiet = incident.lasted(now), incident.quiet(now)
    at = incident.started_at if incident.begun or incident.scheduled_for is None else incident.scheduled_for
    since = moment(at) if at is not None else "?"
    if lasted is None or quiet is None or not incident.begun:
        return say.inline("board.incident", **fields, at=since)
    old = {"age": duration(say, lasted), "quiet": duration(say, quiet)}
    return say.inline("board.incident-age", **fields, **old, at=since)


def _parts(say: Messages, board: Board) -> Iterator[Block]:
    parts = [
        (Text(say.inline("board.component", name=part.name, status=state_word(say, "state", part.status))),)
        for part in board.components
        if not part.operational
    ]
    if parts:
        yield Bullets(tuple(parts))
    if work := sum(part.operational and not part.hidden for part in board.components):
        yield Text(say.inline("board.rest" if parts else "board.work", n=work))


def _ended(say: Messages, board: Board) -> Iterator[Block]:
    over = [incident for incident in board.incidents if not incident.open]
    over.sort(key=lambda incident: incident.started_at or 0.0, reverse=True)
    if over:
        yield Text(say.inline("board.last"))
        yield Bullets(tuple((Text(_was(say, incident)),) for incident in over[:LAST]))


def _was(say: Messages, incident: Incident) -> Inline:
    fields = {"name": incident.name, "impact": state_word(say, "impact", incident.impact)}
    lasted = incident.lasted(0.0)
    if lasted is None or incident.started_at is None:
        return say.inline("board.ended-undated", **fields)
    return say.inline("board.ended", **fields, lasted=duration(say, lasted), at=stamp(incident.started_at))
