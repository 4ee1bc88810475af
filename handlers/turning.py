"""One turn of a conversation that is there: played, stored, shown, and played again if somebody else wrote first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.core.changing import changed
from bot.core.event import InboundEvent, Pressed
from bot.core.redaction import Redacted
from bot.core.triage.conversation import Conversation
from bot.core.triage.placement import Where
from bot.core.triage.transition import Transition
from bot.ports.chat import Chat
from bot.ports.store import Conflict, Stored
from handlers.answering import answer, at_home, tell, told
from handlers.desk import Desk
from handlers.handoff import begun, brought, refreshed
from handlers.insights import count
from handlers.passing import leaves, noted

_TRIES = 4
"""How often a turn is played again because another replica wrote first."""

Play = Callable[[Conversation], Transition]


async def turned(
    desk: Desk, event: InboundEvent, conversation: Conversation, play: Play, chat: Chat, clean: Redacted | None = None
) -> None:
    """Play, store, show, and again from what stands if somebody else wrote first."""
    for _ in range(_TRIES):
        before = _located(conversation, event)
        turn = play(before)
        if not turn.changed:
            await _unchanged(desk, event, turn, chat, clean)
            return
        after = begun(desk, before, turn.conversation)
        after = await at_home(after, chat) if leaves(after) else after
        result = await desk.store.commit(event.id, after)
        if isinstance(result, Conflict):
            if result.current is None:
                await tell(desk, event, chat, "trouble.gone")
                return
            conversation = result.current
            continue
        if isinstance(result, Stored):
            noted(desk, event, result.conversation)
            count(desk, before, result.conversation)
            if result.conversation is not turn.conversation:
                turn = changed(turn, conversation=result.conversation)
            turn = await brought(desk, turn, chat)
            await answer(desk, event, turn, chat, clean)
            await refreshed(desk, before, turn.conversation, chat)
        return
    await tell(desk, event, chat, "trouble.busy")


async def _unchanged(desk: Desk, event: InboundEvent, turn: Transition, chat: Chat, clean: Redacted | None) -> None:
    """Answer what changed nothing: a press to who pressed alone, words where they were said."""
    if isinstance(event.what, Pressed):
        await told(event, chat, turn.view)
    elif await desk.store.claim(event.id, event.origin):
        await answer(desk, event, turn, chat, clean)


def _located(conversation: Conversation, event: InboundEvent) -> Conversation:
    """Return the conversation in the thread it is spoken to in, where this replica has not learnt of it yet."""
    origin, there = conversation.origin, event.origin
    if origin.thread or conversation.where is not Where.THREAD or origin.channel != there.channel:
        return conversation
    return replace(conversation, origin=replace(origin, thread=there.thread))
