"""Make the pictures of the documentation again: `python -m tests.pictures [NAME…]`, all of them without a name."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from tests.pictures import announcing, console, discord, slack, together
from tests.pictures.drawing import photograph

FOLDER = Path(__file__).parents[2] / ".pictures"
SCENES = {**console.SCENES, **slack.SCENES, **discord.SCENES, **announcing.SCENES, **together.SCENES}
"""A scene returns its HTML and in how many columns."""


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(tuple(SCENES)))
@click.option("--into", type=click.Path(path_type=Path, exists=True), default=FOLDER, help="Another folder.")
def main(names: tuple[str, ...], into: Path) -> None:
    """Make pictures of what people see, from real turns."""
    for name in names or SCENES:
        body, columns = asyncio.run(SCENES[name]())
        photograph(body, columns, into / f"{name}.png")
        click.echo(f"{name}.png")


if __name__ == "__main__":
    main()
