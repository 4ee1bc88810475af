"""What is said behind `/redial subscribe`, `unsubscribe` and `subscriptions`, in the channel it is about."""

from __future__ import annotations

from dataclasses import replace

import structlog

from bot.core.errors import ChatUnavailable
from bot.core.event import Commanded, InboundEvent, Origin, Said
from bot.core.form import Answers, Option
from bot.core.frozen import frozen
from bot.core.messages import Messages
from bot.core.services import Services
from bot.core.status.announcement_view import Names
from bot.core.status.subscription import Choice, Place, Standing, Subscription
from bot.core.status.watch import Page
from bot.core.status.wishes import Menu, Part, Words, page_named, to_choice, to_form, understood
from bot.core.text import Text
from bot.core.view import View
from bot.ports.chat import Chat
from bot.ports.managing import Manages
from bot.ports.pages import PageStore
from handlers import triage
from handlers.announce import Office
from handlers.claims import first
from handlers.desk import Desk
from handlers.subscriptions import Asking, declared_so, listed, not_allowed, offering, subscribe, told, unsubscribe

_log = structlog.get_logger(__name__)

_NAMED = 40
"""Most names that are listed in an answer."""
_SUGGESTED = 60.0
"""Seconds for which names are suggested without being read again."""


@frozen
class _Counter:
    """Where somebody chooses what a channel hears of. wish: what they typed; named: they said which page.

    before: what the channel hears of that page.
    """

    desk: Desk
    office: Office
    chat: Manages
    origin: Origin
    asking: Asking
    menu: Menu
    wish: Words
    named: bool
    before: Subscription | None

    @property
    def say(self) -> Messages:
        return self.desk.library.messages

    @property
    def choice(self) -> Choice:
        return self.before.choice if self.before else Choice()


async def managed(desk: Desk, event: InboundEvent, what: Commanded, chat: Chat) -> None:
    """Begin, end or list what is announced in the channel somebody types in; what is no wish is a report."""
    here = isinstance(chat, Manages) and event.room not in {"closed", "direct"}
    mentions = await chat.mentions(event.origin) if isinstance(chat, Manages) and here else ()
    page = page_named(what.argument, desk.watched)
    offered = await menu(desk, page or next(iter(desk.watched), ""), mentions)
    wish = understood(desk.library.messages, what.argument if what.answers is None else "", offered)
    view: View | None = told(desk.library.messages, "subscribe.invite", "subscribe.invite-do")
    if wish.a_report:
        said = Said(f"{what.name} {what.argument}", "command")
        await triage.said(desk, replace(event, what=said), said, chat)
        return
    if not await first(desk, event):
        return
    if desk.pages is None or not desk.watched or not isinstance(chat, Manages):
        view = View(desk.library.messages.inline("subscribe.nowhere"))
    elif here:
        named = bool(page) or len(desk.watched) == 1
        view = await _view(await _counter(desk, desk.pages, event, chat, (offered, wish, named)), what)
    if view is not None:
        await chat.tell(event.origin, view)


class Suggested:
    """Names of parts that are suggested while somebody types, read from the store at most once a minute."""

    def __init__(self, desk: Desk) -> None:
        """Take where the pages are."""
        self._desk, self._until, self._names = desk, 0.0, list[str]()

    async def __call__(self) -> list[str]:
        """Return the names of all parts of all pages."""
        if self._desk.clock() >= self._until:
            self._until = self._desk.clock() + _SUGGESTED
            menus = [await menu(self._desk, page) for page in self._desk.watched]
            self._names = [part.label for offered in menus for part in offered.parts]
        return self._names


async def menu(desk: Desk, page: str, mentions: tuple[Option, ...] = ()) -> Menu:
    """Return what can be chosen of a page."""
    known = (await desk.pages.page(page)).page if desk.pages and page else Page(page)
    return menu_of(desk.library.services, known, desk.watched.get(page, page), mentions)


def menu_of(services: Services, page: Page, name: str, mentions: tuple[Option, ...] = ()) -> Menu:
    """Return what can be chosen: the parts people see on the page now, in our words where we have some."""
    ours = services.components
    names = {part.id: part.name for part in page.components.values() if not part.hidden}
    if not page.components and page.id == services.page.id:
        names = dict(ours)
    parts = tuple(Part(ident, ours.get(ident, name), name) for ident, name in names.items())
    return Menu(page.id, name, parts, mentions)


async def _counter(
    desk: Desk, pages: PageStore, event: InboundEvent, chat: Manages, asked: tuple[Menu, Words, bool]
) -> _Counter:
    origin, (offered, wish, named) = event.origin, asked
    place = Place(origin.platform, origin.workspace, origin.channel)
    asking = Asking(place, origin.user, await chat.may_manage(origin), event.locale)
    names = Names(desk.library.messages, desk.library.services.components)
    office = Office(pages, {}, lambda _: names)
    before = await pages.subscription(offered.page, place)
    return _Counter(desk, office, chat, origin, asking, offered, wish, named, before)


async def _view(counter: _Counter, what: Commanded) -> View | None:
    if what.name == "subscriptions":
        return await _listed(counter)
    if not counter.asking.may_manage:
        return not_allowed(counter.say, counter.asking)
    if what.name == "unsubscribe":
        return await _ended(counter)
    return await _cannot(counter) or await _wished(counter, what.answers)


async def _cannot(counter: _Counter) -> View | None:
    """Return why nothing can be chosen in this channel, or not like this; None where it can."""
    say, before = counter.say, counter.before
    missing = await counter.chat.lacks(counter.origin)
    if missing is None:
        return told(say, "subscribe.no-channel", "subscribe.no-channel-do")
    if missing:
        return told(say, "subscribe.not-here", "subscribe.not-here-do", missing=missing)
    if before and before.declared and before.standing is not Standing.ENDING:
        return declared_so(say, counter.menu)
    return _not_understood(counter) if counter.wish.unknown else None


async def _wished(counter: _Counter, answers: Answers | None) -> View | None:
    """Do what was typed or chosen in the form; with nothing typed, show the form."""
    if answers is None and counter.wish.nothing:
        return await _asked(counter)
    choice = to_choice(counter.wish.answers if answers is None else answers, counter.menu, counter.choice)
    if choice is None:
        return told(counter.say, "subscribe.stale", "subscribe.stale-do")
    return await subscribe(counter.office, counter.asking, counter.menu, choice)


async def _listed(counter: _Counter) -> View:
    desk, offered = counter.desk, counter.menu
    menus = [offered if page == offered.page else await menu(desk, page, offered.mentions) for page in desk.watched]
    return await listed(counter.office, counter.asking, menus)


async def _ended(counter: _Counter) -> View:
    """End what was named, or the only one; with several, a press chooses."""
    if unknown := counter.wish.unknown:
        pages = ", ".join(counter.desk.watched.values())
        return View(counter.say.inline("subscribe.unknown-page", words=" ".join(unknown), pages=pages))
    if not counter.named:
        return await _listed(counter)
    return await unsubscribe(counter.office, counter.asking, counter.menu)


async def _asked(counter: _Counter) -> View | None:
    """Ask by a form; first of which page, where there are several."""
    say = counter.say
    if not counter.named:
        pages = [(f"subscribe {page}", name) for page, name in counter.desk.watched.items()]
        return offering(counter.asking, View(say.inline("subscribe.which")), pages)
    try:
        await counter.chat.ask(counter.origin, to_form(say, counter.menu, counter.choice))
    except ChatUnavailable as error:
        _log.info("form not shown", platform=counter.origin.platform, error=str(error))
        return told(say, "subscribe.no-form", "subscribe.no-form-do", usage=say.text("usage.subscribe"))
    return None


def _not_understood(counter: _Counter) -> View:
    """Say which words were not understood, what can be said, and where a report goes."""
    say, offered = counter.say, counter.menu
    words = " ".join(counter.wish.unknown)
    parts = ", ".join(part.label for part in offered.parts[:_NAMED])
    mentions = ", ".join(option.label for option in offered.mentions[:_NAMED]) or say.text("subscribe.form.nobody")
    lines = [
        say.inline("subscribe.unknown-can", page=offered.name, parts=parts),
        say.inline("subscribe.unknown-also", words=say.inline("subscribe.words.can"), mentions=mentions),
        say.inline("subscribe.unknown-report", words=f"subscribe {words}"),
    ]
    return View(say.inline("subscribe.unknown", words=words), (), tuple(Text(line) for line in lines))
