"""What works on which platform, as a table; test_parity.py checks every cell."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PLATFORMS = ("console", "slack", "discord")
SUITE = "tests/contract/test_chat.py"
FILE = Path(__file__).with_name("parity.toml")


@dataclass(frozen=True, slots=True)
class Cell:
    """One feature on one platform: the test that proves it, or why it is exempt."""

    feature: str
    platform: str
    proof: str = ""
    exempt: str = ""


@cache
def cells() -> tuple[Cell, ...]:
    """Every cell, a feature after the other."""
    return tuple(_cells())


def table() -> str:
    """The table for people."""
    rows = ["| feature | console | Slack | Discord |", "|---|---|---|---|"]
    for at in range(0, len(cells()), len(PLATFORMS)):
        row = cells()[at : at + len(PLATFORMS)]
        rows.append(
            "| "
            + " | ".join([row[0].feature, *(f"exempt: {one.exempt}" if one.exempt else "done" for one in row)])
            + " |"
        )
    return "\n".join(rows)


def _cells() -> Iterator[Cell]:
    for feature in tomllib.loads(FILE.read_text(encoding="utf-8"))["feature"]:
        for platform in PLATFORMS:
            said = feature.get(platform) or feature["proof"]
            kind, _, reason = said.partition(": ")
            if kind == "exempt":
                yield Cell(feature["what"], platform, exempt=reason)
            else:
                yield Cell(feature["what"], platform, proof=said if "::" in said else f"{SUITE}::{said}")
