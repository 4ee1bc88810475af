"""What was written while nobody listened is read by who begins to, however busy the server is just then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from bot.adapters.discord import gateway
from bot.adapters.discord.client import RedialClient
from bot.adapters.discord.gateway import Access
from bot.core.event import InboundEvent, Said
from bot.core.triage.placement import Rooms
from bot.ports.chat import Chat
from bot.ports.platform import House
from handlers.commands import read
from tests.fakes.discord import Page, discord_page
from tests.machine import until
from tests.scenarios.playing import content


class Ear:
    """An intake that keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def submit(self, event: InboundEvent, chat: Chat, done: Callable[[], None] | None = None) -> bool:  # noqa: ARG002
        assert isinstance(event.what, Said)
        self.heard.append(event.what.text)
        return True


async def test_talk_that_comes_while_it_connects_hides_nothing() -> None:
    async with discord_page() as page:
        places = page.guild("triage", "other")
        ann = page.person("ann")
        ear = Ear()
        house = House(ear, content().library.messages, read, {})
        client = RedialClient(house, Rooms())
        await client.login(page.token)
        thread = await client.station.wire.open_thread(places["triage"].id, "A conversation")
        await client.close()
        page.write(ann, thread, "the answer nobody heard")
        starting = asyncio.create_task(_held(house, ear))
        await until(lambda: page.sessions)
        page.write(ann, places["other"].id, "chatter")
        await until(lambda: "the answer nobody heard" in ear.heard)
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)


async def test_one_of_several_connections_that_begins_anew_reads_what_was_missed_there_alone() -> None:
    """The library says nothing of all being ready then."""
    async with discord_page() as page:
        places = page.guild("triage", "other")
        ann, page.shards = page.person("ann"), 2
        ear = Ear()
        async with _connected(page, ear) as client:
            await until(lambda: client.hears)
            thread = await client.station.wire.open_thread(places["triage"].id, "A conversation")
            for _ in range(2):
                (here,) = [one for one in page.sessions if one.concerns(page.server.id) and not one.forgotten]
                socket = here.forget()
                page.write(ann, thread, said := f"the answer nobody heard {len(page.sessions)}")
                await socket.close(code=4000)
                await until(lambda: said in ear.heard)
                await until(lambda: client.hears)
            assert len(page.sessions) == 4, "the other connection went on"
            page.write(ann, thread, "what is heard")
            await until(lambda: "what is heard" in ear.heard)


class Quick(RedialClient):
    """Does not wait five seconds before each connection."""

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Go on."""


@asynccontextmanager
async def _connected(page: Page, ear: Ear) -> AsyncIterator[RedialClient]:
    client = Quick(House(ear, content().library.messages, read, {}), Rooms())
    await client.login(page.token)
    connection = asyncio.create_task(client.connect())
    try:
        yield client
    finally:
        connection.cancel()
        await client.close()
        await asyncio.gather(connection, return_exceptions=True)


async def _held(house: House, ear: Ear) -> None:
    async with gateway.start(Access("good"), house):
        await until(lambda: ear.heard)
