"""The dialogues of `transcripts/` on every platform: what is typed there is pressed, said or commanded here.

What people see is compared by its words. A platform may differ only as `differences.toml` says, with its reason.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.core.triage.matching import number
from handlers.waiting import tell_ended, tell_touched
from tests.contract.bench import ANN, Bench, Seen

DIFFERENCES = Path(__file__).with_name("differences.toml")

_ADDRESS = re.compile(r"\(?https?://\S+")
_SOURCE = re.compile(r"(?m)^Source:.*$")
_ORDINAL = re.compile(r"(?m)^\s*(?:\d+\. |- )")
_CALLED = re.compile(r"<@\w+>")
_CHOICE = re.compile(r"  \d+  (.+)")


@dataclass(frozen=True, slots=True)
class Difference:
    """What one platform says instead of the words of the console, or besides them. because: a row of parity.toml.

    button: a way out that only this platform has.
    """

    doors: tuple[str, ...]
    because: str
    says: str = ""
    instead_of: str = ""
    button: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one line was answered with, whatever it looks like."""

    words: Counter[str]
    choices: tuple[str, ...] = ()
    ways_out: tuple[str, ...] = ()


def differences(door: str) -> tuple[Difference, ...]:
    """What differs on a platform."""
    found = tomllib.loads(DIFFERENCES.read_text(encoding="utf-8"))["difference"]
    every = (Difference(**{name.replace("-", "_"): value for name, value in one.items()}) for one in found)
    return tuple(one for one in every if door in one.doors)


def written(lines: Sequence[str]) -> Answer:
    """Read an answer from its lines in a transcript."""
    text, choices, ways = list[str](), list[str](), ""
    for line in lines:
        if found := _CHOICE.fullmatch(line):
            choices.append(found[1])
        elif choices and line.startswith("     ") and not ways:
            choices[-1] += f" {line.strip()}"
        elif re.match(r"  \S", line) and (ways or " · " in line or (text and not text[-1])):
            ways += f" {line.strip()}"
        else:
            text.append(line)
    return Answer(words_of("\n".join(text)), tuple(choices), tuple(way for way in ways.strip().split(" · ") if way))


def words_of(text: str) -> Counter[str]:
    """The words of a text, without its marks, its list numbers, whom it calls and where its links lead."""
    for noise in (_SOURCE, _ADDRESS, _ORDINAL, _CALLED):
        text = noise.sub(" ", text)
    return Counter(re.findall(r"\w+", text.casefold()))


@dataclass
class Door:
    """A person at a platform's door, who does what the transcript says. choices: those of the last answer."""

    bench: Bench
    choices: tuple[str, ...] = ()
    counts: tuple[int, int] = (0, 0)

    async def line(self, text: str) -> Sequence[Seen]:
        """Do what was typed: a number presses its button, words go where the conversation is held."""
        n = number(text)
        open_now = [one for one in await self.bench.desk.store.of(self.bench.origin(ANN)) if one.open]
        if text.startswith("/redial"):
            await self.bench.command(ANN, text.removeprefix("/redial").strip())
        elif n and n <= len(self.choices):
            await self.bench.press(ANN, self.choices[n - 1])
        elif open_now:
            await self.bench.say(ANN, text)
        else:
            await self.bench.mention(ANN, text)
        return await self.new()

    async def time_passes(self) -> Sequence[Seen]:
        """Do what a running process does once a minute."""
        waiting = await self.bench.desk.store.waiting(self.bench.origin(ANN))
        await tell_ended(self.bench.desk, waiting, self.bench.chat)
        going = await self.bench.desk.store.going(self.bench.origin(ANN))
        await tell_touched(self.bench.desk, going, self.bench.chat)
        return await self.new()

    async def new(self) -> Sequence[Seen]:
        """What has come since it was last asked for, to all and to this person."""
        every = (await self.bench.seen(), await self.bench.private(ANN))
        new = [one for seen, start in zip(every, self.counts, strict=True) for one in seen[start:]]
        self.counts = (len(every[0]), len(every[1]))
        return new

    async def open_questions(self) -> int:
        """How many messages can still be pressed."""
        return sum(bool(one.buttons) for one in await self.bench.seen())


def shown(seen: Sequence[Seen], expected: Answer, differ: Sequence[Difference]) -> Answer:
    """What was seen as an answer, with what the platform says of its own taken back."""
    words = sum((words_of(one.text) for one in seen), Counter[str]())
    for one in differ:
        own, console = words_of(one.says), words_of(one.instead_of)
        # An addition is there besides what is expected; a replacement where the console's words are missing.
        if own <= words - expected.words if not one.instead_of else console - own <= expected.words - words:
            words = words - own + console
    own_buttons = {one.button for one in differ} - {*expected.choices, *expected.ways_out}
    buttons = [label for one in seen for label in one.buttons if label not in own_buttons]
    count = len(expected.choices)
    return Answer(words, tuple(buttons[:count]), tuple(buttons[count:]))


def script(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each line of a person, or stage direction, with the lines of its answer."""
    answer = list[str]()
    typed = ""
    for line in lines:
        if line.startswith(("> ", "* ")):
            if typed:
                yield typed, answer
            typed, answer = line, []
        else:
            answer.append(line)
    yield typed, answer
