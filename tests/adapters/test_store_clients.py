"""From `REDIS_URL` to a server: forms, cluster detection, and passwords that appear nowhere."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from bot.adapters.store import connect
from bot.adapters.store.clients import open_server
from bot.adapters.store.faults import place_of, unavailable
from bot.adapters.store.launch import server_program
from bot.core.errors import SettingsError, StoreUnavailable
from bot.core.event import Origin

SECRET = "hunter2"  # noqa: S105 - what must not be seen
PLACE = Origin("slack", "T1", "C1", "U1")


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Path]:
    """The socket of a server that wants a password."""
    socket = tmp_path / "guarded.sock"
    options = ("--port", "0", "--unixsocket", str(socket), "--requirepass", SECRET, "--dir", str(tmp_path))
    running = subprocess.Popen([str(server_program()), *options], stdout=subprocess.DEVNULL)  # noqa: S603 - ours
    redis.Redis(unix_socket_path=str(socket), password=SECRET, retry=Retry(ExponentialBackoff(0.1, 0.01), 60)).ping()
    yield socket
    running.terminate()
    running.wait(10)
    shutil.rmtree(tmp_path, ignore_errors=True)


async def test_a_socket_may_be_named(guarded: Path, tmp_path: Path) -> None:
    store = await connect(f"unix://{guarded}?password={SECRET}", tmp_path)
    assert await store.here(PLACE) is None
    assert SECRET not in repr(store)
    assert str(guarded) in repr(store)
    await store.close()


@pytest.mark.parametrize("options", ["", f"?password={SECRET}-wrong", f"?username=nobody&password={SECRET}"])
async def test_a_refused_login_says_so(guarded: Path, tmp_path: Path, options: str) -> None:
    with pytest.raises(StoreUnavailable, match=r"wants a password|refused the user or the password") as caught:
        await connect(f"unix://{guarded}{options}", tmp_path)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    "url",
    [
        f"http://{SECRET}@host",
        f"redis://:{SECRET}@host:port",
        f"redis://user:pa/{SECRET}@host:6379/0",
        f"redis://:{SECRET}@host?socket_timeout=soon",
        f"redis://:{SECRET}@host?no_such_option=1",
        SECRET,
    ],
)
async def test_what_is_no_url_is_refused_without_repeating_it(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingsError, match="REDIS_URL") as caught:
        await connect(url, tmp_path)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("scheme", ["redis", "rediss"])
async def test_a_server_that_is_not_there_is_named(tmp_path: Path, scheme: str) -> None:
    said = f"{scheme}://127.0.0.1:1/0 cannot be reached, .*onnect"
    with pytest.raises(StoreUnavailable, match=said) as caught:
        await connect(f"{scheme}://user:{SECRET}@127.0.0.1:1/0", tmp_path)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://localhost", "redis://localhost"),
        (f"rediss://user:{SECRET}@db.example:6380/2?ssl_cert_reqs=none", "rediss://db.example:6380/2"),
        (f"unix://user@/run/valkey.sock?password={SECRET}", "unix:///run/valkey.sock"),
        (f"redis://:{SECRET}@host:port", "REDIS_URL"),
        (f"redis://:6379/{SECRET}@host", "redis://:6379"),
    ],
)
def test_what_may_be_logged_of_a_url(url: str, shown: str) -> None:
    assert place_of(url) == shown


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("MISCONF Errors writing to the AOF file: No space left on device", "cannot write to its disk"),
        ("ERR Error running script (call to f_1): @user_script:1: -OOM command not allowed", "out of memory"),
        ("NOREPLICAS Not enough good replicas to write.", "too few replicas"),
        ("ERR something new", "failed: ERR something new"),
    ],
)
def test_what_a_server_says_is_put_into_words(said: str, meant: str) -> None:
    assert meant in str(unavailable(redis.ResponseError(said), "redis://db"))


async def test_without_a_url_it_is_our_own(tmp_path: Path) -> None:
    server = await open_server(None, tmp_path / "data")
    assert str(tmp_path / "data") in repr(server)
    await server.close()


async def test_a_task_that_waits_for_the_store_ends_when_it_is_cancelled(tmp_path: Path) -> None:
    server = await open_server(None, tmp_path / "data")

    async def asking() -> None:
        while True:
            await server.command("PING")

    # After every number of steps: somewhere among them a command has just been sent.
    for steps in range(60):
        task = asyncio.create_task(asking())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        _, alive = await asyncio.wait({task}, timeout=20)
        assert not alive
    await server.close()
