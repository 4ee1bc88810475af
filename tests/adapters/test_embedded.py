"""Redial's own server: one to a data directory, whoever starts, kills or leaves it."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import bot
from bot.adapters.store import connect
from bot.adapters.store.embedded import embedded_status, ensure_running, stop_embedded
from bot.adapters.store.launch import LONGEST_SOCKET, launch, place_for, server_program
from bot.adapters.store.redis_store import RedisConversations
from bot.core.errors import SettingsError, StoreUnavailable
from bot.core.event import Origin
from bot.core.triage.conversation import Conversation
from bot.ports.store import Stored

HOUSE = Path(bot.__file__).parent.parent
PLACE = Origin("console", "local", "terminal", "alice")
DEADLINE = 20.0

CHILD = """
import asyncio, sys
from pathlib import Path
from bot.adapters.store import connect
from bot.adapters.store.embedded import embedded_status
from bot.core.triage.conversation import Conversation
from bot.core.event import Origin

async def main(folder, name, then):
    store = await connect(None, folder)
    place = Origin("console", "local", "terminal", name)
    await store.commit(name, Conversation(id=name, origin=place, revision=1, opened=0.0, touched=0.0))
    print(embedded_status(folder).pid, flush=True)
    if then == "wait":
        await asyncio.sleep(60)
    if then == "close":
        await store.close()

asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
"""


class Child:
    """Another Redial: finds or starts the server, stores a conversation of `name`, then waits, closes or just ends."""

    def __init__(self, data_dir: Path, name: str, then: str) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - this Python with the text above
            [sys.executable, "-c", CHILD, str(data_dir), name, then],
            cwd=HOUSE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def server(self) -> int:
        """The server's process id, once the conversation is stored."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise AssertionError(self._process.communicate()[1])
        return int(line)

    def end(self, number: int | None = None) -> None:
        """Wait for its end, with a signal if one is given."""
        if number is not None:
            self._process.send_signal(number)
        self._process.communicate(timeout=DEADLINE)


def conversation(name: str) -> Conversation:
    return Conversation(id=name, origin=replace(PLACE, user=name), revision=1, opened=0.0, touched=0.0)


async def names(store: RedisConversations, *expected: str) -> set[str]:
    """Which of the expected conversations are there."""
    found = [await store.get(PLACE, name) for name in expected]
    return {each.id for each in found if each is not None}


def server_of(data_dir: Path) -> int:
    status = embedded_status(data_dir)
    assert status.answers
    assert status.pid is not None
    return status.pid


def kill(data_dir: Path) -> None:
    os.kill(server_of(data_dir), signal.SIGKILL)


def readable_by_others(data_dir: Path) -> list[Path]:
    """What is kept in the directory and not the owner's alone."""
    kept = [path for path in data_dir.rglob("*") if path.suffix in {".aof", ".rdb", ".log", ".sock"}]
    assert {path.suffix for path in kept} == {".aof", ".rdb", ".log", ".sock"}
    return [path for path in (data_dir, *kept) if path.stat().st_mode & 0o077]


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "data"
    yield folder
    stop_embedded(folder)


class TestOneServer:
    async def test_it_is_started_once_and_found_again(self, data_dir: Path) -> None:
        assert str(embedded_status(data_dir)) == f"The store in {data_dir} does not run."
        first = await connect(None, data_dir)
        server = server_of(data_dir)
        assert f"process {server}, 1 connections, 0 keys" in str(embedded_status(data_dir))
        second = await connect(None, data_dir)
        assert server_of(data_dir) == server
        assert await first.commit("e", conversation("alice")) == Stored(conversation("alice"))
        assert await names(second, "alice") == {"alice"}
        await first.close()
        await second.close()

    async def test_the_last_one_out_ends_it(self, data_dir: Path) -> None:
        first, second = await connect(None, data_dir), await connect(None, data_dir)
        await second.commit("e", conversation("alice"))
        await first.close()
        assert embedded_status(data_dir).running
        await second.close()
        assert not embedded_status(data_dir).running
        again = await connect(None, data_dir)
        assert await names(again, "alice") == {"alice"}
        await again.close()

    async def test_another_process_counts_as_somebody(self, data_dir: Path) -> None:
        child = Child(data_dir, "child", "wait")
        server = child.server()
        mine = await connect(None, data_dir)
        await mine.close()
        assert server_of(data_dir) == server
        child.end(signal.SIGKILL)

    async def test_those_that_start_together_share_one(self, data_dir: Path) -> None:
        children = [Child(data_dir, f"child{n}", "wait") for n in range(6)]
        servers = {child.server() for child in children}
        assert servers == {server_of(data_dir)}
        store = await connect(None, data_dir)
        everybody = [f"child{n}" for n in range(6)]
        assert await names(store, *everybody) == set(everybody)
        for child in children:
            child.end(signal.SIGKILL)
        await store.close()

    async def test_those_that_come_and_go_together_lose_nothing(self, data_dir: Path) -> None:
        children = [Child(data_dir, f"child{n}", "close") for n in range(6)]
        for child in children:
            child.end()
        store = await connect(None, data_dir)
        everybody = [f"child{n}" for n in range(6)]
        assert await names(store, *everybody) == set(everybody)
        await store.close()

    async def test_stopping_it_takes_a_word(self, data_dir: Path) -> None:
        assert stop_embedded(data_dir) is False
        ensure_running(data_dir)
        assert stop_embedded(data_dir) is True
        assert stop_embedded(data_dir) is False
        assert not embedded_status(data_dir).running


class TestKilled:
    @pytest.mark.parametrize(("then", "number"), [("wait", signal.SIGKILL), ("wait", signal.SIGTERM), ("end", None)])
    async def test_the_server_outlives_who_started_it(self, data_dir: Path, then: str, number: int | None) -> None:
        child = Child(data_dir, "child", then)
        server = child.server()
        child.end(number)
        assert server_of(data_dir) == server
        store = await connect(None, data_dir)
        assert await names(store, "child") == {"child"}
        await store.close()

    async def test_a_stopped_server_is_started_again_by_who_needs_it(self, data_dir: Path) -> None:
        store = await connect(None, data_dir)
        await store.commit("e1", conversation("alice"))
        assert stop_embedded(data_dir)
        assert isinstance(await store.commit("e2", conversation("bob")), Stored)
        assert await names(store, "alice", "bob") == {"alice", "bob"}
        await store.close()

    async def test_a_killed_server_has_kept_every_answered_turn(self, data_dir: Path) -> None:
        store = await connect(None, data_dir)
        answered: list[str] = []
        news = asyncio.Event()
        busy = True

        async def talk(person: str) -> None:
            for n in itertools.count():
                # A turn that meets two kills in a row is not answered, and then promises nothing.
                with contextlib.suppress(StoreUnavailable):
                    await store.commit(f"{person}{n}", conversation(f"{person}{n}"))
                    answered.append(f"{person}{n}")
                news.set()
                if not busy:
                    return

        talking = [asyncio.create_task(talk(person)) for person in "abcdefgh"]
        for _ in range(3):
            enough = len(answered) + 100
            while len(answered) < enough:
                news.clear()
                await asyncio.wait_for(news.wait(), DEADLINE)
            # From another thread, so that turns are on their way when it happens.
            await asyncio.to_thread(kill, data_dir)
        busy = False
        await asyncio.gather(*talking)
        fresh = await connect(None, data_dir)
        assert await names(fresh, *answered) == set(answered)
        await fresh.close()
        await store.close()

    async def test_both_killed(self, data_dir: Path) -> None:
        child = Child(data_dir, "child", "wait")
        os.kill(child.server(), signal.SIGKILL)
        child.end(signal.SIGKILL)
        store = await connect(None, data_dir)
        assert await names(store, "child") == {"child"}
        await store.close()

    async def test_one_that_hangs_is_named_and_gets_no_rival(self, data_dir: Path) -> None:
        ensure_running(data_dir)
        server = server_of(data_dir)
        os.kill(server, signal.SIGSTOP)
        try:
            began = time.monotonic()
            with pytest.raises(StoreUnavailable, match=rf"process {server}\) is there but does not answer"):
                await connect(None, data_dir)
            assert time.monotonic() - began < 4
            status = embedded_status(data_dir)
            assert (status.running, status.answers, status.pid) == (True, False, server)
        finally:
            os.kill(server, signal.SIGCONT)
        assert server_of(data_dir) == server

    def test_one_whose_starter_was_killed_is_waited_for(self, data_dir: Path) -> None:
        ensure_running(data_dir)
        stop_embedded(data_dir)
        place = place_for(data_dir)
        with (place.directory / "server.lock").open() as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            launch(place, server_program(), handle.fileno())
        ensure_running(data_dir)
        assert place.log.read_text().count("Server initialized") == 2

    async def test_one_whose_socket_was_cleaned_away_is_replaced(self, data_dir: Path) -> None:
        child = Child(data_dir, "child", "wait")
        server = child.server()
        place_for(data_dir).socket.unlink()
        store = await connect(None, data_dir)
        assert server_of(data_dir) != server
        assert await names(store, "child") == {"child"}
        await store.close()
        child.end(signal.SIGKILL)


class TestItsDirectory:
    async def test_it_is_private(self, data_dir: Path) -> None:
        store = await connect(None, data_dir)
        await store.commit("e", conversation("alice"))
        assert readable_by_others(data_dir) == []
        await store.close()

    async def test_its_path_may_be_long_and_odd(self, tmp_path: Path) -> None:
        data_dir = tmp_path / ('an "odd" \\ näme' * 5) / ("x" * 90)
        socket = place_for(data_dir).socket
        assert len(os.fsencode(socket)) <= LONGEST_SOCKET
        store = await connect(None, data_dir)
        await store.commit("e", conversation("alice"))
        assert socket.parent.stat().st_mode & 0o777 == 0o700
        await store.close()
        assert not socket.parent.exists()
        again = await connect(None, data_dir)
        assert await names(again, "alice") == {"alice"}
        await again.close()

    def test_the_short_way_to_it_must_be_our_own(self, tmp_path: Path) -> None:
        data_dir = tmp_path / ("x" * 120)
        folder = place_for(data_dir).socket.parent
        folder.mkdir()
        folder.chmod(0o777)
        for way in (ensure_running, stop_embedded, embedded_status):
            with pytest.raises(SettingsError, match="belongs to somebody else"):
                way(data_dir)
        folder.rmdir()

    async def test_one_that_cannot_be_made_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way")
        with pytest.raises(SettingsError, match=r"data directory .*file/data cannot be created: .*REDIS_URL"):
            await connect(None, tmp_path / "file" / "data")

    async def test_one_that_cannot_be_written_to_is_named(self, data_dir: Path) -> None:
        (data_dir / "start.lock").mkdir(parents=True)
        with pytest.raises(SettingsError, match=r"data directory .* cannot be written to: .*REDIS_URL"):
            await connect(None, data_dir)
        (data_dir / "start.lock").rmdir()

    def test_a_disk_with_too_little_left_is_named(self, data_dir: Path) -> None:
        with pytest.raises(StoreUnavailable, match=r"disk of .*data is full: \d+ KB are left"):
            ensure_running(data_dir, space=10**18)
        assert not embedded_status(data_dir).running

    @pytest.mark.parametrize(
        ("kind", "said"),
        [("incr.aof", "Bad file format"), ("base.rdb", "Can't handle RDB format version 999")],
        ids=["damaged", "of a newer version"],
    )
    async def test_a_file_the_server_refuses_is_explained(self, data_dir: Path, kind: str, said: str) -> None:
        store = await connect(None, data_dir)
        await store.commit("e", conversation("alice"))
        await store.close()
        (file,) = (data_dir / "appendonlydir").glob(f"*.{kind}")
        data = file.read_bytes()
        file.write_bytes(data[:6] + b"999" + data[9:] if kind == "base.rdb" else b"no command" + data)
        with pytest.raises(StoreUnavailable) as caught:
            await connect(None, data_dir)
        assert said in str(caught.value)
        assert str(data_dir / "valkey.log") in str(caught.value)
        assert not embedded_status(data_dir).running

    def test_a_platform_without_it_is_told_of_the_setting(self) -> None:
        with pytest.raises(SettingsError, match=r"no built-in store for this platform.*REDIS_URL"):
            server_program("no-wheel-for-this-platform")

    def test_a_platform_without_file_locks_can_still_name_a_server(self, data_dir: Path) -> None:
        ask = """
import asyncio, sys
from pathlib import Path
sys.modules["fcntl"] = None
from bot.adapters.store import connect
from bot.core.errors import SettingsError, StoreUnavailable

for url, expected in ((None, SettingsError), ("redis://127.0.0.1:1", StoreUnavailable)):
    try:
        asyncio.run(connect(url, Path(sys.argv[1])))
    except expected as error:
        print(error)
"""
        asked = [sys.executable, "-c", ask, str(data_dir)]
        said = subprocess.run(asked, cwd=HOUSE, capture_output=True, text=True, check=True)  # noqa: S603 - as above
        assert "REDIS_URL" in said.stdout.splitlines()[0]
        assert "cannot be reached" in said.stdout.splitlines()[1]
