"""Slack on this machine: npm `emulate` keeps channels and messages, and a door in front of it does what it lacks.

The door notes every call, refuses what Slack's limits refuse, answers with a fault when a test asks for one, and adds
what `emulate` has not: response_urls, Socket Mode, files, memberships and scopes. Everything listens on loopback only.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from math import ceil
from typing import Any
from urllib.parse import parse_qsl

import aiohttp
import msgspec
import pytest
from aiohttp import web

from bot.adapters.slack.render import Message
from bot.adapters.slack.scopes import SCOPES
from tests.adapters.slack.kit import faults, modal_faults
from tests.fakes.emulate import PER_TOKEN, emulate
from tests.fakes.limits import USES, Limits
from tests.fakes.npm import NotBrought

BOT = "xoxb-redial"
APP = "xapp-redial"
PEOPLE = ("redial", "ann", "bob")
_HISTORIES = frozenset({"conversations.history", "conversations.replies"})
_TOKENS = 100
"""Of each person: `emulate` takes so many requests an hour of one token, and no more."""
_OWN = {BOT: "redial"} | {f"xoxp-{name}": name for name in PEOPLE[1:]}
_SEED = {
    "team": {"name": "Support", "domain": "support"},
    "users": [{"name": name, "real_name": name.title(), "email": f"{name}@example.com"} for name in PEOPLE],
    "tokens": [{"token": f"{own}.{n}", "user": name} for own, name in _OWN.items() for n in range(_TOKENS)],
}


@dataclass(frozen=True)
class Call:
    """One request to the Web API; `method` is `respond` for a response_url."""

    method: str
    body: dict[str, Any]
    token: str = ""


@dataclass(frozen=True)
class Fault:
    """What is answered instead; `after` seconds. carried: the request is carried out all the same."""

    status: int = 200
    error: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    after: float = 0.0
    carried: bool = False


@dataclass
class Slack:
    """The workspace a test talks to."""

    session: aiohttp.ClientSession
    behind: str
    url: str = ""
    calls: list[Call] = field(default_factory=list)
    posted: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    told: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    asked: dict[str, Any] = field(default_factory=dict)
    """Who gave the last command, and where: whom a response_url answers."""
    planned: dict[str, list[Fault]] = field(default_factory=lambda: defaultdict(list))
    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    users: dict[str, str] = field(default_factory=dict)
    spent: Counter[str] = field(default_factory=Counter)
    """Requests to `emulate`, by whose token."""
    sockets: list[web.WebSocketResponse] = field(default_factory=list)
    tickets: set[str] = field(default_factory=set)
    """Addresses of sockets that were used: each serves once."""
    refusing: int = 0
    """Sockets that will be refused."""
    heard: asyncio.Queue[dict[str, Any]] = field(default_factory=asyncio.Queue)
    scopes: str = ",".join(SCOPES)
    members: list[str] = field(default_factory=list)
    people: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What `users.info` says of somebody instead."""
    groups: list[dict[str, Any]] = field(default_factory=list)
    """The workspace's user groups."""
    opened: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Modals, by the trigger that opened them."""
    shut: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What `conversations.info` says of a channel instead."""
    limits: Limits | None = None
    """How often it may be asked; None: as often as one likes."""
    uploaded: list[bytes] = field(default_factory=list)
    """Files, as their bytes came."""
    unread: set[str] = field(default_factory=set)
    """Channels whose history may not be read, as private ones without groups:history."""
    installation: dict[str, Any] = field(default_factory=dict)
    """What Slack answers when somebody has pressed Allow."""

    @property
    def api(self) -> str:
        return f"{self.url}/api/"

    async def ask(self, who: str, method: str, **body: Any) -> dict[str, Any]:  # noqa: ANN401 - Slack's JSON
        """Call `emulate` as somebody, past the door."""
        headers = self._bearer(BOT if who == "redial" else f"xoxp-{who}")
        async with self.session.post(f"{self.behind}/api/{method}", json=body, headers=headers) as answer:
            found: dict[str, Any] = await answer.json()
        assert found.get("ok"), f"{method}: {found}"
        return found

    def plan(self, method: str, *planned: Fault) -> None:
        self.planned[method] += planned

    async def channel(self, name: str) -> str:
        """Make a channel everybody is in."""
        made = await self.ask("redial", "conversations.create", name=name)
        channel = str(made["channel"]["id"])
        await self.ask(
            "redial", "conversations.invite", channel=channel, users=f"{self.users['ann']},{self.users['bob']}"
        )
        self.members.append(channel)
        return channel

    async def messages(self, channel: str) -> list[dict[str, Any]]:
        """Everything in a channel and its threads, oldest first."""
        roots = (await self.ask("redial", "conversations.history", channel=channel, limit=500))["messages"]
        found = {message["ts"]: message for message in roots}
        for root in roots:
            thread = await self.ask("redial", "conversations.replies", channel=channel, ts=root["ts"])
            found |= {message["ts"]: message for message in thread["messages"]}
        return [found[ts] for ts in sorted(found)]

    def _bearer(self, token: str) -> dict[str, str]:
        """The right to ask `emulate`, with one of somebody's tokens that it still takes requests of."""
        self.spent[token] += 1
        return {"Authorization": f"Bearer {token}.{self.spent[token] // (PER_TOKEN - 1)}"} if token else {}

    # --- the door ---

    async def method(self, request: web.Request) -> web.Response:
        raw, name = await request.read(), request.match_info["method"]
        is_json = "json" in request.headers.get("Content-Type", "")
        body = msgspec.json.decode(raw) if is_json and raw else dict(parse_qsl(raw.decode()))
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        self.calls.append(Call(name, body, token))
        fault = self.planned[name].pop(0) if self.planned[name] else None
        if fault:
            await asyncio.sleep(fault.after)
            if not fault.carried:
                return _failed(fault)
        if own := self._own(name, body) or self._stranger(name, body):
            return own
        if name == "views.open":
            return self._opened(body)
        if wrong := _refused(body):
            return web.json_response({"ok": False, "error": "invalid_blocks", "why": wrong})
        kept = self._bearer(token) | {k: v for k, v in request.headers.items() if k == "Content-Type"}
        async with self.session.post(f"{self.behind}/api/{name}", data=raw, headers=kept) as answer:
            data, status = await answer.read(), answer.status
        self._kept(name, body, data)
        if fault:
            return _failed(fault)
        if name == "files.getUploadURLExternal":
            data = re.sub(rb"http://[^/]+/upload", f"{self.url}/upload".encode(), data)
        headers = {"X-OAuth-Scopes": self.scopes}
        return web.Response(body=data, status=status, headers=headers, content_type="application/json")

    def _own(self, name: str, body: dict[str, Any]) -> web.Response | None:
        if refused := self._forbidden(name, str(body.get("channel", ""))):
            return refused
        if name == "conversations.info" and (shut := self.shut.get(str(body.get("channel")))):
            return web.json_response({"ok": True, "channel": shut})
        if name == "users.info" and (user := self.people.get(str(body.get("user")))):
            return web.json_response({"ok": True, "user": user})
        if name == "usergroups.users.list":
            known = {group["id"]: group.get("users", []) for group in self.groups}
            group = str(body.get("usergroup"))
            if group not in known:
                return _failed(Fault(error="no_such_subteam"))
            return web.json_response({"ok": True, "users": known[group]})
        said: dict[str, dict[str, Any]] = {
            "usergroups.list": {"usergroups": self.groups},
            "apps.connections.open": {"url": f"{self.url.replace('http', 'ws')}/socket?ticket={len(self.calls)}"},
            "oauth.v2.access": self.installation,
            "users.conversations": {"channels": [{"id": channel} for channel in self.members]},
        }
        return web.json_response({"ok": True, **said[name]}) if name in said else None

    def _stranger(self, name: str, body: dict[str, Any]) -> web.Response | None:
        """Tell somebody who is not in `emulate`, and so in every channel."""
        if name != "chat.postEphemeral" or body["user"] in self.users.values():
            return None
        self.told.append(("", body))
        return web.json_response({"ok": True, "message_ts": "1.1"})

    def _forbidden(self, name: str, channel: str) -> web.Response | None:
        """Refuse what Redial has no right to, or asks too often."""
        if self.limits and (wait := self.limits.slack(name, channel)):
            return _failed(Fault(429, "ratelimited", {"Retry-After": str(ceil(wait))}))
        if name in _HISTORIES and channel in self.unread:
            return _failed(Fault(error="missing_scope"))
        if name.startswith("files.") and "files:write" not in self.scopes.split(","):
            return web.json_response({"ok": False, "error": "missing_scope", "needed": "files:write"})
        return None

    def _opened(self, body: dict[str, Any]) -> web.Response:
        """Show a modal, as `emulate` does not: once for each trigger."""
        trigger, view = str(body["trigger_id"]), body["view"]
        if trigger in self.opened:
            return _failed(Fault(error="exchanged_trigger_id"))
        if wrong := modal_faults(view):
            return web.json_response({"ok": False, "error": "invalid_arguments", "why": wrong})
        self.opened[trigger] = {**view, "id": f"V{len(self.opened) + 1}"}
        return web.json_response({"ok": True, "view": self.opened[trigger]})

    def _kept(self, name: str, body: dict[str, Any], data: bytes) -> None:
        """Keep what was posted as it was when it was new, and what one person alone was told."""
        answer = msgspec.json.decode(data)
        if not answer.get("ok"):
            return
        if name == "chat.postMessage":
            self.posted.append((answer["ts"], body))
        if name == "chat.postEphemeral" or (name == "chat.postMessage" and body["channel"].startswith("D")):
            self.told.append((answer.get("ts", ""), body))

    async def respond(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.calls.append(Call("respond", body))
        if self.limits and self.limits.waits([(f"respond {request.query_string}", USES, 1800.0)]):
            return web.Response(status=429, text="no")
        fault = self.planned["respond"].pop(0) if self.planned["respond"] else None
        if fault or _refused(body):
            return web.Response(status=fault.status if fault else 400, text="no")
        self.told.append(("", {**body, **self.asked}))
        return web.Response(text="ok")

    async def file(self, request: web.Request) -> web.Response:
        kind, text = self.files[request.match_info["name"]]
        if request.headers.get("Authorization") != f"Bearer {BOT}":
            return web.Response(text="<html>sign in</html>", content_type="text/html")
        return web.Response(text=text, content_type=kind)

    async def upload(self, request: web.Request) -> web.Response:
        """Take the bytes of a file, with nobody's token."""
        assert "Authorization" not in request.headers
        data = await request.read()
        self.uploaded.append(data)
        async with self.session.post(f"{self.behind}{request.path}", data=data) as answer:
            return web.Response(status=answer.status, text=await answer.text())

    async def socket(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if ticket in self.tickets or self.refusing:
            self.refusing = max(0, self.refusing - 1)
            self.tickets.add(ticket)
            return web.Response(status=503)
        self.tickets.add(ticket)
        connection = web.WebSocketResponse()
        await connection.prepare(request)
        self.sockets.append(connection)
        await connection.send_json({"type": "hello", "num_connections": 1})
        async for message in connection:
            if message.type is aiohttp.WSMsgType.TEXT:
                self.heard.put_nowait(message.json())
        return connection


def _failed(fault: Fault) -> web.Response:
    if fault.error:
        return web.json_response({"ok": False, "error": fault.error}, status=fault.status, headers=fault.headers)
    return web.Response(status=fault.status, text="trouble", headers=fault.headers)


def _refused(body: dict[str, Any]) -> list[str]:
    """What Slack itself would refuse about a message."""
    home = isinstance(body.get("view"), dict)
    blocks = body["view"]["blocks"] if home else body.get("blocks")
    if blocks is None:
        return []
    return faults(Message(str(body.get("text") or ("home" if home else "")), tuple(blocks)), most=100 if home else 50)


@contextlib.asynccontextmanager
async def slack() -> AsyncIterator[Slack]:
    """A workspace with ann and bob in it, for one test, which is skipped where npm cannot bring `emulate`."""
    try:
        behind = emulate()
    except NotBrought as error:
        pytest.skip(str(error))
    async with contextlib.AsyncExitStack() as closing:
        session = await closing.enter_async_context(aiohttp.ClientSession())
        one = Slack(session, f"http://127.0.0.1:{closing.enter_context(behind.workspace(_SEED))}")
        for name in PEOPLE:
            one.users[name] = (await one.ask(name, "auth.test"))["user_id"]
        app = web.Application()
        app.router.add_post("/api/{method}", one.method)
        app.router.add_post("/respond", one.respond)
        app.router.add_get("/file/{name}", one.file)
        app.router.add_get("/socket", one.socket)
        app.router.add_post("/upload/{rest:.*}", one.upload)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        closing.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        one.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield one
        for connection in one.sockets:
            await connection.close()
