"""Every key in Redis: the one registry of names, types, lifetimes and writers.

All keys of a workspace share the hash tag `{platform:workspace}`, those of a status page `{page:id}`, so that a
script's keys lie in one slot of a cluster. Names and ids come from outside: they are encoded here and nowhere else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Literal
from urllib.parse import quote

from bot.core.event import Origin

PREFIX = "redial"
DAY = 24 * 60 * 60
LONGEST = 64
"""Longest name that is kept readable; a longer one is replaced by its hash."""

EMPTY = "~"
"""Stands for an empty name in a key; no encoded name is equal to it."""

KeyType = Literal["string", "hash", "zset"]


@dataclass(frozen=True, slots=True)
class KeySpec:
    """One row of the registry. `ttl` is in seconds and starts again with every write of `written_by`.

    0: until it is deleted; an incident may be open for longer than any time one would think of.
    """

    name: str
    pattern: str
    type: KeyType
    ttl: int
    written_by: str
    purpose: str

    def key(self, tenant: str, part: str = "") -> str:
        """Build the key; `part` (and the tenant, or the page's id in its place) must have been encoded."""
        return self.pattern.replace("<tenant>", tenant).replace("<page>", tenant).replace("<part>", part)

    def matches(self, key: str) -> bool:
        """Say whether `key` was built from this row."""
        shape = re.escape(self.pattern)
        shape = shape.replace("<tenant>", r"(?!page:)[^{}:]+:[^{}:]+").replace("<page>", "[^{}:]+")
        shape = shape.replace("<part>", "[^{}:]+")
        return re.fullmatch(shape, key) is not None


CLAIM = KeySpec(
    "claim",
    f"{PREFIX}:{{<tenant>}}:claim:<part>",
    "string",
    DAY,
    "commit",
    "An event that was handled (a hash of its id): the token of the attempt that claimed it.",
)
CONVERSATION = KeySpec(
    "conversation",
    f"{PREFIX}:{{<tenant>}}:conversation:<part>",
    "hash",
    14 * DAY,
    "commit",
    "`revision`, `data` (the record, see records.py), and `posted`: `revision thread shown` of the last answer.",
)
PERSON = KeySpec(
    "person",
    f"{PREFIX}:{{<tenant>}}:person:<part>",
    "hash",
    14 * DAY,
    "commit",
    "A person's open and waiting conversations: id → `state touched channel thread guide`.",
)
KEPT = KeySpec(
    "kept",
    f"{PREFIX}:{{<tenant>}}:kept:<part>",
    "zset",
    14 * DAY,
    "commit",
    "Ids of all records of a person, closed ones too, by server time of the last write: what `forget` deletes.",
)
OWED = KeySpec(
    "owed",
    f"{PREFIX}:{{<tenant>}}:owed",
    "zset",
    14 * DAY,
    "commit; removed by confirmations",
    "Answers nobody has confirmed yet: `id:revision` by server time of the commit.",
)
WAITING = KeySpec(
    "waiting",
    f"{PREFIX}:{{<tenant>}}:waiting",
    "hash",
    14 * DAY,
    "commit",
    "Conversations parked on an incident: id → incident id (empty: any).",
)
GOING = KeySpec(
    "going",
    f"{PREFIX}:{{<tenant>}}:going",
    "zset",
    14 * DAY,
    "commit",
    "Conversations that are open, waiting or with the helpers, by when their silence is to be looked at (or never).",
)
NAMED = KeySpec(
    "named",
    f"{PREFIX}:{{<tenant>}}:named:<part>",
    "zset",
    14 * DAY,
    "before the commit that names somebody",
    "Ids of other people's conversations that name a person who helped there, by server time.",
)
TALLY = KeySpec(
    "tally",
    f"{PREFIX}:{{<tenant>}}:tally:<part>",
    "hash",
    42 * DAY,
    "tally, in batches",
    "What is counted in one week, named by its Monday: what → how often. Nobody's id.",
)
ROOM = KeySpec(
    "room",
    f"{PREFIX}:{{<tenant>}}:room",
    "hash",
    1800,
    "room_report, in batches; old ones deleted by room_heard",
    "What people report, as long as it counts (`room.minutes`): hash of a person → `at kind facts`; and the `salt`.",
)
GATHERINGS = KeySpec(
    "gatherings",
    f"{PREFIX}:{{<tenant>}}:gatherings",
    "hash",
    14 * DAY,
    "gather",
    "What a channel has of a trouble many share: `channel trouble` → `version intended-at record`, without people.",
)

WORKSPACES = KeySpec(
    "workspaces",
    f"{PREFIX}:{{workspaces}}",
    "zset",
    14 * DAY,
    "seen, before a process's first turn in a workspace and each hour",
    "Workspaces that may hold owed or waiting conversations: `platform workspace` by server time. Alone in its slot.",
)

PAGE = KeySpec(
    "page",
    f"{PREFIX}:{{page:<page>}}:page",
    "hash",
    0,
    "page_put, subscribe",
    "`version` (of every write), `revision` (of what channels may have to hear), `data`, `token` of the last write.",
)
INCIDENTS = KeySpec(
    "incidents",
    f"{PREFIX}:{{page:<page>}}:incidents",
    "hash",
    0,
    "page_put",
    "What is known of each incident, for 90 days after the page last listed it.",
)
SUBSCRIPTIONS = KeySpec(
    "subscriptions",
    f"{PREFIX}:{{page:<page>}}:subscriptions",
    "hash",
    0,
    "subscribe, change",
    "`platform:workspace:channel` → `version record`.",
)
ANNOUNCED = KeySpec(
    "announced",
    f"{PREFIX}:{{page:<page>}}:announced:<part>",
    "hash",
    0,
    "record; deleted by change",
    "What one channel was sent: topic → `version intended-at record`; the time is the server's, 0 without an intent.",
)
WISHES = KeySpec(
    "wishes",
    f"{PREFIX}:{{page:<page>}}:wishes",
    "zset",
    0,
    "subscribe, file; members go with change",
    "A member `wish`, line feed, id for each wish a subscription has or had: whom an incident may concern.",
)
BEGAN = KeySpec(
    "began",
    f"{PREFIX}:{{page:<page>}}:began",
    "zset",
    0,
    "subscribe, file; members go with change",
    "Id of a subscription, scored by the revision of the page at which it began.",
)
SETTLED = KeySpec(
    "settled",
    f"{PREFIX}:{{page:<page>}}:settled",
    "hash",
    0,
    "settle",
    "Platform → revision of the page up to which each of its channels has what it should have.",
)
LEASE = KeySpec(
    "lease",
    f"{PREFIX}:{{page:<page>}}:lease:<part>",
    "hash",
    0,
    "lease, release",
    "Whose turn some work is: `holder`, `until` (milliseconds, server time), `fence`, one higher with every holder.",
)

LINEAGE = KeySpec(
    "lineage",
    f"{PREFIX}:{{page:<page>}}:lineage",
    "hash",
    0,
    "lineage, before anything is announced; trust",
    "Which store this is (`id`, `server`), and since when it may have lost writes, as after a failover (`loss:n`).",
)

INSTALLATIONS = KeySpec(
    "installations",
    f"{PREFIX}:{{installations}}",
    "hash",
    0,
    "the vault; removed when a workspace uninstalls",
    "Tokens of installed workspaces, encrypted: `platform workspace` → record. Alone in its slot.",
)

OF_WORKSPACES: tuple[KeySpec, ...] = (
    *(CLAIM, CONVERSATION, PERSON, KEPT, OWED, WAITING),
    *(GOING, NAMED, TALLY, ROOM, GATHERINGS),
)
OF_PAGES: tuple[KeySpec, ...] = (PAGE, INCIDENTS, SUBSCRIPTIONS, ANNOUNCED, WISHES, BEGAN, SETTLED, LEASE, LINEAGE)
REGISTRY: tuple[KeySpec, ...] = (*OF_WORKSPACES, *OF_PAGES, INSTALLATIONS, WORKSPACES)


@lru_cache(maxsize=4096)
def encoded(name: str) -> str:
    """Return `name` free of braces, colons, blanks and anything that is not ASCII; distinct names stay distinct."""
    safe = quote(name, safe="", errors="surrogatepass").replace("~", "%7E")
    if len(safe) <= LONGEST:
        return safe
    return f"~{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"


def tenant_of(origin: Origin) -> str:
    """Return the hash tag of `origin`'s workspace, without the braces."""
    return f"{encoded(origin.platform) or EMPTY}:{encoded(origin.workspace) or EMPTY}"


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one workspace."""

    tenant: str

    def claim(self, event_id: str) -> str:
        """Key of a claimed event: a hash, because event ids may name a person and differ in length."""
        name = blake2b(event_id.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return CLAIM.key(self.tenant, name)

    def conversation(self, conversation_id: str) -> str:
        """Key of a conversation's record."""
        return CONVERSATION.key(self.tenant, encoded(conversation_id) or EMPTY)

    def person(self, user: str) -> str:
        """Key of a person's open and waiting conversations."""
        return PERSON.key(self.tenant, encoded(user) or EMPTY)

    def kept(self, user: str) -> str:
        """Key of the ids of everything kept of a person."""
        return KEPT.key(self.tenant, encoded(user) or EMPTY)

    @property
    def owed(self) -> str:
        """Key of the answers owed."""
        return OWED.key(self.tenant)

    @property
    def waiting(self) -> str:
        """Key of the conversations parked on an incident."""
        return WAITING.key(self.tenant)

    @property
    def going(self) -> str:
        """Key of the conversations that have not come to their end."""
        return GOING.key(self.tenant)

    @property
    def room(self) -> str:
        """Key of what people report."""
        return ROOM.key(self.tenant)

    @property
    def gatherings(self) -> str:
        """Key of what channels have of what many report."""
        return GATHERINGS.key(self.tenant)

    def named(self, user: str) -> str:
        """Key of the conversations of others that name a person."""
        return NAMED.key(self.tenant, encoded(user) or EMPTY)

    def tally(self, week: str) -> str:
        """Key of what is counted in a week."""
        return TALLY.key(self.tenant, encoded(week) or EMPTY)


@dataclass(frozen=True, slots=True)
class PageKeys:
    """The keys of one status page; `page` is its id, encoded."""

    page: str

    @property
    def meta(self) -> str:
        """Key of the page itself."""
        return PAGE.key(self.page)

    @property
    def incidents(self) -> str:
        """Key of its incidents."""
        return INCIDENTS.key(self.page)

    @property
    def subscriptions(self) -> str:
        """Key of who wants to hear of it."""
        return SUBSCRIPTIONS.key(self.page)

    def announced(self, subscription: str) -> str:
        """Key of what one channel was sent."""
        return ANNOUNCED.key(self.page, encoded(subscription) or EMPTY)

    @property
    def wishes(self) -> str:
        """Key of whom an incident may concern."""
        return WISHES.key(self.page)

    @property
    def began(self) -> str:
        """Key of when each subscription began."""
        return BEGAN.key(self.page)

    @property
    def settled(self) -> str:
        """Key of how far each platform is."""
        return SETTLED.key(self.page)

    def lease(self, name: str) -> str:
        """Key of a turn at some work."""
        return LEASE.key(self.page, encoded(name) or EMPTY)

    @property
    def lineage(self) -> str:
        """Key of what is known of the store's own memory."""
        return LINEAGE.key(self.page)


def page_keys(page_id: str) -> PageKeys:
    """Return the keys of the page of this id."""
    return PageKeys(encoded(page_id) or EMPTY)


def keys_of(origin: Origin) -> Keys:
    """Return the keys of `origin`'s workspace."""
    return Keys(tenant_of(origin))


def spec_of(key: str) -> KeySpec | None:
    """Return the row that `key` was built from, or None for a key that is not ours."""
    return next((spec for spec in REGISTRY if spec.matches(key)), None)


def as_markdown() -> str:
    """Return the registry as a Markdown table for the operators' documentation."""
    head = "| key | type | lives | written by | holds |\n|---|---|---|---|---|"
    rows = (
        f"| `{_shown(spec.pattern)}` | {spec.type} | {_lifetime(spec.ttl)} | {spec.written_by} | {spec.purpose} |"
        for spec in REGISTRY
    )
    return "\n".join((head, *rows)) + "\n"


def _shown(pattern: str) -> str:
    return pattern.replace("<tenant>", "platform:workspace").replace("<page>", "id").replace("<part>", "…")


def _lifetime(seconds: int) -> str:
    if not seconds:
        return "until deleted"
    if seconds < 3600:  # noqa: PLR2004 - an hour
        return f"{seconds // 60} min"
    return f"{seconds // DAY} d" if seconds > DAY else f"{seconds // 3600} h"
