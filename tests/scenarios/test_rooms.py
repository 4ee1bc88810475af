"""What a channel sees while many report the same: stories played in Slack and Discord, kept as text to be read.

In the files of `rooms/`, `> ` is what somebody does and `* ` what happens around them; the rest is Redial's, as it
stands in the channel then (`channel`), below a message (`thread`), or as one person alone sees it. Times are `HH:MM`.
`REDIAL_WRITE_TRANSCRIPTS=1 pytest tests/scenarios/test_rooms.py` writes them anew: read every line of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bot.core.triage.room import signal
from tests.contract.bench import Seen
from tests.scenarios.crowd import CROWDS, CUT_OFF, DIFFERENT, WAIT, WEB, Crowd, press

FOLDER = Path(__file__).parent / "rooms"
WRITE = bool(os.environ.get("REDIAL_WRITE_TRANSCRIPTS"))

STORIES: dict[str, Sequence[str]] = {
    "an-incident": (
        "* page: incident",
        f"> ann mentions: {CUT_OFF}",
        f"> bob types: {CUT_OFF}",
        f"> bob presses: {WAIT}",
        f"> p1 mentions: {WEB}",
        f"> ann presses: {DIFFERENT}",
        "* page: over",
        "* a minute passes",
    ),
    "the-room-and-then-the-page": (
        f"> p1 mentions: {CUT_OFF}",
        f"> p2 types: {CUT_OFF}",
        "* a moment passes",
        f"> p3 mentions: {CUT_OFF}",
        "* p1 p2 p3 say: place=company",
        "* a moment passes",
        f"> ann mentions: {CUT_OFF}",
        f"> ann presses: {WAIT}",
        "* page: incident",
        "* a moment passes",
        "* page: over",
        "* a minute passes",
    ),
    "the-room-calms-down": (
        f"> p1 types: {CUT_OFF}",
        f"> p2 types: {CUT_OFF}",
        f"> p3 types: {CUT_OFF}",
        "* p1 p2 say: place=company",
        "* p3 says: place=home",
        "* a moment passes",
        f"> ann types: {CUT_OFF}",
        f"> ann presses: {WAIT}",
        "* p1 p2 p3 ann are forgotten",
        "* a minute passes",
    ),
    "a-conversation-and-a-new-incident": (
        f"> ann mentions: {CUT_OFF}",
        "* page: incident",
        "* a minute passes",
        f"> ann presses: {WAIT}",
        "* page: over",
        "* a minute passes",
    ),
}


@dataclass
class Stage:
    """One story being played; what was seen before is not written again."""

    crowd: Crowd
    lines: list[str] = field(default_factory=list)
    before: dict[str, list[Seen]] = field(default_factory=dict)

    async def play(self, story: Sequence[str]) -> str:
        for line in story:
            self.lines += [line, ""]
            kind, _, rest = line.partition(" ")
            await (self.act if kind == ">" else self.happen)(rest)
            await self.look()
        return "\n".join(self.lines).rstrip() + "\n"

    async def act(self, line: str) -> None:
        head, _, what = line.partition(": ")
        who, how = head.split(" ")
        does: dict[str, Callable[..., object]] = {"mentions": self.crowd.mention, "types": self.crowd.command}
        if how == "presses":
            await press(self.crowd, who, what)
        else:
            await does[how](what, user=who)  # type: ignore[misc]

    async def happen(self, line: str) -> None:
        head, _, what = line.partition(": ")
        *people, verb = head.split(" ")
        if head == "page":
            self.crowd.reads(what)
        elif verb in {"say", "says"}:
            fact, _, value = what.partition("=")
            for who in people:
                await self.state(who, fact, value)
        elif verb == "forgotten":
            for who in people[:-1]:
                await self.crowd.lookout.rooms.forget(self.crowd.bench.origin(who))
        else:
            await self.crowd.looks()
            await self.crowd.looks()
            await self.crowd.minute() if "minute" in head else None

    async def state(self, who: str, fact: str, value: str) -> None:
        """Answer a question of the triage so, as far as the room is concerned."""
        origin = self.crowd.bench.origin(who)
        (mine,) = await self.crowd.desk.store.of(origin)
        later = replace(mine, facts={**mine.facts, fact: value})
        self.crowd.lookout.rooms.report(origin, signal(self.crowd.desk.library, later))

    async def look(self) -> None:
        """Write down what is new or has changed."""
        top, every = await self.crowd.top(), list(await self.crowd.bench.seen())
        below = [one for one in every if one not in top]
        seen = {"channel": top, "thread": below}
        for who in ("ann", "bob"):
            seen[f"{who} alone"] = list(await self.crowd.bench.private(who))
        for where, found in seen.items():
            old = self.before.get(where, [])
            for at, one in enumerate(found):
                if at >= len(old) or old[at] != one:
                    self.lines += list(_written(where, one, changed=at < len(old)))
        self.before = seen


def _written(where: str, one: Seen, *, changed: bool) -> Iterator[str]:
    text = re.sub(r"\b\d\d:\d\d\b", "HH:MM", one.text)
    text = re.sub(r"read \d+ s ago", "read N s ago", text)
    text = re.sub(r"<@\d+>|\bU[0-9A-F]{9}\b", "@somebody", text)
    text = re.sub(r"\(https://(discord|support)\S+\)", "(address)", text)
    text = re.sub(r"\n{2,}", "\n", text)
    yield f"[{where}{', now' if changed else ''}]"
    yield from (f"  {line}" for line in text.splitlines())
    if one.buttons:
        yield f"  [{'] ['.join(one.buttons)}]"
    yield ""


@pytest.mark.parametrize("story", STORIES)
@pytest.mark.parametrize("platform", CROWDS)
async def test_a_channel_sees_what_is_written(platform: str, story: str, tmp_path: Path) -> None:
    file = FOLDER / f"{story}-{platform}.txt"
    async with CROWDS[platform](tmp_path / "data") as crowd:
        played = await Stage(crowd).play(STORIES[story])
    if WRITE:
        file.write_text(played, encoding="utf-8")
    assert played == file.read_text("utf-8")


def test_nothing_is_written_that_nobody_reads() -> None:
    names = {f"{story}-{platform}.txt" for story in STORIES for platform in CROWDS}
    assert {path.name for path in FOLDER.iterdir()} == names
    assert not WRITE, "transcripts were written: read the difference, then run without REDIAL_WRITE_TRANSCRIPTS"
