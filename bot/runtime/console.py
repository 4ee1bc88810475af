"""`redial chat`: the console adapter on the same intake and handlers as every other platform."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

from bot.adapters.console.chat import ConsoleChat
from bot.adapters.console.plain import as_json, as_text
from bot.adapters.console.session import Session
from bot.core.errors import ChatUnavailable
from bot.core.event import Origin
from bot.core.guides.library import Library
from bot.core.text import Evidence, visible
from bot.core.view import View
from bot.runtime.collecting import go_on
from bot.runtime.dispatcher import Dispatcher
from bot.runtime.settings import Settings
from bot.runtime.wiring import desk as open_desk
from handlers.commands import open_view, read
from handlers.desk import Desk
from handlers.triage import show_owed
from handlers.turns import handle
from handlers.waiting import tell_ended, tell_touched

_OWED_AFTER = 0.0
"""Seconds: whatever an earlier run of the console still owes is shown at once; nobody else will."""
_WATCH = 60.0


async def chat(settings: Settings, *, user: str, json: bool) -> None:
    """Talk until the input ends; raises RedialError for what keeps it from starting."""
    async with open_desk(settings, announcing=False) as desk:
        go_on()
        # Read while the person types, so that the first answer does not wait for it.
        first = asyncio.ensure_future(desk.status.board())
        if json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            await _pipe(desk, user, json=json)
        else:
            await _terminal(desk, user)
        await first


async def _pipe(desk: Desk, user: str, *, json: bool) -> None:
    """Answer a line with a view; who reads no more ends it, and is still owed what they did not see."""
    out = sys.stdout
    grades = _grades(desk.library)
    left: list[OSError] = []

    def show(view: View) -> None:
        text = as_json(view, grades=grades).decode() if json else as_text(view, grades=grades) + "\n"
        try:
            out.write(text + "\n")
            out.flush()
        except OSError as error:
            left.append(error)
            raise ChatUnavailable(f"what is written here is read by nobody: {error.strerror}") from error

    await _talk(desk, user, show, _while_read(_stdin(), left))
    if left:
        raise left[0]


async def _terminal(desk: Desk, user: str) -> None:
    from bot.adapters.console.terminal import Terminal  # noqa: PLC0415 - a pipe needs neither rich nor a prompt

    terminal = Terminal(_grades(desk.library))
    say = desk.library.messages
    terminal.say(say.inline("console.welcome"))
    await _talk(desk, user, terminal.show, terminal.lines(), greet=True)
    terminal.say(say.inline("console.bye"))


async def _talk(
    desk: Desk, user: str, show: Callable[[View], None], lines: AsyncIterator[str], *, greet: bool = False
) -> None:
    user = visible(user)
    # A workspace each: what one person of this machine is owed is not shown to another.
    origin = Origin("console", user, "terminal", user)
    terminal = ConsoleChat(show)
    dispatcher = Dispatcher(partial(handle, desk))
    session = Session(
        intake=dispatcher,
        idle=dispatcher.idle,
        chat=terminal,
        origin=origin,
        read=read,
        busy=View(lead=desk.library.messages.inline("trouble.busy")),
    )
    await show_owed(desk, origin, terminal, older_than=_OWED_AFTER)
    await tell_ended(desk, await desk.store.of(origin), terminal)
    if greet and (mine := await desk.store.of(origin)):
        show(open_view(desk.library, mine, desk.clock()))
    watch = asyncio.ensure_future(_watch(desk, origin, terminal))
    try:
        await session.run(lines)
    finally:
        watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watch
        await dispatcher.close(within=8.0)


async def _watch(desk: Desk, origin: Origin, terminal: ConsoleChat) -> None:
    """Look once a minute whether somebody who waits can be told, and whether something new explains it all."""
    while True:
        await asyncio.sleep(_WATCH)
        mine = await desk.store.of(origin)
        await tell_ended(desk, mine, terminal)
        await tell_touched(desk, mine, terminal)


async def _while_read(lines: AsyncIterator[str], left: Sequence[OSError]) -> AsyncIterator[str]:
    async for line in lines:
        yield line
        if left:
            return


async def _stdin() -> AsyncIterator[str]:
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield line


def _grades(library: Library) -> dict[str, str]:
    return {grade.value: library.messages.text(f"evidence.{grade}") for grade in Evidence}
