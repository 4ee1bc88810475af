"""`redial doctor` on stores that are old, full, forgetful, read-only or asked by somebody without rights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis

from bot.adapters.store.clients import open_server
from bot.adapters.store.doctor import _judged, examine
from bot.adapters.store.embedded import stop_embedded
from bot.adapters.store.pages import RedisPages
from bot.core.status.subscription import Place, Subscription
from tests.adapters.test_store_deployments import admin, serving
from tests.machine import free_port


@dataclass
class One:
    url: str
    admin: redis.Redis


@pytest.fixture
def one(tmp_path: Path) -> Iterator[One]:
    port = free_port()
    with serving(tmp_path / "server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes"):
        yield One(f"redis://127.0.0.1:{port}/0", admin(port))


async def health(url: str | None, data_dir: Path) -> dict[str, str]:
    found, _ = await examine(url, data_dir, ())
    assert all(bool(finding.do) is (finding.health != "ok") for finding in found), "each has its remedy"
    return {finding.name: finding.health for finding in found}


async def test_a_store_as_it_should_be(one: One, tmp_path: Path) -> None:
    assert await health(one.url, tmp_path) == dict.fromkeys(
        ("store", "store version", "store role", "store persistence", "store memory", "clock"), "ok"
    )


async def test_our_own_needs_no_questions(tmp_path: Path) -> None:
    try:
        assert await health(None, tmp_path / "data") == {"store": "ok", "clock": "ok"}
    finally:
        stop_embedded(tmp_path / "data")


@pytest.mark.parametrize(
    ("options", "name", "expected"),
    [
        ({"appendonly": "no"}, "store persistence", "warn"),
        ({"maxmemory": "100mb", "maxmemory-policy": "allkeys-lru"}, "store memory", "fail"),
        ({"maxmemory": "100mb", "maxmemory-policy": "volatile-ttl"}, "store memory", "fail"),
        ({"maxmemory-policy": "allkeys-lru"}, "store memory", "ok"),
    ],
)
async def test_one_that_would_forget(
    one: One, tmp_path: Path, options: dict[str, str], name: str, expected: str
) -> None:
    for option, value in options.items():
        one.admin.config_set(option, value)
    assert (await health(one.url, tmp_path))[name] == expected


async def test_one_that_is_nearly_full(one: One, tmp_path: Path) -> None:
    one.admin.config_set("maxmemory", int(one.admin.info()["used_memory"] * 1.1))
    assert (await health(one.url, tmp_path))["store memory"] == "warn"
    one.admin.config_set("maxmemory", 1)
    found, _ = await examine(one.url, tmp_path, ())
    assert [(f.name, f.health) for f in found] == [("store", "fail")]
    assert "out of memory" in found[0].says


async def test_a_replica_is_named_as_such(one: One, tmp_path: Path) -> None:
    one.admin.replicaof("127.0.0.1", 1)
    found, _ = await examine(one.url, tmp_path, ())
    assert "read-only replica: name the primary" in found[0].says


async def test_who_may_not_ask_is_told_what_is_not_known(one: One, tmp_path: Path) -> None:
    one.admin.acl_setuser("few", enabled=True, passwords=["+pw"], keys=["redial:*"],
                          categories=["+@all", "-@dangerous", "-@admin"])  # fmt: skip
    found = await health(one.url.replace("redis://", "redis://few:pw@"), tmp_path)
    assert found == {"store": "ok", "store settings": "warn", "clock": "ok"}


def test_of_several_nodes_the_worst_speaks() -> None:
    good = {"redis_version": "7.2.4", "role": "master", "aof_enabled": 1, "used_memory": 1, "maxmemory": 0}
    old = {**good, "redis_version": "6.2.14", "aof_last_write_status": "err", "role": "slave"}
    found = {finding.name: finding.health for finding in _judged([good, old, good])}
    assert found == {"store version": "fail", "store role": "fail", "store persistence": "fail", "store memory": "ok"}


async def test_the_channels_that_hear_of_a_page_are_returned(one: One, tmp_path: Path) -> None:
    server = await open_server(one.url, tmp_path)
    pages = RedisPages(server)
    before = await pages.page("p1")
    assert await pages.subscribe(before, Subscription(Place("slack", "T1", "C7"), "p1", before.page.revision + 1))
    await server.close()
    _, places = await examine(one.url, tmp_path, ["p1", "p2"])
    assert places == [Place("slack", "T1", "C7")]
