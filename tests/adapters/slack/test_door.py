"""The HTTP door as a stranger finds it: nothing without a signature, nothing large, nothing old, nowhere else to go."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import aiohttp
import pytest
from cryptography.fernet import Fernet

from bot.adapters.slack.connection import PATH
from bot.adapters.slack.install import INSTALL, REDIRECT
from tests.adapters.slack.office import FORM, SECRET, Office, office, signed
from tests.adapters.slack.web import Slack, slack

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
PLACES = (
    PATH, "/", "/healthz", "/readyz", "/metrics", "/slack", f"{PATH}/", f"{PATH}/x", f"/x{PATH}",
    "/slack/../slack/events/.", "/.env", "/admin", INSTALL, REDIRECT, "/slack/events?x=1",
)  # fmt: skip


@pytest.fixture
async def at_work(tmp_path: Path) -> AsyncIterator[Office]:
    async with office(tmp_path / "data") as one:
        yield one


def base(one: Office) -> str:
    return "http://" + urlsplit(one.running.url).netloc


def command(one: Office, **more: str) -> str:
    form = {
        "channel_id": one.channels["triage"], "user_id": one.slack.users["ann"], "trigger_id": "1.1",
        "command": "/redial", "text": "status", "response_url": f"{one.slack.url}/respond", **more,
    }  # fmt: skip
    return urlencode(form)


async def test_one_way_in_and_no_other(at_work: Office) -> None:
    async with aiohttp.ClientSession() as session:
        for method in METHODS:
            for path in PLACES:
                async with session.request(method, f"{base(at_work)}{path}", allow_redirects=False) as answer:
                    here = path.partition("?")[0] == PATH
                    wanted = {400, 401} if here and method == "POST" else {405} if here else {404}
                    assert answer.status in wanted, (method, path, answer.status)
                    assert "Python" not in str(await answer.text())
    assert at_work.slack.calls == [] or all(call.method != "chat.postMessage" for call in at_work.slack.calls)


async def test_only_with_slacks_signature_of_this_moment(at_work: Office) -> None:
    body = command(at_work)
    good = signed(body)
    tampered = body.replace("status", "forget-me")
    tries = {
        "none": (body, {"Content-Type": FORM}),
        "another's": (body, signed(body, secret=SECRET[::-1])),
        "of other words": (tampered, good),
        "old": (body, signed(body, age=400)),
        "of the future": (body, signed(body, age=-400)),
        "empty": (body, {**good, "X-Slack-Signature": ""}),
        "of another version": (body, {**good, "X-Slack-Signature": good["X-Slack-Signature"].replace("v0", "v1")}),
        "no time": (body, {**good, "X-Slack-Request-Timestamp": "now"}),
    }
    before = len(at_work.slack.calls)
    async with aiohttp.ClientSession() as session:
        for name, (sent, headers) in tries.items():
            async with session.post(at_work.running.url, data=sent, headers=headers) as answer:
                assert answer.status in {400, 401}, (name, answer.status)
        await at_work.dispatcher.idle()
        assert len(at_work.slack.calls) == before, "nobody was answered"
        async with session.post(at_work.running.url, data=body, headers=good) as answer:
            assert answer.status == 200
        await at_work.dispatcher.idle()
        assert len(at_work.slack.calls) > before
        told = len(at_work.slack.calls)
        # The same request once more, within the window: taken, and answered by nobody.
        body = command(at_work, text="API Error: Connection closed mid-response", trigger_id="1.2")
        for _ in range(2):
            async with session.post(at_work.running.url, data=body, headers=signed(body)) as answer:
                assert answer.status == 200
            await at_work.dispatcher.idle()
        posts = [call for call in at_work.slack.calls[told:] if call.method == "chat.postMessage"]
        assert len(posts) == 1


async def test_nothing_large_is_read(at_work: Office) -> None:
    body = command(at_work, text="x" * (2 * 1024 * 1024))
    async with aiohttp.ClientSession() as session:
        large = io.BytesIO(body.encode())
        async with session.post(at_work.running.url, data=large, headers=signed(body)) as answer:
            assert answer.status == 413
        packed = {**signed(""), "Content-Encoding": "gzip"}
        async with session.post(at_work.running.url, data=b"x" * 1000, headers=packed) as answer:
            assert answer.status == 401, "nothing is unpacked"


async def test_a_payload_leads_nowhere_but_to_slack(at_work: Office) -> None:
    """A response_url elsewhere is not asked: the answer goes to Slack, or nowhere."""
    async with slack() as elsewhere:
        evil = f"{elsewhere.url}/respond"
        body = command(at_work, response_url=evil)
        async with (
            aiohttp.ClientSession() as session,
            session.post(at_work.running.url, data=body, headers=signed(body)) as answer,
        ):
            assert answer.status == 200
        await at_work.dispatcher.idle()
        assert not asked(elsewhere)


def asked(one: Slack) -> list[str]:
    return [call.method for call in one.calls]


async def test_with_many_workspaces_the_install_page_as_well(tmp_path: Path) -> None:
    many = {
        "bot_token": "", "client_id": "1.2", "client_secret": "s", "token_keys": Fernet.generate_key().decode(),
    }  # fmt: skip
    async with office(tmp_path / "data", **many) as one, aiohttp.ClientSession() as session:
        for method in METHODS:
            for path in PLACES:
                async with session.request(method, f"{base(one)}{path}", allow_redirects=False) as answer:
                    here = path.partition("?")[0]
                    served = {PATH: {"POST"}, INSTALL: {"GET", "HEAD"}, REDIRECT: {"GET", "HEAD"}}.get(here)
                    wanted = {404} if served is None else {200, 400, 401} if method in served else {405}
                    assert answer.status in wanted, (method, path, answer.status)
        # A visit nobody began, and one that ends with a state of somebody else's.
        for query in ("", "?code=1", "?code=1&state=x", "?error=access_denied&state=<script>"):
            async with session.get(f"{base(one)}{REDIRECT}{query}") as answer:
                text = await answer.text()
                assert answer.status in {400, 401, 200}
                assert "<script>" not in text
        assert "oauth.v2.access" not in asked(one.slack)
