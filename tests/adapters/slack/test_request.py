"""What comes over HTTP is read as Bolt reads it, but for what Bolt loses."""

from __future__ import annotations

import gc
import json
import sys
from urllib.parse import urlencode

import pytest
from slack_bolt.request.async_request import AsyncBoltRequest

from bot.adapters.slack.request import to_request

FORM = {"content-type": "application/x-www-form-urlencoded"}
JSON = {"content-type": "application/json; charset=utf-8"}
TEAM = {"id": "T1", "domain": "x"}
PRESS = {
    "type": "block_actions", "team": TEAM, "user": {"id": "U1"}, "actions": [{"action_id": "a+b & c=%41"}],
    "message": {"text": "naïve 🙂 “quoted” \\ \n"}, "is_enterprise_install": False, "response_url": "https://x",
}  # fmt: skip


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (urlencode({"payload": json.dumps(PRESS)}), FORM),
        (urlencode({"payload": json.dumps(PRESS, ensure_ascii=False)}), FORM),
        (urlencode({"command": "/redial", "text": "é + & = % ; <@U1>", "team_id": "T1", "response_url": ""}), FORM),
        ("team_id=T1&text=&command=%2Fredial&text=b&x", FORM),
        ("ssl_check=1", FORM),
        (json.dumps({"type": "event_callback", "team_id": "T1", "event": {"type": "message", "text": "é"}}), JSON),
        ('{"type": "url_verification", "challenge": "c"}', {}),
        ("", JSON),
    ],
)
def test_it_is_read_as_bolt_reads_it(body: str, headers: dict[str, str]) -> None:
    ours, bolts = to_request(body, headers), AsyncBoltRequest(body=body, headers=dict(headers))
    assert ours
    for name in ("body", "raw_body", "headers", "content_type", "context", "mode"):
        assert getattr(ours, name) == getattr(bolts, name), name


def test_nothing_of_it_is_kept() -> None:
    body = urlencode({"payload": json.dumps(PRESS | {"trigger_id": "seen nowhere else"})})
    held = sys.getrefcount(body)
    assert to_request(body, FORM)
    gc.collect()
    assert sys.getrefcount(body) == held


def test_a_command_that_speaks_of_a_payload_is_a_command() -> None:
    fields = {"command": "/redial", "text": "413 request payload too large", "team_id": "T1", "trigger_id": "1.2"}
    found = to_request(urlencode(fields), FORM)
    assert found
    assert found.body == fields


@pytest.mark.parametrize("body", ["{", "[]", "3", "payload=%7B", "payload=[]", "payload=", '{"event": 3}'])
def test_what_is_no_payload_is_none(body: str) -> None:
    assert to_request(body, JSON if body[:1] in "{[3" else FORM) is None
