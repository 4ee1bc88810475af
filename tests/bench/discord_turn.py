"""discord-turn: a press in Discord, from the gateway's words to everything that comes of it, beside bare discord.py."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import tracemalloc
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import discord
from discord.gateway import DiscordWebSocket

from bot.adapters.discord.client import RedialClient, intents
from bot.adapters.discord.pacing import Pace
from bot.adapters.discord.press import Mark, to_custom_id
from bot.adapters.discord.wire import Ready
from bot.core.event import Origin
from bot.core.triage.placement import Rooms
from tests.bench.measuring import Figure, Play, Tick, compared, rounds, scaled
from tests.bench.script import REPORT, Scene, scenes
from tests.bench.world import SENT, Bot, Outside, Traffic, bot, metered, outside
from tests.fakes.elsewhere import discord_at

GOALS = {1: 1.65, 32: 1.4}
SAME = "bare discord.py: defer, the same post, the same edit"
EDIT = "bare discord.py: the pressed message edited as the answer, one request"
GUILD, CHANNEL, ME = "600000000000000001", "700000000000000001", "900000000000000001"
_AT = "2026-01-01T00:00:00.000000+00:00"
_ALL = str((1 << 50) - 1)
_CHANNEL = {
    "id": CHANNEL, "type": 0, "name": "help", "permissions": _ALL, "guild_id": GUILD, "parent_id": None, "position": 0,
    "permission_overwrites": [], "nsfw": False, "rate_limit_per_user": 0, "topic": None, "last_message_id": None,
    "flags": 0,
}  # fmt: skip
_EVERYONE = {
    "id": GUILD, "name": "@everyone", "color": 0, "hoist": False, "position": 0, "permissions": _ALL, "managed": False,
    "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None}, "mentionable": False, "flags": 0,
}  # fmt: skip


def _user(ident: str, *, robot: bool = False) -> dict[str, Any]:
    return {"id": ident, "username": "ann", "discriminator": "0", "avatar": None, "global_name": "Ann", "bot": robot}


def _member(ident: str, *, robot: bool = False) -> dict[str, Any]:
    return {
        "user": _user(ident, robot=robot), "roles": [], "premium_since": None, "permissions": _ALL, "pending": False,
        "nick": None, "mute": False, "joined_at": _AT, "deaf": False, "avatar": None, "flags": 0,
    }  # fmt: skip


def _guild() -> dict[str, Any]:
    empty = ("emojis", "features", "voice_states", "threads", "presences", "stage_instances", "stickers")
    return {
        "id": GUILD, "name": "bench", "icon": None, "splash": None, "owner_id": "1", "afk_timeout": 300,
        "roles": [_EVERYONE],
        "afk_channel_id": None, "verification_level": 0, "default_message_notifications": 0, "mfa_level": 0,
        "explicit_content_filter": 0, "application_id": None, "system_channel_id": None, "system_channel_flags": 0,
        "rules_channel_id": None, "vanity_url_code": None, "description": None, "banner": None, "premium_tier": 0,
        "preferred_locale": "en-US", "public_updates_channel_id": None, "nsfw_level": 0, "large": False,
        "member_count": 2,
        "premium_progress_bar_enabled": False, "joined_at": _AT, "members": [_member(ME, robot=True)],
        "channels": [_CHANNEL], "guild_scheduled_events": [], "soundboard_sounds": [], **{name: [] for name in empty},
    }  # fmt: skip


@dataclass
class Party:
    """A client that hears what a gateway says; `ends` by an event's number."""

    client: discord.Client
    socket: DiscordWebSocket
    ends: dict[str, asyncio.Future[None]] = field(default_factory=dict)

    async def hears(self, event: str) -> None:
        """Receive an event as the gateway sends it."""
        await self.socket.received_message(event)

    def expect(self, number: str) -> asyncio.Future[None]:
        found = self.ends[number] = asyncio.get_running_loop().create_future()
        return found


async def _connected(client: discord.Client) -> Party:
    """Log in and put the client where a gateway's words would reach it."""
    await client.login("bench")
    state = client._connection  # noqa: SLF001 - there is no other way to a gateway without one
    state._add_guild(discord.Guild(data=_guild(), state=state))  # type: ignore[arg-type] # noqa: SLF001
    socket = DiscordWebSocket(socket=None, loop=client.loop)  # type: ignore[arg-type]
    socket._discord_parsers, socket._dispatch = state.parsers, client.dispatch  # noqa: SLF001
    socket._keep_alive = socket.shard_id = socket.call_hooks = None  # type: ignore[assignment] # noqa: SLF001
    return Party(client, socket)


def _sent(kind: str, data: Mapping[str, Any]) -> str:
    """An event as the gateway sends it."""
    return json.dumps({"t": kind, "s": 1, "op": 0, "d": data})


@dataclass
class Crowd:
    """People in conversations with Redial in Discord, each in a thread."""

    bot: Bot
    party: Party
    scenes: Sequence[Scene]
    ids: list[tuple[str, str]] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1_400_000_000_000_000_000))

    def press(self, who: int) -> tuple[str, str]:
        """The next press of a person, and its number."""
        turn, (conversation, thread) = self.turns[who], self.ids[who]
        self.turns[who] += 1
        scene = self.scenes[turn % len(self.scenes)]
        return self.pressed(scene, conversation, turn + 1, thread, _person(who))

    def pressed(self, scene: Scene, conversation: str, revision: int, thread: str, person: str) -> tuple[str, str]:
        """A press on the message that shows a scene."""
        number, shown = str(next(self.numbers)), self.components(scene, conversation, revision)
        mark = to_custom_id(Mark(scene.choice, conversation, revision, scene.before.step))
        channel = {
            **_CHANNEL, "id": thread, "type": 11, "parent_id": CHANNEL, "owner_id": ME, "message_count": 1,
            "member_count": 2,
            "thread_metadata": {
                "archived": False, "auto_archive_duration": 1440, "archive_timestamp": _AT, "locked": False,
            },
        }  # fmt: skip
        message = {**_message(str(next(self.numbers)), thread, ME, ""), "components": shown, "flags": 32768}
        pressed = {
            "version": 1, "type": 3, "token": f"token{number}", "member": _member(person), "locale": "en-US",
            "id": number,
            "guild_locale": "en-US", "guild_id": GUILD, "guild": {"id": GUILD, "locale": "en-US", "features": []},
            "entitlements": [], "channel_id": thread, "channel": channel, "application_id": ME, "app_permissions": _ALL,
            "authorizing_integration_owners": {"0": GUILD}, "context": 0, "attachment_size_limit": 10_000_000,
            "data": {"component_type": 2, "custom_id": mark, "id": 9}, "message": message,
        }  # fmt: skip
        return number, _sent("INTERACTION_CREATE", pressed)

    def components(self, scene: Scene, conversation: str, revision: int) -> list[dict[str, Any]]:
        """A scene's question as Redial shows it."""
        key = f"{conversation}:{revision}"
        view = replace(scene.before, conversation=conversation, revision=revision, key=key)
        assert isinstance(self.party.client, RedialClient)
        return self.party.client.station.renderer.message(view)


def _person(who: int) -> str:
    return str(500_000_000_000_000_000 + who)


def _message(number: str, channel: str, author: str, content: str) -> dict[str, Any]:
    return {
        "id": number, "type": 0, "content": content, "channel_id": channel, "guild_id": GUILD, "attachments": [],
        "author": _user(author, robot=author == ME), "embeds": [], "mentions": [], "mention_roles": [], "pinned": False,
        "mention_everyone": False, "tts": False, "timestamp": _AT, "edited_timestamp": None, "flags": 0,
        "components": [],
        "member": {k: v for k, v in _member(author).items() if k not in {"user", "permissions"}},
    }  # fmt: skip


@contextlib.asynccontextmanager
async def crowd(one: Bot, people: int) -> AsyncIterator[Crowd]:
    """Connect Redial and have people open a conversation each."""
    client = RedialClient(one.house, Rooms(frozenset({CHANNEL})), shards=1)
    # Discord's own limit, 50 requests a second, would be all that is measured.
    client.station.wire._pace = Pace(10**5)  # noqa: SLF001
    async with client:
        party = await _connected(client)
        place = Origin("discord", GUILD, CHANNEL, "1", "2")
        found = Crowd(one, party, await scenes(one.desk, place))
        for who in range(people):
            number = str(next(found.numbers))
            said = _message(number, CHANNEL, _person(who), f"<@{ME}> {REPORT}")
            end = one.expect(f"m:{number}")
            await party.hears(_sent("MESSAGE_CREATE", said))
            async with asyncio.timeout(20):
                await end
            opened = await one.desk.store.here(replace(place, user=_person(who), thread=number))
            assert opened, "a conversation was opened"
            found.ids.append((opened.id, number))
            found.turns.append(0)
        await one.desk.store.flush()
        yield found


class Bare(discord.Client):
    """What discord.py does at least; `folds`: as many requests as Redial makes, else a single one."""

    def __init__(self, answers: Sequence[tuple[Ready, Ready]], *, folds: bool) -> None:
        kept = {"max_messages": None, "member_cache_flags": discord.MemberCacheFlags.none()}
        super().__init__(intents=intents(content=True), chunk_guilds_at_startup=False, **kept)  # type: ignore[arg-type]
        self._answers, self._folds, self._numbers = answers, folds, itertools.count()
        self.party: Party | None = None

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Answer a press."""
        view, folded = self._answers[next(self._numbers) % len(self._answers)]
        if self._folds:
            await interaction.response.defer()
            assert isinstance(interaction.channel, discord.Thread)
            await interaction.channel.send(view=view)
            await interaction.edit_original_response(view=folded)
        else:
            await interaction.response.edit_message(view=view)
        assert self.party
        self.party.ends.pop(str(interaction.id)).set_result(None)


@contextlib.asynccontextmanager
async def bare(crowd: Crowd, *, folds: bool) -> AsyncIterator[Party]:
    """Connect bare discord.py, with the answers Redial gives."""
    assert isinstance(crowd.party.client, RedialClient)
    renderer = crowd.party.client.station.renderer
    answers = [
        (Ready(renderer.message(scene.after)), Ready(renderer.folded(scene.folded, owner=_person(0))))
        for scene in crowd.scenes
    ]
    async with Bare(answers, folds=folds) as client:
        client.party = await _connected(client)
        yield client.party


def ours(crowd: Crowd, count: int) -> Play:
    events = [crowd.press(number % len(crowd.ids)) for number in range(count)]

    async def play(number: int) -> None:
        name, event = events[number]
        end = crowd.bot.expect(f"i:{name}")
        await crowd.party.hears(event)
        await end
        await crowd.bot.trailing(number)

    return play


def floor(party: Party, crowd: Crowd, count: int) -> Play:
    """The same presses, heard by bare discord.py."""
    # In as many threads as ours: discord.py asks of one thread one thing at a time.
    threads, scenes = itertools.cycle(thread for _, thread in crowd.ids), itertools.cycle(crowd.scenes)
    events = [crowd.pressed(next(scenes), "bench", 1, next(threads), _person(0)) for _ in range(count)]

    async def play(number: int) -> None:
        name, event = events[number]
        end = party.expect(name)
        await party.hears(event)
        await end

    return play


def run(tick: Tick) -> list[Figure]:
    """A press: acknowledged, claimed, played, stored, posted in its thread, and the answered question folded."""
    return asyncio.run(_run(tick))


async def _run(tick: Tick) -> list[Figure]:
    count, times, found = scaled(400, 64), scaled(9, 2), list[Figure]()
    async with outside() as world, reached(world), bot(world) as one, crowd(one, scaled(500, 64)) as people:
        async with bare(people, folds=True) as same, bare(people, folds=False) as edit:
            for at_once, goal in GOALS.items():
                name = f"{at_once} in flight"
                tick(name)
                asked, traffic = await world.counts(), Traffic(one)
                await traffic.begin()
                meters = metered(one)
                done = await rounds(
                    {
                        "same": lambda n: floor(same, people, n),
                        "edit": lambda n: floor(edit, people, n),
                        "ours": lambda n: ours(people, n),
                    },
                    count=count, at_once=at_once, times=times,
                )  # fmt: skip
                turns = times * count + max(at_once, count // 5)
                counts = _counted(await world.counts() - asked, turns)
                counts["Redis trips"] = meters.trips / turns
                assert counts == {"acknowledged": 1, "posts": 1, "edits": 1, "Redis trips": 1}, counts
                counts |= await traffic.each(turns)
                one_floor = Figure("discord-turn", name, floor=SAME, goal=goal, counts=counts)
                found.append(compared(one_floor, done["ours"], done["same"]))
                other = Figure("discord-turn", f"{name}, beside one edit", floor=EDIT, goal=goal)
                found.append(compared(other, done["ours"], done["edit"]))
                sent = round(counts["bytes to Redis"])
                found.append(Figure("discord-turn", f"{name}: to Redis a turn, batches too", sent, "B", goal=SENT))
        tick("messages that are nobody's business")
        found.append(await _kept(people.party))
    return found


def _counted(asked: Mapping[str, int], turns: int) -> dict[str, float]:
    """What one turn came to; the two floors made their own requests meanwhile."""
    edits = (asked["PATCH channels"] + asked["PATCH webhooks"]) / turns - 1
    acknowledged, posts = asked["POST interactions"] / turns - 2, asked["POST channels"] / turns - 1
    return {"acknowledged": acknowledged, "posts": posts, "edits": edits}


async def _kept(party: Party) -> Figure:
    """What stays in memory of messages people write to each other."""
    many, numbers = scaled(10_000, 1000), itertools.count(1_500_000_000_000_000_000)

    async def written(count: int) -> None:
        for _ in range(count):
            number = next(numbers)
            said = _message(str(number), CHANNEL, _person(number % 50), "good morning")
            await party.hears(_sent("MESSAGE_CREATE", said))
            await asyncio.sleep(0)

    await written(500)
    tracemalloc.start()
    await written(many)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    each = round(kept / many / 1024, 3)
    return Figure("discord-turn", "kept of a message", each, "KB", goal=0.05, counts={"messages": many})


@contextlib.asynccontextmanager
async def reached(world: Outside) -> AsyncIterator[None]:
    """Have discord.py ask the process beside this one; it takes no address as an argument."""
    with discord_at(world.address):
        yield
