"""One event, whatever it is, to its use case; and a clear word when that fails."""

from __future__ import annotations

import traceback

import structlog

from bot.core.errors import ChatError, NotAllowed, RecordTooNew, RedialError, StoreUnavailable
from bot.core.event import Commanded, InboundEvent, Pressed, Said
from bot.ports.chat import Chat
from handlers import commands, triage
from handlers.answering import tell
from handlers.desk import Desk

_log = structlog.get_logger(__name__)


async def handle(desk: Desk, event: InboundEvent, chat: Chat) -> None:
    """Play one event to its answer; what Redial cannot do is said to the person and logged, without their words."""
    try:
        match event.what:
            case Said():
                await triage.said(desk, event, event.what, chat)
            case Pressed():
                await triage.pressed(desk, event, event.what, chat)
            case Commanded():
                await commands.commanded(desk, event, event.what, chat)
    except ChatError as error:
        await _unheard(desk, event, chat, error)
    except StoreUnavailable as error:
        await _trouble(desk, event, chat, "trouble.store", error)
    except RecordTooNew as error:
        await _trouble(desk, event, chat, "trouble.update", error)
    except RedialError as error:
        await _trouble(desk, event, chat, "trouble.failed", error)
    except Exception as error:  # noqa: BLE001 - the last line of defence: a mistake of ours must not stay silent
        # Neither the message nor the values of an unforeseen error are logged: they may hold what was pasted.
        where = traceback.extract_tb(error.__traceback__)[-1]
        _log.error("turn broke", event_id=event.id, error=type(error).__name__, file=where.filename, line=where.lineno)
        await tell(desk, event, chat, "trouble.failed")


async def _trouble(desk: Desk, event: InboundEvent, chat: Chat, key: str, error: RedialError) -> None:
    _log.error("turn failed", event_id=event.id, platform=event.origin.platform, error=str(error), told=key)
    await tell(desk, event, chat, key)


async def _unheard(desk: Desk, event: InboundEvent, chat: Chat, error: ChatError) -> None:
    """Say that an answer could not be given where it belongs; what was stored stays owed."""
    _log.error("answer not shown", event_id=event.id, platform=event.origin.platform, error=str(error))
    if isinstance(error, NotAllowed):
        await tell(desk, event, chat, "trouble.not-allowed", missing=error.missing or "?")
