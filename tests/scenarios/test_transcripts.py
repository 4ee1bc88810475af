"""Whole dialogues, as `redial chat` prints them in a pipe: real handlers, a real store, a made-up page and clock.

In the files of `transcripts/`, `> ` is what a person types and `* ` what happens around them; all else is Redial.
`REDIAL_WRITE_TRANSCRIPTS=1 pytest tests/scenarios/test_transcripts.py` writes them anew: read every line of it.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pytest

from bot.adapters.console.chat import ConsoleChat
from bot.adapters.console.plain import as_text
from bot.adapters.console.session import Session
from bot.adapters.store import connect
from bot.adapters.store.embedded import stop_embedded
from bot.adapters.store.redis_store import RedisConversations
from bot.core.event import Origin
from bot.core.status.incident import Board, Health
from bot.core.text import Evidence
from bot.core.view import View
from bot.runtime.dispatcher import Dispatcher
from handlers.commands import read
from handlers.desk import Desk
from handlers.turns import handle
from handlers.waiting import tell_ended, tell_touched
from tests.core.small import small, small_recogniser
from tests.scenarios.playing import NOW, content, page

FOLDER = Path(__file__).parent / "transcripts"
WRITE = bool(os.environ.get("REDIAL_WRITE_TRANSCRIPTS"))
TYPING = 5.0
"""Seconds a person takes for a line."""


@dataclass
class Around:
    """The clock and the official page, as the stage directions say."""

    now: float = NOW
    page: str = "clear"

    def clock(self) -> float:
        return self.now

    async def board(self) -> Board:
        clear = page("clear")
        assert clear
        if self.page == "unreadable":
            return replace(clear, health=Health.UNREADABLE, read_at=NOW - 600)
        if self.page == "never read":
            return Board("page", Health.UNREADABLE, None)
        board = page("clear" if self.page == "clear" else "incident")
        assert board
        ended = [
            replace(incident, status="resolved", resolved_at=self.now - 60) if self.page == "over" else incident
            for incident in board.incidents
        ]
        return replace(board, read_at=self.now - 35, incidents=tuple(ended))

    async def close(self) -> None:
        """Nothing is held."""


@dataclass
class Stage:
    """One dialogue being played."""

    desk: Desk
    around: Around
    user: str
    printed: list[str] = field(default_factory=list)

    def show(self, view: View) -> None:
        say = self.desk.library.messages
        grades = {grade.value: say.text(f"evidence.{grade}") for grade in Evidence}
        self.printed += [as_text(view, grades=grades), ""]

    async def play(self, script: list[str]) -> str:
        origin = Origin("console", "local", "terminal", self.user)
        chat = ConsoleChat(self.show)
        dispatcher = Dispatcher(lambda event, chat: handle(self.desk, event, chat))
        session = Session(dispatcher, dispatcher.idle, chat, origin, read, View())
        for line in script:
            self.printed += [line, ""]
            if line.startswith("> "):
                self.around.now += TYPING
                await session.line(line.removeprefix("> "))
            else:
                self.direct(line.removeprefix("* "))
                # What a running chat does once a minute.
                mine = await self.desk.store.of(origin)
                await tell_ended(self.desk, mine, chat)
                await tell_touched(self.desk, mine, chat)
        await dispatcher.close(within=8.0)
        return "\n".join(self.printed).rstrip("\n") + "\n"

    def direct(self, direction: str) -> None:
        """Take a stage direction: `page: incident`, `12 min later`."""
        name, _, value = direction.partition(": ")
        if name == "page":
            self.around.page = value
        elif name == "devices":
            self.desk = replace(self.desk, managed=value == "managed")
        elif name != "guides":
            minutes, _, rest = direction.partition(" ")
            assert rest == "min later", direction
            self.around.now += 60 * float(minutes)


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("store")
    yield folder
    stop_embedded(folder)


@pytest.fixture
async def store(data_dir: Path) -> AsyncIterator[RedisConversations]:
    opened = await connect(None, data_dir)
    yield opened
    await opened.close()


def desk(store: RedisConversations, around: Around, *, built_in: bool) -> Desk:
    if built_in:
        return Desk(content().library, content().recogniser(), store, around, around.clock)
    return Desk(small(), small_recogniser(), store, around, around.clock)


@pytest.fixture(params=sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def transcript(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@pytest.fixture
def written(transcript: Path) -> str:
    return transcript.read_text("utf-8")


@pytest.fixture
def put(transcript: Path) -> Callable[[str], object]:
    """Write the transcript anew, where that was asked for."""
    return partial(transcript.write_text, encoding="utf-8") if WRITE else lambda _: None


async def test_a_dialogue_goes_as_written(
    transcript: Path, written: str, put: Callable[[str], object], store: RedisConversations
) -> None:
    title, *lines = written.splitlines()
    script = [line for line in lines if line.startswith(("> ", "* "))]
    around = Around()
    stage = Stage(desk(store, around, built_in="* guides: built-in" in script), around, transcript.stem)
    played = f"{title}\n\n{await stage.play(script)}"
    put(played)
    assert played == written


def test_there_are_dialogues() -> None:
    assert len(list(FOLDER.glob("*.txt"))) >= 8
    assert not WRITE, "transcripts were written: read the difference, then run without REDIAL_WRITE_TRANSCRIPTS"
