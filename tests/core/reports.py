"""The recogniser over the built-in content, and the reports it is tested with. All of them are invented here."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from bot.core.recogniser import Recogniser
from bot.runtime.reading import read
from handlers.recognition_report import Labelled, labelled

DATA = Path(__file__).parent / "data"


@cache
def recogniser() -> Recogniser:
    return read().recogniser()


UNSEEN = 10
"""Every tenth report is not learnt from, so that the tests say how unseen ones are recognised."""


@cache
def own_reports(*, unseen: bool | None = None) -> tuple[Labelled, ...]:
    """Return all reports, only those the weights have not seen, or only those they were learnt from."""
    lines = (DATA / "own_reports.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [labelled(json.loads(line)) for line in lines]
    return tuple(row for n, row in enumerate(rows) if unseen is None or (n % UNSEEN == 0) is unseen)


@cache
def chatter() -> tuple[str, ...]:
    return tuple((DATA / "chatter.txt").read_text(encoding="utf-8").splitlines())


@cache
def official_strings() -> tuple[tuple[str, str], ...]:
    rows = (DATA / "official_strings.tsv").read_text(encoding="utf-8").split("\n")[1:]
    return tuple((row.split("\t")[0], row.split("\t")[2]) for row in rows if row)
