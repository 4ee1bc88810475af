"""What people say to each other in a thread: it is left alone."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from bot.core.errors import ChatError
from bot.core.event import InboundEvent, Origin, Said
from bot.core.triage.conversation import Conversation
from bot.ports.chat import Chat, Overhears

_log = structlog.get_logger(__name__)


async def meant_for_others(
    event: InboundEvent, what: Said, here: Conversation, chat: Chat, answers: Callable[[], bool]
) -> bool:
    """Say whether a text is talk: another human has written since Redial's last post, and it answers nothing.

    The platform is asked, since no process has heard everything, and only about a text that answers nothing.
    """
    if what.how != "thread" or answers():
        return False
    return await others_talk(event.origin, here.shown, chat)


async def others_talk(thread: Origin, shown: str, chat: Chat) -> bool:
    """Say whether another human has written in a thread since the message `shown`; no, where nobody can tell."""
    if not isinstance(chat, Overhears):
        return False
    try:
        return await chat.others_since(thread, shown)
    except ChatError as error:
        # An answer too many is better than none.
        _log.info("talk not known", platform=thread.platform, error=str(error))
        return False
