"""`redial run` and `redial doctor` with Slack, as another process: started, killed in the middle, started again."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlencode

import aiohttp
import pytest

from bot.adapters.store.embedded import stop_embedded
from tests.adapters.slack.office import SECRET, seen, signed
from tests.adapters.slack.web import APP, BOT, Fault, Slack, slack
from tests.machine import free_port, until
from tests.runtime.redial import Redial

CUT_OFF = "API Error: Connection closed mid-response. The response above may be incomplete."
DEADLINE = 60.0


@pytest.fixture
async def workspace() -> AsyncIterator[Slack]:
    async with slack() as one:
        yield one


def configured(tmp_path: Path, one: Slack, triage: str, port: int) -> Redial:
    return Redial(tmp_path, {
        "SLACK_BOT_TOKEN": BOT, "SLACK_APP_TOKEN": APP, "SLACK_SIGNING_SECRET": SECRET,
        "REDIAL_SLACK__API_URL": one.api, "REDIAL_SLACK__PORT": str(port),
        "REDIAL_SLACK__TRIAGE_CHANNELS": json.dumps([triage]),
    })  # fmt: skip


@asynccontextmanager
async def running(redial: Redial, one: Slack) -> AsyncIterator[subprocess.Popen[str]]:
    before = len(one.sockets)
    process = redial.start("run")
    try:
        async with asyncio.timeout(DEADLINE):
            while len(one.sockets) == before:
                assert process.poll() is None, process.communicate()
                await asyncio.sleep(0.02)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        await asyncio.to_thread(process.communicate)


async def commanded(one: Slack, port: int, channel: str, text: str) -> int:
    return await typed(port, channel, one.users["ann"], text, trigger=text)


async def typed(port: int, channel: str, user: str, text: str, *, trigger: str) -> int:
    """Send a slash command as Slack signs it; the status of the answer."""
    form = {"channel_id": channel, "user_id": user, "trigger_id": trigger, "command": "/redial", "text": text}
    body = urlencode(form)
    url = f"http://127.0.0.1:{port}/slack/events"
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=signed(body)) as answer:
        return answer.status


async def test_a_turn_that_a_crash_kept_from_being_shown_is_shown_once_after_it(
    tmp_path: Path, workspace: Slack
) -> None:
    triage, port = await workspace.channel("triage"), free_port()
    redial = configured(tmp_path, workspace, triage, port)
    try:
        async with running(redial, workspace) as process:
            workspace.plan("chat.postMessage", Fault(after=2.0))
            assert await commanded(workspace, port, triage, CUT_OFF) == 200
            await until(lambda: any(call.method == "chat.postMessage" for call in workspace.calls))
            process.send_signal(signal.SIGKILL)
            await asyncio.to_thread(process.wait)
        assert await workspace.messages(triage) == []
        async with running(redial, workspace) as process:
            await until(lambda: workspace.messages(triage))
            process.terminate()
            out, err = await asyncio.to_thread(process.communicate)
        assert process.returncode == 0, err
        assert "slack: Support as" in out
        assert f"HTTP at http://127.0.0.1:{port}/slack/events and Socket Mode" in out
        (shown,) = await workspace.messages(triage)
        assert "Don't repeat the request yet" in seen(shown).text
        assert not any(secret in out + err for secret in (BOT, APP, SECRET, CUT_OFF))
    finally:
        stop_embedded(redial.data)


async def test_a_revoked_token_ends_the_process_with_what_to_do(tmp_path: Path, workspace: Slack) -> None:
    triage, port = await workspace.channel("triage"), free_port()
    redial = configured(tmp_path, workspace, triage, port)
    try:
        async with running(redial, workspace) as process:
            workspace.plan("chat.postMessage", Fault(error="token_revoked"))
            await commanded(workspace, port, triage, CUT_OFF)
            out, err = await asyncio.to_thread(process.communicate)
        assert process.returncode == 1
        assert "install the app again" in err + out
    finally:
        stop_embedded(redial.data)


async def test_doctor_looks_at_all_of_it(tmp_path: Path, workspace: Slack) -> None:
    triage = await workspace.channel("triage")
    redial = configured(tmp_path, workspace, triage, free_port())
    try:
        done = await asyncio.to_thread(redial.run, "doctor", "--json")
        found = {check["name"]: check["health"] for check in json.loads(done.stdout)}
        assert found["slack token"] == found["slack scopes"] == found["slack socket"] == found["slack http"] == "ok"
        assert found[f"slack channel {triage}"] == "ok"
        half = Redial(tmp_path, {"SLACK_BOT_TOKEN": BOT})
        told = await asyncio.to_thread(half.run, "doctor", code=1)
        assert "SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP)" in told.stdout
    finally:
        stop_embedded(redial.data)
