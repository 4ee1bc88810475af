"""What is said behind `/redial subscribe`, `unsubscribe` and `subscriptions`, in the channel it is about."""

from __future__ import annotations

import re

from bot.core.announcement_view import Names
from bot.core.event import Commanded, InboundEvent
from bot.core.subscription import IMPACTS, Choice, Place
from bot.core.view import View
from bot.ports.announcing import Manages
from bot.ports.chat import Chat
from bot.ports.pages import PageStore
from handlers.announce import Office
from handlers.desk import Desk
from handlers.subscriptions import Asking, listed, subscribe, unsubscribe

MANAGING = ("subscribe", "unsubscribe", "subscriptions")
"""The sub-commands where a platform tells who may manage a channel, in the order `help` lists them."""

_LOUD = {"@here": "<!here>", "@channel": "<!channel>"}
_WORD = "|".join((*IMPACTS, *_LOUD, "no-maintenance", "edits-only"))
WISHES = re.compile(rf"(?:(?:{_WORD})(?:\s+|$))*")
"""What may stand behind `subscribe`; with anything else there, the text is a report ("subscribe button fails")."""


async def managed(desk: Desk, event: InboundEvent, what: Commanded, chat: Chat) -> None:
    """Begin, end or list what is announced in the channel somebody types in."""
    view = await _view(desk, event, what, chat)
    await chat.tell(event.origin, view)


async def _view(desk: Desk, event: InboundEvent, what: Commanded, chat: Chat) -> View:
    say, pages, origin = desk.library.messages, desk.pages, event.origin
    if pages is None or not desk.watched or not isinstance(chat, Manages):
        return View(say.inline("subscribe.nowhere"))
    if event.room in {"closed", "direct"}:
        return View(say.inline("subscribe.invite"))
    may = what.name != "subscriptions" and await chat.may_manage(origin)
    asking = Asking(Place(origin.platform, origin.workspace, origin.channel), origin.user, may, event.locale)
    office = _office(desk, pages)
    page_id, name = next(iter(desk.watched.items()))
    match what.name:
        case "subscribe":
            return await subscribe(office, asking, page_id, wished(what.argument), page_name=name)
        case "unsubscribe":
            return await unsubscribe(office, asking, page_id, page_name=name)
        case _:
            return await listed(office, asking, desk.watched)


def wished(text: str) -> Choice:
    """Return what somebody chose: least impact, no maintenance, edits only, whom to call when it is critical."""
    said = text.split()
    return Choice(
        least=next((word for word in said if word in IMPACTS), IMPACTS[0]),
        maintenance="no-maintenance" not in said,
        mention=next((_LOUD[word] for word in said if word in _LOUD), ""),
        replies="edits-only" not in said,
    )


def _office(desk: Desk, pages: PageStore) -> Office:
    names = Names(desk.library.messages, desk.library.services.components)
    return Office(pages, {}, lambda _: names)
