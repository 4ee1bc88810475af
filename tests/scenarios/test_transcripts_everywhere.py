"""The dialogues of `transcripts/` on the chat platforms: the same words, choices and ways out as in the console.

A number is a press here, all else is said in the thread. Where a platform differs, `differences.toml` says why.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.core.triage.conversation import Visit
from tests.contract.bench import ANN, Bench
from tests.contract.benches import BENCHES
from tests.contract.parity import PLATFORMS, cells
from tests.core.small import small, small_recogniser
from tests.scenarios.doors import Door, differences, script, shown, written
from tests.scenarios.test_transcripts import FOLDER, TYPING, Around


def alone(text: str) -> bool:
    """Say whether a dialogue begins without an incident: one that many share gets one line in a channel, and no thread.

    What that looks like is played in test_rooms.py.
    """
    before = text.partition("\n> ")[0]
    return "* page: incident" not in before


TRANSCRIPTS = {path.stem: text for path in sorted(FOLDER.glob("*.txt")) if alone(text := path.read_text("utf-8"))}


@pytest.fixture(params=[name for name in PLATFORMS if name != "console"])
async def door(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[str, Bench]]:
    async with BENCHES[request.param](tmp_path / "data") as bench:
        yield request.param, bench


@pytest.mark.parametrize("transcript", TRANSCRIPTS)
async def test_a_dialogue_says_the_same_everywhere(transcript: str, door: tuple[str, Bench]) -> None:
    name, bench = door
    lines = TRANSCRIPTS[transcript].splitlines()
    around, desk = Around(), bench.desk
    desk.status, desk.clock, desk.managed = around, around.clock, True
    if "* guides: built-in" not in lines:
        desk.library, desk.recogniser = small(), small_recogniser()
    person = Door(bench)
    for typed, answer in script(lines[1:]):
        answered, unanswered = await answers(bench), await person.open_questions()
        if typed.startswith("> "):
            around.now += TYPING
            seen = await person.line(typed.removeprefix("> "))
        else:
            direct(around, bench, typed.removeprefix("* "))
            seen = await person.time_passes()
        expected = written(answer)
        assert (typed, shown(seen, expected, differences(name))) == (typed, expected)
        person.choices = expected.choices if answer else person.choices
        if answered and await answers(bench) != answered:
            assert await person.open_questions() <= unanswered, f"{typed}: what was answered can still be pressed"


async def answers(bench: Bench) -> tuple[Visit, ...]:
    """What has been answered in the open conversation."""
    return next((one.history for one in await bench.desk.store.of(bench.origin(ANN)) if one.open), ())


def direct(around: Around, bench: Bench, direction: str) -> None:
    """Take a stage direction."""
    kind, _, value = direction.partition(": ")
    if kind == "page":
        around.page = value
    elif kind == "devices":
        bench.desk.managed = value == "managed"
    elif kind != "guides":
        around.now += 60 * float(direction.partition(" ")[0])


@pytest.mark.parametrize("name", PLATFORMS)
def test_a_difference_has_its_row_in_the_table_of_parity(name: str) -> None:
    rows = {cell.feature for cell in cells()}
    assert {one.because for one in differences(name)} <= rows
