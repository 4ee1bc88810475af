"""The gateway: one replica hears, another stands by, on a Discord of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import discord
import pytest
from discord.gateway import DiscordWebSocket

from bot.adapters.discord import gateway
from bot.adapters.discord.doctor import examine
from bot.adapters.discord.gateway import TURNS, Access, Gateway, Turns
from bot.adapters.discord.rights import INTENTS, PERMISSIONS, invitation
from bot.adapters.store import connect
from bot.adapters.store.embedded import stop_embedded
from bot.adapters.store.leases import RedisLeases
from bot.core.errors import ChatUnavailable, SettingsError
from bot.ports.leases import Leases
from bot.ports.platform import House
from bot.runtime.dispatcher import Dispatcher
from handlers.commands import read
from tests.fakes.discord import Page, discord_page
from tests.fakes.elsewhere import discord_at
from tests.machine import until
from tests.scenarios.playing import library

DEADLINE = 30.0


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    async with discord_page() as one:
        yield one


@pytest.fixture
async def leases(tmp_path: Path) -> AsyncIterator[Leases]:
    store = await connect(None, tmp_path / "data")
    yield RedisLeases(store.server)
    await store.close()
    stop_embedded(tmp_path / "data")


def house(leases: Leases | None = None) -> House:
    async def nothing(*_: object) -> None:
        """No event comes here."""

    return House(Dispatcher(nothing), library().messages, read, {}, leases)


Test = Callable[..., Coroutine[Any, Any, None]]


def bounded(test: Test) -> Test:
    """A test that is stuck says where."""

    @functools.wraps(test)
    async def run(*args: object, **kwargs: object) -> None:
        async with asyncio.timeout(2 * DEADLINE):
            await test(*args, **kwargs)

    return run


async def test_connected_it_says_as_whom(page: Page) -> None:
    async with gateway.start(Access("good"), house()) as running:
        assert running.says == "connected as redial in 0 servers"
        assert page.sessions[0].identified["intents"] & discord.Intents(message_content=True).value


async def test_an_intent_that_is_not_granted_is_not_asked_for(page: Page) -> None:
    page.flags = 0
    async with gateway.start(Access("good"), house()) as running:
        assert running.says.endswith("without the message content intent")
        assert not page.sessions[0].identified["intents"] & discord.Intents(message_content=True).value


async def test_a_refused_token_is_named(page: Page) -> None:
    page.token = "another"  # noqa: S105 - of a page
    with pytest.raises(SettingsError, match="DISCORD_TOKEN is refused"):
        async with gateway.start(Access("good"), house()):
            pass


async def test_a_discord_out_of_reach_is_told() -> None:
    with discord_at("http://127.0.0.1:9"), pytest.raises(ChatUnavailable):
        async with gateway.start(Access("good"), house()):
            pass


async def test_a_connection_that_cannot_go_on_says_why(page: Page) -> None:
    page.closes = 4004
    with pytest.raises(SettingsError, match="token is refused"):
        async with gateway.start(Access("good"), house()):
            pass


@bounded
async def test_one_hears_and_the_other_takes_over_when_it_is_killed(page: Page, leases: Leases) -> None:
    quick = Turns(held=1.0, renewed=0.2)
    first = Gateway(Access("good"), house(leases), quick)
    await first.open()
    serving = asyncio.create_task(first.serve())
    await until(lambda: first.client and first.client.is_ready())
    async with gateway.start(Access("good"), house(leases), quick) as second:
        assert second.says.startswith("standing by as redial")
        assert len(page.sessions) == 1
        # A kill: nothing is released.
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        await until(lambda: second.says.startswith("connected as redial"))
        assert len(page.sessions) == 2


@bounded
async def test_one_that_is_not_heard_says_so_and_is_connected_anew(page: Page) -> None:
    """The library calls itself ready all the while, and waits longer with every try."""
    async with gateway.start(Access("good"), house(), Turns(renewed=0.2, deaf=3.0)) as running:
        assert running.trouble == ""
        page.closes = 4000
        await page.cut()
        await until(lambda: running.trouble)
        assert running.trouble == "the gateway is not connected"
        before = running.client
        await until(lambda: running.client is not before)
        page.closes = 0
        await until(lambda: not running.trouble)


@bounded
async def test_a_connection_broken_off_while_it_is_made_is_closed(page: Page) -> None:
    """It would stay open, and a thread of it would go on telling Discord that we are there, for up to a minute."""
    page.beat = 40_000
    async with gateway.start(Access("good"), house(), Turns(renewed=0.2, deaf=3.0)) as running:
        before = running.client
        # Whoever begins anew waits five seconds between being greeted and saying who it is.
        await page.sessions[0].forget().close(code=4000)
        await until(lambda: running.client is not before)
        await until(lambda: not running.trouble)
        assert len([one for one in gc.get_objects() if isinstance(one, DiscordWebSocket) and one.open]) == 1
        await until(lambda: sum("keep-alive" in one.name for one in threading.enumerate()) == 1, within=10)


def test_a_standby_is_there_within_half_a_minute_of_a_kill() -> None:
    assert TURNS.held + 2 * TURNS.renewed < 30


@bounded
async def test_an_orderly_end_gives_the_gateway_away_at_once(page: Page, leases: Leases) -> None:
    watchful = Turns(renewed=0.1)
    async with contextlib.AsyncExitStack() as stack:
        async with gateway.start(Access("good"), house(leases), watchful):
            second = await stack.enter_async_context(gateway.start(Access("good"), house(leases), watchful))
            assert second.says.startswith("standing by")
        async with asyncio.timeout(TURNS.held / 2):
            await until(lambda: second.says.startswith("connected"))
    assert page.sessions


@bounded
async def test_who_lost_the_gateway_closes_it_and_stands_by(page: Page, leases: Leases) -> None:
    assert not page.sessions
    async with gateway.start(Access("good"), house(leases), Turns(held=0.3, renewed=0.6)) as slow:
        # It renews too late: somebody else has it by then.
        taken = False
        async with asyncio.timeout(DEADLINE):
            while not taken:
                taken = await leases.take(f"discord-gateway-{page.backend.application_id}", "another", 60)
                await asyncio.sleep(0.05)
        await until(lambda: slow.says.startswith("standing by"))


class TestDoctor:
    async def test_every_right_and_intent_is_named_with_its_reason(self, page: Page) -> None:
        found = await examine(Access("good"))
        said = "\n".join(f"{one.says} {one.do}" for one in found)
        assert invitation(page.backend.application_id) in said
        for reason in (*PERMISSIONS.values(), *INTENTS.values()):
            assert reason in said
        assert [one.health for one in found] == ["warn", "ok", "ok"]
        assert page.sessions == [], "it only asks"

    async def test_a_missing_intent_is_named_with_what_to_do(self, page: Page) -> None:
        page.flags = 0
        (intents,) = [one for one in await examine(Access("good")) if one.name == "discord intents"]
        assert intents.health == "warn"
        assert "Message Content Intent" in intents.do

    async def test_a_refused_token(self, page: Page) -> None:
        page.token = "another"  # noqa: S105 - of a page
        (only,) = await examine(Access("good"))
        assert (only.health, only.says) == ("fail", "the token is refused")

    def test_the_invitation_asks_for_exactly_these(self) -> None:
        value = int(invitation(9).split("permissions=")[1].split("&")[0])
        assert value == sum(getattr(discord.Permissions, name).flag for name in PERMISSIONS)
