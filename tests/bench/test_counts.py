"""What a turn and a start are made of, counted: CI guards counts, since times are those of its machine."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import json
import os
import re
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import discord
import pytest

from bot.adapters.rehearsal.channels import PaperChannels
from bot.adapters.store.redis_store import RedisConversations
from bot.core.changing import changed
from bot.core.event import InboundEvent, Origin, Pressed, Said
from bot.core.status.announcement_view import Notice
from bot.core.status.subscription import Place, Subscription
from bot.core.view import View
from bot.ports.announcing import Delivery
from handlers.announce import AT_ONCE, BATCH
from handlers.desk import Desk
from handlers.turns import handle
from tests.bench import curves, discord_turn, growth, page, slack, start
from tests.bench.__main__ import BENCHES
from tests.bench.measuring import Figure, Play, sample
from tests.bench.script import REPORT
from tests.bench.world import EACH, SENT, Bot, Traffic, bot, metered, outside, redis
from tests.scenarios.desk import Screen

ROOT = Path(__file__).parents[2]
LIBRARY = Path(discord.__file__).parent
PARSERS = {"markdown_it", "mdit_py_plugins", "yaml"}
SLACK, DISCORD = {"slack_bolt", "slack_sdk"}, {"discord"}
SERVICES = {"aiohttp", "apscheduler", "prometheus_client", "prompt_toolkit"}


def loaded(code: str) -> set[str]:
    """The packages of others that are in memory after this."""
    told = f"{code}\nimport json, sys\nprint(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_help_loads_click_and_nothing_else() -> None:
    there = loaded("from click.testing import CliRunner as R\nfrom bot.cli import main\nR().invoke(main, ['--help'])")
    assert "click" in there
    libraries = {"asyncio", "pydantic", "structlog", "redis", "httpx", "msgspec"}
    assert not there & {*libraries, *PARSERS, *SLACK, *DISCORD, *SERVICES}


@pytest.mark.parametrize(
    ("adapter", "other"), [("slack.connection", DISCORD), ("discord.gateway", SLACK)], ids=["slack", "discord"]
)
def test_a_platform_that_is_not_configured_is_not_loaded(adapter: str, other: set[str]) -> None:
    there = loaded(f"import bot.runtime.running, bot.runtime.platforms, bot.adapters.{adapter}")
    assert not there & {*other, "prompt_toolkit", "prometheus_client", *PARSERS}


async def test_chat_and_run_load_what_they_use_once_content_is_kept() -> None:
    async with outside() as world, redis() as url, start.environment(world, url) as env:
        chat, serve = ([sys.executable, "-m", "bot", word] for word in ("chat", "run"))
        said = "API Error: Repeated 529 Overloaded errors\n"
        await start.ran(chat, env, said)
        profiled = {**env, "PYTHONPROFILEIMPORTTIME": "1"}
        talk = await start.ran(chat, profiled, said)
        talking = {name.partition(".")[0] for name in start.imported(talk)}
        run = await start.ran(serve, profiled)
        serving = {name.partition(".")[0] for name in start.imported(run)}
    assert not talking & {*PARSERS, *SLACK, *DISCORD, *SERVICES}
    assert not re.findall(r"\| +((?:handlers|bot\.core\.status|bot\.ports)\.announc\w+)$", talk.err, re.MULTILINE)
    assert not serving & {*PARSERS, *DISCORD, "prompt_toolkit", "prometheus_client"}
    assert serving >= SLACK
    assert len(own(talk)) <= 140, own(talk)
    assert len(own(run)) <= 200, own(run)


def own(ran: start.Ran) -> list[str]:
    """The modules of Redial that a process imported."""
    return sorted(re.findall(r"\| +((?:bot|handlers|content)(?:\.\S+)?)$", ran.err, re.MULTILINE))


def test_of_kept_guides_only_those_that_are_played_are_unpacked(tmp_path: Path) -> None:
    there = "sum(type(thing) is Step for thing in gc.get_objects())"
    code = f"""
import gc, json
from bot.core.guides.guide import Step
from bot.runtime.loading import load
library = load().library
before = {there}
guide, _ = library.step("response-cut-off", "")
print(json.dumps([before, {there}, len(guide.steps), sum(len(one.steps) for one in library.guides.values())]))
"""
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, check=True)  # noqa: S603
    before, after, steps, all_steps = json.loads(done.stdout)
    assert before == 0
    assert after == steps < all_steps / 5


# --- a turn ----------------------------------------------------------------------------------------------------


def counted(loop: asyncio.AbstractEventLoop) -> Counter[str]:
    """The tasks made from now on, by the file of what they run."""
    made = Counter[str]()

    def factory(loop: asyncio.AbstractEventLoop, coro: Coroutine[Any, Any, Any], **more: Any) -> asyncio.Task[Any]:  # noqa: ANN401 - asyncio's
        made[getattr(getattr(coro, "cr_code", None), "co_filename", "?")] += 1
        return asyncio.Task(coro, loop=loop, **more)

    loop.set_task_factory(factory)  # type: ignore[arg-type]
    return made


def ours(made: Counter[str]) -> dict[str, int]:
    """Those whose work stands in Redial."""
    folders = ("bot", "handlers")
    return {
        str(Path(name).relative_to(ROOT)): count
        for name, count in made.items()
        if any(Path(name).is_relative_to(ROOT / folder) for folder in folders)
    }


async def played(prepare: Callable[[int], Any], count: int, at_once: int) -> Counter[str]:
    await sample(prepare(50), 50, at_once)
    play, loop = prepare(count), asyncio.get_running_loop()
    made = counted(loop)
    try:
        await sample(play, count, at_once)
    finally:
        loop.set_task_factory(None)
    return made


async def calls(play: Play, count: int) -> float:
    """Calls, of Python and of C, that one of so many takes in all: a measure of work that does not depend on load."""
    made = 0

    def counted(_: object, event: str, __: object) -> None:
        nonlocal made
        made += event in {"call", "c_call"}

    for number in range(count):
        await play(number)
    sys.setprofile(counted)
    try:
        for number in range(count, 2 * count):
            await play(number)
    finally:
        sys.setprofile(None)
    return made / count


async def test_a_press_in_slack_takes_fewer_calls_than_the_same_with_the_bare_libraries() -> None:
    async with (
        outside() as world,
        bot(world, slack={"triage_channels": [slack.CHANNEL]}) as one,
        slack.crowd(one, world, people=20) as people,
        slack.floor(world, people, folds=True) as floor,
    ):
        bare = await calls(slack.bare(floor, people, 120), 60)
        whole = await calls(slack.ours(people, 120), 60)
    assert whole < 0.95 * bare, (whole, bare)


async def test_a_press_in_discord_takes_no_more_calls_beside_the_bare_library_than_it_does() -> None:
    async with at_discord() as people, discord_turn.bare(people, folds=True) as same:
        floor = await calls(discord_turn.floor(same, people, 120), 60)
        whole = await calls(discord_turn.ours(people, 120), 60)
    assert whole < 1.6 * floor, (whole, floor)


async def test_a_press_in_discord_sends_the_store_no_more_than_a_turn_may_with_what_is_written_in_batches() -> None:
    async with at_discord(EACH + 6) as people:
        await sample(discord_turn.ours(people, 2 * EACH), 2 * EACH, 1)
        traffic = Traffic(people.bot)
        await traffic.begin()
        await sample(discord_turn.ours(people, 4 * EACH), 4 * EACH, 1)
        sent = (await traffic.each(4 * EACH))["bytes to Redis"]
    assert 1000 < sent < SENT, sent


@contextlib.asynccontextmanager
async def at_slack() -> AsyncIterator[tuple[Bot, slack.Crowd]]:
    triage = {"triage_channels": [slack.CHANNEL]}
    async with outside() as world, bot(world, slack=triage) as one, slack.crowd(one, world, people=20) as people:
        yield one, people


@contextlib.asynccontextmanager
async def at_discord(count: int = 20) -> AsyncIterator[discord_turn.Crowd]:
    async with (
        outside() as world,
        discord_turn.reached(world),
        bot(world) as one,
        discord_turn.crowd(one, count) as people,
    ):
        yield people


@dataclass
class Person:
    """Somebody whose turns a replica plays."""

    desk: Desk
    seen: Screen = field(default_factory=Screen)
    numbers: ClassVar[Iterator[int]] = itertools.count()

    async def says(self, place: Origin, text: str) -> None:
        await self._does(place, Said(text, "mention" if text == REPORT else "thread"))

    async def answers(self, place: Origin, last: View) -> None:
        await self._does(place, Pressed(last.conversation, last.revision, last.step, last.offers[0].id))

    async def _does(self, place: Origin, what: Said | Pressed) -> None:
        shown = len(self.seen.views)
        await handle(self.desk, InboundEvent(f"e{next(self.numbers)}", place, what, room="threads"), self.seen)
        assert len(self.seen.views) == shown + 1, "the turn was answered"


async def test_a_press_in_slack_is_one_task_the_dispatchers() -> None:
    async with at_slack() as (_, people):
        made = await played(lambda n: slack.ours(people, n), 60, 8)
    assert ours(made) == {"bot/runtime/dispatcher.py": 60}


async def test_a_press_in_discord_is_one_task_the_dispatchers() -> None:
    async with at_discord() as people:
        made = await played(lambda n: discord_turn.ours(people, n), 60, 8)
    assert ours(made) == {"bot/runtime/dispatcher.py": 60}
    library = {Path(name).name: count for name, count in made.items() if Path(name).is_relative_to(LIBRARY)}
    assert library == {"client.py": 60}, "of the library's, the one that hears of it"


async def test_a_turn_waits_for_the_store_once_and_twice_after_a_conflict_or_on_another_replica() -> None:
    async with outside() as world, bot(world, slack={"triage_channels": ["C1"]}) as one:
        place, first, second = Origin("slack", "T1", "C1", "U1", "1.1"), Person(one.desk), Person(one.desk)
        assert isinstance(one.desk.store, RedisConversations)
        second.desk = changed(one.desk, store=RedisConversations(one.desk.store.server))
        await first.says(place, REPORT)
        meters = metered(one)

        async def trips(turn: Coroutine[Any, Any, None]) -> int:
            before = meters.trips
            await turn
            return meters.trips - before

        # Noting that a process has conversations of a workspace, once an hour, and sending a server a script, once.
        await second.says(replace(place, user="U2", thread="1.2"), REPORT)
        assert await second.desk.store.get(place, "nobody's") is None
        assert await trips(first.answers(place, first.seen.views[-1])) == 1, "this replica knows the conversation"
        await one.desk.store.flush()
        assert await trips(second.answers(place, first.seen.views[-1])) == 2, "another replica reads it first"
        assert await trips(first.says(place, "two files edited, tests not run")) == 2, "the other one wrote first"
        assert await trips(first.says(place, "and no commit")) == 1, "and from then on it is known again"


async def test_turns_leave_nothing_in_memory() -> None:
    async with at_slack() as (one, people):
        await sample(slack.ours(people, 100), 100, 1)
        await one.desk.store.flush()
        plays = slack.ours(people, 200)
        gc.collect()
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        await sample(plays, 200, 1)
        await one.desk.store.flush()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    # What twenty conversations hold is made anew with each turn, and so counts once.
    assert after - before < 20 * 4096 + 200 * 300


# --- the suite itself ------------------------------------------------------------------------------------------


async def test_news_are_as_cheap_among_many_channels_they_do_not_concern_as_among_few() -> None:
    async with outside() as world, bot(world) as one:
        found = []
        for page_id, size in (("few", 10), ("all", 400)):
            here, traffic = await growth.listened(one, page_id), Traffic(one)
            await here.grows(size)
            await traffic.begin()
            for _ in range(10):
                await here.reads()
                await here.walks()
            found.append(await traffic.each(10))
    few, many = found
    assert few["bytes from Redis"] > 1000, "the page is read"
    assert many["bytes from Redis"] < 1.1 * few["bytes from Redis"]
    assert many["bytes to Redis"] < 1.1 * few["bytes to Redis"]


class Counting(PaperChannels):
    """A platform that looks at every 50th post how many subscriptions are in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.held = list[int]()

    async def post(self, place: Place, key: str, notice: Notice) -> Delivery:
        if len(self.messages) % 50 == 0:
            self.held.append(sum(type(thing) is Subscription for thing in gc.get_objects()))
        return await super().post(place, key, notice)


async def test_of_the_channels_that_are_told_few_are_in_memory_at_a_time() -> None:
    channels, paper = 2 * AT_ONCE + 200, Counting()
    async with outside() as world, bot(world) as one:
        here = await growth.listened(one, "told", {"slack": paper})
        await here.grows(channels)
        await here.reads("critical")
        await here.walks(acts=channels)
    assert set(Counter(message.place for message in paper.messages.values()).values()) == {1}
    assert len(paper.messages) == channels
    assert max(paper.held) <= AT_ONCE + 2 * BATCH, paper.held


def test_the_suite_runs_with_its_counts_asserted() -> None:
    names = ["slack-turn", "discord-turn", "console-turn", "dispatch", "fan-out"]
    env = {**os.environ, "REDIAL_BENCH_SCALE": "0.02"}
    command = [sys.executable, "-m", "tests.bench", "--json", *names]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode in {0, 1}, done.stderr
    found = json.loads(done.stdout)
    assert {figure["bench"] for figure in found["figures"]} == set(names)
    assert all(f"{name}: begins" in done.stderr for name in names), "progress is shown"


def test_the_run_that_is_kept_has_every_benchmark_and_its_page_shows_it() -> None:
    kept = page.Results.read()
    assert {figure.bench for figure in kept.figures} == set(BENCHES)
    assert (page.HERE / page.PAGE).read_text("utf-8") == page.as_page(kept)
    assert (page.HERE / page.PLOT).read_text("utf-8") == page.as_svg(kept)
    assert (page.HERE / page.GROWTH).read_text("utf-8") == curves.as_svg(kept.figures)


def test_what_was_measured_at_several_sizes_is_one_curve() -> None:
    names = ("a turn among 10", "a look among 10 things", "a turn among 1 000 000")
    drawn = curves.curves(Figure("growth", name, ratio=1.0 + n / 10) for n, name in enumerate(names))
    assert drawn == {"a turn among n": [(10, 1.0), (1_000_000, 1.2)], "a look among n things": [(10, 1.1)]}


def test_a_goal_is_compared_with_the_ratio_or_else_the_value() -> None:
    assert Figure("b", "n", 2.0, "ms", goal=3.0).reached
    assert Figure("b", "n", 2.0, "ms", "floor", 1.2, (1.1, 1.3), 1.1).reached is False
    assert Figure("b", "n", 2.0, "ms").reached is None


def test_benchmarks_that_did_not_run_again_stay_as_they_were(tmp_path: Path) -> None:
    for bench, value in (("growth", 1.0), ("start", 2.0), ("growth", 3.0)):
        results = page.Results.now()
        results.add(bench, [Figure(bench, "n", value, "ms")])
        page.write(results, tmp_path)
    kept = page.Results.read(tmp_path)
    assert [(figure.bench, figure.value) for figure in kept.figures] == [("start", 2.0), ("growth", 3.0)]
    assert set(kept.about["load"]) == set(kept.about["share"]) == {"growth", "start"}
