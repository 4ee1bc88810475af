"""Every key in Redis: the one registry of names, types, lifetimes and writers.

All keys of a workspace share the hash tag `{platform:workspace}`, those of a status page `{page:id}`, so that a
script's keys lie in one slot of a cluster.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from bot.core.frozen import frozen

PREFIX = "redial"
DAY = 24 * 60 * 60
KeyType = Literal["string", "hash", "zset"]


@frozen
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
        return _of(self.pattern, tenant).replace("<part>", part)

    def matches(self, key: str) -> bool:
        """Say whether `key` was built from this row."""
        shape = re.escape(self.pattern)
        shape = shape.replace("<tenant>", r"(?!page:)[^{}:]+:[^{}:]+").replace("<page>", "[^{}:]+")
        shape = shape.replace("<part>", "[^{}:]+")
        return re.fullmatch(shape, key) is not None


@lru_cache(maxsize=4096)
def _of(pattern: str, tenant: str) -> str:
    """Return a pattern with its tenant, or page: a turn builds nine keys of the same."""
    return pattern.replace("<tenant>", tenant).replace("<page>", tenant)


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


def spec_of(key: str) -> KeySpec | None:
    """Return the row that `key` was built from, or None for a key that is not ours."""
    return next((spec for spec in REGISTRY if spec.matches(key)), None)
