from __future__ import annotations

import asyncio

import pytest

from bot.adapters.discord.pacing import RATE, Pace, Refusals
from bot.core.errors import NotAllowed


async def test_no_second_has_more_requests_than_discord_allows() -> None:
    pace, loop, sent = Pace(), asyncio.get_running_loop(), list[float]()

    async def request() -> None:
        await pace.turn()
        sent.append(loop.time())

    await asyncio.gather(*(request() for _ in range(2 * RATE + 5)))
    busiest = max(sum(start <= at < start + 0.99 for at in sent) for start in sent)
    assert RATE <= busiest < 50
    assert sent[RATE - 1] - sent[0] < 0.5, "after a quiet time nobody waits"


async def test_a_channel_that_refused_is_left_alone_until_rights_change() -> None:
    refusals = Refusals()
    refusals.note(7, "Send Messages")
    with pytest.raises(NotAllowed) as caught:
        refusals.check(7)
    assert caught.value.missing == "Send Messages"
    refusals.check(8)
    refusals.clear()
    refusals.check(7)
