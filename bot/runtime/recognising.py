"""`redial recognise`: what a text would be taken for, a JSON line each; and how often that is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from bot.core.errors import SettingsError
from bot.core.recogniser.engine import Recogniser, Recognition
from bot.core.redaction import redact
from bot.core.text import visible
from handlers.recognition_report import evaluate, labelled, render


def single(text: str) -> Iterator[str]:
    """Return one text as the only row of a JSON lines file."""
    yield msgspec.json.encode({"text": visible(text)}).decode()


def decisions(recogniser: Recogniser, lines: Iterable[str], field: str) -> Iterator[str]:
    """Yield one line of JSON for each line; raises SettingsError naming the line that is none."""
    for row in _rows(lines, field):
        found = recogniser.recognise(redact(visible(str(row[field]))).text)
        yield msgspec.json.encode({"id": row.get("id"), **_decision(found)}).decode()


def report(recogniser: Recogniser, lines: Iterable[str], field: str) -> str:
    """Return the figures, the confusion table and the worst rows of labelled reports.

    Rows without `field` may hold two forms, `long` and `chat`, and then both are measured.
    """
    rows = list(_rows(lines))
    forms = (field,) if all(field in row for row in rows) else ("long", "chat")
    return "\n\n".join(f"# {form}\n{_measured(recogniser, rows, form)}" for form in forms)


def _measured(recogniser: Recogniser, rows: Sequence[dict[str, Any]], form: str) -> str:
    try:
        told = [labelled(row, form) for row in rows]
    except KeyError as error:
        raise SettingsError(f"a labelled report needs `id`, `guide` and a text; {error} is missing") from None
    known = [replace(row, text=redact(visible(row.text)).text) for row in told]
    return render(evaluate(known, {row.id: recogniser.recognise(row.text) for row in known}))


def _rows(lines: Iterable[str], field: str = "") -> Iterator[dict[str, Any]]:
    for n, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line)
        except msgspec.DecodeError as error:
            raise SettingsError(f"line {n} is not JSON: {error}") from None
        if not isinstance(row, dict):
            raise SettingsError(f"line {n} is no JSON object")
        if field and field not in row:
            raise SettingsError(f"line {n} has no field `{field}` (--field names another)")
        yield row


def _decision(found: Recognition) -> dict[str, object]:
    return {
        "decision": found.decision,
        "guide": found.guide or None,
        "candidates": [{"guide": c.guide, "score": round(c.score, 3)} for c in found.candidates],
        "why": found.why,
        "sign": found.sign,
        "product": found.product or None,
        "link": found.link or None,
        "facts": dict(found.facts),
        "details": dict(found.details),
        "language": found.language,
    }
