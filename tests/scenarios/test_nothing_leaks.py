"""Whatever somebody pastes: no planted secret reaches the store, a log, or anything that is shown."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import redis
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.adapters.console.plain import as_json
from bot.adapters.store.launch import place_for
from bot.core.redaction import Redacted
from bot.core.status.incident import Board
from tests.core.redaction_samples import DISGUISES, NAMED, VENDORS, chance, drawn, survives
from tests.scenarios.desk import person
from tests.scenarios.test_every_path import GRADES

PASTED = "the-purple-elephant"

REPORTS = [
    "API Error: Connection closed mid-response. {} The response above may be incomplete.",
    "it's broken again {}",
    "my postgres lost its connection {}",
    "API Error: 529 overloaded\n{}\nRetrying in 4s · attempt 3/10",
]


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    out = io.StringIO()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(out), cache_logger_on_first_use=False)
    yield out
    structlog.reset_defaults()


def secrets() -> st.SearchStrategy[tuple[str, str]]:
    """Pairs of what is pasted and the part of it that must not survive."""
    kinds = st.sampled_from([*(("vendor", name) for name in VENDORS), *(("named", name) for name in NAMED)])

    def made(kind: tuple[str, str], disguise: str, seed: int) -> tuple[str, str]:
        family, name = kind
        if family == "vendor":
            prefix, alphabet, length = VENDORS[name]
            body = drawn(seed, alphabet, length)
            return DISGUISES[disguise](prefix + body, chance(seed)), body
        form, alphabet, length, _ = NAMED[name]
        body = drawn(seed, alphabet, length)
        return DISGUISES[disguise](form.format(body), chance(seed)), body

    return st.builds(made, kinds, st.sampled_from(sorted(DISGUISES)), st.integers(0, 2**32))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(REPORTS), secrets()), min_size=1, max_size=3), secrets())
def test_no_planted_secret_reaches_store_log_or_view(
    log: io.StringIO,
    tmp_path_factory: pytest.TempPathFactory,
    reports: list[tuple[str, tuple[str, str]]],
    answer: tuple[str, str],
) -> None:
    data_dir = tmp_path_factory.mktemp("data")

    async def talk() -> tuple[str, str]:
        async with person(data_dir) as ann:
            for text, (pasted, _) in reports:
                await ann.say(text.format(pasted))
                await ann.say(answer[0])
                await ann.say("get a human")
            shown = b"\n".join(as_json(view, grades=GRADES) for view in ann.screen.views).decode()
            return shown, _everything_in(data_dir)

    shown, stored = asyncio.run(talk())
    for _, body in (*(secret for _, secret in reports), answer):
        for where, text in (("shown", shown), ("stored", stored), ("logged", log.getvalue())):
            assert not survives(body, Redacted(text)), where


def _everything_in(data_dir: Path) -> str:
    """All keys and values of the store, and its append-only file, as text."""
    out: list[bytes] = []
    with redis.Redis(unix_socket_path=str(place_for(data_dir).socket)) as client:
        for key in client.scan_iter():
            out += [key, client.dump(key) or b""]
    out += [path.read_bytes() for path in data_dir.rglob("*") if path.is_file()]
    return b"\n".join(out).decode(errors="replace")


async def test_a_leaked_key_is_said_first_with_what_to_do(tmp_path: Path) -> None:
    prefix, alphabet, length = VENDORS["anthropic api"]
    async with person(tmp_path) as ann:
        view = await ann.say(f"529 overloaded {prefix}{drawn(1, alphabet, length)}")
    first = as_json(view, grades=GRADES).decode()
    assert "I took out a secret: an API key" in first
    assert "revoke" in first
    assert first.index("revoke") < first.index("capacity")


async def test_a_store_that_is_gone_is_said_and_logged_without_what_was_pasted(
    tmp_path: Path, log: io.StringIO
) -> None:
    async with person(tmp_path) as ann:
        await ann.say("API Error: 529 overloaded")
        client = redis.Redis(unix_socket_path=str(place_for(tmp_path).socket))
        client.config_set("maxmemory", 1)
        view = await ann.say("it dropped while I was talking to the bank")
        client.config_set("maxmemory", 0)
        client.close()
        assert "can't reach my memory" in as_json(view, grades=GRADES).decode()
        assert "turn failed" in log.getvalue()
        assert "bank" not in log.getvalue()
        view = await ann.say("it dropped while I was talking to the bank")
        assert "Noted" in as_json(view, grades=GRADES).decode()


async def test_a_mistake_of_ours_is_said_and_logged_without_what_was_pasted(tmp_path: Path, log: io.StringIO) -> None:
    class Broken:
        async def board(self) -> Board:
            raise ValueError(f"no page for {PASTED}")

        async def close(self) -> None:
            """Nothing is held."""

    async with person(tmp_path) as ann:
        ann.desk = replace(ann.desk, status=Broken())
        view = await ann.say(f"529 overloaded {PASTED}")
    assert "Something went wrong on my side" in as_json(view, grades=GRADES).decode()
    assert "ValueError" in log.getvalue()
    assert PASTED not in log.getvalue()
