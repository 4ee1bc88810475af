"""`redial replay` and `redial drill`, as another process: what a channel would see, without any channel."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.runtime.redial import Redial

FIXTURES = Path(__file__).parents[1] / "fixtures" / "statuspage"
RECORDED = (
    ("2026-11-03T13:00:00Z", "incidents_empty_list.json"),
    ("2026-11-03T14:01:00Z", "life_1_investigating.json"),
    ("2026-11-03T14:32:00Z", "life_3_monitoring.json"),
    ("2026-11-03T15:21:00Z", "life_6_resolved.json"),
    ("2026-11-03T15:22:00Z", "other_page_id.json"),
    ("2026-11-07T15:21:00Z", "life_7_postmortem.json"),
)
TOTALS = {
    "baseline": 0, "posts": 1, "followups": 3, "updates": 6, "edits": 0, "withdrawn": 0, "repeated": 0, "lost": 0,
}  # fmt: skip


def recording() -> bytes:
    rows = (
        {"at": at, "path": "/api/v2/incidents.json", "document": json.loads((FIXTURES / name).read_text("utf-8"))}
        for at, name in RECORDED
    )
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode() + b"not a row\n\n"


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress], ids=["plain", "gz", "xz"])
def test_a_recording_comes_to_its_totals(redial: Redial, tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    file = tmp_path / "recording"
    file.write_bytes(pack(recording()))
    lines = [json.loads(line) for line in redial.run("replay", str(file), "--json").stdout.splitlines()]
    assert lines[-1] == {"totals": TOTALS}
    assert [line["what"] for line in lines[:-1]].count("post") == 1
    assert lines[-2]["tone"] == "over"


def test_people_read_what_was_posted_and_below_what(redial: Redial, tmp_path: Path) -> None:
    file = tmp_path / "recording.jsonl"
    file.write_bytes(recording())
    told = redial.run("replay", str(file)).stdout
    assert "2026-11-03 14:01 UTC  post 1  [major]" in told
    assert "reply 2 below 1" in told
    assert "documents that were no reading: 2" in told


def test_a_file_that_is_no_recording_is_said_to_be_none(redial: Redial, tmp_path: Path) -> None:
    file = tmp_path / "broken.xz"
    file.write_bytes(lzma.compress(recording())[:-40])
    assert "cannot be read as a recording" in redial.run("replay", str(file), code=2).stderr
    file.write_bytes(b"nonsense\n[1]\n")
    assert "no line of it is one of a recording" in redial.run("replay", str(file), code=2).stderr
    file.write_bytes(b"")
    assert "no line of it is one of a recording" in redial.run("replay", str(file), code=2).stderr


def test_a_drill_says_that_it_is_one_in_every_message(redial: Redial) -> None:
    lines = [json.loads(line) for line in redial.run("drill", "--pause", "0", "--json").stdout.splitlines()]
    assert [line["what"] for line in lines].count("post") == 1
    assert all("This is a drill" in line["text"] for line in lines)
    assert not any("official" in line["text"] for line in lines)
    assert lines[-1]["tone"] == "over"
