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


def alone(data: dict[str, Any]) -> None:
    """Leave only what was pressed in the pressed message of an interaction; any other stays as it is.

    discord.py would make a component of each of the others, and then a view of them all: 0.2 ms, as much as a request.
    """
    message = data.get("message")
    if data["type"] == discord.InteractionType.component.value and message:
        found = _row(message.get("components") or (), data["data"]["custom_id"])
        if found:
            message["components"] = [found]


def _row(components: Sequence[dict[str, Any]], custom_id: str) -> dict[str, Any] | None:
    """Return the row with a component, without the others in it."""
    for part in components:
        inside = part.get("components") or ()
        if part["type"] == discord.ComponentType.action_row.value:
            pressed = [one for one in inside if one.get("custom_id") == custom_id]
            if pressed:
                return {**part, "components": pressed}
        elif found := _row(inside, custom_id):
            return found
    return None
