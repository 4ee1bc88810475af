"""A replica of the store takes over without the last writes, or the store is emptied, while channels hear of news."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from bot.adapters.rehearsal.pages import MemoryPages
from bot.adapters.store.clients import open_server
from bot.adapters.store.launch import server_program
from bot.adapters.store.pages import RedisPages
from bot.core.bounds import Bounds
from bot.core.errors import RedialError
from bot.core.status.announcement_view import Tone
from bot.core.status.subscription import Place, Subscription
from handlers.announce import Announcer, Office
from handlers.subscriptions import Declared, declare, listen
from tests.contract.conftest import Proxy, wait_for
from tests.machine import free_port
from tests.scenarios.announcing import CLAUDE, OLD, Town, made, page_of, said, text

QUICK = Bounds(unknown=0.2)
"""Nothing that is under way lands later; half a minute in earnest."""
DEADLINE = 20.0


@dataclass
class Pair:
    """Two servers, of which one copies the other, and the address the bot knows, which leads to one of them."""

    first: redis.Redis
    second: redis.Redis
    proxy: Proxy
    url: str
    ports: tuple[int, int]

    def take_over(self) -> None:
        """The second stops copying: what is written from now on goes to the first alone."""
        self.second.replicaof("NO", "ONE")

    def leads_to_second(self) -> None:
        self.first.shutdown(nosave=True)
        self.proxy.upstream = ("127.0.0.1", self.ports[1])

    async def copied(self) -> None:
        """Wait until the second has all there is."""
        deadline = time.monotonic() + DEADLINE
        while True:
            here, there = (one.info("replication") for one in (self.first, self.second))
            if there.get("master_link_status") == "up" and there["slave_repl_offset"] == here["master_repl_offset"]:
                return
            assert time.monotonic() < deadline
            await asyncio.sleep(0.01)


@contextlib.contextmanager
def served(folder: Path) -> Iterator[tuple[redis.Redis, int]]:
    port = free_port()
    folder.mkdir()
    command = [str(server_program()), "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""]
    command += ["--repl-diskless-sync-delay", "0"]
    client = redis.Redis(port=port, retry=Retry(NoBackoff(), 0))
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:  # noqa: S603 - a server of ours
        try:
            wait_for(client)
            yield client, port
        finally:
            client.close()
            process.kill()


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[Pair]:
    with served(tmp_path / "one") as (first, one), served(tmp_path / "two") as (second, two):
        second.replicaof("127.0.0.1", str(one))
        proxy = Proxy(("127.0.0.1", one))
        listening = await asyncio.start_server(proxy.connected, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        yield Pair(first, second, proxy, f"redis://127.0.0.1:{port}/0", (one, two))
        listening.close()
        await listening.wait_closed()
        await asyncio.wait_for(asyncio.gather(*proxy.carrying), DEADLINE)


@dataclass
class Scene:
    """A page, two channels that listen, and one process that announces."""

    town: Town
    pages: RedisPages
    announcer: Announcer
    pair: Pair

    async def reads(self, *incidents: Any) -> None:  # noqa: ANN401 - decoded JSON
        """The page is read and says this; a store that just changed is asked again."""
        await self._until(lambda: self.town.reads(page_of(*incidents, *OLD), after=0.001))

    async def announces(self) -> None:
        await self._until(lambda: self.announcer.walk(CLAUDE, "paper"))

    async def settles(self) -> None:
        deadline = time.monotonic() + DEADLINE
        while True:
            await self.announces()
            if await self.pages.settled(CLAUDE, "paper") == await self.pages.revision(CLAUDE):
                return
            assert time.monotonic() < deadline, "it never settles"
            await asyncio.sleep(0.02)

    async def _until(self, act: Any) -> None:  # noqa: ANN401 - a coroutine function
        deadline = time.monotonic() + DEADLINE
        while True:
            try:
                await act()
            except RedialError:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.02)
            else:
                return


@pytest.fixture
async def scene(pair: Pair, tmp_path: Path) -> AsyncIterator[Scene]:
    server = await open_server(pair.url, tmp_path)
    town, pages = await Town.build(), RedisPages(server)
    town.clock.now = time.time()
    town.pages = cast("MemoryPages", pages)
    town.office = Office(pages, {"paper": town.paper}, lambda _: town.names, bounds=QUICK)
    here = Scene(town, pages, Announcer(town.office), pair)
    await declare(town.office, [Declared(Place("paper", "W", channel), CLAUDE) for channel in ("C1", "C2")], [CLAUDE])
    await here.reads()
    await here.settles()
    yield here
    await server.close()


def an_incident(*more: str) -> dict[str, Any]:
    """An incident that began a moment ago, with these updates after its first."""
    now = time.time()
    new = made("new", at=now - 60, impact="major")
    for n, words in enumerate(more, 1):
        new["incident_updates"].insert(0, said(f"newu{n + 1}", "identified", words, now - 60 + n))
    return new


def over(incident: dict[str, Any]) -> dict[str, Any]:
    at = incident["incident_updates"][0]["created_at"]
    end = {**said("newend", "resolved", "All good.", time.time()), "created_at": at, "display_at": at}
    updates = [end, *incident["incident_updates"]]
    return {**incident, "status": "resolved", "resolved_at": at, "incident_updates": updates}


async def test_a_replica_that_takes_over_without_the_last_writes_sends_nothing_twice(scene: Scene) -> None:
    pair, town = scene.pair, scene.town
    await pair.copied()
    pair.take_over()
    await scene.reads(an_incident())
    await scene.settles()
    await scene.reads(an_incident("The cause is known."))
    await scene.settles()
    posted = {m.ref: m.key for m in town.paper.messages.values()}
    assert len(posted) == 4, "a post and a reply in each channel, of which the replica knows nothing"
    pair.leads_to_second()
    await scene.reads(an_incident("The cause is known."))
    await scene.settles()
    assert {m.ref: m.key for m in town.paper.messages.values()} == posted
    await scene.reads(over(an_incident("The cause is known.")))
    await scene.settles()
    for channel in ("C1", "C2"):
        (post,) = town.posts(channel)
        assert post.shows.tone is Tone.OVER
        replies = town.replies(post)
        assert [("cause is known" in r, "All good" in r) for r in replies] == [(True, False), (False, True)]
    lineage = await scene.pages.lineage(CLAUDE)
    assert lineage.doubt("paper") is None, "all was compared: the next news goes out at once"


async def test_what_the_replica_knows_is_gone_on_with_and_what_was_new_is_told(scene: Scene) -> None:
    pair, town = scene.pair, scene.town
    await scene.reads(an_incident())
    await scene.settles()
    await pair.copied()
    pair.take_over()
    await scene.reads(an_incident("One."))
    await scene.settles()
    pair.leads_to_second()
    await scene.reads(an_incident("One.", "Two."))
    await scene.settles()
    for channel in ("C1", "C2"):
        (post,) = town.posts(channel)
        told = "\n".join(town.replies(post))
        assert [told.count("One."), told.count("Two.")] == [1, 1]


async def test_an_emptied_store_takes_up_again_what_stands_in_the_channels(scene: Scene) -> None:
    town, channels = scene.town, ("C1", "C2")
    await scene.reads(an_incident("One."))
    await scene.settles()
    posted = set(town.paper.messages)
    scene.pair.first.flushall()
    await scene.announces()
    assert await scene.pages.subscriptions(CLAUDE) == (), "nobody is told anything"
    ended = over(an_incident("One."))
    await scene.reads(ended)
    await declare(town.office, [Declared(Place("paper", "W", channel), CLAUDE) for channel in channels], [CLAUDE])
    await scene.settles()
    assert {m.ref for m in town.paper.messages.values() if not m.parent} <= posted, "no post twice"
    for channel in channels:
        (post,) = town.posts(channel)
        assert post.shows.tone is Tone.OVER, "and none left red, although it ended while nobody knew"
        told = "\n".join((text(post), *town.replies(post)))
        assert [told.count("One."), told.count("All good.")] == [1, 1]


async def test_who_listens_again_only_after_an_emptied_store_was_compared_gets_nothing_twice(scene: Scene) -> None:
    """No import, no settings file: somebody types `/redial subscribe` again, after all others were looked through."""
    town, later = scene.town, Place("paper", "W", "LATER")
    still, ended = an_incident("One."), {**an_incident(), "id": "other", "name": "Trouble other"}
    ended["incident_updates"] = [said("otheru1", "investigating", "Other words.", time.time() - 60)]
    await listen(town.office, Subscription(later, CLAUDE, 0))
    await scene.reads(still, ended)
    await scene.settles()
    posted = {m.ref for m in town.paper.messages.values() if not m.parent}
    scene.pair.first.flushall()
    await scene.announces()
    await scene.reads(still, over(ended))
    await declare(town.office, [Declared(Place("paper", "W", channel), CLAUDE) for channel in ("C1", "C2")], [CLAUDE])
    await scene.settles()
    await scene.reads(still, over(ended))
    await scene.settles()
    assert (await scene.pages.lineage(CLAUDE)).doubt("paper") is None, "all who listen were looked through"
    await listen(town.office, Subscription(later, CLAUDE, 0))
    await scene.settles()
    assert {m.ref for m in town.paper.messages.values() if not m.parent} == posted, "no message about it twice"
    assert {p.shows.tone for p in town.posts("LATER")} == {Tone.MAJOR, Tone.OVER}, (
        "what ended meanwhile is not left red"
    )
    await scene.reads(over(still), over(ended))
    await scene.settles()
    assert {p.shows.tone for p in town.posts("LATER")} == {Tone.OVER}
    for post in town.posts("LATER"):
        assert "\n".join((text(post), *town.replies(post))).count("All good.") == 1


async def test_operators_hear_of_a_store_that_was_emptied_or_failed_over_once(
    scene: Scene, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    server = await open_server(scene.pair.url, tmp_path)
    other = Announcer(replace(scene.town.office, pages=RedisPages(server), replica="other"))
    await other.walk(CLAUDE, "paper")
    scene.pair.first.flushall()
    await scene.reads(an_incident())
    for announcer in (scene.announcer, other, scene.announcer):
        await announcer.walk(CLAUDE, "paper")
    await server.close()
    said_ = capsys.readouterr()
    assert (said_.out + said_.err).count("store.emptied") == 1
