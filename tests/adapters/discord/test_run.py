"""`redial run` with Discord, as other processes: started, killed, taken over from, resumed; nothing comes twice."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from bot.adapters.store.embedded import stop_embedded
from tests.contract.test_chat import CUT_OFF, QUESTION, TOOLS
from tests.fakes.discord import Page, discord_page, said
from tests.machine import until
from tests.runtime.redial import Redial

TOKEN = "a-token-of-a-page"  # noqa: S105 - it opens nothing
DEADLINE = 60.0


@dataclass
class Town:
    """A server with a triage channel, ann in it, and a process at a time."""

    page: Page
    redial: Redial
    triage: int
    ann: int

    async def mention(self, text: str) -> int:
        """Mention Redial and return the thread of the answer."""
        message = self.page.write(self.ann, self.triage, f"<@{self.page.backend.bot_user.id}> {text}")
        await until(lambda: self.page.ours(message.id))
        return int(message.id)

    def listening(self) -> int:
        return sum(one.socket is not None and not one.socket.closed for one in self.page.sessions)


@pytest.fixture
async def town(tmp_path: Path) -> AsyncIterator[Town]:
    async with discord_page() as page:
        page.token = TOKEN
        triage = page.guild("triage")["triage"].id
        ann = page.person("ann")
        env = {
            "DISCORD_TOKEN": TOKEN, "DISCORD_AT": page.address, "PYTHONPATH": str(Path(__file__).parents[3]),
            "REDIAL_DISCORD__TRIAGE_CHANNELS": json.dumps([str(triage)]),
        }  # fmt: skip
        redial = Redial(tmp_path, env, "tests.fakes.run_discord")
        try:
            yield Town(page, redial, triage, ann)
        finally:
            stop_embedded(redial.data)


@asynccontextmanager
async def running(town: Town, says: str) -> AsyncIterator[subprocess.Popen[str]]:
    """A process that has said so much of itself."""
    process = town.redial.start("run")
    try:
        assert process.stdout
        async with asyncio.timeout(DEADLINE):
            line = await asyncio.to_thread(process.stdout.readline)
        assert says in line, (line, process.poll())
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        await asyncio.to_thread(process.communicate)


async def test_a_conversation_and_an_orderly_end(town: Town) -> None:
    async with running(town, "discord: connected as redial in 1 servers") as process:
        thread = await town.mention(CUT_OFF)
        (opening,) = town.page.ours(thread)
        assert QUESTION in said(opening)
        town.page.press(town.ann, opening, TOOLS)
        await until(lambda: len(town.page.ours(thread)) == 2)
        await until(lambda: "→" in said(town.page.ours(thread)[0]))
        assert "git diff" in said(town.page.ours(thread)[1])
        process.terminate()
        out, err = await asyncio.to_thread(process.communicate)
    assert process.returncode == 0, err
    assert not any(secret in out + err for secret in (TOKEN, CUT_OFF))


async def test_a_standby_takes_over_within_half_a_minute_of_a_kill_and_answers_what_was_missed(town: Town) -> None:
    async with running(town, "connected as redial") as first:
        thread = await town.mention(CUT_OFF)
        async with running(town, "standing by as redial"):
            assert town.listening() == 1
            first.send_signal(signal.SIGKILL)
            began = time.monotonic()
            await asyncio.to_thread(first.wait)
            await until(lambda: town.listening() == 0)
            town.page.write(town.ann, thread, "1")
            await until(lambda: len(town.page.ours(thread)) == 2)
            assert time.monotonic() - began < 30
            assert "git diff" in said(town.page.ours(thread)[-1])
            town.page.write(town.ann, thread, "back")
            await until(lambda: len(town.page.ours(thread)) == 3)
            assert QUESTION in said(town.page.ours(thread)[-1]), "nothing before was answered twice"
            town.page.press(town.ann, town.page.ours(thread)[-1], TOOLS)
            await until(lambda: len(town.page.ours(thread)) == 4)
            assert "git diff" in said(town.page.ours(thread)[-1])


async def test_a_connection_that_is_cut_is_resumed_and_what_comes_again_is_not_answered_again(town: Town) -> None:
    async with running(town, "connected as redial"):
        thread = await town.mention(CUT_OFF)
        town.page.again = 20
        await town.page.cut()
        town.page.write(town.ann, thread, "1")
        await until(lambda: len(town.page.ours(thread)) == 2)
        assert [one.resumed for one in town.page.sessions] == [1]
        town.page.write(town.ann, thread, "back")
        await until(lambda: len(town.page.ours(thread)) == 3)
        assert town.page.threads() == [thread]
        assert QUESTION in said(town.page.ours(thread)[-1])


async def test_a_session_that_cannot_be_resumed_is_begun_anew_and_what_was_missed_is_read(town: Town) -> None:
    async with running(town, "connected as redial"):
        thread = await town.mention(CUT_OFF)
        await town.page.cut(forget=True)
        town.page.write(town.ann, thread, "1")
        await until(lambda: len(town.page.ours(thread)) == 2)
        town.page.write(town.ann, thread, "back")
        await until(lambda: len(town.page.ours(thread)) == 3)
        assert QUESTION in said(town.page.ours(thread)[-1])


@pytest.mark.parametrize("fate", ["taken", "lost"])
async def test_an_answer_whose_fate_a_kill_left_open_is_there_once_afterwards(
    town: Town, fate: Literal["taken", "lost"]
) -> None:
    town.page.mute = fate
    async with running(town, "connected as redial") as first:
        message = town.page.write(town.ann, town.triage, f"<@{town.page.backend.bot_user.id}> {CUT_OFF}")
        await until(lambda: town.page.unanswered)
        first.send_signal(signal.SIGKILL)
        await asyncio.to_thread(first.wait)
    assert len(town.page.ours(message.id)) == (fate == "taken")
    town.page.mute = ""
    async with running(town, "redial") as second:
        await until(lambda: town.page.ours(message.id))
        # It is the one that what comes next goes on from, and there is no other.
        town.page.write(town.ann, message.id, "1")
        await until(lambda: "git diff" in said(town.page.ours(message.id)[-1]))
        assert [QUESTION in said(one) for one in town.page.ours(message.id)].count(True) == 1
        second.terminate()
        await asyncio.to_thread(second.wait)
    assert len(town.page.ours(message.id)) == 2


async def test_doctor_says_what_is_there(town: Town) -> None:
    done = await asyncio.to_thread(town.redial.run, "doctor", "--json")
    found = {check["name"]: check["health"] for check in json.loads(done.stdout)}
    assert found["discord"] == found["discord intents"] == found["discord support"] == found["discord #triage"] == "ok"
    assert TOKEN not in done.stdout + done.stderr
