"""Buttons and selects as discord.py's dynamic items: made anew from the custom_id at each press, so nothing is kept.

A press of any message works after a restart and at every replica.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

import discord

from bot.adapters.discord.press import PATTERN, Mark, matched

Take = Callable[[discord.Interaction, Mark], Awaitable[None]]
Pressable = discord.ui.DynamicItem[discord.ui.Item[Any]]


def pressable(take: Take) -> type[Pressable]:
    """Return the one item that all of Redial's components are when they are pressed; `take` is told what it was."""

    class Pressed(discord.ui.DynamicItem[discord.ui.Item[Any]], template=PATTERN):
        """A button, or a select with what was chosen."""

        def __init__(self, item: discord.ui.Item[Any], mark: Mark) -> None:
            super().__init__(item)
            self._mark = mark

        @classmethod
        async def from_custom_id(
            cls,
            interaction: discord.Interaction[Any],  # noqa: ARG003 - the id says all
            item: discord.ui.Item[Any],
            match: Any,  # noqa: ANN401 - a match of PATTERN, which discord.py types as any
            /,
        ) -> Pressed:
            """Take the pressed component as discord.py read it."""
            return cls(item, matched(match))

        async def callback(self, interaction: discord.Interaction[Any]) -> None:
            """Hand the press over."""
            chosen = self.item.values if isinstance(self.item, discord.ui.Select) else ()
            await take(interaction, replace(self._mark, choice=chosen[0]) if chosen else self._mark)

    return Pressed


def alone(interaction: discord.Interaction) -> None:
    """Leave only what was pressed in the pressed message.

    Before discord.py makes a dynamic item it makes a view of the whole message: 0.15 ms, as much as a request.
    """
    if interaction.type is discord.InteractionType.component and interaction.message and interaction.data:
        found = _row(interaction.message.components, str(interaction.data.get("custom_id")))
        if found:
            interaction.message.components = [found]


def _row(components: Sequence[object], custom_id: str) -> discord.ActionRow | None:
    """Return the row with a component, without the others in it."""
    for part in components:
        if isinstance(part, discord.Container) and (found := _row(part.children, custom_id)):
            return found
        if isinstance(part, discord.ActionRow):
            pressed = [one for one in part.children if getattr(one, "custom_id", None) == custom_id]
            if pressed:
                part.children = pressed
                return part
    return None
