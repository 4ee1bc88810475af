"""A chat platform and a status page in one process, for replicas in others: a JSON object a line, over a socket."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from bot.adapters.console.plain import as_text
from bot.core.status.announcement_view import Notice
from bot.core.status.statuspage import parse_incidents
from bot.core.status.subscription import Place
from bot.core.status.watch import Reading
from bot.core.view import View
from bot.ports.announcing import Delivered, Delivery, Failed, Why
from bot.ports.feed import Unread

CLAUDE = "tymt9n04zgry"


@dataclass
class Said:
    """A message as people see it; `shows` is all it ever showed, as (tone, words)."""

    channel: str
    key: str
    parent: str
    shows: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Square:
    """Serves both; slow now and then, and it may cut a connection before or after doing what it was asked."""

    chance: random.Random
    document: Any = None
    at: float = 0.0
    trouble: float = 0.0
    messages: dict[str, Said] = field(default_factory=dict)
    port: int = 0
    _server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._talk, "127.0.0.1", 0, limit=2**22)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, ValueError):
            request = json.loads(await reader.readline())
            await asyncio.sleep(self.chance.uniform(0, 0.02))
            trouble = self.chance.random() if request["do"] != "document" else 1.0
            answer: object = None
            if trouble > self.trouble / 2:
                answer = self._does(request)
            if trouble > self.trouble:
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
        writer.close()

    def _does(self, ask: dict[str, Any]) -> object:
        if ask["do"] == "document":
            return {"at": self.at, "document": self.document}
        if ask["do"] == "find":
            wanted = (ask["channel"], ask["parent"], ask["key"])
            return [ref for ref, m in self.messages.items() if (m.channel, m.parent, m.key) == wanted]
        if ask["do"] == "delete":
            return str(self.messages.pop(ask["ref"], None) and ask["ref"])
        if any(ref and ref not in self.messages for ref in (ask.get("ref"), ask.get("parent"))):
            return ""
        ref = ask.get("ref") or f"m{len(self.messages)}-{self.chance.randrange(10**9)}"
        said = self.messages.setdefault(ref, Said(ask["channel"], ask["key"], ask.get("parent", "")))
        said.shows.append((ask["tone"], ask["words"]))
        return ref


class WireChannels:
    """A replica's side of the platform."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def turn(self, place: Place) -> None:
        """Nobody has to wait."""

    async def post(self, place: Place, key: str, notice: Notice) -> Delivery:
        return await self._sent("post", place, notice, key=key, parent="")

    async def reply(self, place: Place, parent: str, key: str, notice: Notice) -> Delivery:
        return await self._sent("post", place, notice, key=key, parent=parent)

    async def edit(self, place: Place, ref: str, key: str, notice: Notice) -> Delivery:
        return await self._sent("edit", place, notice, key=key, ref=ref)

    async def find(self, place: Place, parent: str, key: str, since: float) -> tuple[str, ...] | Failed:  # noqa: ARG002 - the port's
        found = await self.ask(do="find", channel=place.channel, parent=parent, key=key)
        return tuple(found) if found is not None else Failed(Why.UNKNOWN)

    async def delete(self, place: Place, ref: str) -> Delivery:  # noqa: ARG002 - the port's
        await self.ask(do="delete", ref=ref)
        return Delivered(ref)

    async def tell(self, place: Place, user: str, view: View) -> Delivery:  # noqa: ARG002 - the port's
        return Delivered("")

    async def read(self) -> Reading | Unread:
        """Read the page."""
        answer = await self.ask(do="document")
        return Reading(answer["at"], parse_incidents(answer["document"], page_id=CLAUDE))

    async def ask(self, **request: object) -> Any:  # noqa: ANN401 - decoded JSON
        """Ask the square; None when it cuts the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**22)
        writer.write(json.dumps(request).encode() + b"\n")
        line = await reader.readline()
        writer.close()
        return json.loads(line) if line else None

    async def _sent(self, do: str, place: Place, notice: Notice, **more: str) -> Delivery:
        words = as_text(notice.view, grades={"official": "official"}, width=0)
        ref = await self.ask(do=do, channel=place.channel, tone=notice.tone, words=words, **more)
        if ref is None:
            return Failed(Why.UNKNOWN, detail="the connection was cut")
        return Delivered(ref) if ref else Failed(Why.GONE)
