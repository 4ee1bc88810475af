"""The contract of announcing, over every platform that has it."""

from __future__ import annotations

import pytest

from bot.adapters.console.plain import as_text
from bot.adapters.rehearsal.channels import PaperChannels
from bot.core.status.subscription import Place
from tests.contract.announcing import ChannelsContract, Street


class Paper:
    """Channels on paper."""

    def __init__(self) -> None:
        self.channels = PaperChannels()
        self.place, self.closed = Place("paper", "W", "C1"), Place("paper", "W", "GONE")
        self.blind: Place | None = None
        self.channels.closed.add("GONE")

    async def texts(self, place: Place) -> list[str]:
        found = (m for m in self.channels.messages.values() if m.place == place)
        return [as_text(m.shows.view, grades={}) for m in found]

    async def pings(self, place: Place) -> int:
        return sum(bool(m.history[0].mention) for m in self.channels.messages.values() if m.place == place)

    async def deletes(self, ref: str) -> None:
        del self.channels.messages[ref]


class TestOnPaper(ChannelsContract):
    @pytest.fixture
    def street(self) -> Street:
        return Paper()
