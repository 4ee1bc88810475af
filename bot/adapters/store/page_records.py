"""How pages, subscriptions and announcements become bytes and back: a schema number, a blank, MessagePack.

Fields are told apart by name, but in announcements, of which there may be millions: there by position, new ones at the
end and with a default. A change an older Redial must not touch raises `SCHEMA`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from sys import intern
from typing import TypeVar

import msgspec

from bot.core.changing import changed
from bot.core.errors import RecordTooNew, StoreError
from bot.core.frozen import frozen
from bot.core.status.announcement import Announcement, Doing, Head, Intent, Note, Sent, What
from bot.core.status.incident import Component
from bot.core.status.subscription import Choice, Place, Subscription
from bot.core.status.watch import Bundle, Known, Page, Standing, Trouble

SCHEMA = 1

T = TypeVar("T")


@frozen
class _Meta:
    """A page without its incidents."""

    id: str
    read_at: float | None
    bundles: tuple[Bundle, ...]
    components: tuple[Component, ...]
    link: str
    trouble: Trouble | None = None
    published: float | None = None


class _Head(msgspec.Struct, array_like=True):
    name: str
    impact: str
    status: str
    standing: Standing = Standing.LISTED
    scheduled_for: float | None = None
    soon: bool = False
    quiet: int = 0


class _Sent(msgspec.Struct, array_like=True):
    ref: str
    key: str
    shown: str
    updates: tuple[str, ...] = ()
    notes: tuple[tuple[str, What, str, str], ...] = ()


class _Intent(msgspec.Struct, array_like=True):
    doing: Doing
    sent: _Sent
    heads: dict[str, _Head]
    target: int
    token: str


class _Announcement(msgspec.Struct, array_like=True):
    topic: str
    incidents: tuple[str, ...]
    post: _Sent | None
    replies: tuple[_Sent, ...]
    heads: dict[str, _Head]
    told: tuple[str, ...]
    count: int
    edits: tuple[int, int]
    refused: str = ""
    intent: _Intent | None = None
    checked: int = 0
    stuck: str = ""


def encode_page(page: Page) -> bytes:
    """Return the record of a page without its incidents."""
    components = tuple(page.components.values())
    return _encoded(_Meta(page.id, page.read_at, page.bundles, components, page.link, page.trouble, page.published))


def decode_page(data: bytes, revision: int, incidents: dict[str, Known]) -> Page:
    """Return a page of its record and its incidents."""
    meta = _decoded(data, _Meta)
    components = {c.id: c for c in meta.components}
    return Page(
        meta.id,
        revision,
        meta.read_at,
        incidents,
        meta.bundles,
        components,
        meta.link,
        meta.trouble,
        meta.published,
    )


def encode_known(known: Known) -> bytes:
    """Return the record of an incident."""
    return _encoded(known)


def decode_known(data: bytes) -> Known:
    """Return an incident of its record."""
    return _decoded(data, Known)


def encode_subscription(subscription: Subscription) -> bytes:
    """Return the record of a subscription; its version stands before it."""
    return _encoded(replace(subscription, version=0))


def decode_subscription(value: bytes) -> Subscription:
    """Return a subscription of a stored value, `version record`."""
    version, _, data = value.partition(b" ")
    found = _decoded(data, Subscription)
    # Thousands are held at once where all are looked through; most of what they say is the same.
    place = Place(intern(found.place.platform), intern(found.place.workspace), found.place.channel)
    shared = {"place": place, "page": intern(found.page), "choice": _same(found.choice), "keeps": found.keeps or _NONE}
    return changed(found, version=_number(version), **shared)


_NONE: frozenset[str] = frozenset()


@lru_cache(maxsize=256)
def _same(choice: Choice) -> Choice:
    """Return a choice that is equal, the same one each time."""
    return choice


def encode_wish(choice: Choice) -> bytes:
    """Return what a subscription is filed under: on one line, and the same for all with that wish."""
    return msgspec.json.encode([choice.least, choice.maintenance, choice.general, sorted(choice.components)])


def decode_wish(data: bytes) -> Choice:
    """Return the wish of `encode_wish`."""
    least, maintenance, general, parts = msgspec.json.decode(data, type=tuple[str, bool, bool, frozenset[str]])
    return Choice(parts, general, least, maintenance)


def encode_announcement(record: Announcement) -> bytes:
    """Return the record of an announcement; its version, and the time of its intent, stand before it."""
    intent = record.intent
    return _encoded(
        _Announcement(
            record.topic,
            record.incidents,
            _from_sent(record.post) if record.post else None,
            tuple(_from_sent(reply) for reply in record.replies),
            {i: _from_head(head) for i, head in record.heads.items()},
            tuple(sorted(record.told)),
            record.count,
            record.edits,
            record.refused,
            _from_intent(intent) if intent else None,
            record.checked,
            record.stuck,
        )
    )


def decode_announcement(value: bytes) -> Announcement:
    """Return an announcement of a stored value, `version intended-at record`."""
    version, _, rest = value.partition(b" ")
    at, _, data = rest.partition(b" ")
    record = _decoded(data, _Announcement)
    return Announcement(
        record.topic,
        record.incidents,
        _to_sent(record.post) if record.post else None,
        tuple(_to_sent(reply) for reply in record.replies),
        {i: _to_head(head) for i, head in record.heads.items()},
        frozenset(record.told),
        record.count,
        record.edits,
        record.refused,
        _to_intent(record.intent, float(at)) if record.intent else None,
        record.checked,
        record.stuck,
        _number(version),
    )


def _from_sent(sent: Sent) -> _Sent:
    notes = tuple((note.incident, note.what, note.before, note.after) for note in sent.notes)
    return _Sent(sent.ref, sent.key, sent.shown, sent.updates, notes)


def _to_sent(sent: _Sent) -> Sent:
    return Sent(sent.ref, sent.key, sent.shown, sent.updates, tuple(Note(*note) for note in sent.notes))


def _from_head(head: Head) -> _Head:
    return _Head(head.name, head.impact, head.status, head.standing, head.scheduled_for, head.soon, head.quiet)


def _to_head(head: _Head) -> Head:
    return Head(head.name, head.impact, head.status, head.standing, head.scheduled_for, head.soon, head.quiet)


def _from_intent(intent: Intent) -> _Intent:
    heads = {i: _from_head(head) for i, head in intent.heads.items()}
    return _Intent(intent.doing, _from_sent(intent.sent), heads, intent.target, intent.token)


def _to_intent(intent: _Intent, at: float) -> Intent:
    heads = {i: _to_head(head) for i, head in intent.heads.items()}
    return Intent(intent.doing, _to_sent(intent.sent), heads, intent.target, intent.token, at)


def _encoded(record: object) -> bytes:
    return b"%d " % SCHEMA + msgspec.msgpack.encode(record, order="deterministic")


def _decoded(data: bytes, kind: type[T]) -> T:
    schema, _, body = data.partition(b" ")
    if _number(schema) > SCHEMA:
        raise RecordTooNew(f"A record of schema {schema.decode()}; this Redial knows up to {SCHEMA}.")
    try:
        return msgspec.msgpack.decode(body, type=kind)
    except msgspec.DecodeError as error:
        raise StoreError(f"A record of a status page is damaged: {error}") from error


def _number(text: bytes) -> int:
    if not text.isdigit():
        raise StoreError("A record of a status page is damaged: it does not begin with a number.")
    return int(text)
