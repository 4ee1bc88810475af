"""npm `emulate` as one process for as long as the tests run: each workspace of Slack is a server of its own in it."""

from __future__ import annotations

import atexit
import contextlib
import json
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.fakes.npm import NODE, brought

VERSION = "0.12.2"
PER_TOKEN = 5_000
"""Requests it takes of one token; then it refuses them for an hour."""


class Emulate:
    """The process, which ends with this one."""

    def __init__(self) -> None:
        api = brought(f"emulate@{VERSION}") / "node_modules" / "emulate" / "dist" / "api.js"
        command = [NODE, Path(__file__).with_suffix(".mjs"), api]
        self._process = subprocess.Popen(  # noqa: S603 - our own arguments
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        atexit.register(self._end)

    @contextlib.contextmanager
    def workspace(self, seed: Mapping[str, object]) -> Iterator[int]:
        """Open a workspace with these users and tokens in it; its port on loopback."""
        port = self._ask(seed)
        try:
            yield port
        finally:
            self._ask(port)

    def _ask(self, what: Mapping[str, object] | int) -> int:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{json.dumps(what)}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, f"emulate ended with {self._process.wait()}"
        return int(answer)

    def _end(self) -> None:
        self._process.communicate()


@cache
def emulate() -> Emulate:
    """Return the one of this process, started when it is first needed; raises `NotBrought` without a way to npm."""
    return Emulate()
