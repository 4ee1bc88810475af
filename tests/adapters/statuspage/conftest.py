"""Readers and servers for the tests of this folder; all of them are closed when the test ends."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import pytest

from bot.adapters.statuspage.client import StatusPage
from bot.adapters.statuspage.settings import PageSettings
from tests.adapters.statuspage.pageserver import Clocks, Page, PageServer, Serve

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator


@pytest.fixture
def serve(stack: AsyncExitStack) -> Serve:
    async def start(tls: ssl.SSLContext | None = None, port: int = 0) -> PageServer:
        server = PageServer()
        await server.start(tls, port)
        stack.push_async_callback(server.stop)
        return server

    return start


@pytest.fixture
async def server(serve: Serve) -> PageServer:
    """A page with three open incidents."""
    server = await serve()
    server.says("incidents_three_open.json", "summary_three_open.json")
    return server


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def page(stack: AsyncExitStack, clocks: Clocks) -> Page:
    """Make a reader of these servers or addresses; it is patient, as a busy machine is no finding."""

    def make(*hosts: PageServer | str, **settings: Any) -> StatusPage:  # noqa: ANN401 - of PageSettings
        settings.setdefault("patience", 10.0)
        addresses = tuple(host if isinstance(host, str) else host.address for host in hosts)
        made = StatusPage(
            PageSettings(hosts=addresses, **settings), wall=lambda: clocks.wall, monotonic=lambda: clocks.monotonic
        )
        stack.push_async_callback(made.close)
        return made

    return make


@pytest.fixture(autouse=True)
async def nothing_left_running() -> AsyncIterator[None]:
    """No test may leave a task behind: the reader owns exactly one and ends it."""
    before = asyncio.all_tasks()
    yield
    left = asyncio.all_tasks() - before - {asyncio.current_task()}
    assert not [task.get_name() for task in left]
