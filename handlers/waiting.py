"""Those who wait for an incident to end are told, once, when the official page says so."""

from __future__ import annotations

from bot.core import flow
from bot.core.event import Origin
from bot.core.incident import Health
from bot.ports.chat import Chat
from bot.ports.store import Stored
from handlers.desk import Desk


async def tell_ended(desk: Desk, origin: Origin, chat: Chat) -> int:
    """Tell `origin.user` of each ended incident one of their conversations waits for; return how many were told.

    Says nothing without a fresh reading, nor when the page no longer lists the incident: neither is an end.
    """
    waiting = [conversation for conversation in await desk.store.of(origin) if conversation.waiting]
    around = await desk.around() if waiting else None
    if around is None or around.board is None or around.board.health is not Health.OK:
        return 0
    told = 0
    for conversation in waiting:
        incident = around.board.incident(conversation.incident)
        if incident is None or incident.open:
            continue
        turn = flow.over(desk.library, conversation, incident, around)
        result = await desk.store.commit(f"over:{conversation.id}:{incident.id}", turn.conversation)
        if isinstance(result, Stored):
            await chat.show(conversation.origin, turn.view)
            desk.store.confirm(turn.conversation)
            told += 1
    return told
