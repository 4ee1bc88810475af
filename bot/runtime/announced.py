"""`redial announcements`: what each channel has been sent of what is open, and what is stuck, with the reason."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import asdict

import msgspec

from bot.core.frozen import frozen
from bot.core.status.announcement import Announcement
from bot.core.status.subscription import Standing, Subscription
from bot.core.status.watch import Page
from bot.ports.pages import PageStore
from bot.runtime.settings import Settings
from bot.runtime.wiring import desk

LATE = 60.0
"""Seconds after which a request whose result nobody knows counts as stuck: half a minute later it is looked for."""
_BATCH = 100


@frozen
class Row:
    """One message of one channel, or what keeps it from getting any. stuck: the reason, empty when all is well.

    about: names of the incidents; over: all of them have ended; post: the platform's name of the message.
    """

    page: str
    platform: str
    workspace: str
    channel: str
    topic: str = ""
    about: tuple[str, ...] = ()
    over: bool = False
    post: str = ""
    replies: int = 0
    stuck: str = ""


async def rows(store: PageStore, pages: Iterable[str], *, stuck: bool) -> AsyncIterator[Row]:
    """Yield what is open in each channel, and what is stuck; `stuck`: only that."""
    for page_id in pages:
        page = (await store.page(page_id)).page
        everybody = await store.subscriptions(page_id)
        for start in range(0, len(everybody), _BATCH):
            some = everybody[start : start + _BATCH]
            topics = {one.id: await store.topics(page_id, one.id) for one in some}
            announced = await store.announced(page_id, topics)
            for one in some:
                for row in _of(page, one, announced.records.get(one.id, {}), announced.at):
                    if row.stuck or not (stuck or row.over):
                        yield row


async def listed(settings: Settings, say: Callable[[str], None], *, stuck: bool, as_json: bool) -> int:
    """Print the rows and return the exit code: 1 if something is stuck."""
    found = shown = 0
    async with desk(settings) as here:
        if here.pages is None:
            return 0
        async for row in rows(here.pages, here.watched, stuck=stuck):
            say(to_json(row) if as_json else to_text(row))
            found, shown = found | bool(row.stuck), shown + 1
    if not shown and not as_json:
        say("Nothing is stuck." if stuck else "Nothing that is open was announced.")
    return found


def to_json(row: Row) -> str:
    """Return a row as one line."""
    return msgspec.json.encode(asdict(row)).decode()


def to_text(row: Row) -> str:
    """Return a row for a person."""
    where = "/".join(part for part in (row.platform, row.workspace, row.channel) if part)
    what = ", ".join(row.about) or row.topic or "everything"
    has = f"message {row.post}, replies: {row.replies}" if row.post else "no message"
    return f"{where}  {what}  [{'over' if row.over else 'open'}]  {has}" + (
        f"  STUCK: {row.stuck}" if row.stuck else ""
    )


def _of(page: Page, one: Subscription, records: Mapping[str, Announcement], at: float) -> Iterator[Row]:
    place = asdict(one.place)
    if one.standing is Standing.PAUSED:
        yield Row(page.id, **place, stuck=f"paused: {one.trouble}")
    for record in records.values():
        known = [page.incidents[i] for i in record.incidents if i in page.incidents]
        if not known and record.post is None and record.intent is None:
            continue
        yield Row(
            page.id,
            **place,
            topic=record.topic,
            about=tuple(k.incident.name for k in known),
            over=all(k.over for k in known),
            post=record.post.ref if record.post else "",
            replies=len(record.replies),
            stuck=_stuck(record, at),
        )


def _stuck(record: Announcement, at: float) -> str:
    if record.stuck:
        return f"sent, and nobody can look whether it arrived: {record.stuck}"
    if record.refused:
        return "the platform does not take this content"
    if record.intent is not None and at - record.intent.at > LATE:
        return f"nobody knows what became of a {record.intent.doing} of {round(at - record.intent.at)} s ago"
    return ""
