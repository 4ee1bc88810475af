"""`/redial` and "Triage this message": declared once, registered only where Discord has something else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import discord
from discord import app_commands

from bot.adapters.discord import choosing
from bot.adapters.discord.limits import DESCRIPTION, FIELD, INPUT, OPTION, OPTIONS, TITLE, cut
from bot.adapters.discord.press import Mark, to_custom_id
from bot.adapters.discord.render import Json
from bot.core.event import Commanded, Said
from bot.core.messages import Messages
from bot.ports.platform import House

Take = Callable[[discord.Interaction, Commanded | Said], Awaitable[None]]
TakeMessage = Callable[[discord.Interaction, discord.Message], Awaitable[None]]

Declared = app_commands.Command[app_commands.Group, ..., None]

NAME = "redial"
PLAIN = ("guides", "status", "subscriptions", "reset", "insights", "forget-me", "help")
"""Sub-commands without an option."""
REPORT = Mark("+")
"""What the form of `/redial triage` carries: no conversation yet."""

_COMPARED = ("name", "type", "description", "required", "autocomplete", "min_value", "max_value", "max_length")


def group(house: House, take: Take) -> app_commands.Group:
    """Return `/redial` with its sub-commands; it may be installed in a server and by a person."""
    messages = house.messages
    parent = app_commands.Group(
        name=NAME,
        description=_about(messages, "discord.about"),
        allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
    )
    parent.add_command(_triage(messages, take))
    parent.add_command(_guide(messages, house.guides, take))
    parent.add_command(_resume(messages, take))
    for command in choosing.commands(house, take):
        parent.add_command(command)
    for name in PLAIN:
        parent.add_command(_plain(name, messages, take))
    return parent


def shortcut(messages: Messages, take: TakeMessage) -> app_commands.ContextMenu:
    """Return the entry in a message's menu."""

    async def triage(interaction: discord.Interaction, message: discord.Message) -> None:
        await take(interaction, message)

    return app_commands.ContextMenu(
        name=messages.text("discord.shortcut"),
        callback=triage,
        allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
    )


class Form(discord.ui.Modal):
    """A field of several lines. Its answer is read from the interaction, so nothing of it is kept."""

    def __init__(self, messages: Messages, mark: Mark) -> None:
        """Take what the form stands for; with a conversation it asks for an answer, else for a report."""
        kind = "form" if mark.conversation else "report"
        title = cut(messages.text(f"discord.{kind}-title"), TITLE)
        super().__init__(title=title, custom_id=to_custom_id(mark), timeout=None)
        field: discord.ui.TextInput[Form] = discord.ui.TextInput(
            style=discord.TextStyle.paragraph, custom_id="text", max_length=INPUT, required=True
        )
        self.add_item(discord.ui.Label(text=cut(messages.text(f"discord.{kind}-label"), FIELD), component=field))
        self.stop()


def suggestions(titles: Mapping[str, str], typed: str) -> list[app_commands.Choice[str]]:
    """Return the guides whose name or title holds every word typed."""
    words = typed.casefold().split()
    found = [
        app_commands.Choice(name=cut(title, OPTION), value=name)
        for name, title in sorted(titles.items(), key=lambda guide: guide[1].casefold())
        if all(word in f"{name} {title}".casefold() for word in words) and len(name) <= OPTION
    ]
    return found[:OPTIONS]


def same(ours: Json, theirs: Json) -> bool:
    """Say whether a command is registered as it is declared; what Discord adds by itself does not count."""
    return _shape(ours) == _shape(theirs)


def _shape(command: Json) -> Json:
    options = command.get("options")
    shape = {name: command[name] for name in _COMPARED if command.get(name) not in (None, False, "")}
    for name in ("contexts", "integration_types"):
        given = command.get(name)
        if isinstance(given, list):
            shape[name] = sorted(given)
    shape["options"] = [_shape(option) for option in options] if isinstance(options, list) else []
    return shape


def _about(messages: Messages, key: str) -> str:
    return cut(messages.text(key), DESCRIPTION)


def _triage(messages: Messages, take: Take) -> Declared:
    async def triage(interaction: discord.Interaction, text: str | None = None) -> None:
        if text and text.strip():
            await take(interaction, Said(text, "command"))
        else:
            await interaction.response.send_modal(Form(messages, REPORT))

    described = app_commands.describe(text=_about(messages, "discord.option-text"))(triage)
    return app_commands.Command(name="triage", description=_about(messages, "what-it-does.triage"), callback=described)


def _guide(messages: Messages, titles: Mapping[str, str], take: Take) -> Declared:
    async def guide(interaction: discord.Interaction, name: str) -> None:
        await take(interaction, Commanded("guide", name))

    async def typed(_interaction: discord.Interaction, text: str) -> list[app_commands.Choice[str]]:
        return suggestions(titles, text)

    described = app_commands.describe(name=_about(messages, "discord.option-guide"))(guide)
    completed = app_commands.autocomplete(name=typed)(described)
    return app_commands.Command(name="guide", description=_about(messages, "what-it-does.guide"), callback=completed)


def _resume(messages: Messages, take: Take) -> Declared:
    async def resume(interaction: discord.Interaction, number: app_commands.Range[int, 1, 999] | None = None) -> None:
        await take(interaction, Commanded("resume", str(number or "")))

    described = app_commands.describe(number=_about(messages, "discord.option-number"))(resume)
    return app_commands.Command(name="resume", description=_about(messages, "what-it-does.resume"), callback=described)


def _plain(name: str, messages: Messages, take: Take) -> Declared:
    async def plain(interaction: discord.Interaction) -> None:
        await take(interaction, Commanded(name))

    return app_commands.Command(name=name, description=_about(messages, f"what-it-does.{name}"), callback=plain)
