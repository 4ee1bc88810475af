"""A crowd on a platform: many people report at once, in a channel that is told what the room says.

The store's clock is the real one, and so are those of the desk and the page here.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager
from contextvars import Context
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from simcord import MemberActor

from bot.adapters.discord import decode
from bot.adapters.discord.channels import DiscordChannels
from bot.adapters.store.redis_store import RedisConversations
from bot.adapters.store.rooms import RedisRooms
from bot.core.event import InboundEvent, Said
from bot.core.recogniser.engine import Recognition
from bot.core.status.incident import Incident, Update
from bot.core.triage.room import Sensor
from bot.ports.announcing import Channels
from bot.runtime.dispatcher import Dispatcher
from handlers.desk import Desk
from handlers.room import Lookout
from handlers.turns import handle
from handlers.waiting import tell_ended, tell_touched
from tests.adapters.discord.town import Town
from tests.adapters.slack.office import Office
from tests.contract.bench import Seen
from tests.contract.bench_discord import DiscordBench, discord_bench
from tests.contract.bench_slack import SlackBench, slack_bench
from tests.scenarios.playing import page, recogniser

T = TypeVar("T")
WEB = "claude.ai in firefox says Connection lost. Retrying... since ten minutes"
CUT_OFF = "API Error: Connection closed mid-response. The response above may be incomplete."
WAIT, DIFFERENT = "Wait and tell me", "Mine is different: start anyway"
SENSOR = Sensor(people=3, minutes=30)
REGULARS = 40


@dataclass
class Crowd:
    """A bench whose people may be any number, and whose page and clock are of today."""

    bench: SlackBench | DiscordBench
    lookout: Lookout
    platform: str
    channels: Channels
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    moved: float = 0.0
    context: Context | None = None
    regulars: list[MemberActor] = field(default_factory=list)
    """Members of a Discord server who have been there for long, and have not said anything yet."""

    @property
    def desk(self) -> Desk:
        return self.bench.desk

    def now(self) -> float:
        return time.time() + self.moved

    def reads(self, answer: str, **changes: object) -> None:
        """The official page says this now: clear, incident, over, unknown."""
        made = page("clear" if answer == "clear" else "incident")
        board = made if answer != "unknown" else None
        if board:
            incidents = tuple(self._today(one, over=answer == "over", **changes) for one in board.incidents)
            board = replace(board, read_at=self.now() - 35, incidents=incidents)
        self.place.page.read = board

    def _today(self, one: Incident, *, over: bool, **changes: object) -> Incident:
        began = self.now() - 1080
        updates = (Update("u1", "identified", "The cause is known.", self.now() - 240),)
        today = replace(one, started_at=began, updated_at=began + 840, updates=updates)
        if over:
            today = replace(today, status="resolved", resolved_at=self.now() - 30)
        return replace(today, **changes)  # type: ignore[arg-type]

    @property
    def place(self) -> Office | Town:
        return self.bench.office if isinstance(self.bench, SlackBench) else self.bench.town

    # --- what people do ---

    async def mention(self, text: str, *, user: str = "", channel: str = "triage") -> str:
        """Somebody new mentions Redial at the top level; return who."""
        who = await self.somebody(user)
        if isinstance(self.bench, SlackBench) and who not in {"ann", "bob"}:
            office, n = self.bench.office, next(self.numbers)
            # A time nothing else here was written at: it names the message.
            ts = f"{int(time.time())}.{900000 + n}"
            event = {"type": "app_mention", "user": office.slack.users[who], "text": f"<@{office.me}> {text}", "ts": ts}
            await office.happened(event | {"channel": office.channels[channel], "event_ts": ts})
        else:
            await self.bench.mention(who, text, channel=channel)
        return who

    async def command(self, text: str, *, user: str = "", channel: str = "triage") -> str:
        who = await self.somebody(user)
        await self.bench.command(who, text, channel=channel)
        return who

    async def somebody(self, user: str = "") -> str:
        """Return a person who has been here for long; a new one unless named."""
        who = user or f"p{next(self.numbers)}"
        if isinstance(self.bench, SlackBench):
            self.bench.office.slack.users.setdefault(who, f"U0{who.upper()}")
        elif who not in self.bench.town.people:
            self.bench.town.people[who] = self.regulars.pop()
        return who

    # --- what Redial does by itself ---

    async def looks(self) -> None:
        """A replica's round: counts are written, channels get what they should have."""
        await self.running(self.lookout.tick(self.desk))

    async def running(self, work: Coroutine[Any, Any, T]) -> T:
        """Do what a running process does by itself; in Discord's world, by its clock."""
        if not self.context:
            return await work
        task = asyncio.create_task(work, context=self.context)
        await self.bench.town.env.settle()  # type: ignore[union-attr]
        return await task

    async def minute(self) -> int:
        """What is done once a minute: who waits is told, who is touched gets a word."""
        return await self.running(self.rounds())

    async def rounds(self) -> int:
        place = self.bench.origin("ann")
        told = await tell_ended(self.desk, await self.desk.store.waiting(place), self.bench.chat)
        return told + await tell_touched(self.desk, await self.desk.store.going(place), self.bench.chat)

    async def top(self, channel: str = "triage") -> list[Seen]:
        """Redial's messages at the top level of a channel."""
        if isinstance(self.bench, SlackBench):
            from tests.adapters.slack.office import seen  # noqa: PLC0415 - one of two of this name

            place = self.bench.office.channels[channel]
            return [seen(one) for one in await self.bench.office.ours(place) if not one.get("thread_ts")
                    or one["thread_ts"] == one["ts"]]  # fmt: skip
        from tests.contract.bench_discord import seen as looked_at  # noqa: PLC0415 - the other

        town = self.bench.town
        return [looked_at(message) for message in town.ours(town.channels[channel])]

    async def threads(self, channel: str = "triage") -> int:
        """How many threads Redial speaks in."""
        if isinstance(self.bench, SlackBench):
            ours = await self.bench.office.ours(self.bench.office.channels[channel])
            return len({one["thread_ts"] for one in ours if one.get("thread_ts") and one["thread_ts"] != one["ts"]})
        return len(self.bench.town.channels[channel].threads)

    def replica(self) -> Replica:
        """Another process on the same store and platform."""
        store = self.desk.store
        assert isinstance(store, RedisConversations)
        other = RedisConversations(store.server)
        lookout = Lookout(RedisRooms(store.server, SENSOR.window), SENSOR, {self.platform: self.channels})
        desk = replace(self.desk, store=other, lookout=lookout)
        return Replica(desk, lookout, Dispatcher(partial(handle, desk)), self)


@dataclass
class Replica:
    """Another process: it is given events of the same platform."""

    desk: Desk
    lookout: Lookout
    dispatcher: Dispatcher
    crowd: Crowd

    def mentioned(self, n: int, text: str) -> None:
        """Take a mention of somebody's in, as if the platform had given it to this process."""
        crowd = self.crowd
        origin = replace(crowd.bench.origin("ann"), user=f"{900000 + n}", thread=f"{1764000000 + n}.000100")
        event = InboundEvent(f"{origin.channel}:{origin.thread}", origin, Said(text, "mention"), room="threads")
        assert self.dispatcher.submit(event, crowd.bench.chat)

    async def looks(self) -> None:
        await self.crowd.running(self.lookout.tick(self.desk))


@contextlib.asynccontextmanager
async def slack_crowd(data_dir: Path) -> AsyncIterator[Crowd]:
    """A crowd in Slack."""
    async with slack_bench(data_dir) as bench:
        assert isinstance(bench, SlackBench)
        yield _crowd(bench, "slack", bench.office.running.channels)


@contextlib.asynccontextmanager
async def discord_crowd(data_dir: Path) -> AsyncIterator[Crowd]:
    """A crowd in Discord."""
    async with discord_bench(data_dir) as bench:
        assert isinstance(bench, DiscordBench)
        town = bench.town
        people = [town.guild.add_member(town.env.create_user(f"member{n}")) for n in range(REGULARS)]
        await town.env.advance_time(2 * decode.YOUNG.total_seconds())
        channels = DiscordChannels(lambda: town.client.station.wire, town.desk.library.messages)
        crowd = _crowd(bench, "discord", channels)
        # The clock of this Discord is that of what its events begin.
        town.people["host"] = people.pop()
        await town.people["host"].slash(town.channels["other"], "redial help")
        crowd.context, crowd.regulars = town.heard.context, people
        yield crowd


def _crowd(bench: SlackBench | DiscordBench, platform: str, channels: Channels) -> Crowd:
    desk, store = bench.desk, bench.desk.store
    assert isinstance(store, RedisConversations)
    lookout = Lookout(RedisRooms(store.server, SENSOR.window), SENSOR, {platform: channels})
    crowd = Crowd(bench, lookout, platform, channels)
    triage = bench.origin("ann").channel
    rooms = dict(desk.rooms)
    rooms[platform] = replace(rooms[platform], room=frozenset({triage}))
    desk.lookout, desk.clock, desk.rooms = lookout, crowd.now, rooms
    crowd.reads("clear")
    return crowd


CROWDS: dict[str, Callable[[Path], AbstractAsyncContextManager[Crowd]]] = {
    "slack": slack_crowd,
    "discord": discord_crowd,
}


async def answer(crowd: Crowd, user: str) -> str:
    """What somebody was answered last: in private, or in Discord in a line below their mention."""
    return (await crowd.bench.private(user))[-1].text


async def press(crowd: Crowd, user: str, label: str) -> None:
    """Press on the last answer that has this label, private or not."""
    private = await crowd.bench.private(user)
    if private and label in private[-1].buttons:
        await crowd.bench.press_private(user, label)
    else:
        at = [n for n, one in enumerate(await crowd.bench.seen()) if label in one.buttons][-1]
        await crowd.bench.press(user, label, message=at)


async def both(*work: Coroutine[object, object, T]) -> list[T]:
    """Do things at the same time."""
    return await asyncio.gather(*work)


def found() -> Recognition:
    return recogniser().recognise(CUT_OFF)
