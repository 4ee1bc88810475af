"""Those who wait for an incident to end are told, once, when the official page says so."""

from __future__ import annotations

from collections.abc import Iterable

import structlog

from bot.core.conversation import Conversation
from bot.core.errors import ChatError
from bot.core.waiting import over
from bot.ports.chat import Chat
from bot.ports.store import Stored
from handlers.answering import post
from handlers.desk import Desk

_log = structlog.get_logger(__name__)


async def tell_ended(desk: Desk, waiting: Iterable[Conversation], chat: Chat) -> int:
    """Tell the people of those conversations that wait and need not any more; return how many."""
    told = 0
    for conversation in waiting:
        turn = over(desk.library, conversation, await desk.around()) if conversation.waiting else None
        if turn is None:
            continue
        # One event for one end, however many replicas see it.
        result = await desk.store.commit(f"over:{conversation.id}:{conversation.revision}", turn.conversation)
        if isinstance(result, Stored):
            try:
                await post(desk.store, result.conversation, turn.view, chat)
                told += 1
            except ChatError as error:
                # It is stored: the answer is owed, and shown as others are.
                _log.warning("end not told yet", platform=conversation.origin.platform, error=str(error))
    return told
