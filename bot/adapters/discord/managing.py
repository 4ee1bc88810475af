"""Choosing what a channel hears, as Discord has it: who may, what is missing, whom to mention, and the form."""

from __future__ import annotations

from collections.abc import Mapping

import discord

from bot.adapters.discord.limits import DESCRIPTION, FIELD, OPTION, OPTIONS, PLACEHOLDER, TITLE, cut
from bot.adapters.discord.press import Mark, to_custom_id
from bot.adapters.discord.rights import named
from bot.core.event import Origin
from bot.core.form import Answers, Form, Option, Question

ASKED = "@form"
"""Step of the mark a form carries: its choice is the sub-command, its conversation what it is about."""

_ANNOUNCING = ("view_channel", "send_messages", "create_public_threads", "send_messages_in_threads")
"""Rights without which an announcement, or its updates below it, could not be posted."""


class Asked(discord.ui.Modal):
    """A form of selects. Its answers are read from the interaction, so nothing of it is kept."""

    def __init__(self, form: Form) -> None:
        """Take what is asked; Discord has room for five questions."""
        mark = Mark(form.command, form.subject, step=ASKED)
        super().__init__(title=cut(form.title, TITLE), custom_id=to_custom_id(mark), timeout=None)
        for question in form.questions[:5]:
            hint = cut(question.hint, DESCRIPTION) if question.hint and not question.several else None
            self.add_item(
                discord.ui.Label(text=cut(question.label, FIELD), description=hint, component=_select(question))
            )
        self.stop()


def answers(components: object) -> Answers:
    """Return what was chosen in a form, by the id of the question."""
    found = dict[str, tuple[str, ...]]()
    for part in components if isinstance(components, list) else [components]:
        if isinstance(part, Mapping):
            values = part.get("values")
            if isinstance(values, list):
                found[str(part.get("custom_id"))] = tuple(str(value) for value in values)
            found |= answers(part.get("component"))
    return found


def lacks(client: discord.Client, origin: Origin) -> str | None:
    """Return the rights without which nothing can be announced in a channel; None for a kind that takes no posts."""
    channel = client.get_channel(_number(origin.channel))
    if not isinstance(channel, discord.TextChannel):
        return None
    rights = channel.permissions_for(channel.guild.me)
    return ", ".join(named(right) for right in _ANNOUNCING if not getattr(rights, right))


def mentions(client: discord.Client, origin: Origin) -> tuple[Option, ...]:
    """Return whom Redial may mention in a channel: everybody where it has the right, and roles."""
    channel = client.get_channel(_number(origin.channel))
    if not isinstance(channel, discord.abc.GuildChannel):
        return ()
    loud = channel.permissions_for(channel.guild.me).mention_everyone
    roles = sorted(channel.guild.roles, key=lambda role: role.position, reverse=True)
    named = [role for role in roles if not (role.is_default() or role.managed) and (loud or role.mentionable)]
    everybody = [Option(name, name) for name in ("@here", "@everyone")] if loud else []
    return (*everybody, *(Option(role.mention, f"@{role.name}") for role in named))


def _select(question: Question) -> discord.ui.Select[discord.ui.View]:
    # Whatever is chosen is shown, however many there are: an answer left out would be taken away.
    shown = sorted(question.options, key=lambda option: option.value not in question.chosen)[:OPTIONS]
    options = [
        discord.SelectOption(label=cut(one.label, OPTION), value=one.value, default=one.value in question.chosen)
        for one in question.options
        if one in shown
    ]
    least, most = (0, len(options)) if question.several else (1, 1)
    return discord.ui.Select(
        custom_id=question.id,
        options=options,
        placeholder=cut(question.hint, PLACEHOLDER) if question.several and question.hint else None,
        min_values=least,
        max_values=most,
        required=not question.several,
    )


def _number(channel: str) -> int:
    return int(channel) if channel.isdecimal() else 0
