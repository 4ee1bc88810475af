"""Fixtures every room of the tests may use."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import structlog

HERE = Path(__file__).parent
LONG = [
    HERE / name
    for name in (
        "soak/test_storm.py", "soak/test_minute.py", "soak/test_bad_day.py", "scenarios/test_every_path.py",
        "soak/test_emptied.py", "soak/test_handoff.py", "adapters/discord/test_run.py", "runtime/test_drill.py",
        "scenarios/test_announce_soak.py", "adapters/slack/test_run.py", "scenarios/test_recorded_incidents.py",
        "adapters/discord/test_slow.py", "scenarios/test_announce_counted.py", "scenarios/test_announce_recordings.py",
        "scenarios/test_nothing_leaks.py", "adapters/discord/test_gateway.py", "bench/test_fan_out.py",
        "adapters/slack/test_room_run.py", "adapters/test_store_deployments.py", "runtime/test_health.py",
        "bench/test_counts.py",
    )
]  # fmt: skip
"""Whose tests take many seconds each: they begin first, so that at the end nobody waits for one of them."""


def pytest_configure() -> None:
    """Heed Ctrl-C: a run that was begun in the background does not, and neither would what its tests interrupt."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the long ones first."""
    places = {path: n for n, path in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: many a test waits for another process, or for a clock."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture(autouse=True)
def _logs_as_they_were() -> Iterator[None]:
    root, log = logging.getLogger(), structlog.get_config()
    handlers, level = list(root.handlers), root.level
    yield
    structlog.configure(**log)
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack
