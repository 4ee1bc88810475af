"""The chat of one event: it knows the event's response_url, and tells when the turn is safely stored."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import structlog

from bot.adapters.slack.chat import SlackChat
from bot.core.errors import ChatError, ChatUnavailable
from bot.core.event import Origin
from bot.core.form import Form, Option
from bot.core.triage.folding import Folded
from bot.core.triage.placement import Where
from bot.core.view import View
from bot.ports.chat import Posted

_log = structlog.get_logger(__name__)

_USES = 4
"""How often a response_url is used; Slack takes five answers in half an hour."""


@dataclass(slots=True)
class Turn:
    """Implements the Chat port. stored: set once the turn speaks, which is after its script, or has ended.

    respond_url: answers privately even in channels Redial is no member of. home: private words go to the App Home.
    trigger: opens a form, within three seconds. opens: the message whose thread the first answer begins: before that,
    private words stand beside it, since in a thread that is not there nobody sees them.
    """

    chat: SlackChat
    respond_url: str = ""
    home: bool = False
    trigger: str = ""
    opens: str = ""
    stored: asyncio.Event = field(default_factory=asyncio.Event)
    _used: int = 0

    async def private(self, origin: Origin) -> Origin:
        """Return the direct message with a person; asked for before anything is stored."""
        return await self.chat.private(origin)

    async def show(self, origin: Origin, view: View, where: Where, *, message: str = "") -> Posted:
        """Post a view."""
        self.stored.set()
        self.opens = ""
        return await self.chat.show(origin, view, where, message=message)

    async def tell(self, origin: Origin, view: View) -> None:
        """Say something to one person, through the response_url where there is one."""
        self.stored.set()
        view = await self.chat.pictured(origin, view)
        if self.home:
            await self.chat.publish(origin, view)
        elif not (self.respond_url and self._used < _USES and await self._respond(view)):
            await self.chat.tell(replace(origin, thread="") if origin.thread == self.opens else origin, view)

    async def fold(self, origin: Origin, message: str, folded: Folded) -> None:
        """Edit an answered question down to its line."""
        await self.chat.fold(origin, message, folded)

    async def shown(self, origin: Origin, key: str) -> Posted | None:
        """Look for a message by its key."""
        return await self.chat.shown(origin, key)

    async def may_help(self, origin: Origin, groups: frozenset[str]) -> bool:
        """Say whether somebody is in one of these user groups."""
        return await self.chat.may_help(origin, groups)

    async def direct(self, origin: Origin) -> Origin:
        """Return the direct message with a person."""
        return await self.chat.direct(origin)

    async def link(self, origin: Origin, message: str) -> str:
        """Return the address of a message, or of the one its thread begins with."""
        return await self.chat.link(origin, message)

    async def others_since(self, origin: Origin, shown: str) -> bool:
        """Look who has written in a thread since Redial's last post."""
        return await self.chat.others_since(origin, shown)

    async def find(self, origin: Origin, key: str, since: float = 0.0) -> Posted | None:
        """Look for a message by its key, posted since then."""
        return await self.chat.find(origin, key, since)

    async def may_manage(self, origin: Origin) -> bool:
        """Say whether somebody may change what is announced in a channel."""
        return await self.chat.may_manage(origin)

    async def lacks(self, origin: Origin) -> str | None:
        """Return what is missing to announce in a channel."""
        return await self.chat.lacks(origin)

    async def mentions(self, origin: Origin) -> tuple[Option, ...]:
        """Return whom an announcement in a channel could mention."""
        return await self.chat.mentions(origin)

    async def ask(self, origin: Origin, form: Form) -> None:
        """Open a form."""
        if not self.trigger:
            raise ChatUnavailable("nothing was pressed or commanded that could open a form")
        try:
            await self.chat.ask(origin, form, self.trigger)
        finally:
            self.stored.set()

    async def _respond(self, view: View) -> bool:
        self._used += 1
        body = replace(self.chat.renderer.message(view), key="").body()
        try:
            await self.chat.api.respond(
                self.respond_url, {**body, "response_type": "ephemeral", "replace_original": False}
            )
        except ChatError as error:
            _log.info("response_url not used", error=str(error))
            return False
        return True
