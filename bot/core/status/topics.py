"""What a channel is to be told about: an incident by itself, or several that share one message."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Protocol

from bot.core.frozen import frozen
from bot.core.status.subscription import Subscription, rank
from bot.core.status.watch import Bundle, Kind, Known, Page


class Covers(Protocol):
    """An announcement, as far as it matters here: which incidents its message is about."""

    @property
    def incidents(self) -> tuple[str, ...]:
        """Ids of the incidents; empty before anything was sent."""


@frozen
class Topic:
    """Incidents that are one message in a channel. due: a first message may be sent; else it is only followed up.

    kind: why several share it; None for one by itself. Of several, a channel's choice is made when it is posted.
    """

    id: str
    known: tuple[Known, ...]
    due: bool
    kind: Kind | None = None


def changed(page: Page, settled: int) -> tuple[str, ...]:
    """Return ids of what changed after the revision `settled`, the gravest open ones first, then in order of time."""
    found = [known for known in page.incidents.values() if known.changed > settled]
    found.sort(key=lambda known: (known.over, -rank(known.incident.impact), known.incident.started_at or 0.0))
    return tuple(known.incident.id for known in found)


def spoken_of(page: Page, settled: int) -> tuple[Known, ...]:
    """Return all that may have to be said after the revision `settled`: what changed, and what shares a message."""
    ids = set(changed(page, settled))
    for bundle in page.bundles:
        if bundle.revision > settled or not ids.isdisjoint(bundle.incidents):
            ids.update(bundle.incidents)
    return tuple(page.incidents[i] for i in ids if i in page.incidents)


def topic_ids(page: Page, subscription: Subscription, incidents: Collection[str], settled: int) -> tuple[str, ...]:
    """Return the topics that may need an act when these incidents changed: bundles first, since they cover others."""
    bundles = (
        bundle.id
        for bundle in (*page.bundles, *subscription.openings)
        if bundle.revision > settled or not set(bundle.incidents).isdisjoint(incidents)
    )
    return (*bundles, *incidents)


def with_members(page: Page, subscription: Subscription, ids: Collection[str]) -> tuple[str, ...]:
    """Return these topics and what the bundles among them hold: what has to be known to act on them."""
    inside = [i for b in (*page.bundles, *subscription.openings) if b.id in ids for i in b.incidents]
    return tuple(dict.fromkeys((*ids, *inside)))


def topics(
    page: Page, subscription: Subscription, ids: Collection[str], announced: Mapping[str, Covers]
) -> Iterator[Topic]:
    """Yield those of `ids` that concern this channel. `announced` holds what it has of all `with_members`."""
    bundles = {bundle.id: bundle for bundle in (*page.bundles, *subscription.openings)}
    for topic_id in ids:
        here = topic_id in announced
        if topic_id in bundles:
            bundle = bundles[topic_id]
            if here or _begins(subscription, bundle):
                own = _alone(bundle, announced)
                known = tuple(page.incidents[i] for i in bundle.incidents if i in page.incidents and i not in own)
                yield Topic(topic_id, known, due=True, kind=bundle.kind)
        elif (single := page.incidents.get(topic_id)) is not None:
            covered = any(_covers(subscription, bundle, single, announced) for bundle in bundles.values())
            due = (single.news > subscription.since or topic_id in subscription.keeps) and not covered
            if here or due:
                yield Topic(topic_id, (single,), due=due)


def _begins(subscription: Subscription, bundle: Bundle) -> bool:
    mine = bundle in subscription.openings
    return mine or bundle.revision > subscription.since or bundle.id in subscription.keeps


def _alone(bundle: Bundle, announced: Mapping[str, Covers]) -> Collection[str]:
    """Return its incidents that have a message of their own: one that was found after the store had forgotten it."""
    there = announced.get(bundle.id)
    inside = there.incidents if there else ()
    return [i for i in bundle.incidents if i not in inside and (own := announced.get(i)) is not None and own.incidents]


def _covers(subscription: Subscription, bundle: Bundle, single: Known, announced: Mapping[str, Covers]) -> bool:
    """Say whether the channel hears of the incident through the bundle."""
    if single.incident.id not in bundle.incidents:
        return False
    there = announced.get(bundle.id)
    if there is not None and there.incidents:
        return single.incident.id in there.incidents
    return _begins(subscription, bundle) and subscription.choice.wants(single)
