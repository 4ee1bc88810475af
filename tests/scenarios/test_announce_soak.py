"""Two replicas on a real store, killed at random again and again, while a page lives through days and a platform cuts.

`REDIAL_SOAK` sets how many seconds it lasts.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from bot.adapters.store.clients import open_server
from bot.adapters.store.embedded import ensure_running, stop_embedded
from bot.adapters.store.launch import place_for
from bot.adapters.store.pages import RedisPages
from bot.core.status.subscription import Place, Subscription
from tests.fakes.wire import CLAUDE, Square
from tests.scenarios.announcing import OLD, page_of
from tests.scenarios.vendor import MARK, VENDOR, Vendor

LASTS = float(os.environ.get("REDIAL_SOAK", "12"))
CHANNELS = [f"C{n}" for n in range(8)]
PATIENCE = 60.0


class Replica:
    """A process that is killed without notice and started again."""

    def __init__(self, url: str, port: int) -> None:
        self._command = [sys.executable, "-m", "tests.fakes.replica", url, str(port)]
        self.deaths = -1
        self._process: subprocess.Popen[bytes] | None = None
        self.again()

    def again(self) -> None:
        self.kill()
        self.deaths += 1
        root = Path(__file__).parents[2]
        self._process = subprocess.Popen(self._command, cwd=root, stderr=subprocess.DEVNULL)  # noqa: S603 - our own

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


async def test_two_replicas_killed_at_random_lose_and_double_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    ensure_running(data)
    url = f"unix://{place_for(data).socket}"
    chance = random.Random(7)  # noqa: S311 - to be repeated, as far as processes can be
    square = Square(chance, page_of(*OLD), trouble=0.15)
    vendor = Vendor(chance, now=time.time())
    square.at = vendor.now
    await square.start()
    server = await open_server(url, tmp_path)
    pages, replicas = RedisPages(server), list[Replica]()
    try:
        for channel in CHANNELS:
            before = await pages.page(CLAUDE)
            new = Subscription(Place("wire", "W", channel), CLAUDE, before.page.revision + 1)
            assert await pages.subscribe(before, new)
        replicas = [Replica(url, square.port) for _ in range(2)]
        await until_read(pages)
        await bad_days(square, vendor, replicas)
        assert len(square.messages) > len(CHANNELS), "they lived long enough to say something"
        await calm(square, vendor, pages)
        judge(square, vendor)
        assert sum(r.deaths for r in replicas) > LASTS / 4
    finally:
        for replica in replicas:
            replica.kill()
        await square.stop()
        await server.close()
        stop_embedded(data)


async def until_read(pages: RedisPages) -> None:
    deadline = time.monotonic() + PATIENCE
    while (await pages.page(CLAUDE)).page.read_at is None:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


async def bad_days(square: Square, vendor: Vendor, replicas: list[Replica]) -> None:
    ends = time.monotonic() + LASTS
    while time.monotonic() < ends:
        for _ in range(square.chance.randrange(1, 4)):
            vendor.now = square.at = max(time.time(), square.at)
            vendor.does(square.chance.choice([v for v in VENDOR if v != "delete"]))
        square.document = vendor.document()
        await asyncio.sleep(square.chance.uniform(0.1, 1.2))
        if square.chance.random() < 0.6:
            square.chance.choice(replicas).again()


async def calm(square: Square, vendor: Vendor, pages: RedisPages) -> None:
    """Everything ends, the platform works, and there is time."""
    square.trouble = 0.0
    for incident in vendor.incidents.values():
        vendor.says(incident, "resolved")
    square.document = vendor.document()
    last = {u["id"] for i in vendor.incidents.values() for u in i["incident_updates"]}
    deadline = time.monotonic() + PATIENCE
    while True:
        page = (await pages.page(CLAUDE)).page
        known = {u.id for k in page.incidents.values() for u in k.incident.updates}
        if last <= known and await pages.settled(CLAUDE, "wire") == page.revision:
            return
        assert time.monotonic() < deadline, "it never settles"
        await asyncio.sleep(0.1)


def judge(square: Square, vendor: Vendor) -> None:
    marks = {m for i in vendor.incidents.values() for u in i["incident_updates"] for m in MARK.findall(u["body"])}
    assert len(marks) > 10
    for channel in CHANNELS:
        here = [m for m in square.messages.values() if m.channel == channel]
        told = Counter(mark for m in here for mark in MARK.findall(m.shows[0][1]))
        assert told == dict.fromkeys(marks, 1), channel
        assert {m.shows[-1][0] for m in here if not m.parent} == {"over"}
        names = Counter(re.findall(r"Trouble (i\d+)", " ".join(m.shows[-1][1] for m in here if not m.parent)))
        assert names == dict.fromkeys(vendor.incidents, 1)
