"""A request of Slack's over HTTP as Bolt takes it, read in a tenth of the time of Bolt's own reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from slack_bolt.request.async_request import AsyncBoltRequest
from yarl import URL

from bot.adapters.slack.decode import is_payload

_PAYLOAD = "payload"
"""The one field of a form that holds JSON."""


def to_request(body: str, headers: Mapping[str, str]) -> AsyncBoltRequest | None:
    """Return a request, which Bolt still verifies by its raw body; None for what is no payload of Slack's."""
    try:
        payload = _read(body, headers.get("content-type", ""))
        if not (isinstance(payload, dict) and is_payload(payload)):
            return None
        # Bolt takes what was read already in this mode only; told the other one, it looks at the signature.
        asked = AsyncBoltRequest(body=payload, headers=dict(headers), mode="socket_mode")
    except (msgspec.MsgspecError, ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return None
    asked.mode, asked.raw_body = "http", body
    return asked


def _read(body: str, kind: str) -> Any:  # noqa: ANN401 - whatever somebody sends
    if kind.startswith("application/json") or body.startswith("{"):
        return msgspec.json.decode(body) if body else {}
    # A form is a query by its shape, and yarl reads those in C. Made as one that is unpickled: every other way to an
    # address keeps the last hundred of them, and with them whatever people have pasted.
    form = URL()
    form.__setstate__((("", "", "", body, ""),))
    fields = dict(form.query.items())
    return msgspec.json.decode(fields[_PAYLOAD]) if _PAYLOAD in fields else fields
