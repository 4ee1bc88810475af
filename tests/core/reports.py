"""The recogniser over the built-in content, and the reports it is tested with. All of them are invented here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from bot.core.recogniser.engine import Recogniser
from bot.runtime.reading import read
from handlers.recognition_report import Labelled, labelled

DATA = Path(__file__).parent / "data"


@cache
def recogniser() -> Recogniser:
    return read().recogniser()


UNSEEN = 10
"""Every tenth report is not learnt from, so that the tests say how unseen ones are recognised."""
NEAR_MISSES = ("h-", "s-", "t-")
"""How ids begin of reports of which most are not ours and look as if they were, or the other way round."""


@cache
def own_reports(*, unseen: bool | None = None) -> tuple[Labelled, ...]:
    """Return all reports, only those the weights have not seen, or only those they were learnt from."""
    lines = (DATA / "own_reports.jsonl").read_text(encoding="utf-8").splitlines()
    taken = [line for n, line in enumerate(lines) if unseen is None or (n % UNSEEN == 0) is unseen]
    return tuple(row for line in taken for row in in_all_forms(json.loads(line)))


@cache
def blind_reports() -> tuple[Labelled, ...]:
    """Return the reports of an author from whom nothing was ever learnt: no weight, no phrase, no cost."""
    lines = (DATA / "blind_reports.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(row for line in lines for row in in_all_forms(json.loads(line)))


@cache
def lessons() -> tuple[Labelled, ...]:
    """Return short texts that were written to be learnt from: one thing said in many ways and languages."""
    lines = (DATA / "lessons.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(labelled(json.loads(line)) for line in lines)


def in_all_forms(row: Mapping[str, object]) -> Iterator[Labelled]:
    """Read one report in every form it has: as one text, or as it stands in an issue and as it is said in a channel."""
    if "text" in row:
        yield labelled(row)
    else:
        yield from (replace(labelled(row, form), id=f"{row['id']} {form}") for form in ("long", "chat"))


@cache
def chatter() -> tuple[str, ...]:
    return tuple((DATA / "chatter.txt").read_text(encoding="utf-8").splitlines())


@cache
def official_strings() -> tuple[tuple[str, str], ...]:
    rows = (DATA / "official_strings.tsv").read_text(encoding="utf-8").split("\n")[1:]
    return tuple((row.split("\t")[0], row.split("\t")[2]) for row in rows if row)
