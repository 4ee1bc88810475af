"""What people say to each other in a thread: it is left alone."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from bot.core.conversation import Conversation
from bot.core.errors import ChatError
from bot.core.event import InboundEvent, Said
from bot.ports.chat import Chat, Overhears

_log = structlog.get_logger(__name__)


async def meant_for_others(
    event: InboundEvent, what: Said, here: Conversation, chat: Chat, answers: Callable[[], bool]
) -> bool:
    """Say whether a text is talk: another human has written since Redial's last post, and it answers nothing.

    The platform is asked, since no process has heard everything, and only about a text that answers nothing.
    """
    if what.how != "thread" or not isinstance(chat, Overhears) or answers():
        return False
    try:
        return await chat.others_since(event.origin, here.shown)
    except ChatError as error:
        # An answer too many is better than none.
        _log.info("talk not known", platform=event.origin.platform, error=str(error))
        return False
