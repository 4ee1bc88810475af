"""Times and durations in words."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.core.messages import Messages
from bot.core.text import Inline, Span

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def duration(messages: Messages, seconds: float) -> str:
    """Say how long: "35 s", "4 min", "1 h 5 min", "3 d"; never negative."""
    whole = max(0, int(seconds))
    if whole < _MINUTE:
        return messages.text("time.seconds", n=whole)
    if whole < _HOUR:
        return messages.text("time.minutes", n=whole // _MINUTE)
    if whole < _DAY:
        return messages.text("time.hours", hours=whole // _HOUR, minutes=whole % _HOUR // _MINUTE)
    return messages.text("time.days", n=whole // _DAY)


def clock(at: float) -> str:
    """Return a moment as `14:52 UTC`; exact and the same for everybody who reads a record."""
    return datetime.fromtimestamp(at, UTC).strftime("%H:%M UTC")


def moment(at: float) -> Inline:
    """Return a moment for a message: `14:52 UTC`, and in the reader's own time where the platform can."""
    return (Span(clock(at), at=at),)


def stamp(at: float) -> str:
    """Return a moment with its date, for records that leave the thread."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
