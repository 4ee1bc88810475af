"""Slack: real slack-bolt and slack_sdk, signed requests, and npm `emulate` as the Web API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bot.adapters.slack.chat import SlackChat
from bot.core.event import Origin
from bot.core.triage.placement import Where
from bot.core.view import View
from tests.adapters.slack.office import Office, office, seen
from tests.contract.bench import Bench, Seen


class SlackBench:
    """Implements Bench."""

    lacks = frozenset[str]()

    def __init__(self, office: Office) -> None:
        self.office = office
        self.desk = office.desk
        self.where = (office.channels["triage"], "")

    @property
    def chat(self) -> SlackChat:
        return self.office.running.chat

    def origin(self, user: str) -> Origin:
        return self.office.origin(user)

    def channel(self, name: str) -> str:
        return self.office.channels[name]

    async def group(self, user: str) -> str:
        members = [self.office.slack.users[user]]
        self.office.slack.groups.append({"id": "S1", "handle": "helpers", "name": "Helpers", "users": members})
        return "S1"

    async def mention(self, user: str, text: str, *, channel: str = "triage") -> None:
        place = self.office.channels[channel]
        words = f"<@{self.office.me}> {escaped(text)}"
        ts = await self.office.wrote(user, words, channel=place, kind="app_mention")
        self.where = (place, ts)

    async def command(self, user: str, text: str, *, channel: str = "triage") -> None:
        place = self.office.channels[channel]
        await self.office.commanded(user, escaped(text), place)
        if ours := await self.office.ours(place):
            self.where = (place, str(ours[-1].get("thread_ts") or ours[-1]["ts"]))

    async def post(self, user: str, text: str, *, channel: str = "watched") -> None:
        place = self.office.channels[channel]
        self.where = (place, await self.office.wrote(user, escaped(text), channel=place))

    async def say(self, user: str, text: str) -> None:
        channel, thread = self.where
        await self.office.wrote(user, escaped(text), channel=channel, thread=thread)

    async def press(self, user: str, label: str, *, message: int = -1) -> None:
        pressed = (await self.office.ours())[message]
        container = {"message_ts": pressed["ts"], "channel_id": pressed["channel"], "is_ephemeral": False}
        self.where = (pressed["channel"], str(pressed.get("thread_ts") or pressed["ts"]))
        if pressed.get("thread_ts"):
            container["thread_ts"] = pressed["thread_ts"]
        # What was there when it was new, unless it has been edited to offer something else.
        new = self.office.first(pressed["ts"])["blocks"]
        blocks = new if label in seen({"blocks": new}).buttons else pressed["blocks"]
        await self.office.pressed(user, label, blocks, container)

    async def press_private(self, user: str, label: str) -> None:
        last = (await self.told(user))[-1]
        container = {
            "message_ts": last.get("ts", "1.1"),
            "channel_id": last["channel"],
            "is_ephemeral": "ts" not in last,
        }
        await self.office.pressed(user, label, last["blocks"], container)

    async def resend(self) -> None:
        await self.office.again()

    async def show(self, view: View) -> Seen:
        posted = await self.chat.show(self.origin("ann"), view, Where.THREAD)
        return next(seen(message) for message in await self.office.ours() if message["ts"] == posted.message)

    async def seen(self) -> Sequence[Seen]:
        return [seen(message) for message in await self.office.ours()]

    async def private(self, user: str) -> Sequence[Seen]:
        return [seen(message) for message in await self.told(user)]

    async def pinged(self) -> Sequence[str]:
        posts = [call.body for call in self.office.slack.calls if call.method.startswith("chat.post")]
        return tuple(ping for body in posts for ping in _pings(body))

    async def told(self, user: str) -> list[dict[str, Any]]:
        """Ephemeral messages and those of the direct message, in the order they came."""
        direct = await self.office.direct(user)
        stand = {message["ts"]: message for message in await self.office.ours(direct)}
        told: list[dict[str, Any]] = []
        for ts, body in self.office.slack.told:
            if body.get("channel") == direct:
                told.append({**stand[ts], "channel": direct})
            elif body.get("user") == self.office.slack.users[user]:
                told.append(body)
        return told


def escaped(text: str) -> str:
    """What Slack makes of what people type."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _pings(piece: object) -> Sequence[str]:
    if isinstance(piece, str):
        return [piece] if any(mark in piece for mark in ("<@", "<!", "<#")) else []
    if isinstance(piece, dict):
        own = [str(piece)] if piece.get("type") in {"user", "usergroup", "broadcast", "channel"} else []
        own += ["link_names"] if piece.get("link_names") else []
        return [*own, *(ping for key, inner in piece.items() if not _words(piece, key) for ping in _pings(inner))]
    return [ping for inner in piece for ping in _pings(inner)] if isinstance(piece, list) else []


def _words(piece: dict[str, Any], key: str) -> bool:
    """Say whether a text is taken literally."""
    return key == "text" and piece.get("type") in {"text", "plain_text", "link"}


@asynccontextmanager
async def slack_bench(data_dir: Path) -> AsyncIterator[Bench]:
    """Open a workspace."""
    async with office(data_dir) as one:
        yield SlackBench(one)
