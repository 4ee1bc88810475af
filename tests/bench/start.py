"""start: a process from nothing to its first answer, beside a process that imports the same libraries and ends."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import re
import signal
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.measuring import Figure, Tick, ratios, scaled
from tests.bench.script import REPORT
from tests.bench.world import Outside, outside, redis

OURS = frozenset({"bot", "handlers", "content", "tests", "__main__"})
_IMPORT = "try:\n    import {}\nexcept Exception:\n    pass"
"""Libraries look for others that may not be there; the floor looks for them too."""
_HELP_GOAL = 150.0
_GOAL = 1.3


@dataclass(frozen=True, slots=True)
class Ran:
    """What a process came to: CPU and wall seconds, what it said on each stream."""

    cpu: float
    wall: float
    out: str
    err: str


def run(tick: Tick) -> list[Figure]:
    """Start processes, in turn with their floors."""
    return asyncio.run(_run(tick))


async def _run(tick: Tick) -> list[Figure]:
    times, python = scaled(9, 2), [sys.executable, "-c", ""]
    async with outside() as world, redis() as url, environment(world, url) as env:
        tick("--help")
        helps = [await ran([sys.executable, "-m", "bot", "--help"], env) for _ in range(times)]
        bare = [await ran(python, env) for _ in range(times)]
        found = [_help(helps, bare)]
        for name, command in (("chat", ["chat"]), ("run, Slack", ["run"])):
            tick(name)
            found.append(await _beside(name, [sys.executable, "-m", "bot", *command], env, times))
    return found


def _help(helps: Sequence[Ran], bare: Sequence[Ran]) -> Figure:
    value = round(statistics.median(one.cpu for one in helps) * 1e3, 1)
    ratio, spread = ratios([one.cpu for one in helps], [one.cpu for one in bare])
    counts = {"ms, wall": round(statistics.median(one.wall for one in helps) * 1e3, 1), "times a bare Python": ratio}
    return Figure("start", "redial --help", value, "ms CPU", spread=spread, goal=_HELP_GOAL, counts=counts)


async def _beside(name: str, command: Sequence[str], env: Mapping[str, str], times: int) -> Figure:
    said, people = f"{REPORT}\n" if "chat" in command else "", itertools.count()

    async def answered(more: Mapping[str, str]) -> Ran:
        # Somebody else each time: who has a conversation open is only shown where it stands.
        words = [*command, "--user", f"person{next(people)}"] if said else command
        done = await ran(words, {**env, **more}, said)
        assert ("Part of it may already have happened" in done.out) is bool(said), done
        return done

    await answered({})
    modules = imported(await answered({"PYTHONPROFILEIMPORTTIME": "1"}))
    floor = [sys.executable, "-c", "\n".join(map(_IMPORT.format, modules))]
    assert not (await ran(floor, env)).err
    pairs = [(await answered({}), await ran(floor, env)) for _ in range(times)]
    ratio, spread = ratios([ours.cpu for ours, _ in pairs], [floor.cpu for _, floor in pairs])
    value = round(statistics.median(ours.cpu for ours, _ in pairs) * 1e3, 1)
    counts = {
        "modules of libraries": len(modules),
        "ms of importing them": round(statistics.median(floor.cpu for _, floor in pairs) * 1e3, 1),
    }
    what = f"redial {name}: from nothing to its first answer and its end"
    return Figure("start", what, value, "ms CPU", "importing the same libraries", ratio, spread, _GOAL, counts)


def imported(ran_: Ran) -> list[str]:
    """The modules of others that a process imported, in that order; those of Python itself come with Python."""
    found = re.findall(r"^import time:.*\| +(\S+)$", ran_.err, re.MULTILINE)
    known = OURS | sys.stdlib_module_names
    others = (name for name in found if name.partition(".")[0] not in known)
    return list(dict.fromkeys(name for name in others if all(part.isidentifier() for part in name.split("."))))


async def ran(command: Sequence[str], env: Mapping[str, str], said: str = "", *, until: str = "") -> Ran:
    """Run a process; `redial run` is told to end once it says that it is connected."""
    until = until or ("Slack" if command[-1] == "run" else "")
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        loop, read = asyncio.get_running_loop(), 0
        began = loop.time()
        process = await asyncio.to_thread(_spawned, command, env, said, (out.fileno(), err.fileno()))
        while until and b"slack:" not in os.pread(out.fileno(), 10_000, read):
            await asyncio.sleep(0.01)
            assert loop.time() - began < 60, os.pread(err.fileno(), 10_000, 0).decode()
        if until:
            os.kill(process, signal.SIGTERM)
        _, status, used = await asyncio.to_thread(os.wait4, process, 0)
        wall = loop.time() - began
        texts = [os.pread(stream.fileno(), 10_000_000, 0).decode(errors="replace") for stream in (out, err)]
    assert status == 0, (command, status, texts)
    return Ran(used.ru_utime + used.ru_stime, wall, *texts)


def _spawned(command: Sequence[str], env: Mapping[str, str], said: str, streams: tuple[int, int]) -> int:
    reading, writing = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in enumerate((reading, *streams))]
    process = os.posix_spawn(command[0], list(command), env, file_actions=actions)
    os.write(writing, said.encode())
    for end in (reading, writing):
        os.close(end)
    return process


@contextlib.asynccontextmanager
async def environment(world: Outside, url: str) -> AsyncIterator[dict[str, str]]:
    """A team's settings: a Redis, the status page and Slack on loopback, and a cache that is warm."""
    with tempfile.TemporaryDirectory(prefix="redial-bench-") as place:
        config = Path(place) / "redial.toml"
        config.write_text(
            f'[status]\nhosts = ["{world.address}"]\n[slack]\nport = 0\napi_url = "{world.address}/api/"\n'
        )
        yield {
            **_kept(("PATH", "HOME", "PYTHONPATH", "LANG")),
            "REDIAL_CONFIG": str(config), "REDIS_URL": url, "XDG_CACHE_HOME": place, "XDG_DATA_HOME": place,
            "SLACK_BOT_TOKEN": "xoxb-bench", "SLACK_SIGNING_SECRET": "secret",
        }  # fmt: skip


def _kept(names: Iterable[str]) -> dict[str, str]:
    return {name: os.environ[name] for name in names if name in os.environ}
