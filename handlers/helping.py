"""What helpers press on a hand-off: take it, ask, resolve, give it back."""

from __future__ import annotations

from bot.core.event import InboundEvent, Pressed
from bot.core.text import Span
from bot.core.triage import helping
from bot.core.triage.conversation import Conversation
from bot.core.triage.endings import person
from bot.core.triage.life import ASKED
from bot.core.triage.transition import Transition
from bot.core.view import View
from bot.ports.chat import Chat
from bot.ports.helpdesk import Helpdesk
from handlers.answering import tell
from handlers.desk import Desk
from handlers.handoff import may_take
from handlers.turning import turned


async def pressed(desk: Desk, event: InboundEvent, what: Pressed, chat: Chat) -> None:
    """Do what a helper pressed; whoever may not, or comes too late, is told so alone."""
    conversation = await desk.store.get(event.origin, what.conversation, revision=what.revision)
    if conversation is None:
        await tell(desk, event, chat, "trouble.gone")
    elif not await may_take(desk, event.origin, chat):
        await tell(desk, event, chat, "handoff.not-helper")
    elif what.choice in helping.ACTS:
        await _do(desk, event, what.choice, conversation, chat)


async def _do(desk: Desk, event: InboundEvent, act: str, conversation: Conversation, chat: Chat) -> None:
    around, by, say = await desk.around(), event.origin.user, desk.library.messages
    done = False

    def play(here: Conversation) -> Transition:
        nonlocal done
        # Somebody else may have been quicker.
        if refusal := helping.refusal(here, act, by):
            who = person(say, here.handoff.holder if here.handoff else "")
            return Transition(here, View(lead=say.inline(refusal, who=who)), changed=False)
        done = True
        return helping.helped(desk.library, here, act, around, by)

    await turned(desk, event, conversation, play, chat)
    if done and act == ASKED:
        await _pointed(desk, event, conversation, chat)


async def _pointed(desk: Desk, event: InboundEvent, conversation: Conversation, chat: Chat) -> None:
    """Tell a helper where they can ask."""
    say = desk.library.messages
    link = ""
    if isinstance(chat, Helpdesk) and conversation.where.public:
        link = await chat.link(conversation.origin, conversation.shown)
    if link:
        await tell(desk, event, chat, "handoff.asked", where=(Span(say.text("handoff.thread"), href=link),))
    else:
        await tell(desk, event, chat, "handoff.asked-private", who=person(say, conversation.origin.user))
