"""Counting what conversations come to, and telling what may be said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta

from bot.core.errors import RecordTooNew
from bot.core.event import Origin
from bot.core.guides.guide import Outcome
from bot.core.guides.library import Library
from bot.core.messages import Messages
from bot.core.text import Block, Bullets, Heading, Inline, Text
from bot.core.triage.conversation import Conversation
from bot.core.triage.handoff import cause_title
from bot.core.triage.insights import FEW, GuideInsight, Insight, counted, insight, odds, summed, week_of, weeks
from bot.core.view import View
from handlers.desk import Desk

_GUIDES = 5
"""Most problems listed."""


def count(desk: Desk, before: Conversation | None, after: Conversation) -> None:
    """Count what a stored turn came to; nobody waits for it."""
    desk.tallies.count(after.origin, week_of(after.touched), counted(desk.library, before, after))


async def learn(desk: Desk, place: Origin) -> None:
    """Read anew how often steps helped in a workspace, so that turns need not."""
    desk.odds[place.tenant] = odds(summed(await desk.tallies.read(place, weeks(desk.clock()))))


async def gathered(desk: Desk, places: Sequence[Origin]) -> tuple[Insight, Insight]:
    """Return what may be said of the last whole week, and of the five up to today, in these workspaces together."""
    names = weeks(desk.clock())
    read = [await desk.tallies.read(place, names) for place in places]
    by_week = [summed(one[n] for one in read) for n in range(len(names))]
    tomorrow = datetime.fromtimestamp(desk.clock(), UTC).date() + timedelta(days=1)
    return insight(by_week[1], names[1], names[0]), insight(summed(by_week), names[-1], tomorrow.isoformat())


def insights_view(library: Library, week: Insight, month: Insight) -> View:
    """Return insights as a message."""
    say = library.messages
    blocks: list[Block] = []
    for key, one in (("week", week), ("month", month)):
        blocks.append(Heading(say.inline(f"insights.{key}", since=day(one.since), until=day(one.until, back=1))))
        blocks += _said(library, one)
    return View(lead=say.inline("insights.lead"), blocks=(*blocks, Text(say.inline("insights.privacy", few=FEW))))


def _said(library: Library, one: Insight) -> Iterator[Block]:
    say = library.messages
    if one.few:
        yield Text(say.inline("insights.few", few=FEW))
        return
    yield Bullets(tuple((Text(say.inline(key, **fields)),) for key, fields in _lines(say, one)))
    if one.guides:
        yield Text(say.inline("insights.problems"))
        yield Bullets(tuple((Text(_guide(library, guide)),) for guide in one.guides[:_GUIDES]))
    if one.steps:
        yield Text(say.inline("insights.helped"))
        yield Bullets(
            tuple(
                (Text(say.inline("insights.step", title=step_title(library, s.place), fixed=s.fixed, tried=s.tried)),)
                for s in one.steps
            )
        )


def _guide(library: Library, one: GuideInsight) -> Inline:
    say, known = library.messages, library.known(one.guide)
    key = "insights.problem" if one.corrected == 0 else "insights.problem-corrected"
    title = known.title if known else one.guide
    figures = {name: figure(say, n) for name, n in (("fixed", one.fixed), ("corrected", one.corrected))}
    return say.inline(key, title=title, total=one.conversations, **figures)


def _lines(say: Messages, one: Insight) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the key and the fields of each line; what never happened has none."""
    ends = [f"{figure(say, n)} {outcome_word(say, name)}" for name, n in (one.outcomes or {}).items() if n != 0]
    yield "insights.conversations", {"total": figure(say, one.conversations), "ends": ", ".join(ends)}
    if one.within is not None:
        yield "insights.within", {"minutes": str(one.within)}
    for name in ("asked_back", "corrected", "reopened"):
        n: int | None = getattr(one, name)
        if n != 0:
            yield f"insights.{name.replace('_', '-')}", {"total": figure(say, n)}
    hands = one.handoffs or {}
    if hands.get("asked") != 0:
        fields = {name: figure(say, hands.get(name)) for name in ("asked", "take", "resolve")}
        yield "insights.handoffs", fields


def figure(say: Messages, n: int | None) -> str:
    """Return a figure, or that it is small."""
    return say.text("insights.small", few=FEW) if n is None else str(n)


def outcome_word(say: Messages, outcome: str) -> str:
    """Return what a conversation came to, in a list."""
    return say.text(f"insights.{Outcome(outcome).value}")


def step_title(library: Library, place: str) -> str:
    """Return the words of a step; of one that is gone since, its name."""
    try:
        return cause_title(library, place)
    except RecordTooNew:
        return place


def day(name: str, *, back: int = 0) -> str:
    """Return a day as people write it: `30 Nov`."""
    found = date.fromisoformat(name) - timedelta(days=back)
    return f"{found.day} {found:%b}"
