"""What keeps messages single is the order of the bounds, also where tests have minutes pass in seconds."""

from __future__ import annotations

import pytest

from bot.core.bounds import BOUNDS, Bounds
from tests.fakes.replica import QUICK
from tests.soak.replica import RHYTHM


@pytest.mark.parametrize("bounds", [BOUNDS, QUICK, RHYTHM.bounds], ids=["in earnest", "replica", "soak"])
def test_a_request_ends_before_it_counts_as_unknown_and_within_the_turn_it_is_sent_in(bounds: Bounds) -> None:
    assert bounds.sent < bounds.unknown
    assert bounds.sent <= bounds.turn


def test_an_orderly_end_is_over_before_an_orchestrator_kills() -> None:
    assert BOUNDS.finish < 10
