"""`redial replay` and `redial drill`: what channels would be sent, without any."""

from __future__ import annotations

import gzip
import lzma
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import IO, cast

import msgspec

from bot.adapters.console.plain import as_text
from bot.adapters.rehearsal.channels import Happened, PaperChannels
from bot.adapters.rehearsal.pages import MemoryPages
from bot.core.errors import ContentError
from bot.core.messages import Messages
from bot.core.moments import stamp
from bot.core.status.announcement_view import Names
from bot.core.status.subscription import Place, Subscription
from bot.runtime.content import Content
from handlers.announce import Office
from handlers.drill import drill
from handlers.replay import Clock, Recorded, Replay, recorded

_PEEK = 50
"""Rows looked at to find out which page a recording is of."""
PLACE = Place("paper", "replay", "everything")


def names_of(content: Content, *, drill: bool = False) -> Names:
    """Return the words announcements are made with."""
    return Names(content.library.messages, content.library.services.components, drill)


async def replayed(path: Path, content: Content, page_id: str, *, as_json: bool) -> AsyncIterator[str]:
    """Yield what one channel that wants everything would have been sent, a piece each, and the totals at the end.

    page_id: empty for the page we know, or else the first the recording has. Raises `ContentError` for a file that
    cannot be read.
    """
    page_id = page_id or _page_of(path, content.library.services.page.id)
    clock, paper, names = Clock(), PaperChannels(), names_of(content)
    office = Office(MemoryPages(clock), {PLACE.platform: paper}, lambda _: names)
    before = await office.pages.page(page_id)
    await office.pages.subscribe(before, Subscription(PLACE, page_id, 1))
    (subscription,) = await office.pages.subscriptions(page_id)
    replay = Replay(office, subscription, clock)
    fed = 0
    for row in _rows(path):
        if row is None:
            replay.unread += 1
            continue
        fed += 1
        await replay.feed(row)
        for happened in paper.log:
            yield _line(happened, row.at, content.library.messages, as_json=as_json)
        paper.log.clear()
    if not fed:
        raise ContentError("no line of it is one of a recording", path=str(path), line=1)
    totals = asdict(replay.totals)
    if as_json:
        yield msgspec.json.encode({"totals": totals}).decode()
    else:
        words = ", ".join(f"{name} {count}" for name, count in totals.items())
        yield f"{words}; documents that were no reading: {replay.unread}"


async def drilled(content: Content, pause: float, *, as_json: bool) -> AsyncIterator[str]:
    """Yield what a channel would see of an invented outage; `pause`: seconds between two readings of it."""
    paper = PaperChannels()
    office = Office(MemoryPages(time.time), {PLACE.platform: paper}, lambda _: names_of(content, drill=True))
    async for _ in drill(office, PLACE, time.time, pause=pause):
        for happened in paper.log:
            yield _line(happened, time.time(), content.library.messages, as_json=as_json)
        paper.log.clear()


def _line(happened: Happened, at: float, say: Messages, *, as_json: bool) -> str:
    message = happened.message
    grades = {key.removeprefix("evidence."): say.text(key) for key in say.keys("evidence")}
    text = as_text(happened.shows.view, grades=grades, width=0 if as_json else 100)
    if not as_json:
        below = f" below {message.parent}" if message.parent else ""
        return f"{stamp(at)}  {happened.what} {message.ref}{below}  [{happened.shows.tone}]\n{text}\n"
    row = {
        "at": at,
        "what": happened.what,
        "message": message.ref,
        "below": message.parent or None,
        "tone": happened.shows.tone,
        "text": text,
    }
    return msgspec.json.encode(row).decode()


def _page_of(path: Path, known: str) -> str:
    found = [page for row in islice(_rows(path), _PEEK) if row is not None and (page := _page_in(row.document))]
    return known if known in found or not found else found[0]


def _page_in(document: object) -> str:
    page = document.get("page") if isinstance(document, Mapping) else None
    found = page.get("id") if isinstance(page, Mapping) else None
    return found if isinstance(found, str) else ""


def _rows(path: Path) -> Iterator[Recorded | None]:
    """Yield the recording's rows; None for a line that is none."""
    with _opened(path) as lines:
        for line in lines:
            if line.strip():
                yield _row(line)


def _row(line: bytes) -> Recorded | None:
    try:
        row = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    return recorded(row) if isinstance(row, dict) else None


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a recording, plain or packed."""
    try:
        with ExitStack() as stack:
            file = stack.enter_context(path.open("rb"))
            start = file.read(6)
            file.seek(0)
            if start.startswith(b"\xfd7zXZ"):
                yield cast("IO[bytes]", stack.enter_context(lzma.open(file, "rb")))
            elif start.startswith(b"\x1f\x8b"):
                yield cast("IO[bytes]", stack.enter_context(gzip.open(file, "rb")))
            else:
                yield file
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise ContentError(f"cannot be read as a recording: {error}", path=str(path), line=1) from error
