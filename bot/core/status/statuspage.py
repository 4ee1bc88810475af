"""Reads decoded Statuspage v2 documents (`incidents.json`, `summary.json`), also incident.io's form of them.

What decides between "open" and "over" must be there, or the document is refused; everything else may be missing,
null or of another kind. Shapes and oddities: Statuspage's own API pages, and 1,563 recorded documents.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from urllib.parse import urlsplit

from bot.core.errors import StatusError
from bot.core.frozen import frozen
from bot.core.status.incident import Component, Incident, Move, Update
from bot.core.text import visible

NAME_LIMIT = 255
"""Characters of a name, as in the vendor's own specification."""
BODY_LIMIT = 25_000
"""Characters of an update's body, as in the vendor's own specification."""
_WORD_LIMIT = 64
_LINK_LIMIT = 500
_SHORT_LINKS = "stspg.io"

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
# Only tags a status page's editor writes: `<model>` in a sentence is a word, not markup.
_TAG = re.compile(
    r"</?(a|abbr|b|big|blockquote|br|code|div|em|h[1-6]|hr|i|li|ol|p|pre|small|span|strong|sub|sup|table|tbody|td|th|tr|u|ul|var)"
    r"(?:[\s/][^<>]*)?>",
    re.IGNORECASE,
)
# What vendors put among their components to lead people to their page: "Visit www.example.com for more information".
_SIGNPOST = re.compile(r"(?:see|visit)\b.*\b[\w-]+\.[\w-]+", re.IGNORECASE)
_INLINE = frozenset(
    {"a", "abbr", "b", "big", "code", "em", "i", "small", "span", "strong", "sub", "sup", "td", "th", "u", "var"}
)

Json = Mapping[str, object]
Hosts = frozenset[str]


@frozen
class Summary:
    """What `summary.json` tells: components, incidents it calls unresolved, planned and running maintenances."""

    components: tuple[Component, ...]
    unresolved: tuple[Incident, ...] = ()
    maintenances: tuple[Incident, ...] = ()


Seen = dict[object, tuple[object, Incident]]
"""Incidents as they were read last, by id: decoded JSON, and what it came to."""


def parse_incidents(
    document: object,
    *,
    page_id: str,
    hosts: Hosts = frozenset(),
    key: str = "incidents",
    seen: Seen | None = None,
) -> tuple[Incident, ...]:
    """Return the incidents of a decoded `incidents.json`, in the page's order; an empty list is a valid answer.

    hosts: where the page lives; links lead there or to the vendor's shortener, or are dropped. key: the list to read,
    which is another one in `scheduled-maintenances.json`. seen: kept by who reads a page again and again, most of which
    is as it was. Raises `StatusError` for whatever is not such a document of that page.
    """
    page = _page(document, page_id)
    if seen is None:
        return tuple(_incident(item, hosts) for item in _list(page, key))
    return tuple(_again(item, hosts, seen) for item in _list(page, key))


def _again(item: object, hosts: Hosts, seen: Seen) -> Incident:
    name = item.get("id") if isinstance(item, Mapping) else None
    if isinstance(name, str) and (known := seen.get(name)) is not None and known[0] == item:
        return known[1]
    found = _incident(item, hosts)
    seen[found.id] = (item, found)
    return found


def parse_summary(document: object, *, page_id: str, hosts: Hosts = frozenset()) -> Summary:
    """Return what a decoded `summary.json` tells; arguments and errors as in `parse_incidents`."""
    page = _page(document, page_id)
    components = tuple(c for item in _list(page, "components") if (c := _component(item)) is not None)
    # Compatible servers leave these two out where there is nothing to list.
    unresolved = tuple(_incident(item, hosts) for item in _optional(page, "incidents"))
    maintenances = tuple(_incident(item, hosts) for item in _optional(page, "scheduled_maintenances"))
    return Summary(components, unresolved, maintenances)


def published(document: object) -> float | None:
    """Return when a page says it last changed; None where it does not."""
    page = document.get("page") if isinstance(document, Mapping) else None
    return parse_time(page.get("updated_at")) if isinstance(page, Mapping) else None


def combine(incidents: tuple[Incident, ...], summary: Summary) -> tuple[Incident, ...]:
    """Return all that one reading of the two documents knows of.

    `incidents.json` is the source of truth but ends after fifty: an older incident that is still open, and the
    maintenances, are only in the summary.
    """
    known = {i.id for i in incidents}
    more: list[Incident] = []
    for incident in (*summary.unresolved, *summary.maintenances):
        if incident.id not in known:
            known.add(incident.id)
            more.append(incident)
    return (*incidents, *more)


def parse_time(value: object) -> float | None:
    """Return seconds since the epoch for an ISO 8601 time, UTC where it names no offset; None for anything else."""
    return _seconds(value) if isinstance(value, str) and len(value) <= _WORD_LIMIT else None


@lru_cache(maxsize=4096)
def _seconds(value: str) -> float | None:
    try:
        moment = datetime.fromisoformat(value.strip())
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return seconds if seconds > 0 else None


def plain_text(body: str, limit: int = BODY_LIMIT) -> str:
    """Return the text of a body that may be HTML, without control characters, cut to `limit` characters."""
    # Cut first as well: no page makes us work through megabytes of markup for one message.
    text = visible(html.unescape(_TAG.sub(_tag_as_text, body[: 4 * limit])))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return _cut(re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip(), limit)


def _page(document: object, page_id: str) -> Json:
    if not isinstance(document, Mapping):
        raise StatusError("the answer is not a JSON object")
    page = document.get("page")
    found = page.get("id") if isinstance(page, Mapping) else None
    if not isinstance(found, str):
        raise StatusError("the answer does not say which page it is of")
    if found != page_id:
        raise StatusError(f"the answer is of page {_word(found)!r}, not of {page_id!r}")
    return document


def _list(document: Json, key: str) -> list[object]:
    value = document.get(key)
    if not isinstance(value, list):
        raise StatusError(f"the answer has no list of {key}")
    return value


def _optional(document: Json, key: str) -> list[object]:
    value = document.get(key)
    if value is not None and not isinstance(value, list):
        raise StatusError(f"the answer has no list of {key}")
    return value or []


def _incident(item: object, hosts: Hosts) -> Incident:
    # One that cannot be read may be the one that is open: the whole document is refused rather than it be left out.
    if not isinstance(item, Mapping):
        raise StatusError("an entry in the list of incidents is not an object")
    incident_id = _id(item.get("id"))
    if not incident_id:
        raise StatusError("an incident has no usable id")
    updates = _updates(item.get("incident_updates"))
    status = _word(item.get("status")) or (updates[-1].status if updates else "")
    named = (_components(item.get("components"), "id"), *(u.components for u in updates))
    return Incident(
        id=incident_id,
        name=_line(item.get("name")),
        status=status,
        impact=_word(item.get("impact")),
        started_at=_first_time(item, "started_at", "created_at"),
        updated_at=_first_time(item, "updated_at", "created_at"),
        resolved_at=parse_time(item.get("resolved_at")),
        link=_link(item.get("shortlink"), hosts),
        components=tuple(dict.fromkeys(c for group in named for c in group)),
        updates=updates,
        scheduled_for=parse_time(item.get("scheduled_for")),
        scheduled_until=parse_time(item.get("scheduled_until")),
    )


def _updates(value: object) -> tuple[Update, ...]:
    """Read updates, which a page lists newest first, into the order of time."""
    if not isinstance(value, list):
        return ()
    # The same id twice is one update; of two forms of it the newer one, which stands first, is right.
    found = list({u.id: u for item in reversed(value) if (u := _update(item)) is not None}.values())
    if all(u.at is not None for u in found):
        found.sort(key=lambda u: u.at or 0.0)  # stable: those of one moment stay in the page's order
    return tuple(found)


def _update(item: object) -> Update | None:
    if not isinstance(item, Mapping) or not (update_id := _id(item.get("id"))):
        return None
    body = item.get("body")
    return Update(
        id=update_id,
        status=_word(item.get("status")),
        body=plain_text(body) if isinstance(body, str) else "",
        at=_first_time(item, "display_at", "created_at", "updated_at"),
        components=_components(item.get("affected_components"), "code"),
        moves=_moves(item.get("affected_components")),
    )


def _component(item: object) -> Component | None:
    # A group's state only repeats its children's.
    if not isinstance(item, Mapping) or item.get("group") is True or not (component_id := _id(item.get("id"))):
        return None
    name = _line(item.get("name"))
    if _SIGNPOST.match(name):
        return None
    return Component(component_id, name, _word(item.get("status")), item.get("only_show_if_degraded") is True)


def _components(value: object, key: str) -> tuple[str, ...]:
    items: Iterable[object] = value if isinstance(value, list) else ()
    return tuple(c for item in items if isinstance(item, Mapping) and (c := _id(item.get(key))))


def _moves(value: object) -> tuple[Move, ...]:
    items: Iterable[object] = value if isinstance(value, list) else ()
    return tuple(
        Move(c, _line(item.get("name")), _word(item.get("old_status")), _word(item.get("new_status")))
        for item in items
        if isinstance(item, Mapping) and (c := _id(item.get("code")))
    )


def _first_time(item: Json, *keys: str) -> float | None:
    return next((at for key in keys if (at := parse_time(item.get(key))) is not None), None)


def _id(value: object) -> str:
    return value if isinstance(value, str) and _ID.match(value) else ""


def _word(value: object) -> str:
    return _shortened(value[: 4 * _WORD_LIMIT], _WORD_LIMIT) if isinstance(value, str) else ""


def _line(value: object) -> str:
    """Read a name: plain text on one line, never HTML."""
    return _shortened(value[: 4 * NAME_LIMIT], NAME_LIMIT) if isinstance(value, str) else ""


@lru_cache(maxsize=1024)
def _shortened(text: str, limit: int) -> str:
    # A document repeats a few words and names hundreds of times, and the next one says the same.
    return _cut(" ".join(visible(text).split()), limit)


def _link(value: object, hosts: Hosts) -> str:
    """Return an https link to the page itself or its shortener; anything else is no link at all."""
    if not isinstance(value, str) or len(value) > _LINK_LIMIT or not value.isascii() or not value.isprintable():
        return ""
    try:
        parts = urlsplit(value)
        plain = parts.port is None and parts.username is None and not set(" <>\"'|`\\").intersection(value)
    except ValueError:
        return ""
    return value if plain and parts.scheme == "https" and parts.hostname in hosts | {_SHORT_LINKS} else ""


def _tag_as_text(tag: re.Match[str]) -> str:
    name = tag[1].lower()
    if name in _INLINE:
        return ""
    return "\n- " if name == "li" and not tag[0].startswith("</") else "\n"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
