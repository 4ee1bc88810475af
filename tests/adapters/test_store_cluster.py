"""A cluster of three nodes behind one URL: workspaces lie on different nodes, and each script stays on one."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from bot.adapters.store import connect
from bot.adapters.store.keys import keys_of
from bot.adapters.store.launch import server_program
from bot.core.event import Origin
from bot.core.triage.conversation import Conversation
from bot.ports.store import Stored
from tests.machine import free_ports

DEADLINE = 20.0
SLOTS = 16384


def until(said: Callable[[], bool]) -> None:
    """Wait for something to become true; an unreachable server counts as not yet."""
    deadline = time.monotonic() + DEADLINE
    while True:
        try:
            if said():
                return
        except redis.RedisError:
            pass
        assert time.monotonic() < deadline
        time.sleep(0.02)


def told(node: redis.Redis, *words: str | int) -> str:
    answer = node.execute_command("CLUSTER", *words)  # type: ignore[no-untyped-call]
    return answer.decode() if isinstance(answer, bytes) else str(answer)


def is_joined(node: redis.Redis) -> bool:
    info = told(node, "INFO")
    return "cluster_state:ok" in info and "cluster_known_nodes:3" in info


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[list[redis.Redis]]:
    """Three primaries that share the slots."""
    ports, buses = free_ports(3), free_ports(3)
    running, clients = [], []
    for port, bus in zip(ports, buses, strict=True):
        folder = tmp_path / str(port)
        folder.mkdir()
        options = ("--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "")
        clustered = ("--cluster-enabled", "yes", "--cluster-port", str(bus))
        command = [str(server_program()), *options, *clustered]
        running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))  # noqa: S603 - ours
        clients.append(redis.Redis(port=port, retry=Retry(NoBackoff(), 0)))
    for n, node in enumerate(clients):
        until(node.ping)
        told(node, "ADDSLOTSRANGE", SLOTS * n // 3, SLOTS * (n + 1) // 3 - 1)
        told(node, "MEET", "127.0.0.1", ports[0], buses[0])
    for node in clients:
        until(partial(is_joined, node))
    yield clients
    for client, server in zip(clients, running, strict=True):
        client.close()
        server.terminate()
        server.wait(DEADLINE)


async def test_workspaces_are_spread_and_each_is_whole(nodes: list[redis.Redis], tmp_path: Path) -> None:
    port = nodes[0].get_connection_kwargs()["port"]
    store = await connect(f"redis://127.0.0.1:{port}", tmp_path)
    other = await connect(f"redis://127.0.0.1:{port}", tmp_path)
    places = [Origin("slack", f"T{n}", "C1", "U1") for n in range(30)]
    for place in places:
        new = Conversation(id="c1", origin=place, revision=1, opened=0.0, touched=0.0)
        assert await store.commit("e", new) == Stored(new)
        store.confirm(new)
        assert await other.here(place) == new
        assert await other.owed(place, older_than=0) == (new,)
    await store.flush()
    assert [await other.owed(place, older_than=0) for place in places] == [()] * 30
    kept = [{key.decode() for key in node.scan_iter(match="*conversation*")} for node in nodes]
    assert all(kept)
    assert set.union(*kept) == {keys_of(place).conversation("c1") for place in places}
    assert [await other.forget(place) for place in places] == [1] * 30
    await store.close()
    await other.close()
