"""Those who wait for an incident to end are told, once, when it has; those it touches get one quiet word."""

from __future__ import annotations

from collections.abc import Iterable

import structlog

from bot.core.errors import ChannelGone, ChatError, NotAllowed
from bot.core.triage.conversation import Conversation
from bot.core.triage.life import closed
from bot.core.triage.placement import Where
from bot.core.triage.transition import Transition
from bot.core.triage.turn import Around
from bot.core.triage.waiting import another, became_official, over, touched
from bot.ports.chat import Chat
from bot.ports.store import Stored
from handlers.answering import at_home, post
from handlers.desk import Desk

_log = structlog.get_logger(__name__)

_ONCE = 14 * 24 * 3600
"""Seconds in which a conversation hears of one incident once: as long as it lives."""


async def tell_ended(desk: Desk, waiting: Iterable[Conversation], chat: Chat) -> int:
    """Tell the people of those conversations that wait and need not any more; return how many."""
    told, answered = 0, set[tuple[str, str, str]]()
    for conversation in sorted(waiting, key=lambda one: one.touched, reverse=True):
        around = await desk.around(conversation.origin)
        turn = _news(desk, conversation, around)
        whose = (conversation.origin.tenant, conversation.origin.user, conversation.incident)
        if turn and conversation.where is Where.ASIDE and whose in answered:
            # Somebody who reported it twice in passing waits once.
            await _ended(desk, conversation, around.now)
        elif turn:
            told += await _told(desk, conversation, turn, chat, around.now)
            answered.add(whose)
    return told


async def tell_touched(desk: Desk, going: Iterable[Conversation], chat: Chat) -> int:
    """Give open conversations that a new incident touches one quiet word each; return how many."""
    told = 0
    for conversation in going:
        around = await desk.around(conversation.origin)
        found = touched(desk.library, conversation, around) if conversation.open else None
        if found is None:
            continue
        incident, word = found
        # Claimed for good: however many replicas see it, and however long it lasts.
        mark = f"touched:{conversation.id}:{incident}"
        if not await desk.store.claim(mark, conversation.origin, seconds=_ONCE):
            continue
        try:
            await chat.show(conversation.origin, word, conversation.where, message=conversation.shown)
            told += 1
        except ChatError as error:
            _log.info("quiet word not said", platform=conversation.origin.platform, error=str(error))
    return told


def _news(desk: Desk, conversation: Conversation, around: Around) -> Transition | None:
    if not conversation.waiting:
        return None
    for news in (another, over, became_official):
        if turn := news(desk.library, conversation, around):
            return turn
    return None


async def _ended(desk: Desk, before: Conversation, now: float) -> None:
    """Let a wait end without a word."""
    result = await desk.store.commit(f"over:{before.id}:{before.revision}", closed(before, now))
    if isinstance(result, Stored):
        desk.store.confirm(result.conversation)


async def _told(desk: Desk, before: Conversation, turn: Transition, chat: Chat, now: float) -> bool:
    try:
        after = await at_home(turn.conversation, chat)
    except (ChannelGone, NotAllowed) as error:
        # Nobody can be told: it ends, instead of being tried for ever.
        _log.warning("end cannot be told", platform=before.origin.platform, error=str(error))
        await _ended(desk, before, now)
        return False
    except ChatError as error:
        _log.warning("end not told yet", platform=before.origin.platform, error=str(error))
        return False
    # One event for one end, however many replicas see it.
    result = await desk.store.commit(f"over:{before.id}:{before.revision}", after)
    if not isinstance(result, Stored):
        return False
    try:
        await post(desk.store, result.conversation, turn.view, chat)
    except ChatError as error:
        # It is stored: the answer is owed, and shown as others are.
        _log.warning("end not told yet", platform=before.origin.platform, error=str(error))
        return False
    return True
