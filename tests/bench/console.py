"""console-turn: a line typed in `redial chat` until its answer is written out and its turn is stored."""

from __future__ import annotations

import asyncio
import os
import statistics
from functools import partial
from pathlib import Path

from bot.adapters.console.chat import ConsoleChat
from bot.adapters.console.plain import as_text
from bot.adapters.console.session import Session
from bot.core.event import Origin
from bot.core.text import Evidence
from bot.core.view import View
from bot.runtime.dispatcher import Dispatcher
from handlers.commands import read
from handlers.turns import handle
from tests.bench.measuring import Figure, Play, Tick, sample, scaled
from tests.bench.script import REPORT, Scene, scenes
from tests.bench.world import bot, metered, outside

KNOWN = "bots that keep nothing: hubot 8, opsdroid 48, errbot 132 to 236 µs a trivial command"


def run(tick: Tick) -> list[Figure]:
    """Talk to Redial in a pipe."""
    return asyncio.run(_run(tick))


async def _run(tick: Tick) -> list[Figure]:
    count, times = scaled(400, 40), scaled(7, 2)
    async with outside() as world, bot(world) as one:
        origin = Origin("console", "bench", "terminal", "bench")
        say, shown = one.desk.library.messages, list[View]()
        grades = {grade.value: say.text(f"evidence.{grade}") for grade in Evidence}
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:  # noqa: ASYNC230 - it takes no time

            def show(view: View) -> None:
                shown.append(view)
                nowhere.write(as_text(view, grades=grades) + "\n")
                nowhere.flush()

            dispatcher = Dispatcher(partial(handle, one.desk))
            busy = View(lead=say.inline("trouble.busy"))
            session = Session(dispatcher, dispatcher.idle, ConsoleChat(show), origin, read, busy)
            await session.line(REPORT)
            lines = [_typed(scene) for scene in await scenes(one.desk, origin)]
            tick("typing")
            prepared = partial(_play, session, lines)
            whole = len(lines) * (count // len(lines))
            await sample(prepared(), whole, 1)
            meters, before = metered(one), len(shown)
            found = [await sample(prepared(), whole, 1) for _ in range(times)]
    turns = whole * times
    counts = {"answers": (len(shown) - before) / turns, "Redis trips": round(meters.trips / turns, 2)}
    # Now and then the official status is read anew.
    assert counts["answers"] == 1 <= counts["Redis trips"] < 1.1, counts
    value = round(statistics.median(one.cpu for one in found) * 1e6, 1)
    return [Figure("console-turn", "a line to its answer, state written", value, "µs CPU", KNOWN, counts=counts)]


def _play(session: Session, lines: list[str]) -> Play:
    async def play(number: int) -> None:
        await session.line(lines[number % len(lines)])

    return play


def _typed(scene: Scene) -> str:
    return next((str(offer.n) for offer in scene.before.offers if offer.id == scene.choice), "start over")
