"""Operators hear in a channel of theirs what they would otherwise have to find in the log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from bot.adapters.console.plain import as_text
from bot.adapters.rehearsal.channels import PaperChannels
from bot.core.status.subscription import Place
from bot.runtime import logs
from bot.runtime.loading import load
from bot.runtime.operators import Operators

PLACE = Place("slack", "T1", "COPS")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def paper() -> PaperChannels:
    return PaperChannels()


@pytest.fixture
def operators(paper: PaperChannels) -> Iterator[Operators]:
    """Operators that hear the log of this process."""
    operators = Operators(load().library.messages, {"slack": paper}, [PLACE, Place("discord", "1", "2")])
    before = structlog.get_config()
    logs.lines()
    logs.listen(operators.hear)
    yield operators
    logs.listen(lambda _: None)
    structlog.configure(**before)


def told(paper: PaperChannels) -> list[str]:
    return [as_text(message.shows.view, grades={}, width=0) for message in paper.messages.values()]


async def test_lines_with_a_sentence_are_said_and_what_is_one_thing_in_many_channels_is_one_message(
    operators: Operators, paper: PaperChannels
) -> None:
    log = structlog.get_logger("somewhere")
    log.error("watch.lost", page="p1", link="https://status.example.com", since=1793714400.0, why="503")
    for n in range(3):
        log.error("announce.paused", page="p1", subscription=f"slack:T1:C{n}", detail="is_archived")
    log.info("watch.lost", page="p2", since=0.0, why="only for information")
    log.error("nothing operators need to hear")
    await operators.flush()
    lost, paused = told(paper)
    assert "The official page p1 cannot be read since 14:00 UTC: 503." in lost
    assert "https://status.example.com" in lost
    assert "into 3 channels" in paused
    assert "slack:T1:C2" in paused
    await operators.flush()
    assert len(told(paper)) == 2, "said once"


async def test_a_channel_nobody_can_post_into_is_left_to_the_log(operators: Operators, paper: PaperChannels) -> None:
    paper.closed.add(PLACE.channel)
    structlog.get_logger("somewhere").error("store.emptied", page="p1")
    await operators.flush()
    paper.closed.clear()
    await operators.flush()
    assert told(paper) == []


def test_every_sentence_is_about_a_line_that_is_written_somewhere() -> None:
    lines = {
        line.replace(".", "-").replace(" ", "-")
        for folder in ("bot", "handlers")
        for path in (ROOT / folder).rglob("*.py")
        for line in re.findall(r'"([a-z][a-z0-9. -]+)"', path.read_text(encoding="utf-8"))
    }
    names = {key.removeprefix("operators.") for key in load().library.messages.keys("operators")} - {"page"}
    assert names <= lines
