"""slack-turn, ack, dispatch: a press in Slack beside the bare libraries, and what is left until it is acknowledged."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlencode

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.ack.async_ack import AsyncAck

from bot.adapters.slack.request import to_request
from tests.bench import slack
from tests.bench.measuring import Figure, Play, Sample, Tick, compared, quantile, ratios, rounds, scaled, walls
from tests.bench.world import SENT, Bot, Outside, Traffic, bot, metered, outside

GOALS = {1: 1.5, 32: 1.25}
SAME = "bare Bolt and slack_sdk: ack, the same post, the same edit"
POST = "bare Bolt and slack_sdk: ack and the same post, nothing folded"


def turn(tick: Tick) -> list[Figure]:
    """A press: verified, claimed, state read, played, stored, posted, and the answered question folded."""
    return asyncio.run(_turn(tick))


def ack(tick: Tick) -> list[Figure]:
    """How soon Slack has its acknowledgement while 32 turns are under way, and beside Bolt as it is documented."""
    return asyncio.run(_ack(tick))


def dispatch(tick: Tick) -> list[Figure]:
    """What a slash command costs until it is acknowledged, beside a Bolt app that knows that one command."""
    return asyncio.run(_dispatch(tick))


@contextlib.asynccontextmanager
async def _office(world: Outside, people: int) -> AsyncIterator[tuple[Bot, slack.Crowd]]:
    triage = {"triage_channels": [slack.CHANNEL]}
    async with bot(world, slack=triage) as one, slack.crowd(one, world, people=people) as crowd:
        yield one, crowd


def _single() -> contextlib.AbstractAsyncContextManager[AsyncApp]:
    return _documented(process_before_response=True)


async def _turn(tick: Tick) -> list[Figure]:
    count, times, found = scaled(400, 64), scaled(9, 2), list[Figure]()
    people = scaled(500, 64)
    async with outside() as world, _office(world, people) as (one, crowd), _floors(world, crowd) as floors:
        for at_once, goal in GOALS.items():
            tick(f"{at_once} in flight")
            asked, traffic = await world.counts(), Traffic(one)
            await traffic.begin()
            meters = metered(one)
            contenders = {name: _bare(floor, crowd) for name, floor in floors.items()}
            done = await rounds(
                contenders | {"ours": lambda n: slack.ours(crowd, n)}, count=count, at_once=at_once, times=times
            )
            turns = times * count + max(at_once, count // 5)
            counts = _counted(await world.counts() - asked, turns, meters.trips)
            counts |= await traffic.each(turns)
            _asserted(counts)
            name = f"{at_once} in flight"
            same = Figure("slack-turn", name, floor=SAME, goal=goal, counts=counts)
            post = Figure("slack-turn", f"{name}, beside one post", floor=POST, goal=goal)
            found += [compared(same, done["ours"], done["same"]), compared(post, done["ours"], done["post"])]
            sent = round(counts["bytes to Redis"])
            found.append(Figure("slack-turn", f"{name}: to Redis a turn, batches too", sent, "B", goal=SENT))
    return found


def _counted(asked: Mapping[str, int], turns: int, trips: int) -> dict[str, float]:
    """What one turn came to; the two floors made their own requests meanwhile."""
    posts = asked["chat.postMessage"] / turns - 2
    return {"posts": posts, "edits": asked["chat.update"] / turns - 1, "Redis trips": trips / turns}


def _asserted(counts: Mapping[str, float]) -> None:
    """Nothing but whole turns was measured."""
    assert (counts["posts"], counts["edits"]) == (1, 1), counts
    assert counts["Redis trips"] == 1, counts
    assert counts["bytes from Redis"] <= 64, counts


def _bare(floor: slack.Floor, crowd: slack.Crowd) -> Any:  # noqa: ANN401 - a Prepare
    return lambda n: slack.bare(floor, crowd, n)


@contextlib.asynccontextmanager
async def _floors(world: Outside, crowd: slack.Crowd) -> AsyncIterator[dict[str, slack.Floor]]:
    async with slack.floor(world, crowd, folds=True) as same, slack.floor(world, crowd, folds=False) as post:
        yield {"same": same, "post": post}


# --- until it is acknowledged ----------------------------------------------------------------------------------


async def _ack(tick: Tick) -> list[Figure]:
    count, times = scaled(300, 64), scaled(5, 2)
    async with outside() as world, _office(world, scaled(400, 64)) as (_, crowd), _documented() as default:
        acked = list[tuple[float, float]]()
        tick("under load")
        for _ in range(times):
            await _loaded(crowd, count, acked)
        tick("beside Bolt's default")
        done = await rounds(
            {
                "default": lambda n: _only_ack(default, n, slack.bolts),
                "ours": lambda n: _only_ack(crowd.running.app, n),
            },
            count=scaled(150, 32), at_once=1, times=times,
        )  # fmt: skip
    wall, own = (round(quantile(each, 0.99) * 1e3, 2) for each in zip(*acked, strict=True))
    halves = {name: [quantile(one.wall, 0.5) for one in samples] for name, samples in done.items()}
    ratio, spread = ratios(halves["ours"], halves["default"])
    half = round(quantile(walls(done["ours"]), 0.5) * 1e3, 3)
    floor = "Bolt as documented, acknowledging only"
    return [
        Figure("ack", "p99 of presses, 32 in flight: what this process does meanwhile", own, "ms CPU", goal=3.0),
        Figure("ack", "the same by the clock, others on this machine included", wall, "ms", goal=3.0),
        Figure("ack", "p50 of a command", half, "ms", floor, ratio, spread, 0.1),
    ]


async def _loaded(crowd: slack.Crowd, count: int, acked: list[tuple[float, float]]) -> None:
    """Keep 32 turns under way, and note how long each press waited for its acknowledgement.

    Twice: by the clock, and by what this process did meanwhile, other turns included, whatever else the machine does.
    """
    requests = iter([crowd.press(number % len(crowd.ids)) for number in range(count)])
    loop = asyncio.get_running_loop()

    async def person() -> None:
        for request in requests:
            end, began = crowd.bot.expect(request.id), (loop.time(), time.thread_time())
            at = await slack.acknowledged(crowd.running.app, request)
            acked.append((at - began[0], time.thread_time() - began[1]))
            await end

    await asyncio.gather(*(person() for _ in range(32)))


def _only_ack(app: AsyncApp, count: int, read: slack.Read = to_request) -> Play:
    """Commands that ask for what Redial's intake answers without anything being stored: nothing but the way in."""
    requests = [_command(number) for number in range(count)]

    async def play(number: int) -> None:
        await slack.acknowledged(app, requests[number], read)

    return play


def _command(number: int) -> slack.Signed:
    fields = {
        "token": "t", "team_id": slack.TEAM, "team_domain": "bench", "channel_id": slack.CHANNEL, "user_name": "ann",
        "channel_name": "help", "user_id": f"U{number % 500:05d}", "command": "/redial", "text": "help",
        "api_app_id": "A0001", "is_enterprise_install": "false", "response_url": "", "trigger_id": f"9.{number}",
    }  # fmt: skip
    return slack.signed("", urlencode(fields))


@contextlib.asynccontextmanager
async def _documented(**options: bool) -> AsyncIterator[AsyncApp]:
    """A Bolt app with one command, as its documentation begins."""
    logger = logging.getLogger("bench")
    logger.setLevel(logging.ERROR)

    async def authorize(**_: object) -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=None, team_id=slack.TEAM, bot_token="xoxb-bench", bot_user_id=slack.ME)  # noqa: S106

    app = AsyncApp(authorize=authorize, signing_secret=slack.SECRET, logger=logger, **options)  # type: ignore[arg-type]

    async def listener(ack: AsyncAck) -> None:
        await ack()

    app.command("/redial")(listener)
    yield app


async def _dispatch(tick: Tick) -> list[Figure]:
    count, times = scaled(600, 64), scaled(7, 2)
    async with outside() as world, _office(world, 0) as (one, crowd), _single() as single:
        one.drops = True
        tick("commands")
        done: dict[str, list[Sample]] = await rounds(
            {"one": lambda n: _only_ack(single, n, slack.bolts), "ours": lambda n: _only_ack(crowd.running.app, n)},
            count=count, at_once=8, times=times,
        )  # fmt: skip
    floor = "bare Bolt with one command, acknowledging only"
    name = "a command, all of them known"
    figure = Figure("dispatch", name, floor=floor, goal=1.1, counts={"taken in": one.taken})
    return [compared(figure, done["ours"], done["one"])]
