"""A minute of `python -m tests.soak`: two real processes, one Redis, Slack, Discord, a page, and no mercy."""

from __future__ import annotations

import os
from pathlib import Path

from tests.soak.living import live

LASTS = float(os.environ.get("REDIAL_SOAK", "20"))


async def test_two_processes_killed_at_random_lose_and_double_nothing(tmp_path: Path) -> None:
    outcome = await live(tmp_path, LASTS, seed=7, apart=(2.0, 6.0))
    assert outcome.faults == [], str(outcome)
    assert outcome.deaths >= LASTS / 8
    assert min(outcome.rounds["slack"], outcome.rounds["discord"]) >= 1, str(outcome)
    assert outcome.updates > 2
