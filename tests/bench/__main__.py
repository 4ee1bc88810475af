"""`python -m tests.bench [--json] [--write] [NAME…]`: what Redial costs, each figure beside its floor."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Sequence

import structlog

from tests.bench import page
from tests.bench.measuring import Figure, Tick

BENCHES = {
    "slack-turn": "slack_turn:turn",
    "discord-turn": "discord_turn:run",
    "ack": "slack_turn:ack",
    "dispatch": "slack_turn:dispatch",
    "recogniser": "recogniser:run",
    "fan-out": "fan_out:run",
    "start": "start:run",
    "memory": "memory:run",
    "console-turn": "console:run",
    "growth": "growth:run",
}


def main(words: Sequence[str]) -> int:
    """Run the benchmarks that are named, or all; 1 where a goal is missed."""
    asked = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    asked.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHES))
    asked.add_argument("--json", action="store_true", help="print the figures as JSON")
    asked.add_argument("--write", action="store_true", help="keep the figures, the page and its plot in tests/bench")
    given = asked.parse_args(words)
    if unknown := set(given.names) - BENCHES.keys():
        asked.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(BENCHES)}")
    # Standard output is for the figures.
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    results = page.Results.now()
    for name in given.names or BENCHES:
        results.add(name, _run(name))
    if given.write:
        page.write(results)
    sys.stdout.write(
        json.dumps(results.as_json(), indent=1, ensure_ascii=False) if given.json else page.as_text(results)
    )
    sys.stdout.write("\n")
    return int(any(figure.reached is False for figure in results.figures))


def _run(name: str) -> list[Figure]:
    module, _, function = BENCHES[name].partition(":")
    began = time.monotonic()

    def tick(doing: str) -> None:
        sys.stderr.write(f"{time.monotonic() - began:6.1f} s  {name}: {doing}\n")
        sys.stderr.flush()

    tick("begins")
    run: Callable[[Tick], list[Figure]] = getattr(importlib.import_module(f"tests.bench.{module}"), function)
    found = run(tick)
    tick(f"{len(found)} figures, load {os.getloadavg()[0]:.1f}")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
