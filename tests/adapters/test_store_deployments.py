"""The forms a Redis comes in at companies: behind sentinels that fail over, over TLS, with users of few rights."""

from __future__ import annotations

import shutil
import subprocess
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from bot.adapters.store import connect
from bot.adapters.store.faults import place_of
from bot.adapters.store.launch import server_program
from bot.adapters.store.pages import RedisPages
from bot.core.errors import SettingsError, StoreUnavailable
from bot.core.event import Origin
from tests.adapters.test_store_cluster import DEADLINE, until
from tests.contract.conversations import triage, turned, written
from tests.machine import free_port, free_ports

PLACE = Origin("slack", "T1", "C1", "U1", "1.0")
SECRET = "hunter2"  # noqa: S105 - what must not be seen
RIGHTS = "~redial:* -@all +@read +@write +@scripting +@connection +time -@dangerous"
"""What deploy/README.md says a user for Redial needs."""


@contextmanager
def serving(folder: Path, *options: str | int) -> Iterator[subprocess.Popen[bytes]]:
    folder.mkdir(parents=True, exist_ok=True)
    command = [str(server_program()), *map(str, options), "--dir", str(folder)]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603 - a server of ours
    try:
        yield process
    finally:
        process.terminate()
        process.wait(DEADLINE)


def admin(port: int, **more: str) -> redis.Redis:
    client = redis.Redis(port=port, retry=Retry(NoBackoff(), 0), **more)  # type: ignore[arg-type]
    until(client.ping)
    return client


def _team(sentinel: redis.Redis) -> dict[str, object]:
    known = sentinel.sentinel_master("team")
    assert isinstance(known, dict)
    return known


@contextmanager
def guarded(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]], list[redis.Redis]]]:
    """A primary and a replica, watched by three sentinels; the URL, the two servers, and the sentinels."""
    first, second, *sentinels = free_ports(5)
    with ExitStack() as stack:
        login = ("--requirepass", SECRET, "--masterauth", SECRET, "--save", "", "--bind", "127.0.0.1")
        servers = [stack.enter_context(serving(tmp_path / "first", "--port", first, *login))]
        stack.callback(admin(first, password=SECRET).close)
        of = ("--replicaof", f"127.0.0.1 {first}")
        servers.append(stack.enter_context(serving(tmp_path / "second", "--port", second, *login, *of)))
        replica = admin(second, password=SECRET)
        stack.callback(replica.close)
        until(lambda: replica.info("replication")["master_link_status"] == "up")
        watching = []
        for port in sentinels:
            folder = tmp_path / str(port)
            folder.mkdir()
            (folder / "sentinel.conf").write_text(
                f"port {port}\nbind 127.0.0.1\nsentinel monitor team 127.0.0.1 {first} 2\n"
                f"sentinel auth-pass team {SECRET}\nsentinel down-after-milliseconds team 500\n"
                "sentinel failover-timeout team 3000\n"
            )
            stack.enter_context(serving(folder, str(folder / "sentinel.conf"), "--sentinel"))
            watching.append(admin(port))
            stack.callback(watching[-1].close)
        until(lambda: all(_team(one)["num-other-sentinels"] == 2 for one in watching))
        until(lambda: all(_team(one)["num-slaves"] == 1 for one in watching))
        hosts = ",".join(f"127.0.0.1:{port}" for port in sentinels)
        yield f"redis+sentinel://:{SECRET}@{hosts}/team/0", servers, watching


async def test_the_primary_is_found_and_found_again_after_a_failover(tmp_path: Path) -> None:
    with guarded(tmp_path) as (url, servers, sentinels):
        store = await connect(url, tmp_path)
        first = await written(store, triage(PLACE))
        assert SECRET not in repr(store)
        assert "/team" in repr(store)
        before = sentinels[0].sentinel_get_master_addr_by_name("team")
        servers[0].kill()
        until(lambda: sentinels[0].sentinel_get_master_addr_by_name("team") != before)
        second, told = turned(first), list[str]()

        async def taken() -> bool:
            try:
                await store.commit("press", second)
            except StoreUnavailable as error:
                told.append("".join(traceback.format_exception(error)))
                return False
            return True

        while not await taken():
            assert len(told) < 50
        assert SECRET not in "".join(told)
        assert await store.get(PLACE, first.id, revision=2) == second
        await store.close()


@pytest.mark.parametrize(
    "url",
    [
        f"redis+sentinel://:{SECRET}@127.0.0.1:1",
        f"redis+sentinel://:{SECRET}@127.0.0.1:port/team",
        f"redis+sentinel://:{SECRET}@127.0.0.1:1/team/{SECRET}",
        f"redis+sentinel://:{SECRET}@127.0.0.1:1/team?no_such_option=1",
        f"redis+sentinel:///team?sentinel_password={SECRET}",
    ],
)
async def test_what_names_no_sentinels_is_refused_without_repeating_it(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingsError, match="REDIS_URL is not one") as caught:
        await connect(url, tmp_path)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


async def test_sentinels_that_are_not_there_are_named_without_the_password(tmp_path: Path) -> None:
    url = f"redis+sentinel://me:{SECRET}@127.0.0.1:1,127.0.0.1:2/team?sentinel_password={SECRET}"
    where = r"redis\+sentinel://127\.0\.0\.1:1,127\.0\.0\.1:2/team"
    with pytest.raises(StoreUnavailable, match=rf"{where} is named by no sentinel: [\w ,]*\.$") as caught:
        await connect(url, tmp_path)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert place_of(url) == "redis+sentinel://127.0.0.1:1,127.0.0.1:2/team"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("needs the openssl command to make a certificate")
    folder = tmp_path_factory.mktemp("tls")
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    made += [
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        str(folder / "key.pem"),
        "-out",
        str(folder / "ca.pem"),
    ]
    subprocess.run(made, check=True, capture_output=True)  # noqa: S603 - fixed words
    return folder


async def test_over_tls_with_a_user_of_few_rights(tmp_path: Path, certificate: Path) -> None:
    if (program := shutil.which("redis-server")) is None:
        pytest.skip("the server in the wheel knows no TLS: apt-get install redis-server")
    port = free_port()
    files = {"--tls-cert-file": "ca.pem", "--tls-key-file": "key.pem", "--tls-ca-cert-file": "ca.pem"}
    options = [word for option, name in files.items() for word in (option, str(certificate / name))]
    users = ("--user", "default", "off", "--user", "redial", "on", f">{SECRET}", *RIGHTS.split())
    command = [program, "--port", "0", "--tls-port", str(port), "--tls-auth-clients", "no", *options, *users]
    process = subprocess.Popen([*command, "--dir", str(tmp_path), "--save", ""], stdout=subprocess.DEVNULL)  # noqa: ASYNC220, S603
    url = f"rediss://redial:{SECRET}@127.0.0.1:{port}/0"
    trusted = f"{url}?ssl_ca_certs={certificate / 'ca.pem'}"
    try:
        until(redis.Redis.from_url(trusted).ping)
        store = await connect(trusted, tmp_path)
        # Everything the store does, announcements included, is within those rights.
        first = await written(store, triage(PLACE))
        store.confirm(await written(store, turned(first)))
        await store.flush()
        assert await store.owed(PLACE, older_than=0) == ()
        assert await store.waiting(PLACE) == ()
        assert await store.claim("e", PLACE)
        pages = RedisPages(store.server)
        assert (await pages.page("p")).version == 0
        lease = await pages.lease("p", "poll", "me", 5.0)
        assert lease
        await pages.release(lease)
        assert await store.forget(replace(PLACE)) == 1
        await store.close()
        for refused in (url, trusted.replace(SECRET, "wrong"), trusted.replace("rediss", "redis", 1).partition("?")[0]):
            with pytest.raises(StoreUnavailable) as caught:
                await connect(refused, tmp_path)
            assert SECRET not in "".join(traceback.format_exception(caught.value))
    finally:
        process.terminate()
        process.wait(DEADLINE)
