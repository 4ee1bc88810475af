"""Announcing on Discord: the contract, and what is Discord's own."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.adapters.discord.channels import DiscordChannels
from bot.adapters.discord.decode import referred
from bot.core.status.announcement_view import Notice, Tone
from bot.core.status.subscription import Place
from bot.core.text import Text, words
from bot.core.view import View
from bot.ports.announcing import Delivered, Failed, Why
from tests.adapters.discord.openapi import faults, needs_openapi
from tests.adapters.discord.test_scenarios import forbid
from tests.adapters.discord.town import Town, said, town
from tests.contract.announcing import ChannelsContract, a_key, a_notice, sent


@dataclass
class DiscordStreet:
    """Implements Street."""

    town: Town
    channels: DiscordChannels
    place: Place
    closed: Place
    blind: Place | None

    async def texts(self, place: Place) -> list[str]:
        channel = next(one for one in self.town.channels.values() if str(one.id) == place.channel)
        return [said(message) for there in (channel, *channel.threads) for message in self.town.ours(there)]

    async def pings(self, place: Place) -> int:
        channel = next(one for one in self.town.channels.values() if str(one.id) == place.channel)
        found = self.town.ours(channel)
        return sum(bool(one.mentions or one.role_mentions or one.mention_everyone) for one in found)

    async def deletes(self, ref: str) -> None:
        found = referred(ref)
        assert found
        self.town.env.backend.delete_message(*found)
        await self.town.env.settle()


@pytest.fixture
async def street(tmp_path: Path) -> AsyncIterator[DiscordStreet]:
    async with town(tmp_path / "data") as there:
        # Its clock begins on a fixed day; the contract speaks of now.
        await there.env.advance_time(max(0.0, time.time() - there.env.now().timestamp()))
        await forbid(there, there.channels["other"], "send_messages")
        await forbid(there, there.channels["triage"], "read_message_history")
        server = str(there.guild.id)
        places = {name: Place("discord", server, str(channel.id)) for name, channel in there.channels.items()}
        channels = DiscordChannels(lambda: there.client.station.wire, there.desk.library.messages)
        yield DiscordStreet(there, channels, places["watched"], places["other"], places["triage"])


class TestOnDiscord(ChannelsContract):
    """Real discord.py in a Discord kept in memory."""

    async def test_a_role_that_was_chosen_is_mentioned_and_nothing_else(self, street: DiscordStreet) -> None:
        role = street.town.guild.create_role("on-call")
        hostile = Notice(View(words("<@&1> @here"), (), (Text(words("@everyone")),)), Tone.OVER, f"<@&{role.id}>")
        assert isinstance(await street.channels.post(street.place, a_key(), hostile), Delivered)
        request = street.town.env.http_requests[-1]
        assert isinstance(request.json, dict)
        assert request.json["allowed_mentions"]["roles"] == [role.id]
        assert request.json["allowed_mentions"]["parse"] == []

    @pytest.mark.parametrize("mention", ["<@&x>", "@everyone <@1>", "hello", "<!here>"])
    async def test_what_is_no_mention_of_discords_is_left_out(self, street: DiscordStreet, mention: str) -> None:
        await street.channels.post(street.place, a_key(), a_notice(mention=mention))
        (text,) = await street.texts(street.place)
        assert mention not in text.splitlines()
        assert await street.pings(street.place) == 0

    @pytest.mark.parametrize(
        ("status", "code", "why"),
        [(400, 50035, Why.REFUSED), (404, 10003, Why.CLOSED), (403, 50013, Why.CLOSED), (404, 10008, Why.GONE)],
    )
    async def test_what_discord_answers_is_told_apart(
        self, street: DiscordStreet, status: int, code: int, why: Why
    ) -> None:
        street.town.env.inject_error("POST", "/channels/*/messages", status=status, code=code)
        delivery = await street.channels.post(street.place, a_key(), a_notice())
        assert isinstance(delivery, Failed)
        assert delivery.why is why

    @needs_openapi
    @pytest.mark.parametrize("tone", list(Tone))
    async def test_discords_own_description_accepts_it(self, street: DiscordStreet, tone: Tone) -> None:
        await street.channels.post(street.place, a_key(), Notice(a_notice().view, tone, "@here"))
        request = street.town.env.http_requests[-1]
        assert faults(request.method, request.path, request.json) == []

    async def test_what_is_deleted_takes_its_thread_along(self, street: DiscordStreet) -> None:
        ref = await sent(street)
        reply = await street.channels.reply(street.place, ref, a_key(), a_notice("Again"))
        assert isinstance(reply, Delivered)
        await street.channels.delete(street.place, reply.ref)
        await street.channels.delete(street.place, ref)
        assert street.town.channels["watched"].threads == []

    async def test_without_the_right_or_with_peoples_words_in_it_the_thread_is_archived(
        self, street: DiscordStreet
    ) -> None:
        for talk in ("", "is it over?"):
            ref = await sent(street)
            await street.channels.reply(street.place, ref, a_key(), a_notice("Again"))
            thread = street.town.channels["watched"].threads[-1]
            if talk:
                await street.town.people["ann"].send(thread, talk)
            else:
                street.town.env.inject_error("DELETE", f"/channels/{thread.id}", status=403, code=50013)
            assert isinstance(await street.channels.delete(street.place, ref), Delivered)
            kept = street.town.env.backend.channels[thread.id].thread_metadata
            assert kept
            assert kept.archived

    async def test_the_thread_below_a_post_is_begun_once(self, street: DiscordStreet) -> None:
        ref = await sent(street)
        for _ in range(3):
            await street.channels.reply(street.place, ref, a_key(), a_notice("Again"))
        begun = [one for one in street.town.env.http_requests if one.path.endswith("/threads")]
        assert len(begun) == 1
