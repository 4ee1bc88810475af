"""What turns ask for in the same pass of the event loop goes to the server together."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bot.core.errors import StoreUnavailable
from bot.core.event import Origin
from bot.core.triage.conversation import Conversation
from bot.ports.store import Stored
from tests.contract.conftest import DEADLINE, Backend, Proxied
from tests.contract.conversations import event, triage, turned, written


async def many(proxied: Proxied, place: Origin, count: int) -> list[Conversation]:
    people = (replace(place, user=f"U{n}") for n in range(count))
    return [await written(proxied.store, triage(person, id=f"c{n}")) for n, person in enumerate(people)]


async def test_turns_of_one_moment_share_a_trip(proxied: Proxied, place: Origin) -> None:
    open_ones = await many(proxied, place, 20)
    proxied.proxy.reset()
    done = await asyncio.gather(*(proxied.store.commit(event(), turned(one)) for one in open_ones))
    assert all(isinstance(one, Stored) for one in done)
    assert proxied.proxy.trips == 1


async def test_each_gets_its_own_answer(proxied: Proxied, place: Origin) -> None:
    one, two, three = await many(proxied, place, 3)
    stale, again = replace(turned(two), revision=7), event()
    await proxied.store.commit(again, turned(three))
    answers = await asyncio.gather(
        proxied.store.commit(event(), turned(one)),
        proxied.store.commit(event(), stale),
        proxied.store.commit(again, turned(three)),
        proxied.store.server.command("HGETALL", "nothing"),
        proxied.store.server.command("HGETALL"),
        return_exceptions=True,
    )
    assert [type(answer).__name__ for answer in answers] == [
        "Stored", "Conflict", "Duplicate", "dict", "StoreUnavailable",
    ]  # fmt: skip


@pytest.mark.parametrize("passes", [0, 1, 2])
async def test_who_is_broken_off_takes_no_other_along(proxied: Proxied, place: Origin, passes: int) -> None:
    open_ones = await many(proxied, place, 3)
    turns = [asyncio.create_task(proxied.store.commit(event(), turned(one))) for one in open_ones]
    for _ in range(passes):
        await asyncio.sleep(0)
    turns[0].cancel()
    first, *others = await asyncio.gather(*turns, return_exceptions=True)
    assert isinstance(first, asyncio.CancelledError)
    assert all(isinstance(one, Stored) for one in others), others


async def test_a_cut_connection_is_asked_again_for_all(proxied: Proxied, place: Origin) -> None:
    open_ones = await many(proxied, place, 5)
    proxied.proxy.cut_answers = 1
    done = await asyncio.gather(*(proxied.store.commit(event(), turned(one)) for one in open_ones))
    assert all(isinstance(one, Stored) for one in done)
    proxied.proxy.cut_answers = 2
    failed = await asyncio.gather(
        *(proxied.store.commit(event(), turned(turned(one))) for one in open_ones), return_exceptions=True
    )
    assert all(isinstance(one, StoreUnavailable) for one in failed), failed


async def test_connections_that_were_cut_while_nobody_asked_are_made_anew(
    backend: Backend, proxied: Proxied, place: Origin
) -> None:
    open_ones, turns = await many(proxied, place, 4), []
    for one in open_ones:
        turns.append(asyncio.create_task(proxied.store.commit(event(), turned(one))))
        # A pass of the loop each, and one more to be on the way in: so each has a connection of its own.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    written_ones = [one.conversation for one in await asyncio.gather(*turns) if isinstance(one, Stored)]
    carrying = set(proxied.proxy.carrying)
    assert len(carrying) > 1, "several connections are idle"
    backend.admin.client_kill_filter(_type="normal", skipme=True)
    async with asyncio.timeout(DEADLINE):
        await asyncio.gather(*carrying)
    for one in written_ones:
        assert isinstance(await proxied.store.commit(event(), turned(one)), Stored)
