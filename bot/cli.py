"""The `redial` command. Each sub-command imports what it needs, so that `--help` answers at once."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from bot.runtime.settings import Settings

_EXIT_TROUBLE = 2
"""Exit code when a command could not do its work: settings, content, store. 1 says that it found problems."""

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
_data_dir = click.option(
    "--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Where Redial's own store keeps its files."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="redial")
def main() -> None:
    """Triage for team channels when Claude drops the line."""


@main.command()
@click.option("--user", default="you", show_default=True, help="Whose conversations these are.")
@_data_dir
@_json
def chat(user: str, data_dir: Path | None, as_json: bool) -> None:  # noqa: FBT001 - click's way
    """Talk to Redial here: no token, no server. In a pipe it reads a message a line."""
    from bot.runtime.console import chat as talk  # noqa: PLC0415
    from bot.runtime.logs import quiet  # noqa: PLC0415

    quiet()
    with _told():
        asyncio.run(talk(_settings(data_dir=data_dir), user=user, json=as_json))


def _settings(**over: object) -> Settings:
    from bot.runtime.settings import load_settings  # noqa: PLC0415 - pydantic takes a while to load

    return load_settings(**over)


@contextmanager
def _told() -> Iterator[None]:
    """Turn Redial's own errors into one line that says what to do, and a broken pipe or Ctrl-C into a quiet end."""
    from bot.core.errors import RedialError  # noqa: PLC0415

    try:
        yield
    except RedialError as error:
        click.echo(f"redial: {error}", err=True)
        sys.exit(_EXIT_TROUBLE)
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
