"""People at work in Slack: signed requests to the real adapter and a real store, `emulate` on the other side."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from slack_sdk.signature import SignatureVerifier

from bot.adapters.slack.connection import Access, SlackRunning, start
from bot.adapters.slack.press import PICK
from bot.adapters.store import connect, open_vault
from bot.adapters.store.embedded import stop_embedded
from bot.adapters.store.pages import RedisPages
from bot.core.event import Origin
from bot.core.triage.placement import Rooms
from bot.ports.platform import House
from bot.runtime.dispatcher import Dispatcher
from handlers.commands import read
from handlers.desk import Desk
from handlers.turns import handle
from tests.adapters.slack.web import BOT, Slack, slack
from tests.contract.bench import Seen
from tests.scenarios.desk import Page
from tests.scenarios.playing import NOW, content

SECRET = "not-much-of-a-secret"  # noqa: S105 - it signs what the tests send to themselves
FORM = "application/x-www-form-urlencoded"
CHANNELS = ("triage", "watched", "other")


@dataclass
class Office:
    """A workspace, Redial in it, and what its people do."""

    slack: Slack
    desk: Desk
    dispatcher: Dispatcher
    running: SlackRunning
    channels: dict[str, str]
    page: Page
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    last: tuple[str, str] = ("", "")

    @property
    def me(self) -> str:
        return self.slack.users["redial"]

    def origin(self, user: str, channel: str = "triage") -> Origin:
        return Origin("slack", "T000000001", self.channels[channel], self.slack.users[user])

    # --- what people do ---

    async def wrote(
        self, user: str, text: str, *, channel: str, thread: str = "", kind: str = "message", **more: object
    ) -> str:
        """Write a message, which Slack keeps and then tells Redial of; returns its ts."""
        body = {"channel": channel, "text": text} | ({"thread_ts": thread} if thread else {})
        ts = str((await self.slack.ask(user, "chat.postMessage", **body))["ts"])
        event = {
            "type": kind, "user": self.slack.users[user], "text": text, "ts": ts, "channel": channel, "event_ts": ts,
            "channel_type": "im" if channel.startswith("D") else "channel", "team": "T000000001",
        }  # fmt: skip
        await self.happened(event | ({"thread_ts": thread} if thread else {}) | more)
        return ts

    async def happened(self, event: dict[str, Any], *, settle: bool = True) -> int:
        """Deliver an event of the Events API."""
        body = {
            "type": "event_callback", "token": "t", "team_id": "T000000001", "api_app_id": "A1",
            "event_id": f"Ev{next(self.numbers)}", "event_time": int(time.time()), "event": event,
            "authorizations": [{"team_id": "T000000001", "user_id": self.me, "is_bot": True, "enterprise_id": None}],
        }  # fmt: skip
        return await self.deliver(json.dumps(body), "application/json", settle=settle)

    async def commanded(self, user: str, text: str, channel: str) -> int:
        self.slack.asked = {"user": self.slack.users[user], "channel": channel}
        form = {
            "token": "t", "team_id": "T000000001", "team_domain": "support", "channel_id": channel, "channel_name": "x",
            "user_id": self.slack.users[user], "user_name": user, "command": "/redial", "text": text,
            "api_app_id": "A1", "response_url": f"{self.slack.url}/respond", "trigger_id": f"1.{next(self.numbers)}",
        }  # fmt: skip
        return await self.deliver(urlencode(form), FORM)

    async def pressed(self, user: str, label: str, blocks: list[dict[str, Any]], container: dict[str, Any]) -> int:
        """Press, or pick, what is called so."""
        return await self.interacted(user, {
            "type": "block_actions", "actions": [_action(blocks, label) | {"action_ts": f"9.{next(self.numbers)}"}],
            "container": {"type": "message", **container}, "channel": {"id": container.get("channel_id", "")},
            "message": {"ts": container.get("message_ts"), "thread_ts": container.get("thread_ts"), "blocks": blocks},
        })  # fmt: skip

    async def submitted(self, user: str, view: dict[str, Any], **chosen: tuple[str, ...]) -> int:
        """Send a modal: as it stands, but for what is chosen otherwise, by the id of a question with `_` for `-`."""
        state = {}
        for block in view["blocks"]:
            element, name = block["element"], block["block_id"]
            one = element["type"] == "static_select"
            before = [element["initial_option"]] if "initial_option" in element else element.get("initial_options", [])
            wanted = chosen.get(name.replace("-", "_"))
            picked = before if wanted is None else [o for o in element["options"] if o["value"] in wanted]
            answer = {"selected_option": picked[0] if picked else None} if one else {"selected_options": picked}
            state[name] = {element["action_id"]: {"type": element["type"], **answer}}
        return await self.interacted(
            user, {"type": "view_submission", "view": {**view, "state": {"values": state}}, "response_urls": []}
        )

    async def interacted(self, user: str, body: dict[str, Any]) -> int:
        person = {"id": self.slack.users[user], "username": user, "name": user, "team_id": "T000000001"}
        payload = {
            "user": person, "team": {"id": "T000000001", "domain": "support"}, "api_app_id": "A1", "token": "t",
            "trigger_id": f"1.{next(self.numbers)}", "response_url": f"{self.slack.url}/respond", **body,
        }  # fmt: skip
        form = urlencode({"payload": json.dumps(payload)})
        return await self.deliver(form, FORM)

    async def deliver(
        self, body: str, kind: str, headers: Mapping[str, str] | None = None, *, settle: bool = True
    ) -> int:
        """Send a request as Slack signs it; returns the status."""
        self.last = (body, kind)
        sent = {**signed(body, kind), **(headers or {})}
        async with self.slack.session.post(self.running.url, data=body.encode(), headers=sent) as answer:
            status = answer.status
        if settle:
            await self.dispatcher.idle()
        return status

    async def again(self) -> int:
        """Send the last request once more, as Slack does that got no acknowledgement."""
        body, kind = self.last
        return await self.deliver(body, kind, {"X-Slack-Retry-Num": "1", "X-Slack-Retry-Reason": "http_timeout"})

    # --- what they see ---

    async def ours(self, *channels: str) -> list[dict[str, Any]]:
        """Redial's messages as they stand now, each with its channel, oldest first."""
        found = [
            {**message, "channel": channel}
            for channel in channels or tuple(self.channels.values())
            for message in await self.slack.messages(channel)
            if message["user"] == self.me
        ]
        return sorted(found, key=lambda message: str(message["ts"]))

    async def direct(self, user: str) -> str:
        opened = await self.slack.ask("redial", "conversations.open", users=self.slack.users[user])
        return str(opened["channel"]["id"])

    def first(self, ts: str) -> dict[str, Any]:
        """What a message was when it was new."""
        return next(body for known, body in self.slack.posted if known == ts)


def signed(body: str, kind: str = FORM, *, secret: str = SECRET, age: float = 0.0) -> dict[str, str]:
    """The headers by which Slack says that a body is its own. age: of the request, in seconds."""
    at = str(int(time.time() - age))
    signature = SignatureVerifier(secret).generate_signature(timestamp=at, body=body) or ""
    return {"Content-Type": kind, "X-Slack-Request-Timestamp": at, "X-Slack-Signature": signature}


def seen(message: Mapping[str, Any]) -> Seen:
    """A message as people see it."""
    blocks = message.get("blocks") or []
    text = "\n".join(part for block in blocks for part in _words(block)) or unescape(str(message.get("text")))
    return Seen(text.replace("\u2060", ""), tuple(label for label, _ in _labels(blocks)))


def _words(piece: Mapping[str, Any]) -> Iterator[str]:
    match piece["type"]:
        case "actions" | "divider":
            return
        case "rich_text" | "context" | "rich_text_list":
            for inner in piece["elements"]:
                yield from _words(inner)
        case "mrkdwn":
            yield unescape(re.sub(r"<([^|>]*)\|([^>]*)>", r"\2", piece["text"]))
        case "header":
            yield piece["text"]["text"]
        case _:
            yield "".join(
                str(inner.get("text") or inner.get("user_id") or inner.get("fallback")) for inner in piece["elements"]
            )


def _labels(blocks: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for block in blocks:
        if block["type"] != "actions":
            continue
        for element in block["elements"]:
            base = {"block_id": block["block_id"], "action_id": element["action_id"], "type": element["type"]}
            if element["type"] == "button":
                yield element["text"]["text"], base
            else:
                assert element["action_id"] == PICK
                for option in element["options"]:
                    yield option["text"]["text"], {**base, "selected_option": option}


def _action(blocks: list[dict[str, Any]], label: str) -> dict[str, Any]:
    return next(action for its, action in _labels(blocks) if its == label)


@contextlib.asynccontextmanager
async def office(data_dir: Path, **access: str | int | frozenset[str]) -> AsyncIterator[Office]:
    """Open an office on a store of its own; `access`: how Redial is connected, HTTP alone by default."""
    async with slack() as one:
        channels = {name: await one.channel(name) for name in CHANNELS}
        try:
            async with replica(one, channels, data_dir, **access) as first:
                yield first
        finally:
            stop_embedded(data_dir)


@contextlib.asynccontextmanager
async def replica(
    one: Slack, channels: dict[str, str], data_dir: Path, **access: str | int | frozenset[str]
) -> AsyncIterator[Office]:
    """Connect one process to a workspace; several share what `data_dir` holds."""
    async with contextlib.AsyncExitStack() as closing:
        store = await connect(None, data_dir)
        closing.push_async_callback(store.close)
        page = Page()
        rooms = Rooms(frozenset({channels["triage"]}), frozenset({channels["watched"]}))
        desk = Desk(
            content().library, content().recogniser(), store, page, lambda: NOW, managed=False,
            rooms={"slack": rooms}, pages=RedisPages(store.server), watched={"tymt9n04zgry": "Claude"},
        )  # fmt: skip
        dispatcher = Dispatcher(partial(handle, desk))
        house = House(dispatcher, desk.library.messages, read)
        how: dict[str, Any] = {"signing_secret": SECRET, "port": 0, "bot_token": BOT, **access}
        vault = await open_vault(None, data_dir)
        closing.push_async_callback(vault.close)
        connected = start(Access(api_url=one.api, watched=rooms.watched, **how), house, vault)
        running = await closing.enter_async_context(connected)
        yield Office(one, desk, dispatcher, running, channels, page)
        await dispatcher.close(within=8.0)
