"""The `redial` command. Each sub-command imports what it needs, so that `--help` answers at once."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from bot.core.guides.guide import Guide
    from bot.runtime.content import Content
    from bot.runtime.settings import Settings

T = TypeVar("T")

_EXIT_TROUBLE = 2
"""Exit code when a command could not do its work: settings, content, store. 1 says that it found problems."""

_EXIT_LEFT = 130
"""Exit code when Ctrl-C, or the end of who reads the output, ended it."""

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
_data_dir = click.option(
    "--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Where Redial's own store keeps its files."
)


class _Command(click.Group):
    """The command with its sub-commands, whose troubles are told in one way."""

    def invoke(self, ctx: click.Context) -> object:
        """Run what was asked for."""
        with _told():
            return super().invoke(ctx)


@click.group(cls=_Command, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="redial")
def main() -> None:
    """Triage for team channels when Claude drops the line."""
    _streams()


@main.command()
@click.option("--user", default="you", show_default=True, help="Whose conversations these are.")
@_data_dir
@_json
def chat(user: str, data_dir: Path | None, as_json: bool) -> None:
    """Talk to Redial here: no token, no server. In a pipe it reads a message a line."""
    from bot.runtime.collecting import hold

    hold()
    from bot.runtime.console import chat as talk

    _awaited(talk(_settings(data_dir=data_dir), user=user, json=as_json))


@main.command()
@_data_dir
def run(data_dir: Path | None) -> None:
    """Run the bot on every platform that is configured, until SIGTERM or Ctrl-C."""
    from bot.runtime.collecting import hold

    hold()
    from bot.runtime.logs import lines
    from bot.runtime.running import run as serve

    sys.exit(_awaited(serve(_settings(data_dir=data_dir), click.echo), log=lines))


@main.command()
@_data_dir
@_json
def doctor(data_dir: Path | None, as_json: bool) -> None:
    """Check settings, content, store, status page and platforms. Exit code 1 if something does not work."""
    from bot.runtime import doctor as doctors
    from bot.runtime.checks import Health

    checks = _awaited(doctors.examine(data_dir=data_dir))
    click.echo(doctors.as_json(checks) if as_json else doctors.as_text(checks))
    sys.exit(int(any(check.health is Health.FAIL for check in checks)))


@main.command()
@click.argument("directory", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--released", type=click.Path(path_type=Path, dir_okay=False), help="File of ids that must not be lost.")
@click.option("--ids", "list_ids", is_flag=True, help="Print the ids of this content, as a file for --released.")
@_json
def check(directory: Path | None, released: Path | None, list_ids: bool, as_json: bool) -> None:
    """Lint the guides, with those of DIRECTORY laid over the built-in ones. Exit code 1 if there is a problem."""
    from bot.runtime.checking import check_content

    sys.exit(check_content(_content_dirs(directory), released, list_ids=list_ids, as_json=as_json))


@main.command()
@click.argument("guide")
def graph(guide: str) -> None:
    """Print GUIDE as a Mermaid flowchart."""
    from bot.core.guides.diagram import flowchart

    click.echo(flowchart(_guide(_content(), guide)), nl=False)


@main.command()
@_json
def guides(as_json: bool) -> None:
    """List the guides."""
    from bot.runtime.listing import guide_list

    click.echo(guide_list(_content(), as_json=as_json))


@main.command(name="guide")
@click.argument("guide")
def show_guide(guide: str) -> None:
    """Print GUIDE as an article."""
    from bot.runtime.listing import article

    content = _content()
    click.echo(article(_guide(content, guide), content.library.messages))


@main.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--page", default="", help="Id of the page, where the recording has several.")
@_json
def replay(file: Path, page: str, as_json: bool) -> None:
    """Print what a channel would have been sent of FILE: one {"at", "path", "document"} a line, plain, gz or xz."""
    from bot.runtime.replaying import replayed

    _awaited(_printed(replayed(file, _content(), page, as_json=as_json)))


@main.command()
@click.option("--pause", default=1.0, show_default=True, help="Seconds between two readings of the page.")
@click.option("--channel", default="", help="Play it in this channel: slack:TEAM/CHANNEL or discord:SERVER/CHANNEL.")
@click.option("--stay", default=20.0, show_default=True, help="Seconds its messages stay in a channel.")
@_data_dir
@_json
def drill(pause: float, channel: str, stay: float, data_dir: Path | None, as_json: bool) -> None:
    """Play an invented outage, marked as a drill, here or in a real channel, where it cleans up after itself."""
    from bot.runtime.replaying import drilled

    if channel:
        from bot.runtime.drilling import drilled_into

        _awaited(drilled_into(_settings(data_dir=data_dir), channel, click.echo, pause=pause, stay=stay))
        return
    _awaited(_printed(drilled(_content(), pause, as_json=as_json)))


@main.command()
@click.argument("text", required=False)
@click.option("--jsonl", type=click.File(encoding="utf-8", errors="replace"), help="File with one JSON object a line.")
@click.option("--field", default="text", show_default=True, help="Which field of it holds the text.")
@click.option(
    "--report", type=click.File(encoding="utf-8", errors="replace"), help="Labelled reports: print how many are right."
)
def recognise(text: str | None, jsonl: IO[str] | None, field: str, report: IO[str] | None) -> None:
    """Say what TEXT (or - for standard input) would be taken for, as JSON."""
    from bot.runtime import recognising

    if sum(given is not None for given in (text, jsonl, report)) != 1:
        raise click.UsageError("give either TEXT (- for standard input), --jsonl FILE or --report FILE")
    recogniser = _content().recogniser()
    if report:
        click.echo(recognising.report(recogniser, report, field))
    else:
        rows = jsonl or recognising.single(sys.stdin.read() if text == "-" else text or "")
        for line in recognising.decisions(recogniser, rows, field):
            click.echo(line)


@main.command()
@click.option("--stuck", is_flag=True, help="Only what does not go on, with the reason.")
@_data_dir
@_json
def announcements(stuck: bool, data_dir: Path | None, as_json: bool) -> None:
    """List what each channel has been sent of what is open. Exit code 1 if something is stuck."""
    from bot.runtime.announced import listed

    sys.exit(_awaited(listed(_settings(data_dir=data_dir), click.echo, stuck=stuck, as_json=as_json)))


@main.command()
@_data_dir
@_json
def conversations(data_dir: Path | None, as_json: bool) -> None:
    """List the conversations that are open, waiting or with helpers: ids and places, nobody's name or words."""
    from bot.runtime.conversations import conversations as listed

    click.echo(_awaited(listed(_settings(data_dir=data_dir), _content(), as_json=as_json)))


@main.command()
@click.option("--png", type=click.Path(path_type=Path, dir_okay=False), help="Draw a picture into this file.")
@_data_dir
@_json
def insights(png: Path | None, data_dir: Path | None, as_json: bool) -> None:
    """Show how conversations went last week and in five weeks: what fixed it, how fast, in counts without names."""
    from bot.runtime.insights import insights as gathered

    if png and as_json:
        raise click.UsageError("give either --json or --png FILE")
    click.echo(_awaited(gathered(_settings(data_dir=data_dir), as_json=as_json, png=png)))


@main.command(name="export")
@_data_dir
def export_subscriptions(data_dir: Path | None) -> None:
    """Print who listens to what, as JSON for `redial import`."""
    from bot.runtime.transfer import export

    click.echo(_awaited(export(_settings(data_dir=data_dir))))


@main.command(name="import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@_data_dir
def import_subscriptions(file: Path, data_dir: Path | None) -> None:
    """Let the channels of FILE, an export, listen again. What stands in them is found, not posted again."""
    from bot.runtime.transfer import bring_in

    click.echo(_awaited(bring_in(_settings(data_dir=data_dir), file)))


@main.command()
@click.option("--surface", default="", help="Say what it means for claude-code, web, desktop, phone, api or console.")
@_json
def status(surface: str, as_json: bool) -> None:
    """Read the official status page. Exit code 0: all works; 1: an incident or a part that does not; 3: unknown."""
    from bot.runtime.listing import official_status

    text, code = _awaited(official_status(_settings(), _content(), surface, as_json=as_json))
    click.echo(text)
    sys.exit(code)


@main.command()
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
def init(force: bool) -> None:
    """Write a commented redial.toml into this folder."""
    from bot.runtime.template import write

    click.echo(write(Path.cwd(), force=force))


@main.group()
def store() -> None:
    """Look after Redial's own store, which runs when no REDIS_URL is set."""


@store.command(name="status")
@_data_dir
def store_status(data_dir: Path | None) -> None:
    """Say whether the store runs. Exit code 0: it runs; 1: it does not."""
    from bot.adapters.store.embedded import embedded_status

    state = embedded_status(_settings(data_dir=data_dir).data_dir)
    click.echo(state)
    sys.exit(0 if state.running else 1)


@store.command(name="stop")
@_data_dir
def store_stop(data_dir: Path | None) -> None:
    """Stop the store; everything in it is kept. Exit code 1: it did not run."""
    from bot.adapters.store.embedded import stop_embedded

    stopped = stop_embedded(_settings(data_dir=data_dir).data_dir)
    click.echo("stopped" if stopped else "it was not running")
    sys.exit(0 if stopped else 1)


def _streams() -> None:
    """Have a letter that the locale does not know replaced, in either direction; what is closed is empty."""
    import io

    sys.stdin, sys.stdout = sys.stdin or io.StringIO(), sys.stdout or io.StringIO()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _awaited(work: Coroutine[Any, Any, T], *, log: Callable[[], None] | None = None) -> T:
    """Run to the end. log: begins the log; without it only what went wrong is said, and never among the answers."""
    import asyncio

    from bot.runtime.logs import quiet

    (log or quiet)()
    return asyncio.run(work)


async def _printed(pieces: AsyncIterator[str]) -> None:
    async for piece in pieces:
        click.echo(piece)


def _content_dirs(directory: Path | None) -> tuple[Path, ...]:
    return (*_settings().content_dirs, *((directory,) if directory else ()))


def _content() -> Content:
    from bot.runtime.loading import load

    settings = _settings()
    return load(settings.content_dirs, locale=settings.locale)


def _guide(content: Content, name: str) -> Guide:
    from bot.core.errors import SettingsError

    library = content.library
    guide = library.known(name)
    if guide is None:
        raise SettingsError(f"there is no guide `{name}`; there are {', '.join(sorted(library.guides))}")
    return guide


def _settings(**over: object) -> Settings:
    from bot.runtime.settings import load_settings

    return load_settings(**over)


@contextmanager
def _told() -> Iterator[None]:
    """Turn Redial's own errors into one line that says what to do, and a broken pipe or Ctrl-C into a quiet end."""
    from bot.core.errors import ChatError, RedialError

    try:
        yield
    except ChatError as error:
        click.echo(f"redial: {error}; `redial doctor` says what to do", err=True)
        sys.exit(_EXIT_TROUBLE)
    except RedialError as error:
        click.echo(f"redial: {error}", err=True)
        sys.exit(_EXIT_TROUBLE)
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(_EXIT_LEFT)
    except OSError as error:
        named = f": {error.filename}" if error.filename else ""
        click.echo(f"redial: {error.strerror or type(error).__name__}{named}", err=True)
        sys.exit(_EXIT_TROUBLE)
