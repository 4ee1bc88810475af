"""A status page on this machine, served by a plain HTTP server that can misbehave in every way a test wants."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ssl

    from bot.adapters.statuspage.client import StatusPage

FIXTURES = Path(__file__).parents[2] / "fixtures" / "statuspage"
INCIDENTS, SUMMARY = "/api/v2/incidents.json", "/api/v2/summary.json"


def document(name: str) -> Any:  # noqa: ANN401 - decoded JSON
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


@dataclass
class Answer:
    """What the server says to one path. `raw` is sent as it is; `hold` delays the answer until it is set.

    drip: seconds between two bytes.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    hold: asyncio.Event | None = None
    drip: float = 0.0

    def encoded(self) -> bytes:
        if self.raw is not None:
            return self.raw
        headers = {"Content-Length": str(len(self.body)), "Connection": "close", **self.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"HTTP/1.1 {self.status} Whatever\r\n{head}\r\n".encode("latin-1") + self.body


@dataclass
class Request:
    path: str
    headers: dict[str, str]


class PageServer:
    """Serves `answers` by path; a path it does not know is answered with `otherwise`."""

    def __init__(self) -> None:
        self.speaks_first: bytes | None = None
        self.answers: dict[str, Answer] = {}
        self.otherwise = Answer(404)
        self.requests: list[Request] = []
        self.was_asked = asyncio.Event()
        self.address = ""
        self._talks: set[asyncio.Task[Any]] = set()
        self._server: asyncio.Server | None = None

    async def start(self, tls: ssl.SSLContext | None = None, port: int = 0) -> None:
        self._server = await asyncio.start_server(self._talk, "127.0.0.1", port, ssl=tls)
        port = self._server.sockets[0].getsockname()[1]
        self.address = f"{'https' if tls else 'http'}://127.0.0.1:{port}"

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            for talk in self._talks:
                talk.cancel()
            if self._talks:
                await asyncio.wait(self._talks)
            await self._server.wait_closed()

    def says(self, incidents: object, summary: object = None, **headers: str) -> None:
        """Answer both documents with 200: decoded JSON, or the name of a fixture."""
        for path, content in ((INCIDENTS, incidents), (SUMMARY, summary or "summary_all_operational.json")):
            value = document(content) if isinstance(content, str) else content
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            self.answers[path] = Answer(200, json.dumps(value).encode(), {"Content-Type": "application/json", **named})

    def answers_all(self, answer: Answer) -> None:
        self.answers, self.otherwise = {}, answer

    def asked(self, path: str = INCIDENTS) -> int:
        return sum(r.path == path for r in self.requests)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        task.add_done_callback(self._talks.discard)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            if self.speaks_first is not None:
                writer.write(self.speaks_first)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
            request = Request(head[0].split(" ")[1], headers)
            self.requests.append(request)
            self.was_asked.set()
            answer = self.answers.get(request.path, self.otherwise)
            if answer.hold is not None:
                await answer.hold.wait()
            data = answer.encoded()
            size = 1 if answer.drip else len(data)
            for start in range(0, len(data), size or 1):
                writer.write(data[start : start + size])
                await writer.drain()
                await asyncio.sleep(answer.drip)
        writer.close()
        with suppress(ConnectionError, OSError):
            await writer.wait_closed()


class Clocks:
    """Both clocks of a process; `forward` moves both, either can be moved alone."""

    def __init__(self) -> None:
        self.wall = 1_793_714_400.0
        self.monotonic = 5000.0

    def forward(self, seconds: float) -> None:
        self.wall += seconds
        self.monotonic += seconds


Page = Callable[..., "StatusPage"]
Serve = Callable[..., Awaitable[PageServer]]
