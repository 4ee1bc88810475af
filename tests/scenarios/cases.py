"""What the failure cases begin with: a page that was read, and a channel that listens."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scenarios.announcing import OLD, Town, document, page_of

LIFE = [f"life_{n}_{s}.json" for n, s in enumerate(("investigating", "identified", "monitoring"), 1)]


@pytest.fixture
async def town() -> Town:
    """One channel listens, and the page has been read: nothing was open."""
    town = await Town.build()
    await town.listen()
    await town.tells(page_of(*OLD))
    assert town.posts() == []
    return town


def life(name: str) -> Any:  # noqa: ANN401 - decoded JSON
    """A document of the invented incident's life, with the list it stands in."""
    return page_of(*document(name)["incidents"], *OLD)


async def lived(town: Town, *names: str) -> None:
    for name in names:
        await town.tells(life(name))
