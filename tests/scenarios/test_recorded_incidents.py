"""Recorded incidents in open conversations: one quiet word, waiting, one end; in a terminal, Slack and Discord.

The life of an incident is that of the invented documents; the real page's four months, which are not part of the
repository, are played into the pure functions where they are there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.core.status.incident import Board, Component, Health
from bot.core.status.statuspage import parse_incidents
from bot.core.triage.conversation import Conversation
from bot.core.triage.flow import Press, play
from bot.core.triage.turn import Around
from bot.core.triage.waiting import over, touched
from handlers.waiting import tell_ended, tell_touched
from tests.contract.bench import ANN, Bench
from tests.contract.benches import BENCHES
from tests.contract.parity import PLATFORMS
from tests.scenarios.announcing import CLAUDE, HOSTS, START, document
from tests.scenarios.playing import Player, library
from tests.scenarios.test_announce_recordings import RECORDINGS, rows

CUT_OFF = "API Error: Connection closed mid-response. The response above may be incomplete."
LIFE = ("window_1_before", *(f"life_{n}" for n in ("1_investigating", "2_identified", "3_monitoring", "4_identified",
        "5_monitoring", "6_resolved", "7_postmortem")))  # fmt: skip
WORD, END = "the official page shows an incident now", "It's over: the official page says"


def board_of(listed: object, at: float) -> Board:
    """The page as a document says it, all parts working but for what incidents name."""
    parts = tuple(Component(id_, name, "operational") for id_, name in library().services.components.items())
    incidents = parse_incidents(listed, page_id=CLAUDE, hosts=HOSTS)
    return Board(CLAUDE, Health.OK, at, incidents, parts)


@dataclass
class Recorded:
    """The official page at one moment of a recording."""

    now: float = START
    read: Board | None = None

    def clock(self) -> float:
        return self.now

    async def board(self) -> Board:
        assert self.read
        return self.read

    async def close(self) -> None:
        """Nothing is held."""


@pytest.fixture(params=PLATFORMS)
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    async with BENCHES[request.param](tmp_path / "data") as one:
        yield one


async def test_the_life_of_an_incident_in_an_open_conversation(bench: Bench) -> None:
    recorded = Recorded()
    bench.desk.status, bench.desk.clock = recorded, recorded.clock
    place, heard = bench.origin(ANN), list[str]()
    for n, name in enumerate(LIFE):
        recorded.now = START + n * 1200 - 600
        recorded.read = board_of(document(f"{name}.json"), recorded.now - 40)
        if n == 0:
            await bench.mention(ANN, CUT_OFF)
        before = len(await bench.seen())
        for _ in range(2):
            await tell_ended(bench.desk, await bench.desk.store.waiting(place), bench.chat)
            await tell_touched(bench.desk, await bench.desk.store.going(place), bench.chat)
        new = [one.text for one in (await bench.seen())[before:]]
        heard += [f"{name}: {'word' if WORD in text else 'end' if END in text else text}" for text in new]
        if any(WORD in text for text in new):
            await bench.press(ANN, "Wait and tell me")
    assert heard == ["life_1_investigating: word", "life_6_resolved: end"]
    (mine,) = await bench.desk.store.of(place)
    assert mine.open


def opened(board: Board) -> Conversation:
    """A conversation about Claude Code that begins before the incident."""
    player = Player(board)
    player.start("response-cut-off", {"surface": "claude-code"})
    assert player.conversation
    return player.conversation


def played() -> Iterator[tuple[float, Board]]:
    for row in rows():
        if row.path.endswith("incidents.json"):
            yield row.at, board_of(row.document, row.at)


def test_four_months_of_the_real_page_in_one_conversation_at_a_time() -> None:
    if not RECORDINGS.exists():
        pytest.skip("the recordings of the real page (../shared/recordings) are not part of the repository")
    words, ends, here = list[str](), list[str](), None
    for at, board in played():
        around = Around(at, board)
        here = here or opened(board)
        if here.waiting:
            end = over(library(), here, around)
            if end:
                incident = board.incident(here.incident)
                assert incident
                assert not incident.open, "an end is what the page calls one"
                ends.append(here.incident)
                here = None
            continue
        found = touched(library(), here, around)
        if found and found[0] not in words:
            words.append(found[0])
            view = found[1]
            here = play(library(), here, Press("@wait", view.step, view.revision), around, by="ann").conversation
            assert here.waiting
    assert len(words) == len(set(words)) > 30
    assert ends == words[: len(ends)], "who waits for one is told of that one"
    assert len(words) - len(ends) <= 1, "nobody is left waiting for what has ended"
