"""A Discord of this machine: simcord's rules and memory behind real HTTP and a real gateway.

What happens is told to every session; one that lost its connection may resume it and is told what it missed.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
import threading
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Literal

from aiohttp import WSMsgType, web
from simcord.backend import Backend, serializers
from simcord.backend.errors import BackendError
from simcord.backend.models import Channel, Message
from simcord.http import dispatch
from simcord.interactions import base_payload

from tests.fakes.elsewhere import discord_at
from tests.fakes.limits import Limits

CONTENT = 1 << 19
"""Flag of an application that was granted the message content intent."""
_API = "/api/v10"
_BEAT = 1_000
"""Milliseconds between two heartbeats, mostly. A process that is cut off in the middle leaves a thread that beats on
until it notices, which the end of a test waits for."""
_NOTICED = 20.0


class _Now:
    """The time as it is: simcord's own stands still."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def advance(self, seconds: float) -> None:
        raise NotImplementedError


@dataclass
class Session:
    """One IDENTIFY and what it was told since. said: every event, the first has number 1."""

    identified: Mapping[str, Any]
    said: list[dict[str, Any]] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    socket: web.WebSocketResponse | None = None
    resumed: int = 0
    forgotten: bool = False
    """It cannot be resumed."""

    def concerns(self, server: object) -> bool:
        """Whether it is told of a server, by its id; of what belongs to none, the first shard is."""
        shard, count = self.identified.get("shard", [0, 1])
        return bool((int(str(server or 0)) >> 22) % count == shard)

    def forget(self) -> web.WebSocketResponse:
        """Tell it nothing any more; returns its socket, which is still open."""
        assert self.socket
        socket, self.socket, self.forgotten = self.socket, None, True
        return socket

    def tell(self, name: str, payload: Mapping[str, Any]) -> None:
        """Keep an event for it, whether it listens or not."""
        self.said.append({"op": 0, "t": name, "s": len(self.said) + 1, "d": copy.deepcopy(dict(payload))})
        self.news.set()

    async def pump(self, socket: web.WebSocketResponse, start: int) -> None:
        """Send what has been said from a number on, for as long as this socket is the one."""
        while self.socket is socket and not socket.closed:
            self.news.clear()
            while start < len(self.said) and not socket.closed:
                await socket.send_json(self.said[start])
                start += 1
            await self.news.wait()


@dataclass
class Page:
    """As a connection sees Discord. flags: of the application. closes: how a connection ends at once.

    again: how many events a resumed session is told once more, although it had them. mute: messages are taken, or
    `lost`, and whoever sent one is never answered.
    """

    flags: int = CONTENT
    token: str = "good"  # noqa: S105 - of a page
    shards: int = 1
    beat: int = _BEAT
    """Milliseconds between two heartbeats."""
    closes: int = 0
    again: int = 0
    resumable: bool = True
    mute: Literal["", "taken", "lost"] = ""
    unanswered: int = 0
    limits: Limits | None = None
    """How often it may be asked; None: as often as one likes."""
    slow_down: list[tuple[float, bool]] = field(default_factory=list)
    """Seconds for which the next requests to post are refused, one each, and whether the whole bot is."""
    strange: str = ""
    """What something on the way answers with, in place of what was posted."""
    backend: Backend = field(default_factory=lambda: Backend(clock=_Now()))  # type: ignore[arg-type]
    sessions: list[Session] = field(default_factory=list)
    acknowledged: dict[str, float] = field(default_factory=dict)
    address: str = ""
    _nonces: dict[tuple[str, str], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.backend.edit_bot_profile("redial")
        self.backend.subscribers.append(self._happened)

    # --- what people do ---

    def guild(self, *channels: str) -> dict[str, Channel]:
        """Found a server; returns its channels by name."""
        self.server = self.backend.create_guild("support")
        return {name: self.backend.create_channel(self.server.id, name) for name in channels}

    def person(self, name: str) -> int:
        """Let somebody join the server."""
        user = self.backend.make_user(name)
        self.backend.add_member(self.server.id, user.id)
        return int(user.id)

    def write(self, user: int, channel: int, text: str) -> Message:
        """Write a message."""
        return self.backend.create_message(channel, user, text)

    def press(self, user: int, message: Message, label: str) -> float:
        """Press a button; returns when."""
        button = next(part for part in walked(message.components) if part.get("label") == label)
        data = {"custom_id": button["custom_id"], "component_type": 2, "id": button.get("id", 0)}
        shown = {"message": dict(serializers.message_payload(self.backend, message))}
        return self._interacted(3, user, message.channel_id, data, shown, source=message.id)

    def slash(self, user: int, channel: int, name: str, **options: object) -> float:
        """Give a sub-command of `/redial`; returns when."""
        given = [{"name": key, "type": 3, "value": value} for key, value in options.items()]
        data = {"id": "1", "name": "redial", "type": 1, "options": [{"name": name, "type": 1, "options": given}]}
        return self._interacted(2, user, channel, data, {})

    def _interacted(
        self, kind: int, user: int, channel: int, data: dict[str, Any], more: dict[str, Any], source: int | None = None
    ) -> float:
        record, payload = base_payload(
            self.backend, type=kind, channel_id=channel, guild_id=self.server.id, user_id=user, data=data
        )
        record.source_message_id = source
        at = time.perf_counter()
        self.backend.emit("INTERACTION_CREATE", payload | more)
        return at

    # --- what they see ---

    def ours(self, channel: int) -> list[Message]:
        """Redial's messages in a channel or thread, oldest first."""
        found = self.backend.messages.get(channel, {}).values()
        return sorted((one for one in found if one.author_id == self.backend.bot_user.id), key=lambda one: one.id)

    def threads(self) -> list[int]:
        """Every thread, oldest first."""
        return sorted(self.backend.get_guild(self.server.id).thread_ids)

    # --- how a connection sees it ---

    async def rest(self, request: web.Request) -> web.StreamResponse:
        """Answer a request."""
        path = request.path.removeprefix(_API)
        open_to_all = path.startswith(("/webhooks/", "/interactions/"))
        if not open_to_all and request.headers.get("Authorization") != f"Bot {self.token}":
            return _answer({"message": "401: Unauthorized", "code": 0}, status=401)
        body = await request.json() if request.can_read_body else None
        headers, wait = self.limits.discord(request.method, path) if self.limits else ({}, 0.0)
        if wait:
            return _answer({"message": "slow down", "retry_after": wait, "global": len(headers) == 1}, 429, headers)
        if self.slow_down and request.method == "POST" and path.endswith("/messages"):
            wait, everything = self.slow_down.pop(0)
            told = {"message": "slow down", "retry_after": wait, "global": everything}
            return _answer(told, 429, {"Via": "1.1 this machine"})
        if self.strange and request.method == "POST" and path.endswith("/messages"):
            return web.Response(text=self.strange, content_type="text/html")
        if path.endswith("/callback"):
            self.acknowledged[path.split("/")[2]] = time.perf_counter()
        if self.mute and request.method == "POST" and path.endswith("/messages"):
            if self.mute == "taken":
                self._said(request, path, body)
            self.unanswered += 1
            await asyncio.Event().wait()
        try:
            made = self._own(path) or self._said(request, path, body)
            # What an interaction was answered with is only said to who asks for it.
            silent = path.endswith("/callback") and "with_response" not in request.query
            return web.Response(status=204, headers=headers) if silent else _answer(made, headers=headers)
        except BackendError as error:
            return _answer(error.to_json(), status=error.status)

    def _own(self, path: str) -> object:
        if path == "/gateway/bot":
            limit = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
            return {"url": self.address.replace("http", "ws"), "shards": self.shards, "session_start_limit": limit}
        if path == "/oauth2/applications/@me":
            return {**dispatch(self.backend, "GET", path), "flags": self.flags}
        return None

    def _said(self, request: web.Request, path: str, body: object) -> object:
        nonce = (path, str(body.get("nonce"))) if isinstance(body, dict) and body.get("enforce_nonce") else None
        if nonce in self._nonces:
            return self._nonces[nonce]
        made = dispatch(self.backend, request.method, path, json=body, params=dict(request.query))
        if nonce:
            self._nonces[nonce] = made
        return made

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """Hold one connection to the gateway."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": self.beat}, "s": None, "t": None})
        async with contextlib.AsyncExitStack() as stack:
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    break
                said = json.loads(message.data)
                if said["op"] == 1:
                    await socket.send_json({"op": 11, "d": None, "s": None, "t": None})
                elif said["op"] in {2, 6}:
                    if self.closes:
                        await socket.close(code=self.closes)
                        break
                    await self._joined(socket, said, stack)
        return socket

    async def _joined(
        self, socket: web.WebSocketResponse, said: Mapping[str, Any], stack: contextlib.AsyncExitStack
    ) -> None:
        if said["op"] == 2:
            session, start = Session(said["d"]), 0
            self.sessions.append(session)
            self._greet(session)
        elif self.resumable and (known := self._known(said["d"]["session_id"])):
            session = known
            start = max(0, said["d"]["seq"] - self.again)
            session.resumed += 1
            session.tell("RESUMED", {})
        else:
            await socket.send_json({"op": 9, "d": False, "s": None, "t": None})
            return
        session.socket = socket
        pump = asyncio.create_task(session.pump(socket, start))
        stack.callback(pump.cancel)

    def _known(self, number: str | None) -> Session | None:
        found = self.sessions[int(number)] if number and int(number) < len(self.sessions) else None
        return None if found and found.forgotten else found

    def _greet(self, session: Session) -> None:
        guilds = [one for one in self.backend.guilds.values() if session.concerns(one.id)]
        session.tell("READY", {
            "v": 10, "user": dict(serializers.user_payload(self.backend.bot_user)),
            "guilds": [{"id": str(one.id), "unavailable": True} for one in guilds],
            "session_id": str(len(self.sessions) - 1), "resume_gateway_url": self.address.replace("http", "ws"),
            "shard": session.identified.get("shard", [0, 1]),
            "application": {"id": str(self.backend.application_id), "flags": self.flags},
        })  # fmt: skip
        for one in guilds:
            session.tell("GUILD_CREATE", serializers.guild_create_payload(self.backend, one))

    def _happened(self, name: str, payload: Mapping[str, Any]) -> None:
        server = payload["id"] if name.startswith("GUILD_") and "guild_id" not in payload else payload.get("guild_id")
        for session in self.sessions:
            if session.concerns(server):
                session.tell(name, payload)

    async def cut(self, code: int = 4000, *, forget: bool = False) -> None:
        """End every connection; sessions may be resumed, but for forgotten ones."""
        sessions = tuple(self.sessions)
        if forget:
            # Before anything is closed: who comes back at once begins anew.
            self.resumable = False
            self.sessions.clear()
        for session in sessions:
            socket, session.socket = session.socket, None
            session.news.set()
            if socket:
                await socket.close(code=code)


def walked(parts: object) -> list[dict[str, Any]]:
    """Every component of a message, nested ones too."""
    found = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return [*found, *(inner for part in found for inner in walked(part.get("components")))]


def said(message: Message) -> str:
    """The text of a message, as it was sent."""
    return "\n".join(str(part["content"]) for part in walked(message.components) if part.get("content"))


def _answer(value: object, status: int = 200, headers: Mapping[str, str] = MappingProxyType({})) -> web.Response:
    if value is None:
        return web.Response(status=204, headers=headers)
    kind = {"Content-Type": "application/json"}
    return web.Response(body=json.dumps(value).encode(), status=status, headers={**headers, **kind})


@contextlib.asynccontextmanager
async def discord_page() -> AsyncIterator[Page]:
    """Serve a Discord on loopback, which is the one this process knows."""
    one, app = Page(), web.Application()
    app.router.add_get("/", one.socket)
    app.router.add_route("*", "/{rest:.*}", one.rest)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    one.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        with discord_at(one.address):
            yield one
    finally:
        await one.cut(1000)
        await runner.cleanup()
        async with asyncio.timeout(_NOTICED):
            while any("keep-alive" in one.name for one in threading.enumerate()):  # noqa: ASYNC110 - it sets no event
                await asyncio.sleep(0.05)
