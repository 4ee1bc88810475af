"""Two processes of `redial run` on one Redis, killed at random, while people talk and a page lives through incidents.

The platforms have troubles of their own: requests that fail, or are carried out and not confirmed, and cut gateways.

Slack is `emulate` behind its door, Discord is simcord behind HTTP and a gateway, the page is a plain server; each
replica is another process. Everything must be said once: every answer, every announcement, whoever dies when.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import aiohttp

from tests.adapters.slack.office import SECRET, seen, signed
from tests.adapters.slack.web import BOT, Fault, Slack, slack
from tests.adapters.statuspage.pageserver import PageServer
from tests.fakes.discord import Page, discord_page, walked
from tests.fakes.discord import said as words_of
from tests.faults.servers import Redis
from tests.machine import free_ports, until
from tests.runtime.redial import Redial
from tests.scenarios.announcing import CLAUDE, CONSOLE, OLD, page_of
from tests.scenarios.vendor import MARK, Vendor

TOKEN = "a-token-of-a-page"  # noqa: S105 - it opens nothing
TEAM = "T000000001"
KEY = "sk-ant-api03-" + "Zq7xW2mK9v" * 9 + "AA"
"""What somebody pastes with their report: it must be nowhere afterwards."""
PASTED = "the-violet-walrus"
CUT_OFF = f"API Error: Connection closed mid-response. The response above may be incomplete. {KEY} {PASTED}"
ROUND = ("Don't repeat the request yet", "Look at what already happened", "Send one short message", "Fixed")
"""What a conversation says, step by step, when everything is answered with the first choice."""
PATIENCE = 90.0
"""Seconds for anything to come right after the last death."""
UNHEARD = 20.0
"""Seconds after which somebody in Discord writes again: nobody may have listened just then."""


class Replica:
    """A process that is killed without notice and started again."""

    def __init__(self, redial: Redial, log: Path) -> None:
        self.redial, self.log, self.deaths = redial, log, -1
        self.hurried = False
        """It was killed the last time before it served anybody."""
        self.port, self.health = free_ports(2)
        self._process: Any = None

    def again(self) -> None:
        self.kill()
        self.deaths += 1
        self.redial.env |= {"REDIAL_SLACK__PORT": str(self.port), "REDIAL_HEALTH__PORT": str(self.health)}
        with self.log.open("ab") as log:
            self._process = self.redial.start("run", stdout=log, stderr=log)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    async def stop(self) -> tuple[int, float]:
        """End it in an orderly way; return the exit code and how long that took."""
        began = time.monotonic()
        self._process.terminate()
        code = await asyncio.to_thread(self._process.wait)
        return int(code), time.monotonic() - began


@dataclass
class World:
    """Everything there is, and what happened in it."""

    chance: random.Random
    folder: Path
    redis: Redis
    slack: Slack
    discord: Page
    page: PageServer
    http: aiohttp.ClientSession
    replicas: list[Replica]
    vendor: Vendor
    slack_channels: list[str]
    discord_channels: list[int]
    triage: tuple[str, int]
    people: tuple[str, int]
    new: dict[int, str] = field(default_factory=dict)
    """Discord's messages as they were when they were new."""
    rounds: Counter[str] = field(default_factory=Counter)
    over: bool = False

    def publish(self) -> None:
        """Have the page say what its vendor says."""
        self.page.says(self.vendor.document(), "summary_all_operational.json")

    # --- people in Slack ---

    async def event(self, **event: Any) -> None:  # noqa: ANN401 - Slack's JSON
        """Deliver an event as Slack does: to any replica, and again until somebody acknowledges it."""
        body = json.dumps({
            "type": "event_callback", "token": "t", "team_id": TEAM, "api_app_id": "A1", "event_id": f"Ev{event['ts']}",
            "event": {"team": TEAM, "channel_type": "channel", "event_ts": event["ts"], **event},
            "authorizations": [{"team_id": TEAM, "user_id": self.slack.users["redial"], "is_bot": True}],
        })  # fmt: skip
        deadline = time.monotonic() + PATIENCE
        while not await self._taken(body):
            assert time.monotonic() < deadline, "nobody takes an event"
            await asyncio.sleep(0.3)

    async def _taken(self, body: str) -> bool:
        headers = signed(body, "application/json")
        port = self.chance.choice(self.replicas).port
        within = aiohttp.ClientTimeout(total=3.0)
        url = f"http://127.0.0.1:{port}/slack/events"
        try:
            async with self.http.post(url, data=body, headers=headers, timeout=within) as answer:
                return answer.status == 200
        except (aiohttp.ClientError, TimeoutError):
            return False

    async def talk_in_slack(self) -> None:
        """Have one conversation after another, each to its end."""
        channel, user = self.triage[0], self.people[0]
        while not self.over:
            thread = await self._says(user, channel, f"<@{self.slack.users['redial']}> {CUT_OFF}", "app_mention", "")
            for n, expected in enumerate(ROUND, 1):
                await until(lambda n=n, t=thread: self._answers(channel, t, n), f"slack {expected}")  # type: ignore[misc]
                if n < len(ROUND):
                    await self._says(user, channel, "1", "message", thread)
            self.rounds["slack"] += 1

    async def _says(self, user: str, channel: str, text: str, kind: str, thread: str) -> str:
        body = {"channel": channel, "text": text} | ({"thread_ts": thread} if thread else {})
        ts = str((await self.slack.ask(user, "chat.postMessage", **body))["ts"])
        event = {"type": kind, "user": self.slack.users[user], "text": text, "ts": ts, "channel": channel}
        await self.event(**event | ({"thread_ts": thread} if thread else {}))
        return ts

    async def _answers(self, channel: str, thread: str, wanted: int) -> bool:
        return len(await self.slack_thread(channel, thread)) >= wanted

    async def slack_thread(self, channel: str, thread: str) -> list[dict[str, Any]]:
        """Redial's messages in a thread."""
        found = await self.slack.ask("redial", "conversations.replies", channel=channel, ts=thread)
        return [one for one in found["messages"] if one["user"] == self.slack.users["redial"]]

    # --- people in Discord ---

    async def talk_in_discord(self) -> None:
        """The same in Discord, where a mention nobody heard is written again."""
        channel, user = self.triage[1], self.people[1]
        me = self.discord.backend.bot_user.id
        while not self.over:
            message = self.discord.write(user, channel, f"<@{me}> {CUT_OFF}")
            if not await heard(lambda m=message: bool(self.discord.ours(m.id)), UNHEARD):  # type: ignore[misc]
                self.rounds["unheard"] += 1
                continue
            for n, expected in enumerate(ROUND, 1):
                await until(lambda n=n, m=message: self._there(m.id, n), f"discord {expected}")  # type: ignore[misc]
                if n < len(ROUND):
                    self.discord.write(user, message.id, "1")
            self.rounds["discord"] += 1

    async def _there(self, thread: int, wanted: int) -> bool:
        return len(self.discord.ours(thread)) >= wanted

    def happened(self, name: str, payload: Mapping[str, Any]) -> None:
        """Note what Discord's messages said when they were new."""
        if name == "MESSAGE_CREATE":
            text = "\n".join(str(part["content"]) for part in walked(payload.get("components")) if part.get("content"))
            self.new[int(payload["id"])] = text

    # --- the page, and death ---

    async def incidents(self) -> None:
        """One incident after another, with a few updates each; about a part nobody here talks of."""
        while not self.over:
            self.vendor.now = time.time()
            self.vendor.does("begin" if self.chance.random() < 0.3 or not self.open() else "update")
            for one in self.vendor.incidents.values():
                one["components"] = [{"id": CONSOLE, "name": "Claude Console", "status": "partial_outage"}]
            if len(self.open()) > 2:
                self.vendor.says(self.open()[0], "resolved")
            self.publish()
            await asyncio.sleep(self.chance.uniform(1.0, 4.0))

    def open(self) -> list[dict[str, Any]]:
        return [one for one in self.vendor.incidents.values() if one["status"] not in {"resolved", "postmortem"}]

    async def deaths(self, apart: tuple[float, float]) -> None:
        """Kill one of them now and then, and sometimes the other, or itself, before it is back.

        None in two starts running: where a start takes longer than a life, nobody would ever be served.
        """
        while not self.over:
            await asyncio.sleep(self.chance.uniform(*apart))
            one = self.chance.choice(self.replicas)
            if one.hurried:
                await until(lambda one=one: self.serves(one), "a process that was killed in its start is back")  # type: ignore[misc]
            one.hurried = not await self.serves(one)
            await asyncio.to_thread(one.again)

    async def troubles(self) -> None:
        """Have the platforms answer wrongly, late or not at all, and cut the gateway."""
        while not self.over:
            await asyncio.sleep(self.chance.uniform(1.0, 6.0))
            match self.chance.choice(["carried", "refused", "late", "busy", "cut"]):
                case "carried":
                    self.slack.plan("chat.postMessage", Fault(500, carried=True))
                case "refused":
                    self.slack.plan("chat.postMessage", Fault(503), Fault(502))
                case "late":
                    self.slack.plan("chat.postMessage", Fault(after=2.0, carried=True))
                case "busy":
                    self.slack.plan("chat.postMessage", Fault(429, "ratelimited", {"Retry-After": "1"}))
                case _:
                    await self.discord.cut()

    async def state(self) -> str:
        """Return what each process says of itself, and what is owed: for a wait that was in vain."""
        said = []
        for replica in self.replicas:
            try:
                async with self.http.get(f"http://127.0.0.1:{replica.health}/readyz") as answer:
                    said.append(await answer.text())
            except aiohttp.ClientError as error:
                said.append(f"{type(error).__name__}: {replica.log.read_text(errors='replace')[-300:]}")
        with self.redis.admin as client:
            owed = {key: client.zrange(key, 0, -1, withscores=True) for key in client.scan_iter(match="*owed")}
        hears = [(one.resumed, bool(one.socket and not one.socket.closed)) for one in self.discord.sessions[-3:]]
        thread = self.discord.threads()[-1:]
        last = [
            (words_of(one) or one.content)[:40] for t in thread for one in self.discord.backend.messages[t].values()
        ]
        return f"{said}; owed: {owed}; sessions: {hears}; last thread: {last}"

    async def ready(self) -> bool:
        """Say whether both processes say that they serve people."""
        return all([await self.serves(replica) for replica in self.replicas])

    async def serves(self, replica: Replica) -> bool:
        """Say whether this process says that it serves people."""
        try:
            async with self.http.get(f"http://127.0.0.1:{replica.health}/readyz") as answer:
                return answer.status == 200
        except aiohttp.ClientError:
            return False

    async def listening(self) -> bool:
        """Say whether every channel hears of the page: what begins before that is told as open already."""
        command = replace(self.replicas[0].redial, program="bot")
        told = json.loads((await asyncio.to_thread(command.run, "export")).stdout)["subscriptions"]
        return len(told) == len(self.slack_channels) + len(self.discord_channels)

    # --- judging ---

    async def judged(self) -> list[str]:
        """Return everything that is not as it should be."""
        return [
            *[fault for channel in self.slack_channels for fault in await self._told_in_slack(channel)],
            *[fault for channel in self.discord_channels for fault in self._told_in_discord(channel)],
        ]

    async def conversations(self) -> list[str]:
        """Return what was answered not at all, twice or out of order, of conversations that are finished."""
        faults = []
        roots = await self.slack.ask("redial", "conversations.history", channel=self.triage[0], limit=900)
        for root in roots["messages"]:
            texts = [seen(one).text for one in await self.slack_thread(self.triage[0], root["ts"])]
            faults += _order(f"slack {root['ts']}", [words for words in texts if words])
        for thread in self.discord.threads():
            if thread in self.discord.backend.messages.get(self.triage[1], {}):
                faults += _order(f"discord {thread}", [words_of(one) for one in self.discord.ours(thread)])
        return faults

    async def _told_in_slack(self, channel: str) -> list[str]:
        ours = [one for one in await self.slack.messages(channel) if one["user"] == self.slack.users["redial"]]
        # As each was when it was new: a request that came late may have the key of another, which was carried out.
        first = {ts: seen(body).text for ts, body in self.slack.posted}
        roots = [seen(one).text for one in ours if one.get("thread_ts") in {None, one["ts"]}]
        return self._faults(f"slack {channel}", [first.get(one["ts"], "") for one in ours], roots)

    def _told_in_discord(self, channel: int) -> list[str]:
        # Without what Discord itself says of a thread that begins.
        ours = [one for one in self.discord.ours(channel) if one.components]
        replies = [one for message in ours for one in self.discord.ours(message.id) if one.components]
        news = [self.new[one.id].replace("\\", "") for one in (*ours, *replies)]
        return self._faults(f"discord {channel}", news, [words_of(one) for one in ours])

    def _faults(self, where: str, news: list[str], roots: list[str]) -> list[str]:
        marks = {
            m for i in self.vendor.incidents.values() for u in i["incident_updates"] for m in MARK.findall(u["body"])
        }
        told = Counter(mark for text in news for mark in MARK.findall(text))
        faults = [f"{where}: {mark} told {told[mark]} times" for mark in sorted(marks) if told[mark] != 1]
        names = Counter(name for text in roots for name in re.findall(r"Trouble (i\d+)", text))
        faults += [f"{where}: {i} has {names[i]} messages" for i in self.vendor.incidents if names[i] != 1]
        return faults + [f"{where}: left red: {text[:60]}" for text in roots if "Over" not in text]

    def leaks(self) -> list[str]:
        """Return where something that was pasted, or a token, is that must be nowhere."""
        places = {str(replica.log.name): replica.log.read_text(errors="replace") for replica in self.replicas}
        with self.redis.admin as client:
            for key in client.scan_iter(count=1000):
                places[repr(key)] = repr(key) + repr(client.dump(key))
        bad = (KEY, KEY[20:60], TOKEN, BOT, SECRET)
        found = [f"{where}: {word[:12]}…" for where, text in places.items() for word in bad if word in text]
        return found + [
            f"{name}: pasted words" for name, text in places.items() if name.endswith("log") and PASTED in text
        ]


def _order(where: str, texts: list[str]) -> list[str]:
    """Check one conversation: its steps in order, none twice; the last ones may be missing while it is going on."""
    steps = [next((n for n, lead in enumerate(ROUND) if lead in text), None) for text in texts]
    if None in steps:
        return [f"{where}: says what nobody asked: {texts[steps.index(None)][:80]!r}"]
    if steps == list(range(len(steps))):
        return []
    said = " | ".join(" ".join(text.split())[:90] for text in texts)
    return [f"{where}: {steps} instead of {list(range(len(steps)))}: {said}"]


async def heard(true: Callable[[], bool], within: float) -> bool:
    """Say whether something comes true in time."""
    deadline = time.monotonic() + within
    while not true():
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.1)
    return True


@asynccontextmanager
async def world(folder: Path, seed: int, channels: int = 2) -> AsyncIterator[World]:
    """Put it all up, both replicas started, and take it down again."""
    async with AsyncExitStack() as stack:
        chance = random.Random(seed)  # noqa: S311 - to be repeated, as far as processes can be
        redis = Redis(folder / "redis")
        redis.start()
        stack.callback(redis.kill)
        one = await stack.enter_async_context(slack())
        page = await stack.enter_async_context(discord_page())
        page.token = TOKEN
        status = PageServer()
        await status.start()
        stack.push_async_callback(status.stop)
        told = [await one.channel(f"told{n}") for n in range(channels)]
        places = page.guild("triage", *(f"told{n}" for n in range(channels)))
        triage = (await one.channel("triage"), places["triage"].id)
        heard_in = [places[f"told{n}"].id for n in range(channels)]
        env = _environment(redis, one, page, status, triage)
        env["REDIAL_SUBSCRIPTIONS"] = json.dumps([
            *({"platform": "slack", "workspace": TEAM, "channel": channel} for channel in told),
            *({"platform": "discord", "workspace": str(page.server.id), "channel": str(c)} for c in heard_in),
        ])  # fmt: skip
        replicas = []
        for n in range(2):
            home = folder / f"replica{n}"
            home.mkdir()
            replicas.append(Replica(Redial(home, dict(env), "tests.soak.replica"), folder / f"replica{n}.log"))
            stack.callback(replicas[-1].kill)
        http = await stack.enter_async_context(aiohttp.ClientSession())
        vendor = Vendor(chance, now=time.time())
        found = World(
            chance, folder, redis, one, page, status, http, replicas, vendor, told, heard_in, triage,
            ("ann", page.person("ann")),
        )  # fmt: skip
        page.backend.subscribers.append(found.happened)
        status.says(page_of(*OLD), "summary_all_operational.json")
        for replica in replicas:
            replica.again()
        await until(found.ready, "both are ready")
        await until(found.listening, "all channels listen")
        yield found


def _environment(redis: Redis, one: Slack, page: Page, status: PageServer, triage: tuple[str, int]) -> dict[str, str]:
    return {
        "REDIS_URL": redis.url, "SLACK_BOT_TOKEN": BOT, "SLACK_SIGNING_SECRET": SECRET,
        "REDIAL_SLACK__API_URL": one.api,
        "REDIAL_SLACK__TRIAGE_CHANNELS": json.dumps([triage[0]]), "REDIAL_SLACK__CHANNEL_SECONDS": "0.2",
        "DISCORD_TOKEN": TOKEN, "DISCORD_AT": page.address, "PYTHONPATH": str(Path(__file__).parents[2]),
        "REDIAL_DISCORD__TRIAGE_CHANNELS": json.dumps([str(triage[1])]), "REDIAL_DISCORD__CHANNEL_SECONDS": "0.2",
        "REDIAL_STATUS__HOSTS": json.dumps([status.address]), "REDIAL_STATUS__PAGE_ID": CLAUDE,
        "REDIAL_LIMITS__PERSON": "100000", "REDIAL_LIMITS__CHANNEL": "100000",
    }  # fmt: skip
