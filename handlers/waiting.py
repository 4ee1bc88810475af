"""Those who wait for an incident to end are told, once, when the official page says so."""

from __future__ import annotations

from bot.core import flow
from bot.core.event import Origin
from bot.ports.chat import Chat
from bot.ports.store import Stored
from handlers.desk import Desk


async def tell_ended(desk: Desk, origin: Origin, chat: Chat) -> int:
    """Tell `origin.user` of each of their conversations that waits and need not any more; return how many."""
    waiting = [conversation for conversation in await desk.store.of(origin) if conversation.waiting]
    told = 0
    for conversation in waiting:
        turn = flow.over(desk.library, conversation, await desk.around())
        if turn is None:
            continue
        # One event for one end, however many replicas see it.
        result = await desk.store.commit(f"over:{conversation.id}:{conversation.revision}", turn.conversation)
        if isinstance(result, Stored):
            await chat.show(conversation.origin, turn.view)
            desk.store.confirm(turn.conversation)
            told += 1
    return told
