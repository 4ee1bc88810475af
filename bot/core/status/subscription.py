"""A channel's wish to hear of a page: which incidents concern it, and how it wants to be told."""

from __future__ import annotations

from enum import StrEnum

from bot.core.frozen import frozen
from bot.core.status.incident import Reach
from bot.core.status.watch import Bundle, Known

IMPACTS = ("none", "minor", "major", "critical")
"""Impacts of an incident, least first; one the page invents counts as graver than all: it is not to be overlooked."""


@frozen
class Place:
    """A channel of a workspace on a platform."""

    platform: str
    workspace: str
    channel: str


class Standing(StrEnum):
    """What a subscription still gets.

    active: everything. paused: nothing, since the channel is gone or closed to us. ending: unsubscribed; what was
    posted is brought to its end by edits, and nothing new is said.
    """

    ACTIVE = "active"
    PAUSED = "paused"
    ENDING = "ending"


@frozen
class Choice:
    """What a channel chose.

    components: ids; empty for all. general: also incidents that name no component. least: least impact.
    mention: whom to mention, as the platform writes it, empty for nobody; only for new incidents of `mention_from`.
    replies: every update is also a reply below the message; else the message is only edited. daily: once a day a reply
    says that an incident is still open, while nothing new is said of it.
    """

    components: frozenset[str] = frozenset()
    general: bool = True
    least: str = "none"
    maintenance: bool = True
    mention: str = ""
    mention_from: str = "critical"
    replies: bool = True
    locale: str = "en"
    daily: bool = False

    def wants(self, known: Known) -> bool:
        """Say whether an incident concerns this channel."""
        return self._hears(known.incident.reach)

    def may_follow(self, known: Known) -> bool:
        """Say whether an incident concerns this channel, or did before it changed."""
        return known.reached is None or self.wants(known) or any(map(self._hears, known.reached))

    @property
    def wish(self) -> Choice:
        """What decides which incidents concern it, without how it is told of them."""
        return Choice(self.components, self.general, self.least, self.maintenance)

    def _hears(self, reach: Reach) -> bool:
        if reach.maintenance and not self.maintenance:
            return False
        if not reach.maintenance and rank(reach.impact) < rank(self.least):
            return False
        if not reach.parts:
            return self.general
        return not self.components or bool(self.components & reach.parts)

    def mentions(self, known: Known) -> bool:
        """Say whether a new incident is grave enough to mention somebody."""
        incident = known.incident
        loud = incident.impact in IMPACTS and rank(incident.impact) >= rank(self.mention_from)
        return bool(self.mention) and not known.over and loud


@frozen
class Subscription:
    """What a channel chose, and from when on.

    since: revision of the page at which it began; what was news before is history. openings: what was open then, sent
    as one message, and at each change since. keeps: topics an earlier choice covered that may not have been told yet.
    by: who subscribed, told when the channel cannot be reached any more. declared: it comes from the settings file.
    trouble: why it is paused. version: raised by the store with every write.
    """

    place: Place
    page: str
    since: int
    choice: Choice = Choice()
    by: str = ""
    declared: bool = False
    standing: Standing = Standing.ACTIVE
    trouble: str = ""
    openings: tuple[Bundle, ...] = ()
    keeps: frozenset[str] = frozenset()
    version: int = 0

    @property
    def id(self) -> str:
        """The name it is stored under: one a channel and page."""
        return subscription_id(self.place)


def subscription_id(place: Place) -> str:
    """Return the name a channel's subscription to a page goes by."""
    return f"{place.platform}:{place.workspace}:{place.channel}"


def workspace_of(name: str) -> str:
    """Return the workspace of a subscription that goes by this name."""
    return name.split(":", 2)[1]


def rank(impact: str) -> int:
    """Return how grave an impact is; more than any known one for a word nobody knows."""
    return IMPACTS.index(impact) if impact in IMPACTS else len(IMPACTS)
