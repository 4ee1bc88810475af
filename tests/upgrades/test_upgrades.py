"""A store as an earlier Redial left it is gone on with: open talks, owed answers, subscriptions, what channels have.

`data/` holds every key of such a store, a line each, written by that version itself while people talked to it and an
incident was announced. It is never written anew: a version that cannot read it loses somebody's conversation.
"""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import redis

from bot.adapters.store import connect
from bot.adapters.store.embedded import ensure_running, stop_embedded
from bot.adapters.store.pages import RedisPages
from bot.adapters.store.redis_store import RedisConversations
from bot.adapters.store.registry import spec_of
from bot.core.event import InboundEvent, Origin, Said
from bot.core.status.subscription import Choice, Place
from handlers.announce import Announcer
from handlers.clerk import Office
from handlers.desk import Desk
from handlers.triage import show_owed
from handlers.turns import handle
from tests.runtime.line import Line
from tests.scenarios.announcing import CLAUDE, CONSOLE, Town
from tests.scenarios.desk import Page
from tests.scenarios.playing import NOW, content

VERSIONS = sorted((Path(__file__).parent / "data").glob("*.jsonl"))


def bytes_of(value: str | float) -> Any:  # noqa: ANN401 - what redis-py takes
    return base64.b64decode(value) if isinstance(value, str) else value


def fill(client: redis.Redis, path: Path) -> None:
    for row in map(json.loads, path.read_text().splitlines()):
        key, value = row["key"], row["value"]
        match row["type"]:
            case "string":
                client.set(key, bytes_of(value))
            case "hash":
                client.hset(key, mapping={bytes_of(name): bytes_of(one) for name, one in value.items()})
            case "zset":
                client.zadd(key, {bytes_of(name): score for name, score in value.items()})
            case kind:
                raise AssertionError(f"{key} is a {kind}")


@pytest.fixture(params=VERSIONS, ids=lambda path: path.stem)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RedisConversations]:
    place = ensure_running(tmp_path / "data")
    with redis.Redis(unix_socket_path=str(place.socket)) as client:
        fill(client, request.param)
    one = await connect(None, tmp_path / "data")
    yield one
    await one.close()
    stop_embedded(tmp_path / "data")


def origin(name: str) -> Origin:
    return Origin("slack", "T1", f"D{name}", f"U{name}")


@pytest.mark.parametrize("path", VERSIONS, ids=lambda path: path.stem)
def test_every_key_is_still_in_the_registry(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert rows
    for row in rows:
        spec = spec_of(row["key"])
        assert spec, row["key"]
        assert spec.type == row["type"]


async def test_conversations_are_read_and_go_on(store: RedisConversations) -> None:
    (talk,) = await store.of(origin("open"))
    assert (talk.guide, talk.step, talk.revision) == ("response-cut-off", "inspect", 3)
    assert [note.text for note in talk.notes] == ["a note of mine"]
    (asked,) = await store.of(origin("asked"))
    assert asked.guide == ""
    desk = Desk(content().library, content().recogniser(), store, Page(), lambda: NOW)
    line = Line()
    await handle(desk, InboundEvent("new", origin("open"), Said("1", "direct")), line)
    assert line.views[-1].conversation == talk.id
    assert line.views[-1].step == "short"
    await handle(desk, InboundEvent("e1", origin("open"), Said("1", "direct")), line)
    assert len(line.views) == 1, "an event that was handled by the earlier version stays handled"


async def test_answers_it_owed_are_shown(store: RedisConversations) -> None:
    desk = Desk(content().library, content().recogniser(), store, Page(), lambda: NOW)
    line = Line()
    assert await show_owed(desk, Origin("slack", "T1", "", ""), line, older_than=0) == 1
    assert "Don't repeat the request yet" in str(line.views[0].lead)
    assert await store.owed(Origin("slack", "T1", "", ""), older_than=0) == ()


async def test_subscriptions_and_what_channels_have_are_known(store: RedisConversations) -> None:
    """Nothing is announced a second time after an upgrade."""
    pages = RedisPages(store.server)
    first, second = sorted(await pages.subscriptions(CLAUDE), key=lambda one: one.place.channel)
    assert first.place == Place("paper", "W", "C1")
    assert (first.choice, first.by) == (Choice(), "U1")
    assert second.choice == Choice(components=frozenset({CONSOLE}), least="major", mention="<!here>", replies=False)
    page = (await pages.page(CLAUDE)).page
    assert sorted(page.incidents) == ["i1", "i2"]
    town = await Town.build()
    office = Office(pages, {"paper": town.paper}, lambda _: town.names)
    walked = await Announcer(office).walk(CLAUDE, "paper")
    assert (walked.acts, walked.left) == (0, 0)
    assert list(town.paper.messages) == []


async def test_it_can_be_forgotten(store: RedisConversations) -> None:
    for name, count in (("open", 1), ("fixed", 1), ("human", 1), ("owed", 1), ("nobody", 0)):
        assert await store.forget(origin(name)) == count
