"""`python -m tests.soak`: the long runs. Without a word, an hour of kills; `fuzz` and `announcements` are others."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from tests.soak.living import live

ROOT = Path(__file__).parents[2]
FUZZED = ("tests/fuzz",)


@click.group(invoke_without_command=True)
@click.pass_context
def main(context: click.Context) -> None:
    """Long runs: processes killed at random, and decoders given nonsense."""
    if context.invoked_subcommand is None:
        context.invoke(kills)


@main.command()
@click.option("--seconds", default=3600.0, show_default=True)
@click.option("--seed", default=7, show_default=True)
@click.option("--keep", type=click.Path(path_type=Path), help="Folder for the processes' logs.")
def kills(seconds: float, seed: int, keep: Path | None) -> None:
    """Two replicas on one Redis, killed at random, with people, incidents and everything once."""
    with tempfile.TemporaryDirectory() as folder:
        where = keep or Path(folder)
        where.mkdir(parents=True, exist_ok=True)
        outcome = asyncio.run(live(where, seconds, seed=seed))
        click.echo(outcome)
        sys.exit(int(bool(outcome.faults)))


@main.command()
@click.option("--examples", default=20_000, show_default=True)
def fuzz(examples: int) -> None:
    """Every decoder and parser, with so many examples each."""
    sys.exit(_pytest({"REDIAL_FUZZ": str(examples)}, *FUZZED))


@main.command()
@click.option("--seconds", default=1800.0, show_default=True)
def announcements(seconds: float) -> None:
    """Announcing alone, on a platform that cuts, doubles and delays."""
    sys.exit(_pytest({"REDIAL_SOAK": str(seconds)}, "tests/scenarios/test_announce_soak.py"))


def _pytest(more: dict[str, str], *paths: str) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "--timeout", "0", *paths]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **more}, check=False).returncode  # noqa: S603


if __name__ == "__main__":
    main()
