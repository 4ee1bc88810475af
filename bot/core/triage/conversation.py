"""One person's triage in one thread, as it is stored: ids only, never positions, so that guides may change under it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from bot.core.event import Origin
from bot.core.frozen import frozen
from bot.core.guides.guide import Outcome
from bot.core.triage.placement import Where

SCHEMA = 1
"""Raised when a stored conversation changes shape in a way older replicas must not touch."""

WHAT = "@what"
"""Step of a conversation that has no guide yet: the exact line is asked for."""


@frozen
class Visit:
    """A step that was answered; `by` is empty where Redial answered by itself."""

    guide: str
    step: str
    choice: str
    by: str
    at: float


@frozen
class Remark:
    """Something a person wrote besides choosing an answer, redacted."""

    at: float
    text: str


EVERYONE = "*"
"""Among the helpers of a conversation: its owner lets everybody help."""
GONE = "?"
"""Stands where somebody took part who has asked to be forgotten."""


@frozen
class Handoff:
    """What became of a hand-off to the helpers a platform's settings name.

    since: the revision it was asked for in, part of its packet's key. act: what happened last, see `handoff`.
    by, at: who did that, and when. holder: who has taken it. message, link: where the packet stands; empty until then.
    why: what kept it from being posted.
    """

    since: int
    act: str = ""
    by: str = ""
    at: float = 0.0
    holder: str = ""
    message: str = ""
    link: str = ""
    why: str = ""


@frozen
class Conversation:
    """A triage. `report` and `notes` are redacted; times are seconds since the epoch.

    asking: the fact a question of Redial's own waits for, while `step` stays where it was needed.
    candidates: guide ids on offer while no guide is chosen.
    refused: guide ids the person said it is not.
    because: the piece of the report the guide was recognised by.
    stated: facts read from the report instead of answered, so that "back" can ask for them; `facts`: all that is known.
    details: what the report says besides: request id, time, attempt, version, the exact line.
    cause: the step that named the finding, as `guide#step`.
    incident: what a waiting conversation waits for; empty while the page shows none yet.
    told: what the official page said when that was told last.
    where: how it is held. shown: the message its last view is in, as far as it is known here, as `Posted.message`;
    shown_at: the revision that view was of, which is older where another replica has shown a later one since.
    helpers: ids of others who take part: they may press.
    began: what the official page said when it began, as `answer:name of the incident`.
    due: when its silence is to be looked at; 0: never. nudged: it was asked once whether somebody is still there.
    helped: what the person said had helped, as `guide#step` or a word of core/triage/life.py; empty until then.
    """

    id: str
    origin: Origin
    revision: int
    opened: float
    touched: float
    schema: int = SCHEMA
    locale: str = "en"
    report: str = ""
    because: str = ""
    guide: str = ""
    step: str = ""
    asking: str = ""
    candidates: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, str] = field(default_factory=dict)
    stated: Mapping[str, str] = field(default_factory=dict)
    history: tuple[Visit, ...] = ()
    notes: tuple[Remark, ...] = ()
    cause: str = ""
    incident: str = ""
    outcome: Outcome | None = None
    refused: tuple[str, ...] = ()
    told: str = ""
    where: Where = Where.DIRECT
    shown: str = ""
    helpers: tuple[str, ...] = ()
    began: str = ""
    due: float = 0.0
    nudged: bool = False
    helped: str = ""
    handoff: Handoff | None = None
    shown_at: int = 0

    @property
    def key(self) -> str:
        """The mark by which the message that shows this revision can be found."""
        return f"{self.id}:{self.revision}"

    @property
    def open(self) -> bool:
        """Say whether answers are still expected."""
        return self.outcome is None

    @property
    def waiting(self) -> bool:
        """Say whether it is parked on an incident."""
        return self.outcome is Outcome.WAITING

    @property
    def shared(self) -> bool:
        """Say whether its owner lets everybody help."""
        return EVERYONE in self.helpers

    @property
    def handed(self) -> bool:
        """Say whether it is with the helpers."""
        return self.outcome is Outcome.HANDED_OFF

    @property
    def others(self) -> frozenset[str]:
        """The ids of everybody it names besides its owner."""
        names = {*self.helpers, *(visit.by for visit in self.history)}
        names |= {self.handoff.by, self.handoff.holder} if self.handoff else set()
        return frozenset(names - {"", EVERYONE, GONE, self.origin.user})


def without(conversation: Conversation, user: str) -> Conversation:
    """Return a conversation of somebody else that no longer names this person, a revision on."""
    history = tuple(replace(visit, by=GONE) if visit.by == user else visit for visit in conversation.history)
    hand = conversation.handoff
    if hand:
        by, holder = (GONE if name == user else name for name in (hand.by, hand.holder))
        hand = replace(hand, by=by, holder=holder)
    return replace(
        conversation,
        revision=conversation.revision + 1,
        history=history,
        helpers=tuple(one for one in conversation.helpers if one != user),
        handoff=hand,
    )
