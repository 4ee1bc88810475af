"""An invented outage from its beginning to its end, minutes in seconds, in one channel, marked as a drill."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace

from bot.core.errors import ChannelGone
from bot.core.frozen import frozen
from bot.core.messages import Messages
from bot.core.status.announcement import Doing
from bot.core.status.incident import Incident, Move, Update
from bot.core.status.subscription import Choice, Place, Standing, Subscription, subscription_id
from bot.core.status.watch import Page, Reading, merge
from bot.ports.announcing import Failed
from handlers.announce import Announcer, Office, Walked

CODE = "yyzkbfz2thpt"
"""The component the invented outage is about: Claude Code, by the id of the real page."""
_MINUTE = 60.0
_TRIES, _AGAIN = 60, 1.0
"""How often, and after how many seconds, is looked again whether a stage can be told to its end."""


@frozen
class Stage:
    """One reading of the invented page. minute: of the outage."""

    minute: int
    incident: Incident


async def drill(
    office: Office,
    place: Place,
    now: Callable[[], float],
    *,
    page: str = "",
    choice: Choice | None = None,
    pause: float = 1.0,
) -> AsyncIterator[Walked]:
    """Play the outage into `place`, and yield after each reading of the invented page.

    page: what it goes by in the store, where it is to be found by `cleaned_up` after a crash; else a new one. The names
    of `office` are those of a drill. Raises `ChannelGone` where nothing can be posted.
    """
    page, announcer = page or f"drill-{secrets.token_hex(4)}", Announcer(office)
    began = now()
    await office.pages.subscribe(await office.pages.page(page), Subscription(place, page, 1, choice or Choice()))
    await _read(office, page, Reading(began, ()))
    for stage in _stages(office.names((choice or Choice()).locale).messages, began):
        await _read(office, page, Reading(began + stage.minute * _MINUTE, (stage.incident,)))
        for _ in range(_TRIES):
            walked = await announcer.walk(page, place.platform)
            if walked.acts:
                yield walked
            elif not walked.left:
                break
            else:
                await _posts(office, page, place)
                await asyncio.sleep(_AGAIN)
        await asyncio.sleep(pause)


def page_of(place: Place) -> str:
    """Return what the invented page of a channel goes by, so that whatever a drill left there is found."""
    return f"drill-{subscription_id(place)}"


async def cleaned_up(office: Office, place: Place, page: str) -> int:
    """Delete the messages of a drill, replies first, and forget its page; return how many there were."""
    channels, deleted = office.channels[place.platform], 0
    for subscription in await office.pages.subscriptions(page):
        names = await office.pages.topics(page, subscription.id)
        announced = (await office.pages.announced(page, {subscription.id: names})).records.get(subscription.id, {})
        for record in announced.values():
            refs = [message.ref for message in record.messages]
            if (intent := record.intent) is not None and intent.doing is not Doing.EDIT:
                # Nobody knows what became of it: the drill was broken off just then.
                since = intent.at - office.bounds.apart
                found = await channels.find(place, record.above(intent), intent.sent.key, since)
                refs += () if isinstance(found, Failed) else found
            for ref in reversed(refs):
                await channels.delete(place, ref)
                deleted += 1
        await office.pages.change(subscription, None)
    await office.pages.forget(page)
    return deleted


async def _posts(office: Office, page: str, place: Place) -> None:
    there = await office.pages.subscription(page, place)
    if there is not None and there.standing is Standing.PAUSED:
        raise ChannelGone(f"nothing can be posted there: {there.trouble}")


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
