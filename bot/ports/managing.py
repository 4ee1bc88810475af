"""A chat platform where people choose what is announced in a channel."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from bot.core.event import Origin
from bot.core.form import Form, Option


@runtime_checkable
class Manages(Protocol):
    """A chat in which people choose what is announced in a channel."""

    async def may_manage(self, origin: Origin) -> bool:
        """Say whether the platform lets `origin.user` manage `origin.channel`; False also where it does not tell."""

    async def lacks(self, origin: Origin) -> str | None:
        """Return the rights without which nothing can be announced in a channel; empty where none is missing.

        None for a kind of channel that takes no announcements.
        """

    async def mentions(self, origin: Origin) -> tuple[Option, ...]:
        """Return whom an announcement in a channel could mention; values are as in `Choice.mention`."""

    async def ask(self, origin: Origin, form: Form) -> None:
        """Show a form to `origin.user`; its answers come as a `Commanded`. `ChatUnavailable` where that is too late."""
