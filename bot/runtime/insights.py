"""`redial insights`: how conversations went in all workspaces, as text, JSON or a picture."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bot.adapters.console.plain import as_text
from bot.core.guides.library import Library
from bot.core.text import Evidence
from bot.core.triage.insights import Insight
from bot.runtime.settings import Settings
from bot.runtime.wiring import desk as open_desk
from handlers.insights import gathered, insights_view


async def insights(settings: Settings, *, as_json: bool, png: Path | None) -> str:
    """Return what to print; with `png` a picture is written there. Raises `SettingsError` without the chart extra."""
    async with open_desk(settings) as desk:
        week, month = await gathered(desk, await desk.store.workspaces())
        library = desk.library
    if png:
        from bot.runtime.chart import draw  # noqa: PLC0415 - an extra

        return draw(library, week, month, png)
    return _json(week, month) if as_json else _text(library, week, month)


def _text(library: Library, week: Insight, month: Insight) -> str:
    grades = {grade.value: library.messages.text(f"evidence.{grade}") for grade in Evidence}
    return as_text(insights_view(library, week, month, bars=True), grades=grades)


def _json(week: Insight, month: Insight) -> str:
    return msgspec.json.encode({"week": week, "month": month}).decode()
