"""Probes and metrics as an orchestrator reads them, while a process starts, serves, has trouble and stops."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import structlog
from prometheus_client.parser import text_string_to_metric_families

from bot.adapters.store.embedded import embedded_status
from bot.core.errors import SettingsError
from bot.core.event import InboundEvent, Origin, Said
from bot.runtime import logs
from bot.runtime.settings import HealthSettings, Settings
from tests.machine import free_port, until
from tests.runtime.line import ALICE, CUT_OFF, DEADLINE, Line, served
from tests.runtime.redial import Redial

SECRET = "sk-ant-api03-" + "Ab3dE6gH9j" * 9 + "AA"


@pytest.fixture
def probed(settings: Settings) -> Settings:
    return settings.model_copy(update={"health": HealthSettings(port=free_port())})


@asynccontextmanager
async def asked(settings: Settings) -> AsyncIterator[Callable[..., Awaitable[tuple[int, str]]]]:
    base = f"http://127.0.0.1:{settings.health.port}"
    async with aiohttp.ClientSession() as session:

        async def ask(path: str, method: str = "GET") -> tuple[int, str]:
            async with session.request(method, base + path) as answer:
                return answer.status, await answer.text()

        yield ask


async def until_ready(ask: Callable[..., Awaitable[tuple[int, str]]], *, good: bool = True) -> dict[str, Any]:
    async with asyncio.timeout(DEADLINE):
        while True:
            status, text = await ask("/readyz")
            if (status == 200) is good:
                found: dict[str, Any] = json.loads(text)
                assert found["ready"] is good
                return found
            await asyncio.sleep(0.05)


@contextmanager
def frozen(settings: Settings) -> Any:  # noqa: ANN401 - a context manager
    """The store's process stands still."""
    pid = embedded_status(settings.data_dir).pid
    assert pid
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def test_the_three_paths_are_served_and_nothing_else(probed: Settings) -> None:
    line = Line()
    async with served(probed, line, []), asked(probed) as ask:
        found = await until_ready(ask)
        assert found["parts"] == {
            "process": "ok", "content": found["parts"]["content"], "store": "ok", "slack": "ok",
        }  # fmt: skip
        assert found["parts"]["content"].endswith(" guides")
        assert await ask("/healthz") == (200, "ok")
        for path in ("/", "/metrics/", "/debug", "/slack/events", "/healthz/../readyz/x", "/%2e%2e/etc/passwd"):
            assert (await ask(path))[0] == 404, path
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
            for path in ("/healthz", "/readyz", "/metrics"):
                assert (await ask(path, method))[0] == 405, (method, path)


async def test_ready_means_that_the_store_takes_writes(probed: Settings) -> None:
    async with served(probed, Line(), []), asked(probed) as ask:
        await until_ready(ask)
        with frozen(probed):
            found = await until_ready(ask, good=False)
            assert "did not answer in time" in found["parts"]["store"]
            assert (await ask("/healthz"))[0] == 200, "a process whose store is away is not to be restarted"
        await until_ready(ask)


async def test_one_platform_that_hears_is_enough_and_the_other_is_named(probed: Settings) -> None:
    line, other = Line(), Line(name="discord", trouble="the gateway is not connected")
    async with served(probed, line, [], other), asked(probed) as ask:
        found = await until_ready(ask)
        assert (found["parts"]["slack"], found["parts"]["discord"]) == ("ok", "the gateway is not connected")
        line.trouble = "Socket Mode is not connected"
        await until_ready(ask, good=False)


async def test_who_stops_is_not_ready_while_running_turns_are_finished(probed: Settings) -> None:
    go_on = asyncio.Event()
    line = Line(pause=go_on.wait)
    async with served(probed, line, []) as serving, asked(probed) as ask:
        await until_ready(ask)
        assert line.submit(1)
        await line.begun.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        found = await until_ready(ask, good=False)
        assert found["parts"] == {"process": "stopping"}
        assert not line.submit(2)
        go_on.set()
        assert await serving == 0
    assert line.log == ["shown", "client closed"]


async def test_a_stop_takes_ten_seconds_at_most_whatever_hangs(probed: Settings) -> None:
    line = Line(pause=asyncio.Event().wait)
    async with served(probed, line, []) as serving:
        assert line.submit(1)
        await line.begun.wait()
        with frozen(probed):
            began = time.monotonic()
            os.kill(os.getpid(), signal.SIGTERM)
            assert await serving == 0
            assert time.monotonic() - began < 10.0
    assert line.log == ["client closed"]


async def test_a_signal_while_it_starts_breaks_the_start_off(probed: Settings) -> None:
    line, slow = Line(), Line(name="discord", opening=asyncio.Event().wait)
    async with served(probed, line, [], slow, up=1) as serving:
        os.kill(os.getpid(), signal.SIGTERM)
        assert await serving == 0
    assert line.log == ["client closed"]


async def test_what_is_measured(probed: Settings) -> None:
    line = Line()
    async with served(probed, line, []), asked(probed) as ask:
        await until_ready(ask)
        for number in range(3):
            assert line.submit(number)
        await until(lambda: len(line.views) == 3)
        status, text = await ask("/metrics")
    assert status == 200
    values = {
        (sample.name, *(v for k, v in sorted(sample.labels.items()) if k != "le")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert values["redial_turns_total", "said", "slack", "ok"] == 3
    assert values["redial_turn_seconds_count", "slack"] == 3
    assert values["redial_recognitions_total", "guide"] == 3
    assert values["redial_turn_round_trips_count",] == 3
    assert 3 <= values["redial_turn_round_trips_sum",] <= 15
    assert values["redial_store_seconds_count", "ok"] > 0
    assert values["redial_ready",] == 1
    assert not any(word in text for word in (ALICE.user, ALICE.channel, ALICE.workspace, CUT_OFF))


def test_nothing_of_it_is_loaded_where_nobody_asks() -> None:
    code = "import sys, bot.runtime.running; print([m for m in ('prometheus_client', 'aiohttp') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout == "[]\n"


async def test_a_port_that_is_taken_is_said(probed: Settings) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", probed.health.port))
        taken.listen()
        with pytest.raises(SettingsError, match=r"nothing can listen.*\(`health\.port`\): .*already in use$"):
            async with served(probed, Line(), []) as serving:
                await serving


def test_a_doctor_looks_at_the_port(redial: Redial) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        redial.env["REDIAL_HEALTH__PORT"] = str(taken.getsockname()[1])
        assert re.search("warn  health port .* cannot be taken: .*already in use\n", redial.run("doctor").stdout)
    assert re.search("ok    health port .* is free\n", redial.run("doctor").stdout)


async def test_the_lines_of_a_turn_share_a_request_id_and_name_nobody(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    said = ""
    logs.lines()
    try:
        line = Line()
        async with served(settings, line, []) as serving:
            assert line.house
            for user, number in (("U1", 1), ("U2", 2), ("U1", 1)):
                event = InboundEvent(
                    f"e{number}", Origin("slack", "T1", "D1", user), Said(f"{SECRET} {CUT_OFF}", "direct")
                )
                assert line.house.intake.submit(event, line)
            async with asyncio.timeout(DEADLINE):
                while said.count('"turn"') < 3:
                    await asyncio.sleep(0.01)
                    said += capsys.readouterr().err
            os.kill(os.getpid(), signal.SIGTERM)
            await serving
    finally:
        structlog.reset_defaults()
    said += capsys.readouterr().err
    lines = [json.loads(text) for text in said.splitlines()]
    turns = [one["request"] for one in lines if one["event"] == "turn"]
    assert len(turns) == 3
    assert len(set(turns)) == 2, "an event that comes again is the same request"
    assert not any(word in said for word in ("U1", "U2", SECRET, SECRET[20:], "Connection closed"))


def test_what_a_library_says_is_one_line_without_its_values(capsys: pytest.CaptureFixture[str]) -> None:
    import logging  # noqa: PLC0415 - only here

    counted: list[tuple[str, str]] = []
    logs.lines()
    logs.count(lambda level, event: counted.append((level, event)))
    try:
        logging.getLogger("some.library").error("could not send %s to %s", "my words", SECRET)
        try:
            int("my words")
        except ValueError:
            logging.getLogger("some.library").exception("Failed to handle: %s" % "my words")  # noqa: UP031, G002
        logging.getLogger("some.library").info("chatter")
    finally:
        structlog.reset_defaults()
        logs.count(lambda _level, _event: None)
    first, second = (json.loads(text) for text in capsys.readouterr().err.splitlines())
    assert (first["library"], first["says"], first["level"]) == ("some.library", "could not send %s to %s", "error")
    assert (second["says"], second["error"], Path(second["file"]).name) == (
        "Failed to handle", "ValueError", "test_health.py",
    )  # fmt: skip
    assert counted == [("error", "library"), ("error", "library")]
