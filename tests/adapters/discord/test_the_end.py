"""Those who wait are told when it is over, wherever they wait."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters.discord.chat import DiscordChat
from bot.core.status.incident import Board
from bot.core.triage.conversation import Conversation
from handlers.waiting import tell_ended
from tests.adapters.discord.test_scenarios import buttons, mentioned
from tests.adapters.discord.town import Town, said, town
from tests.scenarios.playing import NOW, page

WEB = "claude.ai in firefox says Connection lost. Retrying... since ten minutes"


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Town]:
    async with town(tmp_path / "data") as one:
        yield one


class TestTheEnd:
    async def test_who_waits_in_a_thread_is_called_when_it_is_over(self, there: Town) -> None:
        thread = await mentioned(there, WEB)
        there.page.read = page("incident")
        await there.people["ann"].send(thread, "I'll wait")
        there.page.read = ended()
        assert await tell_ended(there.desk, await waiting(there), DiscordChat(there.client.station)) == 1
        over = there.ours(thread)[-1]
        assert "It's over" in said(over)
        assert [user.id for user in over.mentions] == [there.people["ann"].id]

    async def test_who_waits_privately_is_told_in_their_direct_messages_and_can_go_on_there(self, there: Town) -> None:
        there.page.read = page("incident")
        await there.people["ann"].slash(there.channels["other"], "redial triage", text=WEB)
        await there.press("ann", there.private("ann")[-1], "Wait and tell me")
        there.page.read = ended()
        assert await tell_ended(there.desk, await waiting(there), DiscordChat(there.client.station)) == 1
        direct = there.people["ann"].user
        over = there.ours(direct.dm_channel)[-1]
        assert "It's over" in said(over)
        label = next(label for label in buttons(over) if label != "Write an answer")
        await direct.click(over, label=label)
        assert len(there.ours(direct.dm_channel)) > 1, "the conversation of the server goes on here"


def ended() -> Board:
    """The incident page once it is over."""
    open_now = page("incident")
    assert open_now
    over = replace(open_now.incidents[0], status="resolved", resolved_at=NOW - 30)
    return replace(open_now, incidents=(over,))


async def waiting(there: Town) -> tuple[Conversation, ...]:
    return await there.desk.store.waiting(there.origin("ann"))
