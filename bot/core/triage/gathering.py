"""What a channel has of a trouble that many share: one message, kept up to date, and one thread below it.

It stands for an official incident, or for what the room reports before the page does. How it goes on is decided here;
sending follows the rules of announcements: an intent first, a key to look for, edits that carry the whole state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from enum import StrEnum

from bot.core.bounds import BOUNDS, Bounds
from bot.core.frozen import frozen
from bot.core.guides.guide import Guide
from bot.core.guides.library import Library
from bot.core.status.incident import Board, Health
from bot.core.status.official import Reading, reading
from bot.core.triage.room import Murmur, Sensor, Shared, Verdict

ROOM, INCIDENT = "room:", "incident:"
"""How ids begin: behind it a guide's id, or an incident's."""
KEPT = 7200.0
"""Seconds after its end in which the same trouble goes on in the same message."""
EDITED = 60.0
"""Seconds between two edits that only count on; a change of state is shown at once."""


class State(StrEnum):
    """Where it stands. room: the page says nothing of it. calm: nor does the room now. official, over: the page."""

    ROOM = "room"
    CALM = "calm"
    OFFICIAL = "official"
    OVER = "over"

    @property
    def open(self) -> bool:
        """Say whether it still troubles people."""
        return self in {State.ROOM, State.OFFICIAL}


class Doing(StrEnum):
    """A message of it: the one in the channel, the first below it, and the last."""

    POST = "post"
    TALK = "talk"
    END = "end"


@frozen
class Gathering:
    """One channel's message about one trouble; times are seconds since the epoch.

    began: the first report, or the first one sent here. guide: the kind, of what the room reports. incident: the id
    of the official one, once there is one; name: its name. people: how many reported it within the window; most: at
    its height. changed: when its state did. messages: what has been sent, by `Doing` and, for an end, when. shown:
    mark of what the post shows; edited: since when. intent: what is being sent, at the store's time `at`; token: this
    attempt's. shut: nothing can be sent here. adopted: the post is an announcement, which others keep up to date.
    version: raised by the store with every write.
    """

    id: str
    channel: str
    began: float
    state: State
    guide: str = ""
    incident: str = ""
    name: str = ""
    people: int = 0
    most: int = 0
    verdict: Verdict = Verdict.OPEN
    because: tuple[Shared, ...] = ()
    common: tuple[Shared, ...] = ()
    changed: float = 0.0
    messages: Mapping[str, str] = field(default_factory=dict)
    link: str = ""
    shown: str = ""
    edited: float = 0.0
    intent: str = ""
    token: str = ""
    at: float = 0.0
    shut: bool = False
    adopted: bool = False
    version: int = 0

    @property
    def post(self) -> str:
        """The message in the channel, as its platform names it; empty before there is one."""
        return self.messages.get(Doing.POST, "")

    def key(self, doing: str) -> str:
        """Return the mark by which one of its messages is found again."""
        return f"{self.id}:{self.channel}:{int(self.began)}:{doing}"


def of_room(channel: str, murmur: Murmur, now: float) -> Gathering:
    """Return a gathering for what the room reports."""
    fresh = Gathering(f"{ROOM}{murmur.kind}", channel, murmur.since, State.ROOM, murmur.kind, changed=now)
    return _counted(fresh, murmur)


def of_incident(channel: str, incident: str, name: str, now: float) -> Gathering:
    """Return a gathering for an official incident that somebody here reported."""
    id_ = f"{INCIDENT}{incident}"
    return Gathering(id_, channel, now, State.OFFICIAL, incident=incident, name=name, changed=now)


def serving(gatherings: Iterable[Gathering], channel: str, *, guide: str, incident: str) -> Gathering | None:
    """Return what a report in this channel belongs to: the official incident's, else what the room says of its kind."""
    here = [one for one in gatherings if one.channel == channel and one.state.open]
    official = next((one for one in here if incident and one.incident == incident), None)
    return official or next((one for one in here if not incident and not one.incident and one.guide == guide), None)


def advanced(
    here: Gathering, murmur: Murmur | None, library: Library, board: Board | None, now: float, sensor: Sensor
) -> Gathering:
    """Return a gathering as it stands now."""
    if here.incident:
        return _followed(here, board, now)
    here = _counted(here, murmur)
    official = officially(library, library.known(here.guide), board, now).incident
    if official and here.state is State.ROOM:
        return replace(here, state=State.OFFICIAL, incident=official.id, name=official.name, changed=now)
    if here.state is State.ROOM and here.people < sensor.calm:
        return replace(here, state=State.CALM, changed=now)
    if here.state is State.CALM and here.people >= sensor.people:
        return replace(here, state=State.ROOM, changed=now)
    return here


def officially(library: Library, guide: Guide | None, board: Board | None, now: float) -> Reading:
    """Return what the page says of a kind of trouble, wherever it is seen."""
    return reading(library, guide, {}, board, now)


def _followed(here: Gathering, board: Board | None, now: float) -> Gathering:
    incident = board.incident(here.incident) if board and board.health is Health.OK else None
    if incident is None:
        return here
    state = State.OFFICIAL if incident.open else State.OVER
    changed = here.changed if state is here.state else now
    return replace(here, state=state, name=incident.name, changed=changed)


def _counted(here: Gathering, murmur: Murmur | None) -> Gathering:
    if murmur is None:
        return replace(here, people=0)
    return replace(
        here,
        people=murmur.people,
        most=max(here.most, murmur.people),
        verdict=murmur.verdict,
        because=murmur.because,
        common=murmur.common,
    )


# --- what is to be sent ----------------------------------------------------------------------------------------


@frozen
class Send:
    """Something new is to be sent: the message in the channel, or one below it."""

    doing: str


@frozen
class Edit:
    """The message in the channel has to show something else: the mark of it."""

    mark: str


@frozen
class Look:
    """Something was under way and nobody knows what became of it: look for it first."""

    doing: str


Next = Send | Edit | Look


def plan(here: Gathering, mark: str, now: float, bounds: Bounds = BOUNDS) -> Next | None:
    """Return the one next act, or None. mark: of what the post should show; now: by the store's clock."""
    if here.shut or here.adopted:
        return None
    if here.intent:
        return Look(here.intent) if now >= here.at + bounds.unknown else None
    if not here.post:
        return Send(Doing.POST) if here.state.open else None
    if here.state.open and Doing.TALK not in here.messages:
        return Send(Doing.TALK)
    end = f"{Doing.END}-{int(here.changed)}"
    if Doing.TALK in here.messages and not here.state.open and end not in here.messages:
        return Send(end)
    settled = here.shown == mark or (here.edited >= here.changed and now - here.edited < EDITED)
    return None if settled else Edit(mark)


def intended(here: Gathering, doing: str, token: str) -> Gathering:
    """Return the record to write before something is sent."""
    return replace(here, intent=doing, token=token)


def sent(here: Gathering, ref: str, mark: str = "", link: str = "", now: float = 0.0) -> Gathering:
    """Return the record once what was intended is there. mark: what a new post is known to show."""
    after = replace(here, messages={**here.messages, here.intent: ref}, intent="", token="", at=0.0)
    return replace(after, shown=mark, link=link, edited=now) if here.intent == Doing.POST else after


def unsent(here: Gathering, *, shut: bool = False) -> Gathering:
    """Return the record once it is known that nothing was sent; shut: and nothing ever will be."""
    return replace(here, intent="", token="", at=0.0, shut=shut)


def spent(here: Gathering, now: float) -> bool:
    """Say whether nothing will be said of it any more."""
    return not here.state.open and not here.intent and now - here.changed > KEPT
