"""The triage: what somebody said or pressed becomes a turn of a conversation, stored before it is shown."""

from __future__ import annotations

import hashlib
from base64 import b32encode
from dataclasses import replace
from math import ceil

import structlog

from bot.core.errors import ChatError, ChatUnavailable
from bot.core.event import How, InboundEvent, Origin, Pressed, Said
from bot.core.frozen import frozen
from bot.core.guides.library import Library
from bot.core.messages import Messages
from bot.core.recogniser.engine import Candidate, Decision, Recognition
from bot.core.redaction import Redacted, redact
from bot.core.text import Block, Text, visible
from bot.core.triage import flow
from bot.core.triage.conversation import Conversation
from bot.core.triage.flow import Begin, Press, Say
from bot.core.triage.placement import Rooms, Where, where
from bot.core.triage.transition import Transition
from bot.core.triage.turn import Around
from bot.core.view import Cite, Offer, View
from bot.ports.chat import Chat
from bot.ports.store import Conflict, Duplicate
from handlers.answering import answer, at_home, post, posted_at, removed, tell, told
from handlers.desk import Desk
from handlers.handoff import brought, may_press, under_way
from handlers.insights import count
from handlers.overhearing import meant_for_others
from handlers.passing import noted, shared, together
from handlers.turning import turned

_log = structlog.get_logger(__name__)

OFFER = "@offer"
"""Step of a view that offers help to somebody in a watched channel; its choice is a guide, its conversation none."""


@frozen
class _Report:
    """What opens a conversation: whose trouble it is, and what their words are taken for."""

    owner: Origin
    where: Where
    clean: Redacted
    recognition: Recognition


async def said(desk: Desk, event: InboundEvent, what: Said, chat: Chat) -> None:
    """Take free text: an answer in the writer's open conversation, or a report that opens one."""
    clean = redact(visible(what.text))
    here = await _belongs(desk, event, what.how, clean.text)
    if what.edited and (here is None or here.guide or here.history):
        return
    place = None if here else where(_rooms(desk, event), event, what.how)
    if here:
        await _said_in(desk, event, what, here, clean, chat)
    elif place and what.how == "watched":
        await _offer(desk, event, clean, chat)
    elif place and flow.answers_only(desk.library, clean.text):
        if await desk.store.claim(event.id, event.origin):
            await tell(desk, event, chat, "command.no-conversation")
    elif place:
        # Where only who asked can see the answer, it is theirs, whoever wrote the words.
        owner = replace(event.origin, user=what.author) if what.author and place.public else event.origin
        report = _Report(owner, place, clean, desk.recognise(clean.text))
        await _report(desk, event, report, chat)


async def pressed(desk: Desk, event: InboundEvent, what: Pressed, chat: Chat) -> None:
    """Take a press: only the conversation's owner and helpers answer, and only the question that is open."""
    if what.step == OFFER:
        await start(desk, event, what.choice, chat)
        return
    conversation = await desk.store.get(event.origin, what.conversation, revision=what.revision)
    if conversation is None:
        await tell(desk, event, chat, "trouble.gone")
        return
    if not await may_press(desk, event.origin, conversation, chat):
        await tell(desk, event, chat, "trouble.not-yours")
        return
    around = await desk.around(event.origin)

    def play(conversation: Conversation) -> Transition:
        press = Press(what.choice, what.step, what.revision)
        return flow.play(desk.library, conversation, press, around, by=event.origin.user)

    await turned(desk, event, conversation, play, chat)


async def start(desk: Desk, event: InboundEvent, guide: str, chat: Chat) -> None:
    """Open a conversation with a guide chosen by name."""
    known = desk.library.guide(guide)
    candidates = (Candidate(known.id, 1.0),)
    chosen = Recognition(Decision.GUIDE, known.id, candidates, "", sign=False, facts={}, details={})
    place = where(_rooms(desk, event), event, "command") or Where.PRIVATE
    await _report(desk, event, _Report(event.origin, place, redact(""), chosen), chat)


async def take_up(desk: Desk, event: InboundEvent, conversation: Conversation, chat: Chat) -> None:
    """Make a conversation the one that free text belongs to again, and show where it stands."""
    around = await desk.around(event.origin)

    def play(conversation: Conversation) -> Transition:
        return flow.take_up(desk.library, conversation, around, by=event.origin.user)

    await turned(desk, event, conversation, play, chat)


async def show_owed(desk: Desk, origin: Origin, chat: Chat, *, older_than: float) -> int:
    """Show the answers of a workspace that a crash kept from being shown; return how many.

    What is found to be there is only noted. What can never be shown is given up with a line in the log; while the
    platform is away, the rest stays owed.
    """
    shown = 0
    for conversation in await desk.store.owed(origin, older_than=older_than):
        if under_way(desk, conversation):
            continue
        # One replica alone sees to it meanwhile.
        mark = f"owed:{conversation.id}:{conversation.revision}"
        if not await desk.store.claim(mark, conversation.origin, seconds=ceil(desk.bounds.turn)):
            continue
        try:
            shown += await _show_owed(desk, conversation, chat)
        except ChatUnavailable as error:
            _log.warning("answers stay owed", platform=origin.platform, error=str(error))
            break
        except ChatError as error:
            # Gone, without a right, or refused for what it is: the next attempt would end the same way.
            _log.error("answer given up", platform=origin.platform, conversation=conversation.id, error=str(error))
            desk.store.confirm(conversation)
    # Written at once: another replica may look as soon as the claims have run out.
    await desk.store.flush()
    return shown


async def _show_owed(desk: Desk, conversation: Conversation, chat: Chat) -> bool:
    around = await desk.around(conversation.origin)
    shown = flow.show(desk.library, await at_home(conversation, chat), around)
    turn = await brought(desk, shown, chat, look=True)
    conversation, view = turn.conversation, turn.view
    found = await chat.shown(conversation.origin, view.key)
    if found:
        desk.store.confirm(posted_at(conversation, found))
    else:
        await post(desk.store, conversation, view, chat)
    return found is None


async def _belongs(desk: Desk, event: InboundEvent, how: How, text: str) -> Conversation | None:
    """Return the open conversation a text belongs to: that of its place, or for `/redial back` the newest."""
    if how in {"shortcut", "watched"}:
        return None
    if how != "command":
        return await desk.store.here(event.origin)
    if not flow.answers_only(desk.library, text):
        return None
    return next((mine for mine in await desk.store.of(event.origin) if mine.open), None)


async def _said_in(
    desk: Desk, event: InboundEvent, what: Said, here: Conversation, clean: Redacted, chat: Chat
) -> None:
    # Without a guide yet, what was said before belongs to it: "in the terminal" alone says nothing.
    before = "" if here.guide or what.edited else here.report
    words = Say(clean.text, desk.recognise(f"{before}\n{clean.text}".strip()))
    around = await desk.around(event.origin)

    def play(conversation: Conversation) -> Transition:
        return flow.play(desk.library, conversation, words, around, by=event.origin.user)

    def answers() -> bool:
        return flow.answers_only(desk.library, clean.text) or bool(play(here).folded)

    if not await meant_for_others(event, what, here, chat, answers):
        await turned(desk, event, here, play, chat, clean)


async def _offer(desk: Desk, event: InboundEvent, clean: Redacted, chat: Chat) -> None:
    """Offer help privately for a message in a watched channel, once, and never on a guess."""
    found = desk.recognise(clean.text)
    guide = desk.library.known(found.guide)
    if not (found.decision is Decision.GUIDE and found.sign and guide):
        return
    if await desk.store.claim(event.id, event.origin):
        say = desk.library.messages
        lead = say.inline("offer.lead", title=guide.title, because=found.why)
        view = View(lead=lead, offers=(Offer(1, guide.id, say.text("offer.start")),), guide=guide.id, step=OFFER)
        await told(event, chat, replace(view, preface=removed(say, clean)))


async def _report(desk: Desk, event: InboundEvent, report: _Report, chat: Chat) -> None:
    # Nothing but a mention, or a picture: the line is asked for.
    if report.recognition.decision is Decision.NONE and report.clean.text.strip():
        if await desk.store.claim(event.id, event.origin):
            await _not_ours(desk, event, report, chat)
        return
    around = await desk.around(event.origin)
    words = Begin(report.clean.text, report.recognition, report.where)
    opened = flow.begin(desk.library, conversation_id(event), report.owner, words, around)
    passing = shared(desk, event, opened, report.where, around)
    opened = passing or await _placed(opened, report, chat)
    helpers = (event.origin.user,) if event.origin.user != report.owner.user else ()
    spoken = (*in_their_language(desk.library.messages, words.recognition.language), *opened.view.preface)
    opened = replace(
        opened,
        conversation=replace(opened.conversation, helpers=helpers),
        view=replace(opened.view, preface=spoken),
    )
    result = await desk.store.commit(event.id, opened.conversation)
    if isinstance(result, Duplicate):
        return
    if isinstance(result, Conflict):
        if result.current:
            await _already_open(desk, event, result.current, around, chat)
        return
    noted(desk, event, opened.conversation)
    count(desk, None, opened.conversation)
    if passing:
        opened = await together(desk, event, opened, report.where, around)
    await answer(desk, event, opened, chat, report.clean)


async def _placed(opened: Transition, report: _Report, chat: Chat) -> Transition:
    """Put a conversation where it is held."""
    owner = await chat.private(report.owner) if report.where is Where.PRIVATE else report.owner
    return replace(opened, conversation=replace(opened.conversation, origin=owner, where=report.where))


async def _not_ours(desk: Desk, event: InboundEvent, report: _Report, chat: Chat) -> None:
    view = not_ours(desk.library, report.recognition)
    say = desk.library.messages
    preface = (*in_their_language(say, report.recognition.language), *removed(say, report.clean))
    view = replace(view, preface=preface)
    if report.where.public and not report.clean.secret:
        await chat.show(event.origin, view, report.where)
    else:
        await told(event, chat, view)


async def _already_open(desk: Desk, event: InboundEvent, current: Conversation, around: Around, chat: Chat) -> None:
    """Link a repeated report to the conversation that is open for it, instead of opening a second one."""

    def play(conversation: Conversation) -> Transition:
        again = flow.show(desk.library, conversation, around, preface="opening.already")
        moved = replace(conversation, revision=conversation.revision + 1, touched=around.now)
        view = replace(again.view, revision=moved.revision, key=moved.key)
        return replace(again, conversation=moved, changed=True, view=view)

    await turned(desk, event, current, play, chat)


def _rooms(desk: Desk, event: InboundEvent) -> Rooms:
    return desk.rooms.get(event.origin.platform, Rooms())


def conversation_id(event: InboundEvent) -> str:
    """Return the id of the conversation an event opens: the same on a re-send, so that nothing is opened twice."""
    digest = hashlib.blake2b(f"{event.origin.tenant}|{event.id}".encode(), digest_size=10).digest()
    return b32encode(digest).decode().lower()


def in_their_language(say: Messages, language: str) -> tuple[Block, ...]:
    """Say in the writer's language that the answer is in English, while there are no guides in theirs."""
    key = f"language.{language}"
    return (Text(say.inline(key)),) if key in say else ()


def not_ours(library: Library, found: Recognition) -> View:
    """Say in a line that this is not one of Redial's."""
    say = library.messages
    if found.link:
        lead, body = say.inline("none.section", product=found.product), say.inline("none.section-body")
        return View(lead=lead, blocks=(Text(body),), sources=(Cite(found.product, found.link),))
    lead = say.inline("none.product", product=found.product) if found.product else say.inline("none.lead")
    return View(lead=lead, blocks=(Text(say.inline("none.body")),))
