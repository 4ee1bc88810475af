"""Limits that last longer than an answer may take, and what is no answer: nobody waits, and nothing stops for good."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.adapters.discord.channels import DiscordChannels
from bot.adapters.discord.faults import LIMITED, TIMEOUT
from bot.adapters.discord.sending import sending
from bot.core.status.subscription import Place
from bot.ports.announcing import Delivered, Failed, Why
from tests.contract.announcing import a_key, a_notice
from tests.fakes.discord import Page, discord_page
from tests.scenarios.playing import content


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    async with discord_page() as one:
        yield one


async def posted(channels: DiscordChannels, place: Place) -> tuple[Delivered | Failed, float]:
    """Post, and say how long it took."""
    began = asyncio.get_running_loop().time()
    return await channels.post(place, a_key(), a_notice()), asyncio.get_running_loop().time() - began


@pytest.mark.parametrize("everything", [True, False], ids=["the whole bot", "one channel"])
async def test_what_is_broken_off_while_it_waits_stops_nothing_after_it(page: Page, *, everything: bool) -> None:
    place = Place("discord", "1", str(page.guild("status")["status"].id))
    page.slow_down = [(TIMEOUT + 5, everything)]
    async with asyncio.timeout(4 * TIMEOUT), sending(page.token, content().library.messages) as channels:
        late, took = await posted(channels, place)
        assert isinstance(late, Failed)
        assert late.why is Why.UNKNOWN
        assert took < TIMEOUT + 5
        again, took = await posted(channels, place)
        assert isinstance(again, Delivered)
        assert took < TIMEOUT


@pytest.mark.parametrize("everything", [True, False], ids=["the whole bot", "one channel"])
async def test_a_long_limit_is_told_at_once_with_its_time(page: Page, *, everything: bool) -> None:
    place = Place("discord", "1", str(page.guild("status")["status"].id))
    page.slow_down = [(LIMITED + 60, everything)]
    async with asyncio.timeout(4 * TIMEOUT), sending(page.token, content().library.messages) as channels:
        busy, took = await posted(channels, place)
        assert isinstance(busy, Failed)
        assert (busy.why, busy.wait) == (Why.WAIT, LIMITED + 60)
        assert took < TIMEOUT
        again, _ = await posted(channels, place)
        assert isinstance(again, Delivered)


async def test_a_page_of_something_on_the_way_is_no_answer(page: Page) -> None:
    place = Place("discord", "1", str(page.guild("status")["status"].id))
    page.strange = "<title>Sign in to the guest network</title>"
    async with sending(page.token, content().library.messages) as channels:
        delivery, _ = await posted(channels, place)
        assert isinstance(delivery, Failed)
        assert delivery.why is Why.UNKNOWN


async def test_a_short_limit_is_waited_for(page: Page) -> None:
    place = Place("discord", "1", str(page.guild("status")["status"].id))
    page.slow_down = [(0.2, True)]
    async with sending(page.token, content().library.messages) as channels:
        late, took = await posted(channels, place)
        assert isinstance(late, Delivered)
        assert took >= 0.2
