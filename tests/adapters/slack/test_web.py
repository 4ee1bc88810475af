"""The stand-in for Slack: what stands behind the door refuses nobody for having asked often."""

from __future__ import annotations

import pytest

from tests.adapters.slack.web import BOT, slack
from tests.fakes.emulate import PER_TOKEN


@pytest.mark.parametrize("asked", [PER_TOKEN - 3, 7 * PER_TOKEN])
async def test_somebody_who_asked_very_often_may_go_on(asked: int) -> None:
    async with slack() as one:
        one.spent[BOT] = asked
        for _ in range(4):
            assert (await one.ask("redial", "auth.test"))["user_id"] == one.users["redial"]
        assert one.spent[BOT] == asked + 4
