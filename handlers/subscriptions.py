"""Channels choose what they hear of: begin, change, end, list; and what the settings file declares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace

from bot.core.errors import StoreUnavailable
from bot.core.frozen import frozen
from bot.core.messages import Messages
from bot.core.status.official import state_word
from bot.core.status.subscription import IMPACTS, Choice, Place, Standing, Subscription
from bot.core.status.topics import changed, topic_ids, topics
from bot.core.status.watch import Bundle, Kind, Page
from bot.core.status.wishes import Menu, called
from bot.core.text import Block, Bullets, Text
from bot.core.view import COMMAND, Offer, View
from handlers.announce import Office

_TRIES = 20


@frozen
class Asking:
    """Somebody asks, in a channel. may_manage: the platform says that they may manage it."""

    place: Place
    user: str
    may_manage: bool
    locale: str = "en"


@frozen
class Declared:
    """A subscription of the settings file."""

    place: Place
    page: str
    choice: Choice = field(default_factory=Choice)


async def subscribe(office: Office, asking: Asking, menu: Menu, choice: Choice) -> View:
    """Let a channel hear of a page as chosen, from now on; what is open now follows as one message."""
    say = office.names(asking.locale).messages
    if not asking.may_manage:
        return not_allowed(say, asking)
    before = await office.pages.subscription(menu.page, asking.place)
    if before is not None and before.declared and before.standing is not Standing.ENDING:
        return declared_so(say, menu)
    await listen(office, Subscription(asking.place, menu.page, 0, choice, asking.user))
    same = before is not None and before.standing is Standing.ACTIVE and before.choice == choice
    what = described(say, choice, menu)
    if same:
        return View(say.inline("subscribe.same", what=what, page=menu.name))
    return told(say, "subscribe.done", "subscribe.done-then", what=what, page=menu.name)


async def unsubscribe(office: Office, asking: Asking, menu: Menu) -> View:
    """Let a channel hear no more of a page; what was posted is still brought to its end."""
    say = office.names(asking.locale).messages
    if not asking.may_manage:
        return not_allowed(say, asking)
    before = await office.pages.subscription(menu.page, asking.place)
    if before is not None and before.declared and before.standing is not Standing.ENDING:
        return declared_so(say, menu)
    if not await leave(office, menu.page, asking.place):
        return View(say.inline("subscribe.none"))
    return told(say, "subscribe.ended", "subscribe.ended-then", page=menu.name)


async def listed(office: Office, asking: Asking, menus: Sequence[Menu]) -> View:
    """Say what a channel hears of, with a way to change each for who may."""
    say = office.names(asking.locale).messages
    items, offers = list[tuple[Block, ...]](), list[tuple[str, str]]()
    for menu in menus:
        found = await office.pages.subscription(menu.page, asking.place)
        if found is None or found.standing is Standing.ENDING:
            continue
        what = described(say, found.choice, menu)
        if found.declared:
            what = f"{what}; {say.text('subscribe.from-settings')}"
        elif asking.may_manage:
            offers.append((f"subscribe {menu.page}", say.text("subscribe.change", page=menu.name)))
            offers.append((f"unsubscribe {menu.page}", say.text("subscribe.stop", page=menu.name)))
        if found.standing is Standing.PAUSED:
            what = f"{what}; {say.text('subscribe.paused', why=found.trouble)}"
        items.append((Text(say.inline("subscribe.line", page=menu.name, what=what)),))
    if not items and asking.may_manage:
        offers.append(("subscribe", say.text("subscribe.begin")))
    lead = say.inline("subscribe.list" if items else "subscribe.none")
    return offering(asking, View(lead, (), (Bullets(tuple(items)),) if items else ()), offers)


def offering(asking: Asking, view: View, offers: Sequence[tuple[str, str]]) -> View:
    """Return a view with sub-commands to press: what would be typed behind `/redial`, and a label."""
    shown = tuple(Offer(n, typed, label) for n, (typed, label) in enumerate(offers, 1))
    return replace(view, offers=shown, conversation=asking.place.channel, step=COMMAND) if shown else view


def not_allowed(say: Messages, asking: Asking) -> View:
    """Say who may, and how to become one of them."""
    return told(say, "subscribe.not-allowed", "subscribe.not-allowed-do", setting=f"{asking.place.platform}.admins")


def declared_so(say: Messages, menu: Menu) -> View:
    """Say that the settings file decides."""
    return told(say, "subscribe.declared", "subscribe.declared-do", page=menu.name)


def told(say: Messages, lead: str, then: str, **fields: str) -> View:
    """Return a sentence, and one below it that says what follows from it or what to do."""
    return View(say.inline(lead, **fields), (), (Text(say.inline(then, **fields)),))


async def listen(office: Office, wanted: Subscription) -> Subscription:
    """Begin or change a subscription; `wanted.since` is filled in. Raises `StoreUnavailable`."""
    for _ in range(_TRIES):
        before = await office.pages.page(wanted.page)
        there = await office.pages.subscription(wanted.page, wanted.place)
        unchanged = there is not None and there.choice == wanted.choice and there.declared == wanted.declared
        if there is not None and unchanged and there.standing is Standing.ACTIVE:
            return there
        new = await _begun(office, before.page, there, wanted)
        if await office.pages.subscribe(before, new):
            return new
    raise StoreUnavailable(f"{_TRIES} times somebody else changed the page while this channel subscribed")


async def leave(office: Office, page_id: str, place: Place) -> bool:
    """End a subscription; False if there was none."""
    for _ in range(_TRIES):
        there = await office.pages.subscription(page_id, place)
        if there is None or there.standing is Standing.ENDING:
            return False
        if await office.pages.change(there, replace(there, standing=Standing.ENDING)):
            return True
    raise StoreUnavailable(f"{_TRIES} times somebody else changed the subscription while it was to end")


async def declare(office: Office, declared: Sequence[Declared], pages: Iterable[str]) -> None:
    """Make the subscriptions of the settings file hold: new ones begin, changed ones change, missing ones end."""
    for one in declared:
        await listen(office, Subscription(one.place, one.page, 0, one.choice, declared=True))
    wanted = {(one.page, one.place) for one in declared}
    for page in pages:
        for there in await office.pages.subscriptions(page):
            if there.declared and (page, there.place) not in wanted:
                await leave(office, page, there.place)


def described(say: Messages, choice: Choice, menu: Menu) -> str:
    """Say in words what a channel chose."""
    labels = {part.id: part.label for part in menu.parts}
    names = ", ".join(sorted(labels.get(part, part) for part in choice.components))
    words = [say.text("subscribe.parts", names=names) if names else say.text("subscribe.all")]
    if choice.least != IMPACTS[0]:
        words.append(say.text("subscribe.least", impact=state_word(say, "impact", choice.least)))
    if not choice.general:
        words.append(say.text("subscribe.no-general"))
    if not choice.maintenance:
        words.append(say.text("subscribe.no-maintenance"))
    if not choice.replies:
        words.append(say.text("subscribe.edit-only"))
    if choice.daily:
        words.append(say.text("subscribe.daily"))
    if choice.mention:
        who = called(choice, menu).mention
        impact = state_word(say, "impact", choice.mention_from)
        words.append(say.text("subscribe.mention", who=who, impact=impact))
    if len(menu.languages) > 1:
        words.append(say.text("subscribe.language", language=choice.locale))
    return ", ".join(words)


async def _begun(office: Office, page: Page, there: Subscription | None, wanted: Subscription) -> Subscription:
    """Return the subscription as it begins: what it is told of now, and what an earlier choice still has to tell."""
    since = page.revision + 1
    covered, keeps = await _covered(office, page, there) if there else (frozenset[str](), frozenset[str]())
    still_open = tuple(k.incident.id for k in page.open if wanted.choice.wants(k) and k.incident.id not in covered)
    openings = tuple(b for b in (there.openings if there else ()) if not page.incidents.keys().isdisjoint(b.incidents))
    if still_open:
        openings = (*openings, Bundle(f"open-{since}", Kind.OPEN, since, still_open))
    return replace(wanted, since=since, openings=openings, keeps=keeps)


async def _covered(office: Office, page: Page, there: Subscription) -> tuple[frozenset[str], frozenset[str]]:
    """Return incidents the channel was told of or is about to be, and the topics it is about to be told of."""
    settled = await office.pages.settled(page.id, there.place.platform)
    concerned = {*changed(page, settled), *(known.incident.id for known in page.open)}
    told_topics = await office.pages.topics(page.id, there.id)
    ids = tuple(dict.fromkeys((*topic_ids(page, there, concerned, settled), *told_topics)))
    announced = (await office.pages.announced(page.id, {there.id: ids})).records.get(there.id, {})
    told = {i for record in announced.values() for i in record.incidents}
    due = [
        topic
        for topic in topics(page, there, ids, announced)
        if topic.due and topic.id not in announced and any(there.choice.wants(known) for known in topic.known)
    ]
    if there.standing is not Standing.ACTIVE:
        return frozenset(told), frozenset()
    coming = {known.incident.id for topic in due for known in topic.known if there.choice.wants(known)}
    return frozenset(told | coming), frozenset(topic.id for topic in due)
