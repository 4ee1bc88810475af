"""What is generated in the documentation: tables from the code, transcripts from conversations really played.

`cog -r README.md content/README.md deploy/README.md` writes them anew; the gate checks that they are current.
"""

from __future__ import annotations

from collections.abc import Iterable

import click
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from bot.adapters.console.plain import as_text
from bot.adapters.discord.rights import INTENTS, PERMISSIONS, invitation, named
from bot.adapters.slack.scopes import OPTIONAL, SCOPES
from bot.adapters.store.registry import DAY, REGISTRY
from bot.cli import main
from bot.core.guides.problem import RULES
from bot.core.text import Evidence
from bot.runtime.settings import Settings, groups
from handlers.triage import not_ours
from tests.bench.page import Results, as_capacity, as_summary
from tests.scenarios.playing import Player, library, page, recogniser


def commands() -> str:
    """The commands, as `--help` has them."""
    return "\n".join(["| command | what it does |", "|---|---|", *_commands(main, "redial")])


def _commands(group: click.Group, name: str) -> Iterable[str]:
    for command in group.commands.values():
        if isinstance(command, click.Group):
            yield from _commands(command, f"{name} {command.name}")
            continue
        arguments = [p.make_metavar(click.Context(command)) for p in command.params if isinstance(p, click.Argument)]
        usage = " ".join([name, command.name or "", *arguments])
        yield f"| `{usage}` | {command.help} |"


def settings() -> str:
    """The settings, with their defaults."""
    rows = ["| setting | default | meaning |", "|---|---|---|"]
    models: dict[str, type[BaseModel]] = {"": Settings, **{f"{name}.": group for name, group in groups().items()}}
    for prefix, model in models.items():
        for name, info in model.model_fields.items():
            default = "" if info.default in {PydanticUndefined, None, "", ()} else f"`{info.default}`"
            shown = str(info.validation_alias or f"{prefix}{name}")
            if model is not Settings or name not in groups():
                rows.append(f"| `{shown}` | {default} | {info.description} |")
    return "\n".join(rows)


def speed() -> str:
    """What a turn, a start and the rest cost, from the run that is kept."""
    return as_summary(Results.read())


def capacity() -> str:
    """What one machine carries, from the same run."""
    return as_capacity(Results.read())


def keys() -> str:
    """The keys kept in Redis."""
    head = "| key | type | lives | written by | holds |\n|---|---|---|---|---|"
    rows = (
        f"| `{_shown(spec.pattern)}` | {spec.type} | {_lifetime(spec.ttl)} | {spec.written_by} | {spec.purpose} |"
        for spec in REGISTRY
    )
    return "\n".join((head, *rows)) + "\n"


def _shown(pattern: str) -> str:
    return pattern.replace("<tenant>", "platform:workspace").replace("<page>", "id").replace("<part>", "…")


def _lifetime(seconds: int) -> str:
    if not seconds:
        return "until deleted"
    if seconds < 3600:
        return f"{seconds // 60} min"
    return f"{seconds // DAY} d" if seconds > DAY else f"{seconds // 3600} h"


def slack_scopes() -> str:
    """The rights asked for in Slack."""
    optional = dict.fromkeys(OPTIONAL, " (optional)")
    rows = (f"| `{name}`{optional.get(name, '')} | {why} |" for name, why in SCOPES.items())
    return "\n".join(["| scope | what for |", "|---|---|", *rows])


def discord_rights() -> str:
    """The rights and intents asked for in Discord, and the address that asks for them."""
    rights = [f"| {named(name)} | {why} |" for name, why in PERMISSIONS.items()]
    intents = [f"| intent `{name}` | {why} |" for name, why in INTENTS.items()]
    invite = invitation(0).replace("client_id=0", "client_id=YOUR_APPLICATION_ID")
    return "\n".join(["| right | what for |", "|---|---|", *rights, *intents, "", "```text", invite, "```"])


def rules() -> str:
    """The rules of `redial check`."""
    return "\n".join(
        ["| rule | what it refuses |", "|---|---|", *(f"| `{name}` | {what} |" for name, what in RULES.items())]
    )


def transcript(*lines: str, answer: str = "clear") -> str:
    """A conversation with what a person writes, as `redial chat` prints it in a pipe."""
    grades = {grade.value: library().messages.text(f"evidence.{grade}") for grade in Evidence}
    player, out = Player(page(answer)), ["```text"]
    for n, line in enumerate(lines):
        view = player.report(line) if n == 0 else player.say(line)
        out += [f"you > {line}", "", as_text(view, grades=grades, width=96), ""]
    return "\n".join([*out[:-1], "```"])


def one_line(text: str) -> str:
    """What is said to a report that is not Redial's."""
    view = not_ours(library(), recogniser().recognise(text))
    return "\n".join(["```text", f"you > {text}", "", as_text(view, grades={}, width=96), "```"])
