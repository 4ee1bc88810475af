"""Counting what conversations come to, and telling what may be said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import structlog

from bot.core.errors import NotDrawn, RecordTooNew, SettingsError
from bot.core.event import Origin
from bot.core.guides.guide import Outcome
from bot.core.guides.library import Library
from bot.core.messages import Messages
from bot.core.text import Block, Bullets, Code, Heading, Inline, Text
from bot.core.triage.conversation import Conversation
from bot.core.triage.handoff import cause_title
from bot.core.triage.insights import FEW, GuideInsight, Insight, counted, insight, odds, summed, week_of, weeks
from bot.core.triage.showing import as_lines
from bot.core.view import Picture, View
from bot.ports.chat import Chat
from handlers.desk import Desk

_log = structlog.get_logger(__name__)

PICTURE = "insights.png"
"""Name of the picture's file."""
_GUIDES = 5
"""Most problems listed."""
_BAR, _LONGEST = "█", 10
"""What a bar in letters is made of, and how many of them the longest has."""


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


async def tell_insights(desk: Desk, place: Origin, chat: Chat) -> None:
    """Show somebody how conversations went in their workspace: in words, with a picture where it can be."""
    await desk.tallies.flush()
    week, month = await gathered(desk, [place])
    if desk.studio is None or (week.few and month.few):
        await chat.tell(place, insights_view(desk.library, week, month, bars=True))
        return
    view = insights_view(desk.library, week, month)
    note: tuple[Block, ...] = ()
    try:
        png = await desk.studio.draw(desk.library, week, month)
    except SettingsError:
        note = (Text(desk.library.messages.inline("insights.no-picture")),)
    except NotDrawn as error:
        _log.error("insights not drawn", error=str(error))
    else:
        alt = "\n".join(as_lines(view.blocks))
        await chat.tell(place, replace(view, picture=Picture(png, PICTURE, alt)))
        return
    view = insights_view(desk.library, week, month, bars=True)
    await chat.tell(place, replace(view, blocks=(*view.blocks, *note)))


def insights_view(library: Library, week: Insight, month: Insight, *, bars: bool = False) -> View:
    """Return insights as a message. bars: drawn in letters, where no picture shows them."""
    say = library.messages
    blocks: list[Block] = []
    for key, one in (("week", week), ("month", month)):
        blocks.append(Heading(say.inline(f"insights.{key}", since=day(one.since), until=day(one.until, back=1))))
        blocks += _said(library, one, bars=bars)
    return View(lead=say.inline("insights.lead"), blocks=(*blocks, Text(say.inline("insights.privacy", few=FEW))))


def _said(library: Library, one: Insight, *, bars: bool) -> Iterator[Block]:
    say = library.messages
    if one.few:
        yield Text(say.inline("insights.few", few=FEW))
        return
    if bars and (drawn := _bars(say, one)):
        yield Code(drawn)
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


def _bars(say: Messages, one: Insight) -> str:
    """Return how conversations ended, a line each, as wide as a phone; a small figure is as long as the least shown."""
    ends = {name: FEW if n is None else n for name, n in (one.outcomes or {}).items() if n != 0}
    words = {name: outcome_word(say, name) for name in ends}
    width, most = max(map(len, words.values()), default=0), max(ends.values(), default=1)
    lines = (
        f"{words[name]:<{width}} {_BAR * max(1, round(n / most * _LONGEST))} {figure(say, (one.outcomes or {})[name])}"
        for name, n in ends.items()
    )
    return "\n".join(lines)


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
