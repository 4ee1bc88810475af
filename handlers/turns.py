"""One event, whatever it is, to its use case; and a clear word when that fails."""

from __future__ import annotations

import time

import structlog
from structlog.contextvars import bind_contextvars, reset_contextvars

from bot.core.changing import changed
from bot.core.errors import (
    ChannelGone,
    ChatError,
    ChatUnavailable,
    NotAllowed,
    RecordTooNew,
    RedialError,
    StoreUnavailable,
)
from bot.core.event import Commanded, InboundEvent, Pressed, Said
from bot.core.unforeseen import unforeseen
from bot.core.view import HANDOFF
from bot.ports.chat import Chat
from handlers import commands, helping, triage
from handlers.answering import tell
from handlers.desk import Desk

_log = structlog.get_logger(__name__)


async def handle(desk: Desk, event: InboundEvent, chat: Chat) -> None:
    """Play one event to its answer; what Redial cannot do is said to the person and logged, without their words.

    Every line of the log meanwhile carries the turn's request id.
    """
    began, kind = time.perf_counter(), type(event.what).__name__.lower()
    bound = bind_contextvars(request=event.request)
    try:
        # A copy: content that is exchanged meanwhile is for the next turn.
        result = await _played(changed(desk), event, chat)
        took = time.perf_counter() - began
        _log.info("turn", platform=event.origin.platform, kind=kind, result=result, took=round(took, 4))
    finally:
        reset_contextvars(**bound)
    desk.meters.turned(event.origin.platform, kind, result, took)


async def _played(desk: Desk, event: InboundEvent, chat: Chat) -> str:
    """Play an event; return what came of it in a word."""
    try:
        match event.what:
            case Said():
                await triage.said(desk, event, event.what, chat)
            case Pressed(step=step) if step == HANDOFF:
                await helping.pressed(desk, event, event.what, chat)
            case Pressed():
                await triage.pressed(desk, event, event.what, chat)
            case Commanded():
                await commands.commanded(desk, event, event.what, chat)
    except ChatError as error:
        await _unheard(desk, event, chat, error)
        return "chat"
    except StoreUnavailable as error:
        return await _trouble(desk, event, chat, "trouble.store", error)
    except RecordTooNew as error:
        return await _trouble(desk, event, chat, "trouble.update", error)
    except RedialError as error:
        return await _trouble(desk, event, chat, "trouble.failed", error)
    except Exception as error:  # noqa: BLE001 - the last line of defence: a mistake of ours must not stay silent
        # Neither the message nor the values of an unforeseen error are logged: they may hold what was pasted.
        _log.error("turn broke", **unforeseen(error))
        await tell(desk, event, chat, "trouble.failed")
        return "broke"
    return "ok"


async def _trouble(desk: Desk, event: InboundEvent, chat: Chat, key: str, error: RedialError) -> str:
    _log.error("turn failed", platform=event.origin.platform, error=str(error), told=key)
    await tell(desk, event, chat, key)
    return key.removeprefix("trouble.")


async def _unheard(desk: Desk, event: InboundEvent, chat: Chat, error: ChatError) -> None:
    """Say that an answer could not be given where it belongs; what was stored stays owed."""
    _log.error("answer not shown", platform=event.origin.platform, error=str(error))
    if isinstance(error, NotAllowed):
        await tell(desk, event, chat, "trouble.not-allowed", missing=error.missing or "?")
    elif isinstance(error, ChannelGone):
        await tell(desk, event, chat, "trouble.no-channel")
    elif not isinstance(error, ChatUnavailable):
        await tell(desk, event, chat, "trouble.failed")
    elif _asked_privately(event):
        # Others see by themselves that the platform is slow; behind a command there is nothing to see.
        await tell(desk, event, chat, "trouble.late")


def _asked_privately(event: InboundEvent) -> bool:
    return isinstance(event.what, Commanded) or (isinstance(event.what, Said) and event.what.how == "command")
