"""From a verified payload to the intake: acknowledged at once, or for events once the turn is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec
import structlog
from slack_bolt.response import BoltResponse

from bot.adapters.slack.api import Workspace
from bot.adapters.slack.chat import SlackChat
from bot.adapters.slack.decode import (
    Here,
    files_of,
    from_command,
    from_event,
    from_home,
    from_press,
    from_shortcut,
    from_submission,
)
from bot.adapters.slack.files import Files
from bot.adapters.slack.members import Members
from bot.adapters.slack.mrkdwn import escaped
from bot.adapters.slack.turn import Turn
from bot.core.errors import ChatError
from bot.core.event import Commanded, InboundEvent, Said
from bot.core.frozen import frozen
from bot.core.view import View
from bot.ports.platform import House

_log = structlog.get_logger(__name__)

ACK = 2.5
"""Seconds an event waits for its turn to be stored; unacknowledged after three, Slack sends it again."""
READING = 1.5
"""Seconds for what was attached to arrive."""
_GONE = frozenset({"app_uninstalled", "tokens_revoked"})
_LEFT = frozenset({"member_left_channel", "channel_left", "group_left"})


@frozen
class Door:
    """Where every payload comes in. watched: channels Redial reads along in."""

    house: House
    chat: SlackChat
    files: Files
    members: Members
    watched: frozenset[str] = frozenset()

    async def take(self, body: Mapping[str, Any], where: Workspace) -> BoltResponse:
        """Take a payload in and return its acknowledgement."""
        self.members.meet(where.id)
        here = Here(where.id, where.me, lambda channel: self.members.here(where.id, channel), self.house.read)
        match body.get("type"):
            case "event_callback":
                return await self._event(body, here)
            case "block_actions":
                return await self._press(body, here)
            case "message_action":
                return await self._shortcut(body, here)
            case "view_submission":
                return self._submission(body, here)
            case None if body.get("command"):
                return self._command(body, here)
        return _acknowledged()

    def _command(self, body: Mapping[str, Any], here: Here) -> BoltResponse:
        event = from_command(body, here)
        turn = Turn(self.chat, str(body.get("response_url") or ""), trigger=str(body.get("trigger_id") or ""))
        if event is None or self.house.intake.submit(event, turn):
            return _acknowledged()
        # The acknowledgement itself says it: nothing is asked of Slack while there is too much to do.
        said = {"response_type": "ephemeral", "text": escaped(self.house.messages.text("trouble.busy"))}
        return _answered(said)

    async def _press(self, body: Mapping[str, Any], here: Here) -> BoltResponse:
        event = from_press(body, here)
        turn = Turn(self.chat, trigger=str(body.get("trigger_id") or ""))
        if event and not self.house.intake.submit(event, turn):
            await self._busy(event, Turn(self.chat, str(body.get("response_url") or "")))
        return _acknowledged()

    def _submission(self, body: Mapping[str, Any], here: Here) -> BoltResponse:
        """Take a form; while there is too much to do it stays open and says so."""
        event = from_submission(body, here)
        if event is None or self.house.intake.submit(event, Turn(self.chat)):
            return _acknowledged()
        answers = event.what.answers if isinstance(event.what, Commanded) else None
        busy = {name: self.house.messages.text("trouble.busy") for name in list(answers or ())[:1]}
        return _answered({"response_action": "errors", "errors": busy})

    async def _shortcut(self, body: Mapping[str, Any], here: Here) -> BoltResponse:
        event = from_shortcut(body, here)
        if event:
            message = body.get("message")
            event = await self._read(event, message if isinstance(message, Mapping) else {})
            turn = Turn(self.chat, str(body.get("response_url") or ""))
            if not self.house.intake.submit(event, turn):
                await self._busy(event, turn)
        return _acknowledged()

    async def _event(self, body: Mapping[str, Any], here: Here) -> BoltResponse:
        happened = body.get("event")
        if not isinstance(happened, Mapping):
            return _acknowledged()
        kind = str(happened.get("type"))
        if kind in _GONE:
            await self.chat.api.workspaces.gone(here.workspace, kind)
        elif kind == "member_joined_channel" and happened.get("user") == here.me:
            self.members.joined(here.workspace, str(happened.get("channel")))
        elif kind in _LEFT and happened.get("user", here.me) == here.me:
            self.members.left(here.workspace, str(happened.get("channel")))
        elif home := from_home(happened, here):
            return await self._played(home, Turn(self.chat, home=True))
        elif event := self._heard(from_event(happened, here)):
            opens = "" if happened.get("thread_ts") else event.origin.thread
            return await self._played(await self._read(event, happened), Turn(self.chat, opens=opens))
        return _acknowledged()

    def _heard(self, event: InboundEvent | None) -> InboundEvent | None:
        """Note where something is heard, and let go of what nobody asked Redial to read."""
        if event is None or not isinstance(event.what, Said):
            return event
        origin, what = event.origin, event.what
        self.members.joined(origin.workspace, origin.channel)
        return None if what.how == "watched" and origin.channel not in self.watched else event

    async def _read(self, event: InboundEvent, message: Mapping[str, Any]) -> InboundEvent:
        """Add the words of attached text files."""
        files = files_of(message)
        if not files or not isinstance(event.what, Said):
            return event
        try:
            async with asyncio.timeout(READING):
                texts = [await self.files.read(event.origin.workspace, file) for file in files]
        except TimeoutError:
            _log.warning("file not read in time", request=event.request)
            return event
        text = "\n".join(part for part in (event.what.text, *texts) if part)
        return replace(event, what=replace(event.what, text=text))

    async def _played(self, event: InboundEvent, turn: Turn) -> BoltResponse:
        """Acknowledge an event once its turn is stored; not at all where it cannot be, so that Slack sends it again."""
        if not self.house.intake.submit(event, turn, turn.stored.set):
            return BoltResponse(status=503, body="")
        try:
            async with asyncio.timeout(ACK):
                await turn.stored.wait()
        except TimeoutError:
            _log.warning("turn not stored in time", request=event.request)
            return BoltResponse(status=503, body="")
        return _acknowledged()

    async def _busy(self, event: InboundEvent, turn: Turn) -> None:
        view = View(lead=self.house.messages.inline("trouble.busy"))
        try:
            async with asyncio.timeout(READING):
                await turn.tell(event.origin, view)
        except (TimeoutError, ChatError) as error:
            _log.warning("busy, and not told", request=event.request, error=type(error).__name__)


def _answered(said: Mapping[str, Any]) -> BoltResponse:
    body = msgspec.json.encode(said).decode()
    return BoltResponse(status=200, body=body, headers={"content-type": "application/json"})


def _acknowledged() -> BoltResponse:
    return BoltResponse(status=200, body="")
