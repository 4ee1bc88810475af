"""memory: ten thousand open conversations in Redis with every index, and in the process that plays them all."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from dataclasses import replace
from typing import cast

from bot.adapters.store.redis_store import REMEMBERED, RedisConversations
from bot.adapters.store.server import Server
from bot.core.event import Origin
from bot.core.triage import flow
from bot.core.triage.conversation import Conversation
from bot.core.triage.flow import Begin, Press
from bot.core.triage.turn import Around
from bot.ports.store import Stored
from handlers.desk import Desk
from tests.bench.measuring import Figure, Tick, scaled
from tests.bench.script import REPORT, scenes
from tests.bench.world import bot, outside

MANY = 10_000
_AT_ONCE = 100
_MB = 1e6


def run(tick: Tick) -> list[Figure]:
    """Hold them all."""
    return asyncio.run(_run(tick))


async def _run(tick: Tick) -> list[Figure]:
    many = scaled(MANY, 200)
    share = many / MANY
    tick(f"{many} conversations")
    stored, kept = await _held(many, int(REMEMBERED * share))
    _, whole = await _held(many, many)
    counts = {"conversations": many}
    names = (
        f"{MANY} conversations in Redis",
        f"the process, which remembers {REMEMBERED} of them",
        "would it remember all",
    )
    return [
        Figure("memory", name, round(used / share / _MB, 1), "MB", goal=goal, counts=counts)
        for name, used, goal in zip(names, (stored, kept, whole), (20.0, 25.0, None), strict=True)
    ]


async def _held(many: int, remembered: int) -> tuple[int, int]:
    """Return the bytes Redis and the process need to hold them."""
    async with outside() as world, bot(world) as one:
        assert isinstance(one.desk.store, RedisConversations)
        server = one.desk.store.server
        store = RedisConversations(server, remembered=remembered)
        model = await _halfway(one.desk)
        await _written(store, model, many, "warm")
        gc.collect()
        before = await _used(server)
        tracemalloc.start()
        for start in range(0, many, _AT_ONCE):
            await asyncio.gather(*(_written(store, model, n, "many") for n in range(start, start + _AT_ONCE)))
        await store.flush()
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        stored = await _used(server) - before
        here = replace(model.origin, user=f"U{many - 1:08d}", thread=f"17000{many - 1:05d}.000001")
        assert await store.here(here), "the last one is remembered"
    return stored, kept


async def _halfway(desk: Desk) -> Conversation:
    """A conversation as it stands after four answers, with a remark and somebody who helped."""
    place = Origin("slack", "T0001", "C0001", "U1", "1700000000.000001")
    around = Around(desk.clock(), await desk.status.board(), managed=desk.managed)
    turn = flow.begin(desk.library, "model", place, Begin(REPORT, desk.recognise(REPORT)), around)
    for scene in (await scenes(desk, place))[:-1]:
        press = Press(scene.choice, scene.before.step, scene.before.revision)
        turn = flow.play(desk.library, turn.conversation, press, around, by=place.user)
    return turn.conversation


async def _written(store: RedisConversations, model: Conversation, number: int, kind: str) -> None:
    """Write one as a turn does, and note where it was shown."""
    # Texts that a real conversation shares with no other one are made anew, so that they are counted.
    user, thread = f"U{number:08d}", f"17000{number:05d}.000001"
    mine = replace(
        model,
        id=f"{kind}{number:016d}",
        origin=replace(model.origin, user=user, thread=thread),
        revision=1,
        report=f"{model.report} {number}",
        details={name: f"{value} {number}" for name, value in model.details.items()},
        facts=dict(model.facts),
        history=tuple(replace(visit, by=user, at=visit.at + number) for visit in model.history),
    )
    result = await store.commit(f"{kind} {number}", mine)
    assert isinstance(result, Stored), result
    store.confirm(replace(result.conversation, shown=f"17000{number:05d}.000002"))


async def _used(server: Server) -> int:
    return int(cast("dict[str, int]", await server.command("INFO", "memory"))["used_memory"])
