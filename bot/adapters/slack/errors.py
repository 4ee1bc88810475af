"""What Slack or the way to it answers instead of doing what was asked, in the words of the core."""

from __future__ import annotations

import asyncio

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.core.errors import ChannelGone, ChatError, ChatUnavailable, NotAllowed
from bot.ports.announcing import Failed, Why

_GONE = frozenset(
    {
        "channel_not_found", "is_archived", "message_not_found", "thread_not_found", "cant_update_message",
        "edit_window_closed", "user_not_found", "no_such_message", "channel_is_archived", "view_not_found",
    }
)  # fmt: skip

DEAD = frozenset(
    {"token_revoked", "invalid_auth", "account_inactive", "not_authed", "token_expired", "org_login_required"}
)
"""Answers after which a token is of no more use."""

_LATER = frozenset(
    {
        "ratelimited",
        "rate_limited",
        "internal_error",
        "fatal_error",
        "service_unavailable",
        "request_timeout",
        "expired_trigger_id",
        "exchanged_trigger_id",
        "invalid_trigger_id",
        "trigger_exchanged",
    }
)

_MEMBER = frozenset({"not_in_channel", "user_not_in_channel"})

_RIGHTS = DEAD | _MEMBER | {
    "missing_scope", "no_permission", "access_denied", "not_allowed_token_type", "ekm_access_denied",
    "team_access_not_granted", "restricted_action", "restricted_action_read_only_channel", "cannot_dm_bot",
    "restricted_action_thread_only_channel", "restricted_action_non_threadable_channel", "user_disabled",
    "restricted_action_thread_locked", "messages_tab_disabled", "user_not_visible", "is_inactive",
}  # fmt: skip

_LOST = frozenset(
    {"message_not_found", "thread_not_found", "no_such_message", "cant_update_message", "invalid_thread_ts"}
)
"""The message, not the channel it stood in, is not there."""

_CONTENT = frozenset(
    {
        "invalid_blocks", "invalid_blocks_format", "msg_too_long", "msg_blocks_too_long", "no_text",
        "metadata_too_large", "invalid_metadata_format", "metadata_must_be_sent_from_app", "edit_window_closed",
        "cannot_reply_to_message",
    }
)  # fmt: skip

_SERVER = 500
_BUSY = 429


class Asked(ChatUnavailable):
    """Slack has asked to wait, and was not asked again: certainly nothing happened."""


def translated(error: Exception, method: str) -> ChatError:
    """Return an error of slack_sdk or aiohttp as the core's; `method`: what was asked."""
    if isinstance(error, SlackApiError):
        return _answered(error, method)
    if isinstance(error, aiohttp.ClientConnectorError):
        return ChatUnavailable(f"Slack cannot be reached for {method}")
    if isinstance(error, asyncio.TimeoutError):
        return ChatUnavailable(f"Slack did not answer {method} in time")
    return ChatUnavailable(f"Slack did not answer {method}: {type(error).__name__}")


def code_of(error: Exception) -> str:
    """Return Slack's own name of what went wrong, such as `is_archived`; empty where it gave none."""
    data = getattr(getattr(error, "response", None), "data", None)
    return str(data.get("error") or "") if isinstance(data, dict) else ""


def status_of(error: Exception) -> int:
    """Return the HTTP status of an answer, 0 where there was none."""
    response = getattr(error, "response", None)
    return int(getattr(response, "status_code", 0) or getattr(response, "status", 0) or 0)


def retry_after(error: Exception) -> float:
    """Return the seconds Slack asks to wait, 0 where it does not say."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    for name, value in dict(headers).items():
        if str(name).lower() == "retry-after":
            try:
                return max(0.0, float(value))
            except ValueError:
                return 0.0
    return 0.0


FAULTS = (SlackClientError, aiohttp.ClientError, asyncio.TimeoutError, OSError, ValueError)
"""What slack_sdk and aiohttp raise; ValueError: an answer that is not JSON."""


def failed(error: ChatError) -> Failed:
    """Return an error as what became of an announcement; only what Slack says for certain is certain."""
    cause, says = error.__cause__, str(error)
    wait = error.retry_after if isinstance(error, ChatUnavailable) else 0.0
    if isinstance(error, Asked) or isinstance(cause, aiohttp.ClientConnectorError):
        return Failed(Why.WAIT, wait, says)
    code, status = (code_of(cause), status_of(cause)) if isinstance(cause, Exception) else ("", 0)
    if status == _BUSY or code in {"ratelimited", "rate_limited"} or code in DEAD:
        # A new token is for the operator to set; until then no channel's wish is forgotten.
        return Failed(Why.WAIT, wait, says)
    if code in _LOST:
        return Failed(Why.GONE, detail=says)
    if code in _CONTENT:
        return Failed(Why.REFUSED, detail=says)
    if isinstance(error, NotAllowed):
        return Failed(Why.CLOSED, detail=f"{says}; missing: {error.missing}" if error.missing else says)
    return Failed(Why.CLOSED if isinstance(error, ChannelGone) else Why.UNKNOWN, detail=says)


def _answered(error: SlackApiError, method: str) -> ChatError:
    code, status = code_of(error), status_of(error)
    if status == _BUSY or code in _LATER or status >= _SERVER or not code:
        return ChatUnavailable(f"Slack answered {method} with {code or status}", retry_after=retry_after(error))
    if code in _GONE:
        return ChannelGone(f"Slack answered {method} with {code}")
    if code in _RIGHTS:
        return NotAllowed(f"Slack answered {method} with {code}", missing=_missing(error, code))
    return ChatError(f"Slack answered {method} with {code}")


def _missing(error: SlackApiError, code: str) -> str:
    needed = error.response.get("needed") if code == "missing_scope" else None
    return str(needed or ("membership of the channel" if code in _MEMBER else code))
