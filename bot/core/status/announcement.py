"""What one channel has been sent about one topic, and how that record changes.

Before anything is sent an intent is stored, so that only one request is ever under way for a topic and channel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from hashlib import blake2b

from bot.core.frozen import frozen
from bot.core.status.subscription import Subscription
from bot.core.status.watch import Known, Standing

HOUR = 3600


@frozen
class Head:
    """The headline of an incident as a channel was last told it. quiet: as in `Known`; no message shows it."""

    name: str
    impact: str
    status: str
    standing: Standing = Standing.LISTED
    scheduled_for: float | None = None
    soon: bool = False
    # Not in the repr: marks of what a message shows are made of that.
    quiet: int = field(default=0, repr=False)


class What(StrEnum):
    """What a note in the thread says."""

    NAME = "name"
    IMPACT = "impact"
    STATUS = "status"
    SCHEDULE = "schedule"
    SOON = "soon"
    STILL = "still"
    WITHDRAWN = "withdrawn"
    UNLISTED = "unlisted"
    BACK = "back"


@frozen
class Note:
    """A change nobody published an update for; times are seconds since the epoch, as text.

    still: `before` is when something was last said, `after` how many days ago that is.
    """

    incident: str
    what: What
    before: str = ""
    after: str = ""


@frozen
class Sent:
    """A message of ours. ref: the platform's name for it; shown: mark of what it shows; updates: `incident/update`."""

    ref: str
    key: str
    shown: str
    updates: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


class Doing(StrEnum):
    """What an intent is about to do."""

    POST = "post"
    REPLY = "reply"
    EDIT = "edit"


@frozen
class Intent:
    """A request that may be under way. at: the store's time when it was written, filled in by the store.

    target: of an edit, 0 for the post, n for the n-th reply. sent: what there will be to record; its `ref` is empty
    until the platform has given one. token: names this attempt, so that nobody takes it for their own.
    """

    doing: Doing
    sent: Sent
    heads: Mapping[str, Head]
    target: int = 0
    token: str = ""
    at: float = 0.0


@frozen
class Announcement:
    """What one channel has of one topic.

    told: updates of messages that are gone or out of sight. count: of messages sent so far, part of the next one's key.
    refused: mark of a content the platform does not take, not tried again. edits: hour since the epoch, and how many
    edits and notes it saw. checked: the last of the store's losses after which messages nobody knew of were looked for.
    stuck: why nobody can tell whether the last message arrived, for operators. version: raised by the store with every
    write.
    """

    topic: str
    incidents: tuple[str, ...] = ()
    post: Sent | None = None
    replies: tuple[Sent, ...] = ()
    heads: Mapping[str, Head] = field(default_factory=dict)
    told: frozenset[str] = frozenset()
    count: int = 0
    edits: tuple[int, int] = (0, 0)
    refused: str = ""
    intent: Intent | None = None
    checked: int = 0
    stuck: str = ""
    version: int = 0

    @property
    def messages(self) -> tuple[Sent, ...]:
        """All messages there are, the post first."""
        return (*((self.post,) if self.post else ()), *self.replies)

    @property
    def all_told(self) -> frozenset[str]:
        """Every update the channel has been told."""
        return self.told.union(*(message.updates for message in self.messages))

    def above(self, intent: Intent) -> str:
        """Return the message an intent replies to, by its `ref`; empty where it stands by itself."""
        return self.post.ref if intent.doing is Doing.REPLY and self.post else ""


@frozen
class Act:
    """One message to send or to edit; the intent says which, `incidents` what it is about.

    base: what the keys of this topic's messages are made of, with their number.
    """

    intent: Intent
    incidents: tuple[str, ...]
    base: str = ""
    mention: bool = False


def intended(announcement: Announcement, act: Act, *, token: str, at: float) -> Announcement:
    """Return the record to store before the act is carried out."""
    intent = replace(act.intent, token=token)
    edit = intent.doing is Doing.EDIT
    counted = edit or not intent.sent.updates
    return replace(
        announcement,
        intent=intent,
        incidents=announcement.incidents or act.incidents,
        count=announcement.count + (not edit),
        edits=_counted(announcement.edits, at) if counted else announcement.edits,
    )


def done(announcement: Announcement, ref: str) -> Announcement:
    """Return the record once the intent is known to have been carried out; `ref` is the message's, of a new one."""
    intent = announcement.intent
    if intent is None:
        return announcement
    after = replace(announcement, intent=None, heads={**announcement.heads, **intent.heads}, refused="", stuck="")
    if intent.doing is Doing.POST:
        return replace(after, post=replace(intent.sent, ref=ref), replies=())
    if intent.doing is Doing.REPLY:
        return replace(after, replies=(*after.replies, replace(intent.sent, ref=ref)))
    return _edited(after, intent.target, intent.sent)


def undone(announcement: Announcement, *, refused: bool = False) -> Announcement:
    """Return the record once the intent is known to have come to nothing; `refused`: the content will never be taken.

    The next attempt has the same key: should both arrive after all, they are known to be one.
    """
    intent = announcement.intent
    if intent is None:
        return announcement
    return replace(
        announcement,
        intent=None,
        count=announcement.count - (intent.doing is not Doing.EDIT),
        refused=intent.sent.shown if refused else announcement.refused,
        # What a first message is about is decided anew by the next attempt.
        incidents=announcement.incidents if announcement.heads else (),
    )


def doubtful(announcement: Announcement, why: str = "") -> Announcement:
    """Return the record when nobody can tell whether the intent was carried out, and why not.

    An edit is repeated. A message nobody may look for is not: it counts as told, and out of sight.
    """
    intent = announcement.intent
    if intent is None:
        return announcement
    if intent.doing is Doing.EDIT:
        message = announcement.messages[intent.target]
        return replace(_edited(announcement, intent.target, replace(message, shown="")), intent=None)
    heads = {**announcement.heads, **intent.heads}
    told = announcement.told.union(intent.sent.updates)
    return replace(announcement, intent=None, heads=heads, told=told, stuck=why)


def adopted(
    announcement: Announcement, act: Act, found: Sequence[tuple[str, str]]
) -> tuple[Announcement, tuple[str, ...]]:
    """Return the record once messages (ref, key) were found that it did not know of, and refs that are of no use.

    What each of them told is not known. So what the act would tell is shared out over them, and as their `shown` is
    empty, all of them are edited to show exactly that: nothing is lost, and nothing stands there twice.
    """
    intent, messages = act.intent, [Sent(ref, key, "") for ref, key in found]
    pending, after = list(intent.sent.updates), announcement
    if intent.doing is Doing.POST:
        post, *messages = messages
        first = 1 if messages else len(pending)
        after = replace(after, post=replace(post, updates=tuple(pending[:first])), replies=())
        pending = pending[first:]
    used = max(min(len(messages), len(pending)), min(len(messages), bool(intent.sent.notes)))
    replies = [replace(message, updates=tuple(pending[n : n + 1])) for n, message in enumerate(messages[:used])]
    if replies:
        replies[0] = replace(replies[0], notes=intent.sent.notes)
        replies[-1] = replace(replies[-1], updates=tuple(pending[used - 1 :]))
    after = replace(
        after,
        incidents=announcement.incidents or act.incidents,
        replies=(*after.replies, *replies),
        heads={**announcement.heads, **intent.heads},
        count=announcement.count + len(found) - len(messages[used:]),
    )
    return after, tuple(message.ref for message in messages[used:])


def _edited(announcement: Announcement, target: int, shows: Sent) -> Announcement:
    """Put what a message shows now into the record; a message keeps its ref and key."""
    post, replies = announcement.post, announcement.replies
    if target == 0:
        return replace(announcement, post=replace(shows, ref=post.ref, key=post.key) if post else None)
    at = target - 1
    edited = replace(shows, ref=replies[at].ref, key=replies[at].key)
    return replace(announcement, replies=(*replies[:at], edited, *replies[at + 1 :]))


def without(announcement: Announcement, target: int) -> Announcement:
    """Return the record once the message at `target` is known to be gone; what it told stays told."""
    told = announcement.all_told
    if target == 0:
        return replace(announcement, intent=None, post=None, replies=(), told=told)
    at = target - 1
    return replace(
        announcement, intent=None, replies=(*announcement.replies[:at], *announcement.replies[at + 1 :]), told=told
    )


def key_of(subscription: Subscription, base: str, n: int) -> str:
    """Return the mark by which the n-th message of a topic is found again; short enough for a Discord nonce."""
    name = "\n".join((subscription.page, subscription.id, base, str(n)))
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def head_of(known: Known) -> Head:
    """Return an incident's headline as it is now."""
    incident = known.incident
    return Head(
        incident.name,
        incident.impact,
        incident.status,
        known.standing,
        incident.scheduled_for,
        known.soon,
        known.quiet,
    )


def _counted(edits: tuple[int, int], at: float) -> tuple[int, int]:
    hour = int(at // HOUR)
    return (hour, edits[1] + 1 if edits[0] == hour else 1)
