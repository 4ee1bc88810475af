"""Times and durations in words."""

from __future__ import annotations

import pytest

from bot.core.moments import clock, duration, stamp
from tests.scenarios.playing import library


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "0 s"), (0, "0 s"), (59.9, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h 0 min"),
        (3900, "1 h 5 min"), (86399, "23 h 59 min"), (86400, "1 day"), (200_000, "2 days"),
    ],
)  # fmt: skip
def test_how_long(seconds: float, words: str) -> None:
    assert duration(library().messages, seconds) == words


def test_when_is_the_same_for_everybody_who_reads() -> None:
    assert clock(1_790_000_000) == "14:13 UTC"
    assert stamp(1_790_000_000) == "2026-09-21 14:13 UTC"
