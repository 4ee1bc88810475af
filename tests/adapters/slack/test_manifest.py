"""The app manifests: what Slack takes, and nothing the code does not use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from bot.adapters.slack.connection import PATH
from bot.adapters.slack.decode import SHORTCUT
from bot.adapters.slack.scopes import OPTIONAL, SCOPES

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = ROOT.parent / "shared" / "schemas" / "slack-manifest.schema.json"
FILES = ["slack-manifest.yaml", "slack-manifest-http.yaml"]


def manifest(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / name).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", FILES)
@pytest.mark.skipif(not SCHEMA.is_file(), reason="../shared/schemas, with Slack's schema of manifests, is not at hand")
def test_it_fits_slacks_schema(name: str) -> None:
    jsonschema.validate(manifest(name), json.loads(SCHEMA.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", FILES)
def test_it_asks_for_what_the_code_uses_and_no_more(name: str) -> None:
    found = manifest(name)
    assert found["oauth_config"]["scopes"] == {"bot": list(SCOPES), "bot_optional": sorted(OPTIONAL)}
    assert [shortcut["callback_id"] for shortcut in found["features"]["shortcuts"]] == [SHORTCUT]
    assert [command["command"] for command in found["features"]["slash_commands"]] == ["/redial"]
    assert found["settings"]["token_rotation_enabled"] is False, "replicas would race its single-use refresh tokens"


def test_the_two_differ_in_how_payloads_come_and_nothing_else() -> None:
    sockets, http = (manifest(name) for name in FILES)
    addresses = [
        http["features"]["slash_commands"][0].pop("url"),
        http["settings"]["event_subscriptions"].pop("request_url"),
        http["settings"]["interactivity"].pop("request_url"),
    ]
    assert all(address.endswith(PATH) for address in addresses)
    assert (sockets["settings"].pop("socket_mode_enabled"), http["settings"].pop("socket_mode_enabled")) == (
        True,
        False,
    )
    assert sockets == http
