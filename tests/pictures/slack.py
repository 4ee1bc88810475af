"""What people see in Slack: real turns of the real adapter, as the Web API was given them."""

from __future__ import annotations

import itertools
import tempfile
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.core.triage.insights import Insight, insight
from bot.runtime.chart import draw
from handlers.insights import insights_view
from tests.adapters.slack.office import office
from tests.contract.bench_slack import SlackBench
from tests.contract.choosing import SlackChooser, slack_chooser
from tests.contract.test_chat import CUT_OFF, TOOLS
from tests.pictures.drawing import slack_columns
from tests.scenarios.playing import NOW, page

OVERLOADED = "API Error: Repeated 529 Overloaded errors"
Column = list[dict[str, Any]]


async def thread() -> tuple[str, int]:
    """A mention; the thread after a press; after words; a question with more choices than buttons."""
    async with _bench() as bench:
        await bench.mention("ann", f"claude code just died on me `{CUT_OFF}`")
        columns = [await _thread(bench)]
        await bench.press("ann", TOOLS)
        columns.append(await _thread(bench))
        await bench.say("ann", "ok two files edited, tests not run yet")
        columns.append((await _thread(bench))[-1:])
        await bench.mention("bob", "API Error: 401 OAuth token has expired. Please run /login")
        return drawn([*columns, (await _thread(bench))[-1:]])


async def more() -> tuple[str, int]:
    """During an incident, and waiting for its end; going on all the same; handed to a human; a person's page."""
    async with _bench() as bench:
        bench.office.page.read = page("incident")
        await bench.mention("ann", OVERLOADED)
        columns = [[await _private(bench, "ann")]]
        await bench.press_private("ann", "Wait and tell me")
        columns[0].append(await _private(bench, "ann"))
        await bench.mention("bob", OVERLOADED)
        await bench.press_private("bob", "Mine is different: start anyway")
        columns.append([shown(bench.office.slack.posted[-1][1]["blocks"])])
        bench.office.page.read = page("clear")
        await bench.mention("bob", f"claude code just died on me `{CUT_OFF}`")
        await bench.press("bob", TOOLS)
        await bench.press("bob", "Get a human")
        columns.append((await _thread(bench))[-1:])
        bench.office.page.read = page("incident")
        columns.append([await _home(bench, "ann")])
        return drawn(columns)


async def choosing() -> tuple[str, int]:
    """The form; what came of it; what a channel hears; words that are not understood."""
    async with slack_chooser(Path(tempfile.mkdtemp())) as one:
        assert isinstance(one, SlackChooser)
        form = await one.asks("ann")
        await one.sends("ann", form, least=("major",), mention=(one.group,))
        columns = [[_framed(form)], [_told(one)]]
        await one.types("ann", "subscriptions")
        columns[1].append(_told(one))
        await one.types("ann", "subscribe major cluade-code")
        columns.append([_told(one)])
        await one.types("bob", "subscribe major")
        columns[2].append(_told(one))
        return drawn(columns)


async def handoff() -> tuple[str, int]:
    """What helpers get, and see once somebody has it; what who asked sees."""
    async with _bench() as bench:
        bench.desk.rooms = {"slack": replace(bench.desk.rooms["slack"], handoff=bench.channel("other"))}
        line = f"{CUT_OFF} request id req_011CTxyz9, macOS, on the office VPN"
        await bench.mention("ann", f"claude code just died on me `{line}`")
        await bench.press("ann", TOOLS)
        await bench.say("ann", "two files edited, tests not run")
        await bench.press("ann", "It dropped again, the same line")
        await bench.press("ann", "Get a human")
        packet = await bench.office.ours(bench.channel("other"))
        columns = [[shown(one["blocks"]) for one in packet]]
        told = (await _thread(bench))[-1:]
        seen = await bench.seen()
        at = next(n for n, one in enumerate(seen) if "Take it" in one.buttons)
        thread = bench.where
        for label in ("Take it", "Ask in the thread", "Resolve"):
            await bench.press("bob", label, message=at)
            bench.where = thread
            told += (await _thread(bench))[-1:]
            if label == "Take it":
                packet = await bench.office.ours(bench.channel("other"))
                columns.append([shown(one["blocks"]) for one in packet])
        return drawn([*columns, told])


async def insights() -> tuple[str, int]:
    """How conversations went, drawn, and as a message."""
    async with _bench() as bench:
        week, month = imagined()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "chart.png")
            draw(bench.desk.library, week, month, path)
            picture = b64encode(path.read_bytes()).decode()  # noqa: ASYNC240 - nobody else waits here
        view = insights_view(bench.desk.library, week, month)
        one = shown(list(bench.chat.renderer.message(view).blocks))
        html, _ = drawn([[one]])
        return f'<section><img style="width:100%" src="data:image/png;base64,{picture}"></section>{html}', 2


def imagined() -> tuple[Insight, Insight]:
    """Five weeks of an imagined team."""
    steps = {"response-cut-off#short": (4, 6), "web-connection-lost#private": (3, 5), "cannot-connect#proxy": (2, 5)}
    ends = {"fixed": 8, "waiting": 3, "handed_off": 1, "left": 2}
    counts = {"opened": 14, "took:5": 4, "took:10": 3, "took:60": 2, "asked-back": 1}
    counts |= {"guide:response-cut-off": 6, "ended:fixed:response-cut-off": 4, "corrected:response-cut-off": 1}
    counts |= {"guide:web-connection-lost": 5, "ended:fixed:web-connection-lost": 3}
    counts |= {f"ended:{name}": n for name, n in ends.items()} | {"handoff:posted": 1, "handoff:take": 1}
    for place, (fixed, tried) in steps.items():
        counts |= {f"fixed:{place}": fixed, f"tried:{place}": tried}
    week, month = ({name: n * times for name, n in counts.items()} for times in (3, 11))
    return insight(week, "2026-09-07", "2026-09-14"), insight(month, "2026-08-17", "2026-09-22")


SCENES = {
    "slack-thread": thread,
    "slack-more": more,
    "slack-choosing": choosing,
    "handoff": handoff,
    "insights": insights,
}
"""Pictures by the name of their file."""


@asynccontextmanager
async def _bench() -> AsyncIterator[SlackBench]:
    async with office(Path(tempfile.mkdtemp())) as one:
        later = itertools.count(NOW)
        one.desk.clock = lambda: next(later)
        yield SlackBench(one)


async def _thread(bench: SlackBench) -> Column:
    """Redial's messages in the newest thread, as they stand now."""
    found = await bench.office.ours(bench.where[0])
    return [shown(one["blocks"]) for one in found if bench.where[1] in {one.get("thread_ts"), one["ts"]}]


async def _private(bench: SlackBench, user: str) -> dict[str, Any]:
    """What a person alone was told last."""
    return shown((await bench.told(user))[-1]["blocks"])


async def _home(bench: SlackBench, user: str) -> dict[str, Any]:
    there = bench.office
    event = {"type": "app_home_opened", "tab": "home", "user": there.slack.users[user], "event_ts": "1.1"}
    await there.happened({**event, "channel": await there.direct(user)})
    view = [call.body for call in there.slack.calls if call.method == "views.publish"][-1]["view"]
    return {**shown(view["blocks"]), "frame": {"title": "Redial"}}


def _framed(view: dict[str, Any]) -> dict[str, Any]:
    frame = {"title": view["title"]["text"], "submit": view["submit"]["text"]}
    return {**shown(view["blocks"]), "frame": frame}


def _told(one: SlackChooser) -> dict[str, Any]:
    return shown(one.office.slack.told[-1][1]["blocks"])


def shown(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a message as it is drawn."""
    return {"blocks": blocks, "time": NOW}


def drawn(columns: list[Column]) -> tuple[str, int]:
    """Return columns of messages as HTML, and how many."""
    return slack_columns(columns), len(columns)
