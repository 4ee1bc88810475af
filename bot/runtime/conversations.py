"""`redial conversations`: what goes on in all workspaces, without anybody's name or words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import time

import msgspec

from bot.core.frozen import frozen
from bot.core.messages import Messages
from bot.core.moments import duration
from bot.core.triage.conversation import Conversation
from bot.core.triage.life import STUCK
from bot.runtime.content import Content
from bot.runtime.settings import Settings


@frozen
class Row:
    """A conversation as operators see it. state: open, waiting or handed_off; handoff: what happened to it last.

    age, silent: seconds since it began, and since its last turn.
    """

    id: str
    platform: str
    workspace: str
    state: str
    handoff: str | None
    guide: str | None
    step: str | None
    age: int
    silent: int


async def conversations(settings: Settings, content: Content, *, as_json: bool) -> str:
    """Return what to print: the stuck hand-offs first, then by age."""
    from bot.adapters.store import connect  # noqa: PLC0415 - redis-py takes a while to load

    url = settings.redis_url.get_secret_value() if settings.redis_url else None
    store = await connect(url, settings.data_dir)
    try:
        found = [one for place in await store.workspaces() for one in await store.going(place)]
    finally:
        await store.close()
    now = time()
    rows = sorted((_row(one, now) for one in found), key=lambda row: (row.handoff != STUCK, -row.age))
    return msgspec.json.encode(rows).decode() if as_json else "\n".join(_lines(content.library.messages, rows))


def _row(one: Conversation, now: float) -> Row:
    return Row(
        id=one.id,
        platform=one.origin.platform,
        workspace=one.origin.workspace,
        state=one.outcome.value if one.outcome else "open",
        handoff=(one.handoff.act or "pending") if one.handed and one.handoff else None,
        guide=one.guide or None,
        step=one.step or None,
        age=int(now - one.opened),
        silent=int(now - one.touched),
    )


def _lines(say: Messages, rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        yield say.text("listed.none")
    for row in rows:
        state = f"{row.state} ({row.handoff})" if row.handoff else row.state
        where = f"{row.guide or '-'}#{row.step or '-'}"
        age, silent = duration(say, row.age), duration(say, row.silent)
        told = say.text("listed.ages", age=age, silent=silent)
        yield f"{row.id}  {row.platform}:{row.workspace}  {state}  {where}  {told}"
