"""Conversations nobody answers: asked about once, closed quietly later, each by one replica."""

from __future__ import annotations

import structlog

from bot.core.errors import ChatError, RedialError
from bot.core.event import Origin
from bot.core.triage import life
from bot.core.triage.conversation import Conversation
from bot.core.triage.life import Quiet, closed
from bot.core.triage.placement import Where
from bot.core.triage.transition import nudge
from bot.core.triage.turn import Around
from bot.ports.chat import Chat
from bot.ports.store import Stored
from handlers.answering import post
from handlers.desk import Desk
from handlers.insights import count
from handlers.overhearing import others_talk

_log = structlog.get_logger(__name__)

AGAIN = 300.0
"""Seconds after which a silence that called for nothing is looked at again."""


async def look_after(desk: Desk, place: Origin, chat: Chat) -> int:
    """See to the silent conversations of a workspace; return how many were asked about or closed.

    However many replicas do so, each is asked about once: what is written is compared, and its event claimed.
    """
    done = 0
    for conversation in await desk.store.due(place, desk.clock()):
        try:
            done += await _looked_after(desk, conversation, await desk.around(place), chat)
        except ChatError as error:
            # It is stored: the answer is owed, and shown as others are.
            _log.warning("not asked yet", platform=place.platform, conversation=conversation.id, error=str(error))
        except RedialError as error:
            # One that this version cannot play must not keep the others waiting.
            _log.error("silence not seen to", conversation=conversation.id, error=str(error))
            await desk.store.put_off(conversation, desk.clock() + AGAIN)
    return done


async def _looked_after(desk: Desk, conversation: Conversation, around: Around, chat: Chat) -> bool:
    event = f"silence:{conversation.id}:{conversation.revision}"
    what = life.quiet(conversation, around.pace, around.now)
    asked = nudge(desk.library, conversation, around) if what is Quiet.NUDGE else None
    if asked and not await _others_talk(conversation, chat):
        result = await desk.store.commit(event, asked.conversation)
        if isinstance(result, Stored):
            await post(desk.store, result.conversation, asked.view, chat)
        return isinstance(result, Stored)
    if what is Quiet.CLOSE:
        after = closed(conversation, around.now)
        result = await desk.store.commit(event, after, shows=False)
        if isinstance(result, Stored):
            count(desk, conversation, result.conversation)
        return isinstance(result, Stored)
    await desk.store.put_off(conversation, around.now + AGAIN)
    return False


async def _others_talk(conversation: Conversation, chat: Chat) -> bool:
    """Say whether people talk to each other in its thread: they are left alone."""
    in_thread = conversation.where is Where.THREAD
    return in_thread and await others_talk(conversation.origin, conversation.shown, chat)
