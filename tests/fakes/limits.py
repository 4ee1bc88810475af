"""How often platforms let themselves be asked: what is beyond is refused with 429, as they do.

Time may run faster than it does: `speed` seconds pass for the limits in one of ours.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

SLACK = {
    "chat.postMessage": (("method", 100, 60.0), ("channel", 3, 3.0)),
    "chat.postEphemeral": (("method", 100, 60.0),),
    "chat.update": (("method", 50, 60.0),),
    "conversations.open": (("method", 50, 60.0),),
    "conversations.replies": (("method", 50, 60.0),),
    "conversations.history": (("method", 50, 60.0),),
    "conversations.info": (("method", 50, 60.0),),
    "users.info": (("method", 100, 60.0),),
}
"""What Slack's reference promises a workspace, by method: so many in so many seconds, of a method or in a channel."""
USES = 5
"""Answers a response_url takes."""


_DISCORD = {
    "messages": (5, 5.0), "message": (5, 5.0), "thread": (50, 300.0), "webhook": (5, 2.0), "interaction": (5, 2.0),
}  # fmt: skip
_GLOBAL = ("every request", 50, 1.0)


@dataclass
class Limits:
    """Counts requests in windows, each of which begins with its first one. refused: what was asked too often."""

    speed: float = 1.0
    refused: list[str] = field(default_factory=list)
    _windows: dict[str, tuple[float, int]] = field(default_factory=dict)

    def left(self, name: str, most: int, within: float) -> tuple[int, float]:
        """Return how many requests are left in a window after this one, and when it ends, in seconds of ours.

        Fewer than none: this one is refused.
        """
        now = time.monotonic() * self.speed
        began, asked = self._windows.get(name, (now, 0))
        if now - began >= within:
            began, asked = now, 0
        self._windows[name] = began, asked + 1
        if asked >= most:
            self.refused.append(name)
        return most - asked - 1, (began + within - now) / self.speed

    def waits(self, windows: Iterable[tuple[str, int, float]]) -> float:
        """Return the seconds somebody has to wait who has asked too often; 0 for anybody else."""
        return max((wait for left, wait in (self.left(*window) for window in windows) if left < 0), default=0.0)

    def slack(self, method: str, channel: str) -> float:
        """The same, by Slack's rules."""
        return self.waits(
            (f"{method} {channel if of == 'channel' else ''}", most, within)
            for of, most, within in SLACK.get(method, ())
        )

    def discord(self, method: str, path: str) -> tuple[dict[str, str], float]:
        """Return the headers Discord answers with, and the seconds to wait of who has asked too often, else 0.

        What answers an interaction does not count among all requests.
        """
        kind, place = _bucket(method, path)
        waits = 0.0 if kind in {"webhook", "interaction"} else self.waits([_GLOBAL])
        if not kind or waits:
            return {"Via": "1.1 this machine"}, waits
        most, within = _DISCORD[kind]
        left, ends = self.left(f"{kind} {place}", most, within)
        headers = {"Limit": most, "Remaining": max(0, left), "Reset-After": f"{ends:.3f}", "Bucket": kind}
        said = {f"X-RateLimit-{name}": str(value) for name, value in headers.items()} | {"Via": "1.1 this machine"}
        return said, ends if left < 0 else 0.0


def _bucket(method: str, path: str) -> tuple[str, str]:
    """Return what kind of request has limits together, and where."""
    parts = path.strip("/").split("/")
    match parts:
        case ["channels", channel, "messages"] if method == "POST":
            return "messages", channel
        case ["channels", channel, "messages", _] if method == "PATCH":
            return "message", channel
        case ["channels", channel, "messages", _, "threads"] | ["channels", channel, "threads"]:
            return "thread", channel
        case ["webhooks", _, token, *_]:
            return "webhook", token
        case ["interactions", _, token, *_]:
            return "interaction", token
    return "", ""
