"""What workspaces report and what their channels have of it, in Redis or Valkey."""

from __future__ import annotations

import secrets
from collections import defaultdict
from dataclasses import replace
from typing import cast
from urllib.parse import unquote

import msgspec
import structlog

from bot.adapters.store.keys import Keys, encoded, keys_of
from bot.adapters.store.line import Argument
from bot.adapters.store.registry import GATHERINGS
from bot.adapters.store.server import Server, load_script
from bot.core.errors import RecordTooNew, StoreError
from bot.core.event import Origin
from bot.core.triage.gathering import Gathering
from bot.core.triage.room import Signal
from bot.ports.rooms import Heard

SCHEMA = 1
"""Raised when a gathering changes in a way older replicas must not touch."""
PENDING = 5000
"""Most reports of one workspace kept in memory while the store is away; the oldest go."""

_REPORT = load_script("room_report")
_HEARD = load_script("room_heard")
_GATHER = load_script("gather", after="intent")

_log = structlog.get_logger(__name__)


class RedisRooms:
    """A `RoomStore`; `server` may be shared with other stores, and is closed by whoever opened it."""

    def __init__(self, server: Server, window: float) -> None:
        """Take the server. window: seconds a report counts, and is kept."""
        self._server, self._window = server, max(1, int(window))
        self._pending: defaultdict[Keys, dict[str, str]] = defaultdict(dict)

    def __repr__(self) -> str:
        return f"RedisRooms({self._server.where!r})"

    def report(self, origin: Origin, signal: Signal | None) -> None:
        """Note what somebody reports."""
        pending = self._pending[keys_of(origin)]
        pending[origin.user] = _written(signal) if signal else ""
        if len(pending) > PENDING:
            del pending[next(iter(pending))]

    async def flush(self) -> None:
        """Write what was noted; what cannot be written now is written later."""
        for keys in list(self._pending):
            noted = self._pending[keys]
            written = dict(noted)
            args: list[Argument] = [self._window, secrets.token_hex(16)]
            for user, report in written.items():
                args += [user, report]
            await self._server.run(_REPORT, [keys.room], args)
            for user, report in written.items():
                if noted.get(user) == report:
                    del noted[user]
            if not noted:
                del self._pending[keys]

    async def heard(self, origin: Origin) -> Heard:
        """Return what a workspace reports."""
        keys = keys_of(origin)
        answer = await self._server.run(_HEARD, [keys.room, keys.gatherings], [self._window])
        seconds, micros, reports, flat = cast("tuple[bytes, bytes, list[bytes], list[bytes]]", answer)
        found = []
        for field, value in zip(flat[::2], flat[1::2], strict=True):
            try:
                found.append(_gathering(value))
            except StoreError as error:
                # One that is too new, or damaged, must not silence the others.
                _log.warning("gathering not readable", gathering=field.decode(), error=str(error))
        return Heard(int(seconds) + int(micros) / 1e6, tuple(_signal(report) for report in reports), tuple(found))

    async def record(self, origin: Origin, gathering: Gathering) -> Gathering | None:
        """Write a gathering over its own version."""
        data = b"%d " % SCHEMA + msgspec.msgpack.encode(replace(gathering, version=0, at=0.0), order="deterministic")
        args: list[Argument] = [_field(gathering), gathering.version, int(bool(gathering.intent)), data, GATHERINGS.ttl]
        value = await self._server.run(_GATHER, [keys_of(origin).gatherings], args)
        return _gathering(cast("bytes", value)) if value is not None else None

    async def drop(self, origin: Origin, gathering: Gathering) -> None:
        """Forget a gathering."""
        await self._server.command("HDEL", keys_of(origin).gatherings, _field(gathering))

    async def forget(self, origin: Origin) -> None:
        """Delete what somebody reported."""
        self.report(origin, None)
        await self.flush()


def _field(gathering: Gathering) -> str:
    return f"{encoded(gathering.channel)} {gathering.id}"


def _written(signal: Signal) -> str:
    facts = " ".join(f"{encoded(fact)}={encoded(value)}" for fact, value in sorted(signal.facts.items()))
    return f"{signal.at:.3f} {encoded(signal.kind)} {facts}"


def _signal(report: bytes) -> Signal:
    at, kind, *facts = report.decode().split(" ")
    pairs = (fact.split("=", 1) for fact in facts if "=" in fact)
    return Signal(unquote(kind), float(at), {unquote(fact): unquote(value) for fact, value in pairs})


def _gathering(value: bytes) -> Gathering:
    version, at, schema, data = value.split(b" ", 3)
    if int(schema) > SCHEMA:
        raise RecordTooNew(f"A gathering of schema {schema.decode()}; this Redial knows up to {SCHEMA}.")
    try:
        found = msgspec.msgpack.decode(data, type=Gathering)
    except msgspec.DecodeError as error:
        raise StoreError(f"A gathering is damaged: {error}") from error
    return replace(found, version=int(version), at=float(at) if found.intent else 0.0)
