"""Runs the `redial` command as people and scripts do: another process, a pipe or a terminal, an own data directory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCRIPT = str(Path(sys.executable).with_name("redial"))
"""The command as it is installed."""

NOBODY = '["http://127.0.0.1:9"]'
"""A page nobody serves: port 9 of this machine refuses."""


@dataclass
class Redial:
    """The command with a data directory and settings of its own. program: what stands for `bot`."""

    home: Path
    env: dict[str, str] = field(default_factory=dict)
    program: str = "bot"

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def environment(self) -> dict[str, str]:
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("REDIAL_", "REDIS_", "SLACK_", "DISCORD_"))
        }
        own = {"REDIAL_STATUS__HOSTS": NOBODY, "REDIAL_DATA_DIR": str(self.data), "COLUMNS": "100"}
        return {**kept, **own, **self.env}

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-m", self.program, *args]

    def run(self, *args: str, input: str = "", code: int = 0) -> subprocess.CompletedProcess[str]:  # noqa: A002
        done = subprocess.run(  # noqa: S603 - our own command
            self.command(*args),
            input=input,
            capture_output=True,
            text=True,
            env=self.environment,
            cwd=self.home,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done

    def chat(self, *lines: str, user: str = "ann") -> list[dict[str, Any]]:
        """Say lines in a pipe and return the views that came back."""
        done = self.run("chat", "--json", "--user", user, input="".join(f"{line}\n" for line in lines))
        assert done.stderr == ""
        return [json.loads(line) for line in done.stdout.splitlines()]

    def start(self, *args: str, **pipes: Any) -> subprocess.Popen[str]:  # noqa: ANN401 - as Popen takes them
        own = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **pipes}
        return subprocess.Popen(  # noqa: S603 - our own command
            self.command(*args), text=True, env=self.environment, cwd=self.home, **own
        )


def labels(view: dict[str, Any]) -> Sequence[str]:
    return [choice["label"] for choice in view["choices"]]
