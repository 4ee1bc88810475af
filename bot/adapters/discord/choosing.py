"""`/redial subscribe` and `unsubscribe`: every wish is an option, and comes out as the words people type elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from typing import Any

import discord
from discord import app_commands

from bot.adapters.discord.limits import DESCRIPTION, OPTION, OPTIONS, cut
from bot.adapters.discord.managing import mentions
from bot.core.event import Commanded, Origin, Said
from bot.core.messages import Messages
from bot.core.status.subscription import IMPACTS
from bot.ports.platform import House

ASKS = "subscribe"
"""The sub-command that may answer with a form."""

Take = Callable[[discord.Interaction, Commanded | Said], Awaitable[None]]
Suggest = Callable[[discord.Interaction, str], Coroutine[Any, Any, list[app_commands.Choice[str]]]]
Declared = app_commands.Command[app_commands.Group, ..., None]


def commands(house: House, take: Take) -> Iterator[Declared]:
    """Yield the commands that begin, change and end what a channel hears."""
    yield _subscribe(house, take)
    yield _unsubscribe(house, take)


def _subscribe(house: House, take: Take) -> Declared:
    async def subscribe(  # noqa: PLR0913, PLR0917 - an argument is an option people see
        interaction: discord.Interaction,
        page: str | None = None,
        parts: str | None = None,
        least: str | None = None,
        maintenance: bool = True,  # noqa: FBT001, FBT002 - an option of Discord's
        general: bool = True,  # noqa: FBT001, FBT002 - the same
        replies: bool = True,  # noqa: FBT001, FBT002 - the same
        daily: bool = False,  # noqa: FBT001, FBT002 - the same
        mention: str | None = None,
        mention_from: str | None = None,
    ) -> None:
        wishes = [page, parts, least, None if maintenance else "no-maintenance", None if general else "no-general"]
        wishes += [None if replies else "edits-only", "daily" if daily else None, mention]
        wishes += [f"from {mention_from}"] if mention and mention_from else []
        await take(interaction, Commanded(ASKS, " ".join(wish for wish in wishes if wish)))

    say = house.messages
    names = ("page", "parts", "least", "maintenance", "general", "replies", "daily", "mention", "mention_from")
    about = {name: cut(say.text(f"discord.option-{name.replace('_', '-')}"), DESCRIPTION) for name in names}
    callback = app_commands.describe(**about)(subscribe)
    callback = app_commands.rename(mention_from="mention-from")(callback)
    callback = app_commands.choices(
        page=_pages(house), least=_levels(say, "least", IMPACTS), mention_from=_levels(say, "mention-from", IMPACTS[1:])
    )(callback)
    callback = app_commands.autocomplete(parts=_parts(house), mention=_mention)(callback)
    return _command(say, ASKS, callback)


def _unsubscribe(house: House, take: Take) -> Declared:
    async def unsubscribe(interaction: discord.Interaction, page: str | None = None) -> None:
        await take(interaction, Commanded("unsubscribe", page or ""))

    about = cut(house.messages.text("discord.option-page"), DESCRIPTION)
    callback = app_commands.choices(page=_pages(house))(app_commands.describe(page=about)(unsubscribe))
    return _command(house.messages, "unsubscribe", callback)


def _command(say: Messages, name: str, callback: Any) -> Declared:  # noqa: ANN401 - what discord.py's decorators return
    about = cut(say.text(f"what-it-does.{name}"), DESCRIPTION)
    return app_commands.Command(name=name, description=about, callback=callback)


def _pages(house: House) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=cut(name, OPTION), value=page) for page, name in house.pages.items()][:OPTIONS]


def _levels(say: Messages, question: str, levels: Sequence[str]) -> list[app_commands.Choice[str]]:
    """Return levels to choose from; their values are the first of the words people type for them."""
    words = {level: say.list(f"subscribe.words.{level}")[0] for level in levels}
    return [app_commands.Choice(name=say.text(f"subscribe.form.{question}-{one}"), value=words[one]) for one in levels]


def _parts(house: House) -> Suggest:
    async def suggested(_interaction: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """Suggest the part that is being typed, behind those that stand there."""
        before, comma, last = typed.rpartition(",")
        names = await house.parts() if house.parts else ()
        found = [name for name in names if last.strip().casefold() in name.casefold() and name not in before]
        whole = [f"{before}{comma} {name}".strip() for name in found]
        return [app_commands.Choice(name=text, value=text) for text in whole if len(text) <= OPTION][:OPTIONS]

    return suggested


async def _mention(interaction: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
    place = getattr(interaction.channel, "parent_id", None) or interaction.channel_id
    origin = Origin("discord", str(interaction.guild_id or ""), str(place or ""), "")
    found = [one for one in mentions(interaction.client, origin) if typed.casefold() in one.label.casefold()]
    return [app_commands.Choice(name=cut(one.label, OPTION), value=one.value) for one in found][:OPTIONS]
