from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtime.redial import Redial


@pytest.fixture
def redial(tmp_path: Path) -> Iterator[Redial]:
    command = Redial(tmp_path)
    yield command
    if command.data.exists():
        done = command.run("store", "status", code=1)
        assert "does not run" in done.stdout
