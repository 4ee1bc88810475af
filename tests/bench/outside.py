"""The outside as a process of its own: Slack's Web API, Discord's REST API and a status page, on loopback.

`python -m tests.bench.outside` prints its port and serves until its standard input ends. It answers what the platforms
answer to a request that is right, and counts: a benchmark asserts the counts, so that it never measures an error path.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections import Counter
from typing import ClassVar, cast

_STATUS = {
    "page": {"id": "tymt9n04zgry", "name": "Claude", "url": "https://status.claude.com", "time_zone": "Etc/UTC"},
    "status": {"indicator": "none", "description": "All Systems Operational"},
    "components": [], "incidents": [], "scheduled_maintenances": [],
}  # fmt: skip
_ME = {"id": "900000000000000001", "username": "redial", "discriminator": "0", "avatar": None, "bot": True}
_MESSAGE = {
    "type": 0, "content": "", "author": _ME, "attachments": [], "embeds": [], "mentions": [], "mention_roles": [],
    "pinned": False, "mention_everyone": False, "tts": False, "timestamp": "2026-01-01T00:00:00.000000+00:00",
    "edited_timestamp": None, "flags": 32768,
}  # fmt: skip
_APPLICATION: dict[str, object] = {
    "id": _ME["id"], "name": "redial", "icon": None, "description": "", "rpc_origins": [], "bot_public": True,
    "bot_require_code_grant": False, "owner": _ME, "team": None, "summary": "", "verify_key": "", "flags": 1 << 18,
}  # fmt: skip
_FIXED = {"users": _ME, "oauth2": _APPLICATION}
_COMMAND = {
    "application_id": _ME["id"], "description": "", "default_member_permissions": None, "dm_permission": True,
    "nsfw": False,
}  # fmt: skip
_THREAD = {
    "type": 11, "guild_id": "600000000000000001", "name": "help", "owner_id": _ME["id"], "message_count": 1,
    "member_count": 2, "rate_limit_per_user": 0, "flags": 0, "last_message_id": None,
    "thread_metadata": {
        "archived": False, "auto_archive_duration": 1440, "archive_timestamp": "2026-01-01T00:00:00.000000+00:00",
        "locked": False,
    },
}  # fmt: skip
_AUTH = {
    "ok": True, "url": "https://bench.slack.com/", "team": "Bench", "user": "redial", "team_id": "T0001",
    "user_id": "UBOT00001", "bot_id": "BBOT00001",
}  # fmt: skip


class Outside(asyncio.Protocol):
    """One connection, kept alive; requests come one after another, as HTTP clients send them."""

    counts: ClassVar[Counter[str]] = Counter()
    ids = itertools.count(1_300_000_000_000_000_000)

    def __init__(self) -> None:
        self._waiting = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection."""
        self._transport = cast("asyncio.Transport", transport)
        self.counts["connections"] += 1

    def data_received(self, data: bytes) -> None:
        """Answer every request that is whole."""
        self._waiting += data
        while (end := self._waiting.find(b"\r\n\r\n")) >= 0:
            head, start = self._waiting[:end], end + 4
            length = int(_header(head, b"content-length") or 0)
            if len(self._waiting) < start + length:
                return
            body, self._waiting = self._waiting[start : start + length], self._waiting[start + length :]
            method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
            self.counts["bytes"] += end + 4 + length
            if self._transport:
                self._transport.write(_response(self._answer(method, target, body)))

    def _answer(self, method: str, target: str, body: bytes) -> bytes:
        path, _, query = target.partition("?")
        if path == "/counts":
            return json.dumps(self.counts).encode()
        if path.startswith("/api/v2/"):
            return json.dumps(_STATUS).encode()
        if path.startswith("/api/v10/"):
            answer = self._discord(method, path.removeprefix("/api/v10/"), body)
            # Discord says what an interaction was answered with only to who asks for it.
            return answer if query or not path.endswith("/callback") else b""
        return self._slack(path.removeprefix("/api/"), body)

    def _slack(self, method: str, body: bytes) -> bytes:
        self.counts[method] += 1
        if method == "auth.test":
            return json.dumps(_AUTH).encode()
        if method == "users.conversations":
            return b'{"ok":true,"channels":[]}'
        # Slack tells the whole message back.
        ts = f"{next(self.ids) // 1_000_000}.{self.counts[method] % 1_000_000:06d}"
        head = f'{{"ok":true,"channel":"C0001","ts":"{ts}","message":'
        return head.encode() + (body if body[:1] == b"{" else b"{}") + b"}"

    def _discord(self, method: str, path: str, body: bytes) -> bytes:
        parts = path.split("/")
        kind = f"{method} {parts[0]}"
        self.counts[kind] += 1
        number = str(next(self.ids))
        if parts[0] in _FIXED:
            return json.dumps(_FIXED[parts[0]]).encode()
        if parts[0] == "applications":
            commands = json.loads(body or b"[]")
            return json.dumps([{**_COMMAND, **one, "id": number} for one in commands]).encode()
        if parts[-1] == "threads":
            return json.dumps({**_THREAD, "id": parts[3], "parent_id": parts[1]}).encode()
        sent = json.loads(body) if body[:1] == b"{" else {}
        message = {**_MESSAGE, "id": number, "channel_id": parts[1], "components": sent.get("components", [])}
        if kind != "POST interactions":
            return json.dumps(message).encode()
        done = {"id": parts[1], "type": 3, "response_message_id": number, "response_message_loading": False}
        return json.dumps({"interaction": {**done, "response_message_ephemeral": False}}).encode()


def _header(head: bytes, name: bytes) -> bytes:
    for line in head.split(b"\r\n")[1:]:
        key, _, value = line.partition(b":")
        if key.lower() == name:
            return value.strip()
    return b""


def _response(body: bytes) -> bytes:
    if not body:
        return b"HTTP/1.1 204 No Content\r\n\r\n"
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Outside, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    # The bench holds the other end of standard input: however it ends, this ends too.
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve())
