"""How Redial is connected to Slack: Socket Mode that comes back, tokens that are refused, what doctor finds."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.slack.connection import Access, start
from bot.adapters.slack.doctor import examine
from bot.adapters.slack.hosts import trusted
from bot.adapters.slack.scopes import SCOPES
from bot.core.errors import NotAllowed, SettingsError
from bot.core.status.subscription import Place
from bot.ports.platform import House
from bot.runtime.dispatcher import Dispatcher
from handlers.commands import read
from tests.adapters.slack.office import SECRET, Office, office, seen
from tests.adapters.slack.web import APP, BOT, Fault, slack
from tests.machine import DEADLINE, until
from tests.scenarios.playing import library

CUT_OFF = "API Error: Connection closed mid-response. The response above may be incomplete."


def envelope(at_work: Office, ts: str) -> dict[str, Any]:
    event = {
        "type": "app_mention", "user": at_work.slack.users["ann"], "text": f"<@{at_work.me}> {CUT_OFF}", "ts": ts,
        "channel": at_work.channels["triage"], "event_ts": ts,
    }  # fmt: skip
    body = {"type": "event_callback", "team_id": "T000000001", "event_id": f"Ev{ts}", "event": event}
    return {"envelope_id": ts, "type": "events_api", "payload": body, "accepts_response_payload": False}


async def nothing(*_: object) -> None:
    """Play no turn."""


def house() -> House:
    return House(Dispatcher(nothing), library().messages, read)


class TestSocketMode:
    async def test_an_event_is_acknowledged_once_it_is_stored_and_answered(self, tmp_path: Path) -> None:
        async with office(tmp_path / "data", signing_secret="", app_token=APP) as at_work:
            assert "Socket Mode" in at_work.running.says
            await until(lambda: bool(at_work.slack.sockets))
            await at_work.slack.sockets[-1].send_json(envelope(at_work, "10.5"))
            async with asyncio.timeout(DEADLINE):
                assert (await at_work.slack.heard.get())["envelope_id"] == "10.5"
            assert await at_work.desk.store.of(at_work.origin("ann")), "stored before it is acknowledged"
            await at_work.dispatcher.idle()
            ((_, opening),) = at_work.slack.posted
            assert "Don't repeat the request yet" in seen(opening).text

    async def test_a_command_is_acknowledged_before_anything_is_asked_of_slack(self, tmp_path: Path) -> None:
        async with office(tmp_path / "data", signing_secret="", app_token=APP) as at_work:
            await until(lambda: bool(at_work.slack.sockets))
            at_work.slack.plan("conversations.open", Fault(after=1.0, carried=True))
            at_work.slack.plan("chat.postMessage", Fault(after=1.0, carried=True))
            form = {"channel_id": at_work.channels["other"], "user_id": at_work.slack.users["ann"], "trigger_id": "1.2"}
            payload = form | {"command": "/redial", "text": CUT_OFF}
            before = len(at_work.slack.calls)
            sent = {"envelope_id": "c1", "type": "slash_commands", "payload": payload, "accepts_response_payload": True}
            await at_work.slack.sockets[-1].send_json(sent)
            async with asyncio.timeout(0.9):
                assert (await at_work.slack.heard.get())["envelope_id"] == "c1"
            assert len(at_work.slack.calls) - before <= 1
            await at_work.dispatcher.idle()

    async def test_when_the_socket_is_closed_another_is_opened(self, tmp_path: Path) -> None:
        async with office(tmp_path / "data", signing_secret="", app_token=APP) as at_work:
            await until(lambda: bool(at_work.slack.sockets))
            await at_work.slack.sockets[-1].send_json({"type": "disconnect", "reason": "refresh_requested"})
            await until(lambda: len(at_work.slack.sockets) == 2)
            await at_work.slack.sockets[-1].send_json(envelope(at_work, "10.6"))
            async with asyncio.timeout(DEADLINE):
                assert (await at_work.slack.heard.get())["envelope_id"] == "10.6"
            await at_work.dispatcher.idle()
            assert len(at_work.slack.posted) == 1

    @pytest.mark.parametrize("fault", [None, Fault(500), Fault(429, "ratelimited", {"Retry-After": "1"})])
    async def test_when_it_cannot_be_opened_again_at_once_it_is_tried_until_it_can(
        self, tmp_path: Path, fault: Fault | None
    ) -> None:
        async with office(tmp_path / "data", signing_secret="", app_token=APP) as at_work:
            await until(lambda: bool(at_work.slack.sockets))
            if fault:
                at_work.slack.plan("apps.connections.open", fault)
            else:
                at_work.slack.refusing = 1
            await at_work.slack.sockets[-1].send_json({"type": "disconnect", "reason": "refresh_requested"})
            await at_work.slack.sockets[-1].close()
            await until(lambda: len(at_work.slack.sockets) == 2)
            await at_work.slack.sockets[-1].send_json(envelope(at_work, "10.8"))
            async with asyncio.timeout(DEADLINE):
                assert (await at_work.slack.heard.get())["envelope_id"] == "10.8"
            await at_work.dispatcher.idle()
            assert at_work.running.trouble == ""

    async def test_a_token_that_is_taken_back_ends_the_platform_with_what_to_do(self, tmp_path: Path) -> None:
        async with office(tmp_path / "data", signing_secret="", app_token=APP) as at_work:
            await until(lambda: bool(at_work.slack.sockets))
            at_work.slack.plan("apps.connections.open", *[Fault(error="token_revoked")] * 9)
            await at_work.slack.sockets[-1].send_json({"type": "disconnect", "reason": "link_disabled"})
            async with asyncio.timeout(DEADLINE):
                assert "set it as SLACK_APP_TOKEN" in await at_work.running.ended()

    async def test_both_ways_in_at_once_answer_once(self, tmp_path: Path) -> None:
        async with office(tmp_path / "data", app_token=APP) as at_work:
            assert "HTTP at http://127.0.0.1:" in at_work.running.says
            await until(lambda: bool(at_work.slack.sockets))
            sent = envelope(at_work, "10.7")
            await at_work.slack.sockets[-1].send_json(sent)
            await at_work.deliver(json.dumps(sent["payload"]), "application/json")
            async with asyncio.timeout(DEADLINE):
                await at_work.slack.heard.get()
            await at_work.dispatcher.idle()
            assert len(at_work.slack.posted) == 1


class TestTokens:
    @pytest.mark.parametrize(
        ("access", "names"),
        [
            ({"bot_token": "xoxp-1", "app_token": APP}, "SLACK_BOT_TOKEN"),
            ({"bot_token": BOT, "app_token": "xoxb-1"}, "SLACK_APP_TOKEN"),
            ({"bot_token": BOT}, "SLACK_SIGNING_SECRET"),
        ],
    )
    def test_what_cannot_work_is_refused_by_name(self, access: dict[str, str], names: str) -> None:
        with pytest.raises(SettingsError, match=names):
            Access(**access)  # type: ignore[arg-type]

    def test_tokens_are_never_printed(self) -> None:
        shown = repr(Access(BOT, app_token=APP, signing_secret=SECRET))
        assert not any(secret in shown for secret in (BOT, APP, SECRET))

    @pytest.mark.parametrize("method", ["auth.test", "apps.connections.open"])
    async def test_a_refused_token_is_said_at_the_start(self, method: str) -> None:
        async with slack() as one:
            one.plan(method, Fault(error="invalid_auth"))
            with pytest.raises(NotAllowed, match=r"SLACK_(BOT|APP)_TOKEN is not valid"):
                async with start(Access(BOT, app_token=APP, api_url=one.api), house()):
                    pass

    async def test_a_port_that_is_taken_is_named(self) -> None:
        async with slack() as one:
            taken = Access(BOT, signing_secret=SECRET, api_url=one.api, port=int(one.url.rsplit(":", 1)[1]))
            with pytest.raises(SettingsError, match=r"slack\.port"):
                async with start(taken, house()):
                    pass

    @pytest.mark.parametrize(
        ("url", "fine"),
        [
            ("https://files.slack.com/a", True), ("http://files.slack.com/a", False), ("https://evil.test/a", False),
            ("https://files.slack.com.evil.test/a", False), ("https://u@files.slack.com/a", False), ("x", False),
            ("https://[", False),
        ],
    )  # fmt: skip
    def test_the_token_goes_to_slack_only(self, url: str, fine: bool) -> None:  # noqa: FBT001
        assert trusted(url, frozenset({"files.slack.com"})) is fine


class TestDoctor:
    async def test_all_is_well(self) -> None:
        async with slack() as one:
            channel = await one.channel("triage")
            found = await examine(
                Access(BOT, app_token=APP, signing_secret=SECRET, api_url=one.api, port=0),
                [Place("slack", "", channel)],
            )
            assert [(finding.name, finding.health) for finding in found] == [
                ("slack token", "ok"), ("slack scopes", "ok"), (f"slack channel {channel}", "ok"),
                ("slack socket", "ok"), ("slack http", "ok"),
            ]  # fmt: skip

    async def test_each_missing_scope_is_named_with_its_reason(self) -> None:
        async with slack() as one:
            one.scopes = "chat:write,users:read.email"
            found = await examine(Access(BOT, app_token=APP, api_url=one.api))
            says = {finding.says: finding.health for finding in found}
            assert says["app_mentions:read is missing, needed to hear a mention"] == "fail"
            assert says["files:read is missing, needed to read pasted snippets and text files"] == "warn"
            assert any(line.startswith("users:read is missing, needed to know a workspace's admins") for line in says)
            assert any("never used: users:read.email" in line for line in says)
            assert all(finding.do for finding in found if finding.health != "ok")

    async def test_what_is_refused_is_explained(self) -> None:
        async with slack() as one:
            one.plan("auth.test", Fault(error="invalid_auth"))
            one.plan("apps.connections.open", Fault(500))
            found = await examine(Access(BOT, app_token=APP, api_url=one.api), [Place("slack", "", "C1")])
            assert [finding.health for finding in found] == ["fail", "fail"]

    async def test_a_name_where_an_id_belongs(self) -> None:
        async with slack() as one:
            found = await examine(Access(BOT, app_token=APP, api_url=one.api), [Place("slack", "", "#support")])
            (finding,) = [finding for finding in found if "#support" in finding.name]
            assert (finding.health, finding.says) == ("fail", "that is no id")

    async def test_a_channel_it_is_not_in(self) -> None:
        async with slack() as one:
            found = await examine(Access(BOT, app_token=APP, api_url=one.api), [Place("slack", "T1", "CNOTHERE")])
            (finding,) = [finding for finding in found if "CNOTHERE" in finding.name]
            assert finding.health == "warn"
            assert "/invite" in finding.do

    @pytest.mark.parametrize("shut", [{"is_read_only": True}, {"properties": {"posting_restricted_to": {"type": []}}}])
    async def test_a_channel_it_may_not_post_in(self, shut: dict[str, object]) -> None:
        async with slack() as one:
            channel = await one.channel("news")
            one.shut[channel] = {"id": channel, "name": "news", "is_member": True, **shut}
            found = await examine(Access(BOT, app_token=APP, api_url=one.api), [Place("slack", "", channel)])
            (finding,) = [finding for finding in found if channel in finding.name]
            assert (finding.health, finding.says) == ("warn", "member of #news, where not everybody may post")

    async def test_nobody_there(self) -> None:
        found = await examine(Access(BOT, app_token=APP, api_url="http://127.0.0.1:9/api/"))
        assert [finding.health for finding in found] == ["fail", "fail"]
        assert "let this machine reach" in found[0].do


def test_every_scope_has_a_reason() -> None:
    assert all(reason for reason in SCOPES.values())


def test_nothing_of_slack_is_imported_for_a_chat() -> None:
    modules = "bot.cli, bot.runtime.console, bot.runtime.platforms"
    code = f"import sys, {modules}; print([name for name in sys.modules if name.startswith('slack_')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"
