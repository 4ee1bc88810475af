"""A press as the gateway tells of it. Its custom_id says all, so that it works after a restart and at every replica.

discord.py has dynamic items for that: it reads the whole pressed message, makes a view of it and an item of what was
pressed, and runs that in a task of its own. All of it would be made in vain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.adapters.discord.decode import ORIGINAL, reference
from bot.adapters.discord.press import Mark, from_custom_id
from bot.core.frozen import frozen

_EPHEMERAL = 64
"""The flag of a message that one person sees."""


@frozen
class Press:
    """What was pressed, or chosen in a select, and the message it stands in, as `Pressed.message`."""

    mark: Mark
    message: str = ""


def pressed(interaction: dict[str, Any]) -> Press | None:
    """Return the press of an interaction, without whose message it is left; None for one that is not Redial's."""
    data, message = interaction.get("data"), interaction.pop("message", None)
    if not isinstance(data, dict) or (mark := from_custom_id(str(data.get("custom_id")))) is None:
        return None
    chosen = data.get("values")
    if isinstance(chosen, list) and chosen:
        mark = replace(mark, choice=str(chosen[0]))
    return Press(mark, _shown(message) if message else "")


def _shown(message: Mapping[str, Any]) -> str:
    if message.get("flags", 0) & _EPHEMERAL:
        return ORIGINAL
    return reference(int(message["channel_id"]), int(message["id"]))
