"""What an orchestrator asks: `/healthz` (does it live), `/readyz` (can it serve), and `/metrics` for Prometheus."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import msgspec
from aiohttp import web

from bot.core.errors import RedialError, not_listening
from bot.core.event import Origin
from bot.ports.platform import Running
from bot.runtime.metrics import CONTENT_TYPE, Prometheus
from bot.runtime.settings import HealthSettings
from handlers.desk import Desk

_WITHIN = 3.0
"""Seconds the store gets for a probe."""
_FRESH = 1.0
"""Seconds an answer of the store is good for: probes are not to be a load."""
_HERE = Origin("@process", "ready", "", "")
_WELL = "ok"


@dataclass(slots=True)
class Health:
    """What is known of this process. trouble: why it serves nobody, whatever its parts say; empty while it does."""

    metrics: Prometheus
    desk: Desk | None = None
    running: Mapping[str, Running] = field(default_factory=dict)
    trouble: str = "starting"
    _asked: float = float("-inf")
    _store: str = _WELL
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def parts(self) -> tuple[bool, dict[str, str]]:
        """Say whether people can be served, and of each part what is wrong with it.

        One platform that hears is enough: another's outage must not take this one away as well.
        """
        if self.desk is None or self._state() != _WELL:
            return False, {"process": self._state()}
        guides = len(self.desk.library.guides)
        store = await self._writes()
        platforms = {name: one.trouble for name, one in self.running.items()}
        hears = not all(platforms.values())
        self.metrics.guides.set(guides)
        # It may have begun to stop while the store was asked.
        ready = store == self._state() == _WELL and hears and guides > 0
        found = {"process": self._state(), "content": f"{guides} guides", "store": store}
        return ready, found | {name: trouble or _WELL for name, trouble in platforms.items()}

    def _state(self) -> str:
        return self.trouble or _WELL

    async def _writes(self) -> str:
        """Say whether the store takes writes: one that is full, or read-only, serves nobody."""
        async with self._asking:
            if self.desk is not None and time.monotonic() - self._asked >= _FRESH:
                try:
                    async with asyncio.timeout(_WITHIN):
                        await self.desk.store.claim("ready", _HERE, seconds=1)
                    self._store = _WELL
                except (RedialError, TimeoutError) as error:
                    self._store = str(error) or "does not answer in time"
                self._asked = time.monotonic()
            return self._store


@asynccontextmanager
async def served(settings: HealthSettings, health: Health) -> AsyncIterator[str]:
    """Serve the three paths until the end; raises `SettingsError` where nothing can listen. Enters with the address."""

    async def ready(_: web.Request) -> web.Response:
        good, parts = await health.parts()
        health.metrics.ready.set(good)
        body = msgspec.json.encode({"ready": good, "parts": parts})
        return web.Response(body=body, status=200 if good else 503, content_type="application/json")

    async def alive(_: web.Request) -> web.Response:
        return web.Response(text="ok")

    async def measured(_: web.Request) -> web.Response:
        good, _parts = await health.parts()
        health.metrics.ready.set(good)
        return web.Response(body=health.metrics.text(), headers={"Content-Type": CONTENT_TYPE})

    server = web.Application(client_max_size=1024)
    server.router.add_get("/healthz", alive)
    server.router.add_get("/readyz", ready)
    server.router.add_get("/metrics", measured)
    runner = web.AppRunner(server, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, settings.host, settings.port).start()
    except OSError as error:
        await runner.cleanup()
        raise not_listening(settings.host, settings.port, "health.port", error) from error
    host, port = runner.addresses[0][:2]
    try:
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()
