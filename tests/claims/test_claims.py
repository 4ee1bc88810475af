"""Nothing the three source guides say is lost: each statement has a home, with its grade, that people reach."""

from __future__ import annotations

import csv
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import content
from bot.core.guides.guide import Choice, Guide, Question, Step, ToStep
from bot.core.guides.markdown import read_guide
from bot.core.text import Block, Bullets, Code, Evidence, Note, Steps, Text, Undo, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE = Path(__file__).parent
GUIDES = content.ROOT / "guides" / "en"
SOURCE = HERE.parents[2] / "shared" / "facts" / "claims.tsv"
"""The list the claims were taken from; it lies beside this repository where it is written, and nowhere else."""

DATA = tomllib.loads((HERE / "homes.toml").read_text("utf-8"))
IDS: list[str] = DATA["ids"]
HOMES: dict[str, dict[str, str]] = DATA["homes"]


@dataclass(frozen=True)
class Home:
    """What people see at one address: the words, the grade, and the answers offered."""

    text: str
    evidence: Evidence | None
    choices: tuple[Choice, ...] = ()


def _words(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Text(inline) | Undo(inline):
                yield plain(inline)
            case Code(text):
                yield text
            case Steps(items) | Bullets(items):
                for item in items:
                    yield from _words(item)
            case Note(blocks=inner):
                yield from _words(inner)


def _one_line(*parts: str) -> str:
    return " ".join(" ".join(parts).split())


def _homes_of_notes(blocks: Sequence[Block]) -> Iterator[tuple[str, Home]]:
    for block in blocks:
        if isinstance(block, Note):
            yield block.id, Home(_one_line(*_words(block.blocks)), block.evidence)
        elif isinstance(block, Steps | Bullets):
            for item in block.items:
                yield from _homes_of_notes(item)


def _homes_of(part: Step | Question) -> Iterator[tuple[str, Home]]:
    variants, choices = (part.variants, part.choices) if isinstance(part, Step) else ((), ())
    inside = [_one_line(plain(v.title), *_words(v.body)) for v in variants]
    labels = [choice.label for choice in choices]
    yield part.id, Home(_one_line(plain(part.title), *_words(part.body), *inside, *labels), part.evidence, choices)
    for blocks in (part.body, *(variant.body for variant in variants)):
        yield from _homes_of_notes(blocks)


def _homes_in(guide: Guide) -> Iterator[tuple[str, Home]]:
    yield from _homes_of_notes(guide.summary)
    parts: tuple[Step | Question, ...] = (*guide.steps, *guide.questions)
    for part in parts:
        yield from _homes_of(part)


@cache
def homes(guide_id: str) -> dict[str, Home]:
    path = GUIDES / f"{guide_id}.md"
    return dict(_homes_in(read_guide(path.read_text("utf-8"), guide_id=guide_id)[0].guide))


def home(claim: str) -> Home:
    guide_id, _, anchor = HOMES[claim]["home"].partition("#")
    return homes(guide_id)[anchor]


def test_every_claim_of_the_sources_has_one_home() -> None:
    assert len(IDS) == len(set(IDS)) == 45
    assert not [claim for claim in IDS if claim not in HOMES], "claims without a home"
    assert not [claim for claim in HOMES if claim not in IDS], "homes of claims nobody made"


@pytest.mark.parametrize("claim", HOMES)
def test_a_claim_is_found_at_its_home(claim: str) -> None:
    text = home(claim).text
    assert re.search(HOMES[claim]["words"], text, re.IGNORECASE), text


@pytest.mark.parametrize("claim", HOMES)
def test_a_claim_is_shown_with_its_grade(claim: str) -> None:
    assert home(claim).evidence == HOMES[claim]["grade"]


@pytest.mark.parametrize("claim", [claim for claim in HOMES if "leads" in HOMES[claim]])
def test_a_pointer_to_another_guide_is_a_link(claim: str) -> None:
    led = {choice.target.guide for choice in home(claim).choices if isinstance(choice.target, ToStep)}
    assert HOMES[claim]["leads"] in led


def test_claims_and_grades_are_those_of_the_sources() -> None:
    if not SOURCE.is_file():
        pytest.skip(f"the list of claims ({SOURCE}) is not on this machine")
    with SOURCE.open(encoding="utf-8", newline="") as lines:
        listed = {f"{row['source']}/{row['id']}": row["grade"] for row in csv.DictReader(lines, delimiter="\t")}
    assert set(IDS) == set(listed)
    assert {claim: row["grade"] for claim, row in HOMES.items()} == {claim: listed[claim] for claim in HOMES}
