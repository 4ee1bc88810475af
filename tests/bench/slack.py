"""A press in Slack, from the signed payload to everything that comes of it, beside the bare libraries."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast
from urllib.parse import urlencode

import aiohttp
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.slack.connection import Access, SlackRunning, start
from bot.adapters.slack.request import to_request
from bot.core.event import Origin
from bot.core.view import View
from tests.bench.measuring import Play
from tests.bench.script import REPORT, Scene, scenes
from tests.bench.world import Bot, Outside

SECRET = "not-much-of-a-secret"  # noqa: S105 - it signs what the benchmark sends to itself
TEAM, CHANNEL, ME = "T0001", "C0001", "UBOT00001"
CONVERSATIONS = 500
_FORM = "application/x-www-form-urlencoded"
Read = Callable[[str, Mapping[str, str]], AsyncBoltRequest | None]
"""Makes what came in a request for Bolt."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A request as Slack sends it, and the id Redial knows its event by."""

    id: str
    body: str
    headers: dict[str, Any]


def signed(id_: str, body: str, kind: str = _FORM) -> Signed:
    """Sign a body."""
    at = str(int(time.time()))
    signature = SignatureVerifier(SECRET).generate_signature(timestamp=at, body=body) or ""
    headers = {"content-type": kind, "x-slack-request-timestamp": at, "x-slack-signature": signature}
    return Signed(id_, body, headers)


@dataclass
class Floor:
    """Bare Bolt: verified, acknowledged, the same words posted; `folds`: and the question that was answered edited."""

    app: AsyncApp
    scenes: Sequence[Scene]
    bodies: Sequence[tuple[dict[str, Any], dict[str, Any]]]
    folds: bool
    ends: dict[str, asyncio.Future[None]] = field(default_factory=dict)


@dataclass
class Crowd:
    """People in conversations with Redial in Slack, each in a thread."""

    bot: Bot
    running: SlackRunning
    scenes: Sequence[Scene]
    ids: list[str] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def press(self, who: int) -> Signed:
        """Return the next press of a person, as Slack would send it."""
        turn = self.turns[who]
        self.turns[who] += 1
        scene = self.scenes[turn % len(self.scenes)]
        view = replace(scene.before, conversation=self.ids[who], revision=turn + 1, key=f"{self.ids[who]}:{turn + 1}")
        return press(view, scene.choice, f"U{who:05d}", next(self.numbers), _thread(who), self.blocks(view))

    def blocks(self, view: View) -> list[Any]:
        """Return a view as Redial shows it."""
        return list(self.running.chat.renderer.message(view).blocks)


def _thread(who: int) -> str:
    return f"1700000000.{who:06d}"


def press(view: View, choice: str, user: str, number: int, thread: str, blocks: list[Any]) -> Signed:
    """Return a press on a message that shows `view`."""
    at = f"{1_800_000_000 + number}.000001"
    block = next(b["block_id"] for b in blocks if b["type"] == "actions" and _has(b, choice))
    action = {"type": "button", "block_id": block, "action_id": choice, "action_ts": at, "value": choice}
    team = {"id": TEAM, "domain": "bench"}
    message = {
        "type": "message", "user": ME, "ts": "1700000001.000100", "bot_id": "BBOT00001", "app_id": "A0001",
        "text": view.step, "team": TEAM, "thread_ts": thread, "blocks": blocks,
    }  # fmt: skip
    payload: dict[str, Any] = {
        "type": "block_actions", "user": {"id": user, "username": user, "name": user, "team_id": TEAM}, "token": "t",
        "api_app_id": "A0001", "trigger_id": f"1.2.{number}", "team": team, "enterprise": None,
        "is_enterprise_install": False, "channel": {"id": CHANNEL, "name": "help"}, "message": message,
        "container": {
            "type": "message", "message_ts": message["ts"], "channel_id": CHANNEL, "is_ephemeral": False,
            "thread_ts": thread,
        },
        "state": {"values": {}}, "response_url": "https://hooks.slack.invalid/actions", "actions": [action],
    }  # fmt: skip
    return signed(f"{user}:{at}", urlencode({"payload": json.dumps(payload)}))


def _has(block: dict[str, Any], choice: str) -> bool:
    return any(element.get("action_id") == choice for element in block["elements"])


@contextlib.asynccontextmanager
async def crowd(bot: Bot, world: Outside, people: int = CONVERSATIONS) -> AsyncIterator[Crowd]:
    """Connect Redial to Slack and have people open a conversation each."""
    access = Access(bot_token="xoxb-bench", signing_secret=SECRET, api_url=f"{world.address}/api/", port=0)  # noqa: S106
    async with start(access, bot.house) as running:
        found = Crowd(bot, running, await scenes(bot.desk, Origin("slack", TEAM, CHANNEL, "U1", _thread(1))))
        for who in range(people):
            event = {
                "type": "app_mention", "user": f"U{who:05d}", "text": f"<@{ME}> {REPORT}", "ts": _thread(who),
                "channel": CHANNEL, "event_ts": _thread(who), "team": TEAM, "channel_type": "channel",
            }  # fmt: skip
            body = {"type": "event_callback", "team_id": TEAM, "api_app_id": "A0001", "event_id": f"Ev{who}"}
            request = signed(f"{CHANNEL}:{_thread(who)}", json.dumps(body | {"event": event}), "application/json")
            await deliver(running.app, request, bot.expect(request.id))
            origin = Origin("slack", TEAM, CHANNEL, f"U{who:05d}", _thread(who))
            opened = await bot.desk.store.here(origin)
            assert opened
            found.ids.append(opened.id)
            found.turns.append(0)
        await bot.desk.store.flush()
        yield found


async def deliver(app: AsyncApp, request: Signed, end: asyncio.Future[None]) -> None:
    """Hand a request to Redial and wait for all that comes of it."""
    await acknowledged(app, request)
    await end


async def acknowledged(app: AsyncApp, request: Signed, read: Read = to_request) -> float:
    """Hand a request over as it came in; return when it was acknowledged. read: Redial's way, or Bolt's own."""
    asked = read(request.body, request.headers)
    assert asked
    answer = await app.async_dispatch(asked)
    assert answer.status == 200, answer
    return asyncio.get_running_loop().time()


def bolts(body: str, headers: Mapping[str, str]) -> AsyncBoltRequest:
    """Read a request as a bare Bolt app does."""
    return AsyncBoltRequest(body=body, headers=dict(headers))


@contextlib.asynccontextmanager
async def floor(world: Outside, crowd: Crowd, *, folds: bool) -> AsyncIterator[Floor]:
    """Build the bare app: a listener for the buttons, one shared session, acknowledged before it posts."""
    shown = crowd.running.chat.renderer
    bodies = [(shown.message(scene.after).body(), shown.folded(scene.folded).body()) for scene in crowd.scenes]
    async with aiohttp.ClientSession() as session:
        logger = logging.getLogger("bench")
        logger.setLevel(logging.ERROR)
        client = AsyncWebClient("xoxb-bench", base_url=f"{world.address}/api/", session=session, logger=logger)

        async def authorize(**_: object) -> AuthorizeResult:
            return AuthorizeResult(
                enterprise_id=None,
                team_id=TEAM,
                bot_token="xoxb-bench",  # noqa: S106
                bot_id="B",
                bot_user_id=ME,
            )

        app = AsyncApp(
            client=client, authorize=authorize, signing_secret=SECRET, process_before_response=True, logger=logger
        )
        found = Floor(app, crowd.scenes, bodies, folds)
        numbers = itertools.count()

        async def listener(ack: AsyncAck, body: dict[str, Any], client: AsyncWebClient) -> None:
            await ack()
            posted, edited = cast("tuple[dict[str, Any], dict[str, Any]]", bodies[next(numbers) % len(bodies)])
            thread = body["container"]["thread_ts"]
            await client.chat_postMessage(channel=CHANNEL, thread_ts=thread, **posted)
            if folds:
                await client.chat_update(channel=CHANNEL, ts=body["container"]["message_ts"], **edited)
            found.ends.pop(body["actions"][0]["action_ts"]).set_result(None)

        app.action(re.compile(""))(listener)
        yield found


def ours(crowd: Crowd, count: int) -> Play:
    """Prepare a round of Redial's: every press signed beforehand."""
    requests = [crowd.press(number % len(crowd.ids)) for number in range(count)]

    async def play(number: int) -> None:
        request = requests[number]
        await deliver(crowd.running.app, request, crowd.bot.expect(request.id))
        await crowd.bot.trailing(number)

    return play


def bare(floor: Floor, crowd: Crowd, count: int) -> Play:
    """Prepare a round of the floor's, with payloads of the same kind."""
    requests = []
    for number in range(count):
        scene = floor.scenes[number % len(floor.scenes)]
        at = next(crowd.numbers)
        requests.append(press(scene.before, scene.choice, "U00001", at, _thread(1), crowd.blocks(scene.before)))

    async def play(number: int) -> None:
        request = requests[number]
        end = floor.ends[request.id.partition(":")[2]] = asyncio.get_running_loop().create_future()
        await acknowledged(floor.app, request, bolts)
        await end

    return play
