"""The keys of a workspace and of a page. Names and ids come from outside: they are encoded here and nowhere else."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from urllib.parse import quote

from bot.adapters.store.registry import (
    ANNOUNCED,
    BEGAN,
    CLAIM,
    CONVERSATION,
    GATHERINGS,
    GOING,
    INCIDENTS,
    KEPT,
    LEASE,
    LINEAGE,
    NAMED,
    OWED,
    PAGE,
    PERSON,
    ROOM,
    SETTLED,
    SUBSCRIPTIONS,
    TALLY,
    WAITING,
    WISHES,
)
from bot.core.event import Origin
from bot.core.frozen import frozen

LONGEST = 64
"""Longest name that is kept readable; a longer one is replaced by its hash."""

EMPTY = "~"
"""Stands for an empty name in a key; no encoded name is equal to it."""


@lru_cache(maxsize=4096)
def encoded(name: str) -> str:
    """Return `name` free of braces, colons, blanks and anything that is not ASCII; distinct names stay distinct."""
    safe = quote(name, safe="", errors="surrogatepass").replace("~", "%7E")
    if len(safe) <= LONGEST:
        return safe
    return f"~{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"


@frozen
class Keys:
    """The keys of one workspace; `tenant` is its hash tag, without the braces."""

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


@frozen
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
    return _of(origin.platform, origin.workspace)


@lru_cache(maxsize=4096)
def _of(platform: str, workspace: str) -> Keys:
    return Keys(f"{encoded(platform) or EMPTY}:{encoded(workspace) or EMPTY}")
