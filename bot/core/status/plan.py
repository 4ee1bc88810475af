"""What one channel has of one topic, compared with what it should have: `plan` names the one next act.

There is no queue. Order, edits that collapse, catching up after a crash and late edits of the vendor follow from the
comparison.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from hashlib import blake2b

from bot.core.bounds import BOUNDS, Bounds
from bot.core.frozen import frozen
from bot.core.status.announcement import HOUR, Act, Announcement, Doing, Head, Intent, Note, Sent, What, head_of, key_of
from bot.core.status.subscription import Standing as Wish
from bot.core.status.subscription import Subscription
from bot.core.status.topics import Topic
from bot.core.status.watch import Kind, Known, Standing, last_activity


@frozen
class Nothing:
    """The channel has what it should have."""


@frozen
class Later:
    """Something is left to do, but not before this time of the store."""

    at: float


@frozen
class Resolve:
    """A request was under way and its result is not known: find out first."""

    intent: Intent


Next = Act | Resolve | Later | Nothing


def plan(
    topic: Topic, announcement: Announcement | None, subscription: Subscription, at: float, bounds: Bounds = BOUNDS
) -> Next:
    """Return the one next act for this topic and channel. `at`: seconds since the epoch by the store's clock."""
    here = announcement or Announcement(topic.id)
    if subscription.standing is Wish.PAUSED:
        return Nothing()
    if here.intent is not None:
        due = here.intent.at + bounds.unknown
        return Resolve(here.intent) if at >= due else Later(due)
    return _Plan(topic, here, subscription, at, bounds).next()


def updates_of(members: Iterable[Known]) -> tuple[str, ...]:
    """Return all updates of these incidents as `incident/update`, in the order of time."""
    found = [(u.at or 0.0, f"{k.incident.id}/{u.id}") for k in members for u in k.incident.updates]
    # Stable: those of one moment, or without one, stay in the page's order.
    return tuple(name for _, name in (sorted(found, key=lambda f: f[0]) if all(at for at, _ in found) else found))


class _Plan:
    """What is missing in one channel on one topic."""

    def __init__(self, topic: Topic, here: Announcement, subscription: Subscription, at: float, bounds: Bounds) -> None:
        self._topic, self._here, self._at, self._most = topic, here, at, bounds.edits
        self._subscription, self._choice = subscription, subscription.choice
        self._ending = subscription.standing is Wish.ENDING
        members = topic.known
        if here.incidents:
            members = tuple(known for known in members if known.incident.id in here.incidents)
        else:
            members = tuple(known for known in members if self._choice.wants(known))
        self._members = members
        self._ids = tuple(known.incident.id for known in members)
        self._heads = {known.incident.id: head_of(known) for known in members}
        self._pending = tuple(name for name in updates_of(members) if name not in here.all_told)

    def next(self) -> Next:
        here = self._here
        if not self._members:
            return Nothing()
        if here.post is None:
            # A message that people deleted is not put back for an edit, but news still arrives.
            withdrawn = all(known.standing is Standing.WITHDRAWN for known in self._members)
            wanted = bool(self._pending) if here.heads else self._topic.due and not withdrawn
            return (self._post() if wanted and not self._ending else None) or Nothing()
        return self._reply() or self._edit_post() or self._edit_reply() or Nothing()

    def _post(self) -> Act | None:
        mark = self._mark(self._pending)
        mention = not self._here.heads and self._topic.kind is None and self._choice.mentions(self._members[0])
        intent = Intent(Doing.POST, Sent("", self._key, mark, self._pending), self._heads)
        act = Act(intent, self._ids, self._base, mention)
        return None if mark == self._here.refused else act

    def _reply(self) -> Next | None:
        notes = self._notes()
        mark = reply_mark(self._members, self._pending, notes)
        wanted = self._choice.replies and not self._ending and (self._pending or notes)
        if not wanted or mark == self._here.refused:
            return None
        if not self._pending and self._busy() and not self._all_over:
            return Later(self._next_hour())
        intent = Intent(Doing.REPLY, Sent("", self._key, mark, self._pending, notes), self._heads)
        return Act(intent, self._ids, self._base)

    def _edit_post(self) -> Next | None:
        post = self._here.post
        if post is None:
            return None
        told_here = (*post.updates, *self._pending) if not self._choice.replies else post.updates
        mark = self._mark(told_here)
        if mark in {post.shown, self._here.refused}:
            return None
        if self._busy() and not self._all_over:
            return Later(self._next_hour())
        heads = {} if self._choice.replies else self._heads
        return Act(Intent(Doing.EDIT, Sent("", post.key, mark, told_here), heads), self._ids)

    def _edit_reply(self) -> Next | None:
        for target, reply in enumerate(self._here.replies, start=1):
            mark = reply_mark(self._members, reply.updates, reply.notes)
            # A reply whose updates have all vanished from the page stays as the record of what was said.
            if mark in {reply.shown, self._here.refused} or not _bodies(self._members, reply.updates):
                continue
            if self._busy():
                return Later(self._next_hour())
            return Act(Intent(Doing.EDIT, replace(reply, ref="", shown=mark), {}, target), self._ids)
        return None

    def _notes(self) -> tuple[Note, ...]:
        return tuple(
            note
            for known in self._members
            if (before := self._here.heads.get(known.incident.id)) is not None
            for note in _notes(known, before, self._pending, daily=self._choice.daily)
        )

    def _mark(self, told_here: tuple[str, ...]) -> str:
        return _mark(
            [(head_of(known), parts(known), self._latest(known)) for known in self._members],
            _bodies(self._members, told_here),
            self._choice.replies,
        )

    def _latest(self, known: Known) -> object:
        """Return what is shown of the newest update: of an incident that is over, only in a digest."""
        latest = known.incident.latest
        if latest is None or (known.over and self._topic.kind is not Kind.DIGEST):
            return None
        return (latest.id, latest.status, latest.body)

    @property
    def _base(self) -> str:
        """Return what keys are made of: an incident, also where several share a message.

        A store that has forgotten everything gives those other names, and must still find the message.
        """
        return self._topic.id if self._topic.kind is None else (*self._here.incidents, *self._ids)[0]

    @property
    def _key(self) -> str:
        return key_of(self._subscription, self._base, self._here.count)

    @property
    def _all_over(self) -> bool:
        return all(known.over for known in self._members)

    def _busy(self) -> bool:
        hour, count = self._here.edits
        return hour == int(self._at // HOUR) and count >= self._most

    def _next_hour(self) -> float:
        return (self._at // HOUR + 1) * HOUR


def parts(known: Known) -> tuple[tuple[str, str, str], ...]:
    """Return the components an incident touches as (id, the page's name, state as its updates last told)."""
    found: dict[str, tuple[str, str, str]] = {}
    for update in known.incident.updates:
        for move in update.moves:
            found[move.id] = (move.id, move.name, move.after)
    moved = {move.id for update in known.incident.updates for move in update.moves if move.moved}
    named = tuple(dict.fromkeys((*found, *known.incident.components)))
    return tuple(found.get(c, (c, "", "")) for c in named if c in moved or not moved)


def reply_mark(members: Iterable[Known], updates: tuple[str, ...], notes: tuple[Note, ...]) -> str:
    """Return the mark of a reply: it changes when the words of one of its updates do."""
    return _mark(_bodies(members, updates), notes)


def _notes(known: Known, before: Head, pending: tuple[str, ...], *, daily: bool) -> Iterable[Note]:
    now, incident = head_of(known), known.incident.id
    if now.standing is not before.standing:
        back = now.standing is Standing.LISTED
        yield Note(incident, What.BACK if back else What(now.standing.value))
    if now.name != before.name:
        yield Note(incident, What.NAME, before.name, now.name)
    if now.impact != before.impact:
        yield Note(incident, What.IMPACT, before.impact, now.impact)
    if now.scheduled_for != before.scheduled_for:
        yield Note(incident, What.SCHEDULE, _moment(before.scheduled_for), _moment(now.scheduled_for))
    if now.status != before.status and not any(name.startswith(f"{incident}/") for name in pending):
        yield Note(incident, What.STATUS, before.status, now.status)
    if now.soon and not before.soon:
        yield Note(incident, What.SOON, after=_moment(now.scheduled_for))
    if daily and now.quiet > before.quiet:
        yield Note(incident, What.STILL, _moment(last_activity(known.incident)), str(now.quiet))


def _moment(at: float | None) -> str:
    return "" if at is None else str(at)


def _bodies(members: Iterable[Known], names: tuple[str, ...]) -> list[tuple[str, str, str]]:
    wanted = frozenset(names)
    return [
        (name, u.status, u.body)
        for known in members
        for u in known.incident.updates
        if (name := f"{known.incident.id}/{u.id}") in wanted
    ]


def _mark(*shown: object) -> str:
    return blake2b(repr(shown).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
