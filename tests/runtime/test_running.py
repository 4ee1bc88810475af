"""`redial run` as an operator sees it: what it says, how it stops, and what a stop leaves for the next process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from bot.adapters.store import connect
from bot.core.bounds import Bounds
from bot.core.errors import ChannelGone, ChatUnavailable, SettingsError
from bot.core.guides.guide import Outcome
from bot.ports.chat import Posted
from bot.runtime import running
from bot.runtime.doctor import examine
from bot.runtime.rhythm import Rhythm
from bot.runtime.scheduler import Jobs
from bot.runtime.settings import Settings
from bot.runtime.wiring import desk
from tests.contract.conversations import triage
from tests.runtime.line import ALICE, Line, served
from tests.runtime.redial import Redial
from tests.scenarios.desk import Page

AT_ONCE = Bounds(owed=0.0)


async def test_a_line_a_platform_and_a_turn_that_is_running_is_finished(settings: Settings) -> None:
    line, said = Line(pause=lambda: asyncio.sleep(0.3)), list[str]()
    async with served(settings, line, said) as serving:
        assert said == ["slack: connected to nobody"]
        assert line.submit(1)
        await line.begun.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        assert await serving == 0
    assert line.log == ["shown", "client closed"]
    assert not line.submit(2), "nothing more is taken in"
    store = await connect(None, settings.data_dir)
    assert await store.owed(ALICE, older_than=0) == ()
    await store.close()


async def test_what_is_not_finished_stays_owed_and_the_next_process_shows_it_once(settings: Settings) -> None:
    line = Line(pause=asyncio.Event().wait)
    async with served(settings, line, [], rhythm=Rhythm(bounds=Bounds(finish=0.1))) as serving:
        line.submit(1)
        await line.begun.wait()
        os.kill(os.getpid(), signal.SIGINT)
        assert await serving == 0
    async with desk(settings, bounds=AT_ONCE) as one, desk(settings, bounds=AT_ONCE) as two:
        after = Line()
        await asyncio.gather(*(Jobs(replica, {"slack": after}).owed() for replica in (one, two)))
        await Jobs(two, {"slack": after}).owed()
        assert len(after.views) == 1
        assert await one.store.owed(ALICE, older_than=0) == ()


async def test_an_owed_answer_that_is_found_is_adopted(settings: Settings) -> None:
    async with desk(settings, bounds=AT_ONCE) as one:
        await _owe(one.store.commit)
        line = Line(found=Posted("1.5", "1.7"))
        await Jobs(one, {"slack": line}).owed()
        assert line.views == []
        (found,) = await one.store.of(ALICE)
        assert (found.origin.thread, found.shown) == ("1.5", "1.7")
        assert await one.store.owed(ALICE, older_than=0) == ()


@pytest.mark.parametrize(("error", "left"), [(ChannelGone("is_archived"), 0), (ChatUnavailable("busy"), 1)])
async def test_an_owed_answer_that_cannot_be_shown(settings: Settings, error: Exception, left: int) -> None:
    async def fail() -> None:
        raise error

    async with desk(settings, bounds=AT_ONCE) as one:
        await _owe(one.store.commit)
        await Jobs(one, {"slack": Line(pause=fail)}).owed()
        assert len(await one.store.owed(ALICE, older_than=0)) == left


async def test_those_who_wait_are_told_once_when_it_is_over(settings: Settings) -> None:
    async with desk(settings) as one, desk(settings) as two:
        clear = [replace(replica, status=Page()) for replica in (one, two)]
        await _owe(one.store.commit, outcome=Outcome.WAITING)
        line = Line()
        await Jobs(one, {"slack": line}).ended()
        assert line.views == [], "the page cannot be read: that is no end"
        await asyncio.gather(*(Jobs(replica, {"slack": line}).ended() for replica in clear))
        await Jobs(clear[0], {"slack": line}).ended()
        assert len(line.views) == 1
        (here,) = await two.store.of(ALICE)
        assert here.open


async def test_other_platforms_are_left_to_other_processes(settings: Settings) -> None:
    async with desk(settings, bounds=AT_ONCE) as one:
        await _owe(one.store.commit)
        line = Line()
        await Jobs(one, {"discord": line}).owed()
        assert line.views == []
        assert len(await one.store.owed(ALICE, older_than=0)) == 1


async def _owe(commit: Callable[..., Awaitable[object]], **changes: object) -> None:
    await commit("e1", triage(ALICE, guide="response-cut-off", step="doing", **changes))


async def test_a_platform_that_cannot_go_on_ends_the_process_with_a_word(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    line = Line()
    async with served(settings, line, []) as serving:
        line.broken.set()
        assert await serving == 1
    told = capsys.readouterr()
    assert "the token was revoked" in told.out + told.err


async def test_nothing_configured_says_what_to_set(settings: Settings) -> None:
    with pytest.raises(SettingsError, match=r"nothing to run.*slack: SLACK_BOT_TOKEN.*discord: DISCORD_TOKEN"):
        await running.run(settings, print)


def test_run_and_doctor_from_the_command_line(redial: Redial) -> None:
    done = redial.run("run", code=2)
    assert done.stderr.startswith("redial: nothing to run")
    assert "SLACK_BOT_TOKEN" in done.stderr
    checks = {check["name"]: check for check in json.loads(redial.run("doctor", "--json").stdout)}
    assert {name: check["health"] for name, check in checks.items()} == {
        "settings": "ok", "content": "ok", "store": "ok", "clock": "ok", "status page": "warn", "platforms": "warn",
    }  # fmt: skip
    assert all(check["do"] for check in checks.values() if check["health"] != "ok")
    redial.env["REDIS_URL"] = "redis://:hunter2@127.0.0.1:9/0"
    broken = redial.run("doctor", code=1)
    assert "fail  store" in broken.stdout
    assert "→ start that server" in broken.stdout
    assert "hunter2" not in broken.stdout + broken.stderr
    (redial.home / "redial.toml").write_text('colour = "red"')
    assert "`colour` is no setting" in redial.run("doctor", code=1).stdout
    (redial.home / "redial.toml").unlink()


async def test_a_doctor_asks_the_platforms_that_are_configured(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIAL_DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("REDIAL_STATUS__HOSTS", '["http://127.0.0.1:9"]')
    checks = await examine([Line().row()])
    assert [check.name for check in checks] == ["settings", "content", "store", "clock", "status page"]
