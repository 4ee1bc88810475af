"""Hand-offs brought to the helpers the settings name, once; what they do with them, and who may take part at all.

A packet is owed like an answer: the turn that asks for it is stored first, and stays owed until its packet is where it
belongs and the person has been told so. Who looks after owed answers looks for the packet by its key before it posts.
"""

from __future__ import annotations

from dataclasses import replace

import structlog

from bot.core.errors import ChannelGone, ChatError, ChatUnavailable, NotAllowed
from bot.core.event import Origin
from bot.core.triage import flow, helping
from bot.core.triage.conversation import Conversation
from bot.core.triage.placement import Rooms, Where
from bot.core.triage.transition import Transition
from bot.ports.chat import Chat, Posted
from bot.ports.helpdesk import Helpdesk
from bot.ports.store import Conflict, Stored
from handlers.desk import Desk
from handlers.insights import count

_log = structlog.get_logger(__name__)


def begun(desk: Desk, before: Conversation, after: Conversation) -> Conversation:
    """Return a conversation with its hand-off begun, if it has just been handed over and there is somebody to help."""
    rooms = _rooms(desk, after.origin)
    return helping.asked(before, after) if rooms.handoff or rooms.handoff_person else after


def under_way(desk: Desk, conversation: Conversation) -> bool:
    """Say whether somebody may be posting the packet right now: its request may still land."""
    return helping.undelivered(conversation) and desk.clock() - conversation.touched < desk.bounds.unknown


async def brought(desk: Desk, turn: Transition, chat: Chat, *, look: bool = False) -> Transition:
    """Bring a packet that is owed to the helpers; return the turn as it stands then, to be shown to who asked.

    look: it may be there already. `ChatUnavailable` leaves it owed.
    """
    here = turn.conversation
    if not helping.undelivered(here):
        return turn
    after = await _delivered(desk, here, chat, look=look)
    result = await desk.store.commit(f"handoff:{here.id}:{here.revision}", after)
    current = result.conversation if isinstance(result, Stored) else None
    if current:
        count(desk, here, current)
    if isinstance(result, Conflict):
        current = result.current
    current = current or await desk.store.get(here.origin, here.id, revision=after.revision) or after
    shown = flow.show(desk.library, current, await desk.around(here.origin))
    return replace(shown, folded=turn.folded, changed=True, view=replace(shown.view, preface=turn.view.preface))


async def _delivered(desk: Desk, here: Conversation, chat: Chat, *, look: bool) -> Conversation:
    try:
        if not isinstance(chat, Helpdesk):
            raise ChannelGone("this platform has no helpers")  # noqa: TRY301 - said like any other target that is gone
        target, found = await _target(desk, here, chat), None
        if look:
            try:
                found = await chat.find(target, helping.key(here), here.touched - desk.bounds.apart)
            except NotAllowed as error:
                # It may be there: it is not posted a second time.
                return _stuck(desk, here, error, "handed.unseen")
        posted = found or await _post(desk, here, target, chat)
    except ChatUnavailable:
        raise
    except ChannelGone as error:
        gone = "handed.gone" if _rooms(desk, here.origin).handoff else "handed.gone-person"
        return _stuck(desk, here, error, gone)
    except NotAllowed as error:
        return _stuck(desk, here, error, "handed.not-allowed", missing=error.missing or "?")
    except ChatError as error:
        # Refused for what it is, or for a reason nobody has met yet: the next attempt would end the same way.
        return _stuck(desk, here, error, "handed.refused")
    return helping.delivered(here, posted.message, posted.link)


def _stuck(desk: Desk, here: Conversation, error: ChatError, key: str, **fields: str) -> Conversation:
    _log.error("hand-off not delivered", platform=here.origin.platform, conversation=here.id, error=str(error))
    return helping.stuck(here, desk.library.messages.text(key, **fields))


async def _post(desk: Desk, here: Conversation, target: Origin, chat: Chat, message: str = "") -> Posted:
    link = ""
    if isinstance(chat, Helpdesk) and here.where.public:
        link = await chat.link(here.origin, here.shown)
    view = helping.packet_view(desk.library, here, await desk.around(), link)
    return await chat.show(target, view, Where.MESSAGE, message=message)


async def refreshed(desk: Desk, before: Conversation, after: Conversation, chat: Chat) -> None:
    """Show helpers what has become of a hand-off since; an edit that is lost is made up for by the next."""
    hand = after.handoff
    if not hand or not hand.message or (before.outcome, before.handoff) == (after.outcome, hand):
        return
    if not (isinstance(chat, Helpdesk) and before.handoff and before.handoff.message):
        return
    try:
        await _post(desk, after, await _target(desk, after, chat), chat, hand.message)
    except ChatError as error:
        _log.warning("hand-off not kept up", platform=after.origin.platform, conversation=after.id, error=str(error))


async def may_press(desk: Desk, origin: Origin, conversation: Conversation, chat: Chat) -> bool:
    """Say whether somebody may answer in a conversation: its owner, who takes part, helpers, or anybody once shared."""
    if conversation.shared or origin.user in {conversation.origin.user, *conversation.helpers}:
        return True
    groups = _rooms(desk, origin).helpers
    return bool(groups) and isinstance(chat, Helpdesk) and await chat.may_help(origin, groups)


async def may_take(desk: Desk, origin: Origin, chat: Chat) -> bool:
    """Say whether somebody may take hand-offs: who gets them, helpers, or whoever reads them where none are named."""
    rooms = _rooms(desk, origin)
    if origin.user == rooms.handoff_person or not rooms.helpers:
        return True
    return isinstance(chat, Helpdesk) and await chat.may_help(origin, rooms.helpers)


async def _target(desk: Desk, here: Conversation, chat: Helpdesk) -> Origin:
    rooms, origin = _rooms(desk, here.origin), here.origin
    if rooms.handoff:
        return Origin(origin.platform, origin.workspace, rooms.handoff, "")
    return await chat.direct(replace(origin, user=rooms.handoff_person))


def _rooms(desk: Desk, origin: Origin) -> Rooms:
    return desk.rooms.get(origin.platform, Rooms())
