"""Discord's own description of its API as a judge of requests; it is not part of this project."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

FILE = Path(__file__).parents[4] / "shared" / "schemas" / "discord-openapi.json"
needs_openapi = pytest.mark.skipif(
    not FILE.is_file(), reason=f"Discord's OpenAPI description is not at {FILE}: discord/discord-api-spec has it"
)


@cache
def spec() -> Any:  # noqa: ANN401 - a document of somebody else's
    return json.loads(FILE.read_text())


@cache
def _schema(method: str, path: str) -> Draft202012Validator | None:
    best = ""
    for template, operations in spec()["paths"].items():
        pattern = re.sub(r"\{[^}]+\}", "[^/]+", re.sub(r"([.$?])", r"\\\1", template))
        fewer = not best or template.count("{") < best.count("{")
        if method.lower() in operations and re.fullmatch(pattern, path) and fewer:
            best = template
    if not best:
        raise LookupError(f"{method} {path}")
    body = spec()["paths"][best][method.lower()].get("requestBody", {}).get("content", {}).get("application/json")
    if not body:
        return None
    return Draft202012Validator({"$ref": "#/__s", "__s": body["schema"], "components": spec()["components"]})


def faults(method: str, path: str, body: object) -> list[str]:
    """What Discord's description has against a request."""
    path = re.sub(r"^/api/v\d+", "", path)
    try:
        validator = _schema(method, re.sub(r"\d{15,}", "1", path))
    except LookupError as error:
        return [f"no such request: {error}"]
    if validator is None:
        return [] if body in (None, {}, []) else ["no body is taken"]
    return [f"{'/'.join(map(str, e.path))}: {e.message[:160]}" for e in validator.iter_errors(_ids(body))]


def _ids(body: object) -> object:
    """Ids as text: discord.py writes some as numbers, and Discord takes both."""
    if isinstance(body, dict):
        return {name: _ids(value) for name, value in body.items()}
    if isinstance(body, list):
        return [_ids(value) for value in body]
    return str(body) if isinstance(body, int) and body > 2**53 else body


def message_faults(components: list[dict[str, object]]) -> list[str]:
    """What is wrong with a message of these components."""
    body: Mapping[str, object] = {"components": components, "flags": 1 << 15, "allowed_mentions": {"parse": []}}
    return faults("POST", "/channels/1/messages", body)
