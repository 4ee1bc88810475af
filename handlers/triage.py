"""The triage: what somebody said or pressed becomes a turn of a conversation, stored before it is shown."""

from __future__ import annotations

import hashlib
from base64 import b32encode
from collections.abc import Callable
from dataclasses import replace

from bot.core import flow
from bot.core.conversation import Conversation
from bot.core.event import InboundEvent, Origin, Pressed, Said
from bot.core.flow import Begin, Press, Say, Transition
from bot.core.library import Library
from bot.core.recogniser import Decision, Recognition
from bot.core.redaction import Redacted, redact
from bot.core.text import Block, Text
from bot.core.turn import Around
from bot.core.view import Cite, View
from bot.ports.chat import Chat
from bot.ports.store import Conflict, Duplicate
from handlers.desk import Desk

_TRIES = 4
"""How often a turn is played again because another replica wrote first."""

Play = Callable[[Conversation], Transition]


async def said(desk: Desk, event: InboundEvent, what: Said, chat: Chat) -> None:
    """Take free text: an answer in the writer's open conversation, or a report that opens one."""
    clean = redact(what.text)
    here = None if what.fresh else await desk.store.here(event.origin)
    if here is None and not what.addressed:
        return
    if here is None and flow.answers_only(desk.library, clean.text):
        await chat.show(event.origin, _sentence(desk.library, "command.no-conversation"))
        return
    recognition = desk.recogniser.recognise(clean.text)
    around = await desk.around()
    if here is None:
        await _report(desk, event, clean, recognition, around, chat)
        return

    def play(conversation: Conversation) -> Transition:
        return flow.play(desk.library, conversation, Say(clean.text, recognition), around, by=event.origin.user)

    await _turn(desk, event, here, play, chat, clean)


async def pressed(desk: Desk, event: InboundEvent, what: Pressed, chat: Chat) -> None:
    """Take a press: only the conversation's owner answers, and only the question that is open."""
    conversation = await desk.store.get(event.origin, what.conversation, revision=what.revision)
    if conversation is None:
        await chat.show(event.origin, _sentence(desk.library, "trouble.gone"))
        return
    if conversation.origin.user != event.origin.user:
        await chat.show(event.origin, _sentence(desk.library, "trouble.not-yours"))
        return
    around = await desk.around()

    def play(conversation: Conversation) -> Transition:
        press = Press(what.choice, what.step, what.revision)
        return flow.play(desk.library, conversation, press, around, by=event.origin.user)

    await _turn(desk, event, conversation, play, chat)


async def start(desk: Desk, event: InboundEvent, guide: str, chat: Chat) -> None:
    """Open a conversation with a guide chosen by name."""
    known = desk.library.guide(guide)
    chosen = Recognition(Decision.GUIDE, known.id, (), "", sign=False, facts={}, details={})
    await _report(desk, event, redact(""), chosen, await desk.around(), chat)


async def take_up(desk: Desk, event: InboundEvent, conversation: Conversation, chat: Chat) -> None:
    """Make a conversation the one that free text belongs to again, and show where it stands."""
    around = await desk.around()

    def play(conversation: Conversation) -> Transition:
        return flow.take_up(desk.library, conversation, around, by=event.origin.user)

    await _turn(desk, event, conversation, play, chat)


async def show_owed(desk: Desk, origin: Origin, chat: Chat, *, older_than: float) -> int:
    """Show the answers that a crash kept from being shown; return how many."""
    count = 0
    for conversation in await desk.store.owed(origin, older_than=older_than):
        view = flow.show(desk.library, conversation, await desk.around()).view
        if not await chat.shown(conversation.origin, view.key):
            await chat.show(conversation.origin, view)
            count += 1
        desk.store.confirm(conversation)
    return count


async def _report(
    desk: Desk, event: InboundEvent, clean: Redacted, recognition: Recognition, around: Around, chat: Chat
) -> None:
    if recognition.decision is Decision.NONE:
        if await desk.store.claim(event.id, event.origin):
            await chat.show(event.origin, _warned(desk.library, not_ours(desk.library, recognition), clean))
        return
    opened = flow.begin(desk.library, conversation_id(event), event.origin, Begin(clean.text, recognition), around)
    result = await desk.store.commit(event.id, opened.conversation)
    if isinstance(result, Duplicate):
        return
    if isinstance(result, Conflict):
        if result.current:
            await _already_open(desk, event, result.current, around, chat)
        return
    await chat.show(event.origin, _warned(desk.library, opened.view, clean))
    desk.store.confirm(opened.conversation)


async def _already_open(desk: Desk, event: InboundEvent, current: Conversation, around: Around, chat: Chat) -> None:
    """Link a repeated report to the conversation that is open for it, instead of opening a second one."""

    def play(conversation: Conversation) -> Transition:
        again = flow.show(desk.library, conversation, around, preface="opening.already")
        moved = replace(conversation, revision=conversation.revision + 1, touched=around.now)
        return replace(again, conversation=moved, changed=True, view=replace(again.view, revision=moved.revision))

    await _turn(desk, event, current, play, chat)


async def _turn(
    desk: Desk, event: InboundEvent, conversation: Conversation, play: Play, chat: Chat, clean: Redacted | None = None
) -> None:
    """Play, store, show, and again from what stands if somebody else wrote first."""
    for _ in range(_TRIES):
        turn = play(conversation)
        if not turn.changed:
            await chat.show(event.origin, _warned(desk.library, turn.view, clean))
            return
        result = await desk.store.commit(event.id, turn.conversation)
        if isinstance(result, Conflict):
            if result.current is None:
                await chat.show(event.origin, _sentence(desk.library, "trouble.gone"))
                return
            conversation = result.current
            continue
        if not isinstance(result, Duplicate):
            await chat.show(event.origin, _warned(desk.library, turn.view, clean))
            desk.store.confirm(turn.conversation)
        return
    await chat.show(event.origin, _sentence(desk.library, "trouble.busy"))


def conversation_id(event: InboundEvent) -> str:
    """Return the id of the conversation an event opens: the same on a re-send, so that nothing is opened twice."""
    digest = hashlib.blake2b(f"{event.origin.tenant}|{event.id}".encode(), digest_size=10).digest()
    return b32encode(digest).decode().lower()


def not_ours(library: Library, found: Recognition) -> View:
    """Say in a line that this is not one of Redial's."""
    say = library.messages
    if found.link:
        lead, body = say.inline("none.section", product=found.product), say.inline("none.section-body")
        return View(lead=lead, blocks=(Text(body),), sources=(Cite(found.product, found.link),))
    lead = say.inline("none.product", product=found.product) if found.product else say.inline("none.lead")
    return View(lead=lead, blocks=(Text(say.inline("none.body")),))


def _warned(library: Library, view: View, clean: Redacted | None) -> View:
    """Say what was taken out of what somebody pasted; a leaked secret comes before everything else."""
    if clean is None or not clean.removed:
        return view
    say = library.messages
    kinds = ", ".join(dict.fromkeys(say.text(f"kind.{kind.name.lower()}") for kind in clean.removed))
    if not clean.secret:
        return replace(view, preface=(Text(say.inline("secret.personal", kinds=kinds)), *view.preface))
    warning: tuple[Block, ...] = (Text(say.inline("secret.lead", kinds=kinds)), Text(say.inline("secret.body")))
    return replace(view, preface=(*warning, *view.preface))


def _sentence(library: Library, key: str) -> View:
    return View(lead=library.messages.inline(key))
