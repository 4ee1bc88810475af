"""The labelled public reports the recogniser was developed with; they are not part of the project."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from handlers.recognition_report import evaluate, labelled, render
from tests.core.reports import recogniser

CORPUS = Path(os.environ.get("REDIAL_LABELLED_REPORTS", "labelled-reports.jsonl"))


@pytest.mark.skipif(not CORPUS.is_file(), reason="needs labelled reports: name a file in REDIAL_LABELLED_REPORTS")
@pytest.mark.parametrize("form", ["long", "chat"])
def test_labelled_reports_are_recognised(form: str) -> None:
    rows = [labelled(json.loads(line), form) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    report = evaluate(rows, {row.id: recogniser().recognise(row.text) for row in rows})
    shown = render(report)
    assert report.figures.right >= 92, shown
    assert report.figures.wrong <= 3.5, shown
    assert report.figures.false_claims <= 3.5, shown
    assert report.figures.traps >= 85, shown
