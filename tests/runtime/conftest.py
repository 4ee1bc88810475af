from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.adapters.store.embedded import embedded_status, stop_embedded
from bot.runtime.settings import Settings, StatusSettings
from tests.runtime.redial import Redial


@pytest.fixture
def redial(tmp_path: Path) -> Iterator[Redial]:
    command = Redial(tmp_path)
    yield command
    if command.data.exists():
        assert not embedded_status(command.data).running, "the last one to go ends the store"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """Settings of a process with a store of its own, which is stopped at the end, and a page nobody serves."""
    monkeypatch.chdir(tmp_path)
    yield Settings(data_dir=tmp_path / "data", status=StatusSettings(hosts=("http://127.0.0.1:9",)))
    stop_embedded(tmp_path / "data")
