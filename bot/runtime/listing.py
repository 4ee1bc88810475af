"""Lists and articles for the command line: guides, one guide, the official status."""

from __future__ import annotations

import time
from collections.abc import Iterator

import msgspec

from bot.adapters.console.plain import as_text
from bot.core.errors import SettingsError
from bot.core.guides.guide import Choice, Guide, Onward, ToOutcome
from bot.core.messages import Messages
from bot.core.status.incident import Health
from bot.core.text import Heading
from bot.core.triage.showing import as_lines
from bot.core.view import View
from bot.runtime.content import Content
from bot.runtime.settings import Settings
from bot.runtime.wiring import status_source
from handlers.status import status_view

_UNKNOWN = 3
_PATIENCE = 10.0


def guide_list(content: Content, *, as_json: bool) -> str:
    """Return the guides, a line each, or as one JSON list."""
    guides = sorted(content.library.guides.values(), key=lambda guide: guide.id)
    if as_json:
        rows = [
            {
                "id": guide.id,
                "title": guide.title,
                "surfaces": guide.surfaces,
                "steps": len(guide.steps),
                "signs": len(guide.signs),
                "reviewed": guide.reviewed,
                "path": guide.path,
            }
            for guide in guides
        ]
        return msgspec.json.encode(rows).decode()
    width = max(len(guide.id) for guide in guides)
    return "\n".join(f"{guide.id:<{width}}  {guide.title}" for guide in guides)


def article(guide: Guide, say: Messages) -> str:
    """Return a guide to read from top to bottom."""
    return "\n".join(_article(guide, _grades(say)))


def _article(guide: Guide, grades: dict[str, str]) -> Iterator[str]:
    yield f"{guide.title}\n{'=' * len(guide.title)}"
    yield from as_lines(guide.summary)
    for step in guide.steps:
        parts = [block for part in step.variants for block in (Heading(part.title), *part.body)]
        view = View(lead=step.title, evidence=step.evidence, blocks=(*step.body, *parts))
        title, *lines = as_text(view, grades=grades, width=0).split("\n")
        yield f"\n{title}  (#{step.id})"
        yield from lines
        yield from (f"  * {choice.label} → {_end(guide, choice)}" for choice in step.choices)
    for question in guide.questions:
        view = View(lead=question.title, evidence=question.evidence, blocks=question.body)
        yield f"\n{as_text(view, grades=grades, width=0)}"
    yield from (f"\nSource {name}: {url}" for name, url in guide.sources.items())


def _grades(say: Messages) -> dict[str, str]:
    return {key.removeprefix("evidence."): say.text(key) for key in say.keys("evidence")}


def _end(guide: Guide, choice: Choice) -> str:
    match choice.target:
        case ToOutcome(outcome):
            return outcome.value
        case Onward():
            return "on"
        case target:
            return f"#{target.step}" if target.guide == guide.id else f"{target.guide}#{target.step}".rstrip("#")


async def official_status(settings: Settings, content: Content, surface: str = "", *, as_json: bool) -> tuple[str, int]:
    """Read the page once; return what to print and the exit code (0 clear, 1 open incident, 3 unknown).

    surface: where somebody works with Claude, to say what it means there.
    """
    if surface and surface not in content.library.services.surfaces:
        known = ", ".join(content.library.services.surfaces)
        raise SettingsError(f"there is no surface `{surface}`; there are {known}")
    # Nobody is waiting for an answer in a chat: a reading may take its time.
    source = status_source(settings, content.library.services.page, patience=_PATIENCE)
    try:
        board = await source.board()
    finally:
        await source.close()
    troubled = any(i.begun for i in board.open) or not all(part.operational for part in board.components)
    code = _UNKNOWN if board.health is not Health.OK else int(troubled)
    if as_json:
        return msgspec.json.encode(board).decode(), code
    messages = content.library.messages
    shown = status_view(content.library, board, time.time(), {"surface": surface})
    return as_text(shown, grades=_grades(messages)), code
