"""An invented outage from its beginning to its end, minutes in seconds, in one channel, marked as a drill."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.core.incident import Incident, Move, Update
from bot.core.messages import Messages
from bot.core.subscription import Choice, Place, Subscription
from bot.core.watch import Page, Reading, merge
from handlers.announce import Announcer, Office, Walked

CODE = "yyzkbfz2thpt"
"""The component the invented outage is about: Claude Code, by the id of the real page."""
_MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class Stage:
    """One reading of the invented page. minute: of the outage."""

    minute: int
    incident: Incident


async def drill(
    office: Office, place: Place, now: Callable[[], float], *, choice: Choice | None = None, pause: float = 1.0
) -> AsyncIterator[Walked]:
    """Play the outage into `place`, and yield after each reading of the invented page.

    `office` has a store of its own, so that nothing of a drill outlives it; its names are those of a drill. What was
    posted is taken away by `cleaned_up`.
    """
    page, announcer = f"drill-{secrets.token_hex(4)}", Announcer(office)
    began = now()
    await office.pages.subscribe(await office.pages.page(page), Subscription(place, page, 1, choice or Choice()))
    await _read(office, page, Reading(began, ()))
    for stage in _stages(office.names((choice or Choice()).locale).messages, began):
        await _read(office, page, Reading(began + stage.minute * _MINUTE, (stage.incident,)))
        while (walked := await announcer.walk(page, place.platform)).acts:
            yield walked
        await asyncio.sleep(pause)


async def cleaned_up(office: Office, place: Place, page: str) -> int:
    """Delete the messages of a drill, replies first; return how many there were."""
    channels, deleted = office.channels[place.platform], 0
    for subscription in await office.pages.subscriptions(page):
        names = await office.pages.topics(page, subscription.id)
        announced = (await office.pages.announced(page, {subscription.id: names})).records.get(subscription.id, {})
        for record in announced.values():
            for message in reversed(record.messages):
                await channels.delete(place, message.ref)
                deleted += 1
    return deleted


async def _read(office: Office, page: str, reading: Reading) -> Page:
    before = await office.pages.page(page)
    after = merge(before.page, reading)
    await office.pages.put(before, after)
    return after


def _stages(say: Messages, began: float) -> Iterator[Stage]:
    first = Incident(
        "drill", say.text("drill.name"), "investigating", "minor", began, began, None, "", (CODE,), scheduled_for=None
    )
    begun = _said(say, "begun", "investigating", began, after="degraded_performance")
    yield Stage(0, _with(first, [begun]))
    worse = "partial_outage"
    known = _said(
        say, "known", "identified", began + 9 * _MINUTE, before="degraded_performance", after="partial_outage"
    )
    graver = replace(first, name=say.text("drill.renamed"), impact="major")
    yield Stage(9, _with(graver, [begun, known]))
    fixed = _said(say, "fixed", "monitoring", began + 31 * _MINUTE, before=worse, after=worse)
    yield Stage(31, _with(graver, [begun, known, fixed]))
    over = _said(say, "over", "resolved", began + 80 * _MINUTE, before=worse, after="operational")
    ended = replace(graver, resolved_at=began + 80 * _MINUTE)
    yield Stage(80, _with(ended, [begun, known, fixed, over]))
    later = _said(say, "later", "postmortem", began + 81 * _MINUTE)
    yield Stage(81, _with(ended, [begun, known, fixed, over, later]))


def _said(say: Messages, key: str, status: str, at: float, *, before: str = "operational", after: str = "") -> Update:
    moves = (Move(CODE, "", before, after),) if after else ()
    return Update(f"drill-{key}", status, say.text(f"drill.{key}"), at, (CODE,), moves)


def _with(incident: Incident, updates: Sequence[Update]) -> Incident:
    return replace(incident, status=updates[-1].status, updates=tuple(updates))
