"""growth: what a turn costs with ten stored conversations and with a million, and a look at a page with ten thousand
subscriptions nothing is due to.

Stored ones are written by a script inside the server, under the keys and with the records Redial uses; the turns are
Redial's own, and all of it is in one workspace, whose indexes are then as long as they can be.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

from bot.adapters.store.keys import keys_of
from bot.adapters.store.records import encode
from bot.adapters.store.redis_store import RedisConversations
from bot.adapters.store.server import Server
from bot.core.event import Origin
from bot.core.status.statuspage import parse_incidents
from bot.core.status.subscription import Choice, Place, Subscription
from bot.core.status.watch import Reading, merge
from bot.core.triage.conversation import Conversation
from bot.ports.announcing import Channels
from bot.ports.pages import PageStore
from bot.ports.store import Stored
from handlers.announce import Announcer, Office
from tests.bench.measuring import Figure, Play, Tick, sample, scaled
from tests.bench.script import REPORT
from tests.bench.world import Bot, bot, metered, outside
from tests.scenarios.announcing import OLD, START, Town, made, page_of

SIZES = (10, 1_000, 100_000, 1_000_000)
SUBSCRIPTIONS = (10, 100, 1_000, 10_000)
LIVE = 200
_LOOKS = 60
_BATCH = 5_000
_ROUNDS, _TURNS = 9, 300
_FILL = """
for n = ARGV[1], ARGV[2] do
  local id = string.format('stored%020d', n)
  local conversation, person = '{prefix}conversation:' .. id, '{prefix}person:UX' .. n
  redis.call('HSET', conversation, 'revision', '4', 'data', ARGV[3], 'posted', '4 1700000000.000001 1700000000.000002')
  redis.call('EXPIRE', conversation, 1209600)
  redis.call('HSET', person, id, 'open 1790000000.0 C0001 1700000000.000001 response-cut-off')
  redis.call('EXPIRE', person, 1209600)
  redis.call('ZADD', '{prefix}kept:UX' .. n, 1790000000, id)
  redis.call('ZADD', '{prefix}going', 1790000000 + n, id)
end
"""


def run(tick: Tick) -> list[Figure]:
    """Measure turns in a store that grows, and then a page that many listen to."""
    return asyncio.run(_run(tick))


async def _run(tick: Tick) -> list[Figure]:
    async with outside() as world, bot(world) as one:
        return [*await _turns(one, tick), *await _polls(one, tick)]


async def _turns(one: Bot, tick: Tick) -> list[Figure]:
    store = one.desk.store
    assert isinstance(store, RedisConversations)
    place = Origin("slack", "T0001", "C0001", "U0", "1700000000.000001")
    live = [await _opened(store, replace(place, user=f"U{n}"), f"live{n:020d}") for n in range(LIVE)]
    figures, first, stored = list[Figure](), None, LIVE
    for size in (scaled(size, 10) for size in SIZES):
        tick(f"{size:,} stored".replace(",", " "))
        stored = await _filled(store.server, place, live[0], stored, size)
        rounds = [await _round(one, store, live) for _ in range(_ROUNDS)]
        # What comes one after another cannot take turns: the least of the rounds is the one least disturbed.
        here = (min(cpu for cpu, _ in rounds), min(inside for _, inside in rounds))
        first = first or here
        figures.append(_figure(size, here, first))
    return figures


async def _round(one: Bot, store: RedisConversations, live: list[Conversation]) -> tuple[float, float]:
    """Microseconds of this process, and of the server, for a turn."""
    server, meters = await _server_time(store.server), metered(one)
    done = await sample(_play(store, live), _TURNS, 32)
    assert meters.trips == _TURNS
    return done.cpu * 1e6, (await _server_time(store.server) - server) / _TURNS


def _figure(size: int, here: tuple[float, float], first: tuple[float, float]) -> Figure:
    value, inside = here
    name = f"a stored turn among {size:,}".replace(",", " ")
    ratio = round((value + inside) / sum(first), 3)
    floor = f"the same among {SIZES[0]}, server included"
    counts = {"µs in the server": round(inside, 1), "Redis trips": 1.0}
    return Figure("growth", name, round(value, 1), "µs CPU", floor, ratio, goal=1.25, counts=counts)


async def _opened(store: RedisConversations, place: Origin, name: str) -> Conversation:
    fresh = Conversation(
        name, place, 1, 1.79e9, 1.79e9, report=REPORT, guide="response-cut-off", step="doing", shown="1700000000.000002"
    )
    result = await store.commit(f"opens {name}", fresh)
    assert isinstance(result, Stored)
    return result.conversation


def _play(store: RedisConversations, live: list[Conversation]) -> Play:
    numbers = itertools.count()

    async def play(_: int) -> None:
        at = next(numbers) % len(live)
        here = live[at]
        result = await store.commit(
            f"{here.id} {here.revision} {id(numbers)}", replace(here, revision=here.revision + 1)
        )
        assert isinstance(result, Stored), result
        live[at] = result.conversation

    return play


async def _filled(server: Server, place: Origin, record: Conversation, stored: int, size: int) -> int:
    """Store as many as there are to be in all; return how many there are."""
    prefix = keys_of(place).going.removesuffix("going")
    script = _FILL.replace("{prefix}", prefix)
    for start in range(stored, size, _BATCH):
        end = min(start + _BATCH, size) - 1
        await server.command("EVAL", script, 1, keys_of(place).going, start, end, encode(record))
    return max(stored, size)


async def _server_time(server: Server) -> float:
    """Microseconds the server has spent in scripts."""
    told = cast("dict[str, dict[str, float]]", await server.command("INFO", "commandstats"))
    return float(told["cmdstat_evalsha"]["usec"])


# --- a page many listen to -------------------------------------------------------------------------------------


@dataclass
class Listened:
    """A page in the store, whose listeners want none of its news, and the one who announces it."""

    pages: PageStore
    announcer: Announcer
    page: str
    listeners: int = 0
    news: int = 0

    async def reads(self, impact: str = "minor") -> None:
        """The page says something new; nobody wants to hear it, unless it is critical."""
        self.news += 1
        document = page_of(made(impact, impact=impact, name=f"Name {self.news}"), *OLD)
        listed = parse_incidents(document | {"page": {"id": self.page}}, page_id=self.page)
        before = await self.pages.page(self.page)
        assert await self.pages.put(before, merge(before.page, Reading(START + self.news, listed)))

    async def grows(self, size: int) -> None:
        """So many listen."""
        for n in range(self.listeners, size):
            before = await self.pages.page(self.page)
            place = Place("slack", f"T{n // 50}", f"C{n}")
            wish = Subscription(place, self.page, before.page.revision + 1, choice=Choice(least="critical"))
            assert await self.pages.subscribe(before, wish)
        self.listeners = size
        for _ in range(3):
            await self.reads()
            await self.walks()

    async def walks(self, acts: int = 0) -> float:
        """Microseconds to see that nothing is due to anybody, of this process, or to tell so many."""
        began = time.process_time()
        walked = await self.announcer.walk(self.page, "slack")
        took = (time.process_time() - began) * 1e6
        assert (walked.acts, walked.left) == (acts, 0)
        assert await self.pages.settled(self.page, "slack") == await self.pages.revision(self.page), "it had its turn"
        return took


async def listened(one: Bot, page: str, channels: Mapping[str, Channels] | None = None) -> Listened:
    """A page nobody listens to yet. channels: the platforms, unless on paper."""
    town = await Town.build()
    assert one.desk.pages is not None
    # One process announces for all pages of a platform: whoever else looks at them has not got the turn.
    office = Office(one.desk.pages, channels or {"slack": town.paper}, lambda _: town.names, replica="one")
    return Listened(one.desk.pages, Announcer(office), page)


async def _polls(one: Bot, tick: Tick) -> list[Figure]:
    """Look whether anything is due, as every process does each two seconds; and at news that concern nobody."""
    few, many = await listened(one, "few"), await listened(one, "many")
    await few.grows(SUBSCRIPTIONS[0])
    figures = list[Figure]()
    for size in (scaled(size, 10) for size in SUBSCRIPTIONS):
        tick(f"{size} subscriptions nothing is due to")
        await many.grows(size)
        looks = [(await few.walks(), await many.walks()) for _ in range(_LOOKS)]
        figures.append(_look(f"a look among {size} subscriptions", looks))
        told = list[tuple[float, float]]()
        for _ in range(_LOOKS):
            await few.reads()
            await many.reads()
            told.append((await few.walks(), await many.walks()))
        figures.append(_look(f"news that concern none of {size} subscriptions", told))
    return figures


def _look(name: str, took: list[tuple[float, float]]) -> Figure:
    floor, value = (min(times) for times in zip(*took, strict=True))
    above = f"the same among {SUBSCRIPTIONS[0]}"
    return Figure("growth", name, round(value, 1), "µs CPU", above, round(value / floor, 3), goal=1.25)
