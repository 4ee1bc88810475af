"""Plays conversations on the built-in guides without a store, with a page that says what the test wants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from bot.core.event import Origin
from bot.core.guides.guide import ToStep
from bot.core.guides.library import Library
from bot.core.recogniser.engine import Candidate, Decision, Recogniser, Recognition
from bot.core.status.incident import Board, Component, Health, Incident
from bot.core.triage import flow
from bot.core.triage.conversation import Conversation
from bot.core.triage.flow import Begin, Press, Say
from bot.core.triage.transition import Transition
from bot.core.triage.turn import Around
from bot.core.view import View
from bot.runtime.content import Content
from bot.runtime.loading import load

NOW = 1_790_000_000.0
ORIGIN = Origin("console", "local", "terminal", "ann")


@cache
def content() -> Content:
    return load()


@cache
def recogniser() -> Recogniser:
    return content().recogniser()


def library() -> Library:
    return content().library


def page(answer: str) -> Board | None:
    """A page that is `clear`, has an `incident` touching everything, or is `unknown`."""
    services = library().services
    parts = tuple(Component(id_, name, "operational") for id_, name in services.components.items())
    if answer == "unknown":
        return None
    if answer == "clear":
        return Board(services.page.id, Health.OK, NOW - 35, components=parts)
    incident = Incident(
        "i1", "Elevated errors", "investigating", "major", NOW - 1080, NOW - 240, None, "https://status.claude.com/i1"
    )
    return Board(services.page.id, Health.OK, NOW - 35, incidents=(incident,), components=parts)


def sure_of(guide: str, facts: Mapping[str, str] | None = None) -> Recognition:
    """What the recogniser would say of a clear sign of `guide`."""
    return Recognition(
        Decision.GUIDE, guide, (Candidate(guide, 1.0),), "the sign", sign=True, facts=facts or {}, details={}
    )


@dataclass
class Player:
    """One conversation being played."""

    board: Board | None = None
    managed: bool = True
    conversation: Conversation | None = None
    view: View = field(default_factory=View)
    turns: int = 0

    @property
    def around(self) -> Around:
        return Around(NOW + self.turns, self.board, self.managed)

    def report(self, text: str) -> View:
        """Say the first thing, as a person would."""
        found = recogniser().recognise(text)
        return self._after(flow.begin(library(), "c1", ORIGIN, Begin(text, found), self.around))

    def start(self, guide: str, facts: Mapping[str, str] | None = None) -> View:
        """Begin with a guide."""
        return self._after(flow.begin(library(), "c1", ORIGIN, Begin("report", sure_of(guide, facts)), self.around))

    def press(self, choice: str) -> View:
        """Press a choice, by its id or its label."""
        assert self.conversation
        ids = {offer.label: offer.id for offer in self.view.offers}
        known = choice if choice.startswith("@") or choice in ids.values() else ids[choice]
        event = Press(known, self.view.step, self.view.revision)
        return self._after(flow.play(library(), self.conversation, event, self.around, by=ORIGIN.user))

    def say(self, text: str) -> View:
        """Write something."""
        assert self.conversation
        event = Say(text, recogniser().recognise(text))
        return self._after(flow.play(library(), self.conversation, event, self.around, by=ORIGIN.user))

    def look(self) -> View:
        """Have the question shown again."""
        assert self.conversation
        return self._after(flow.show(library(), self.conversation, self.around))

    def _after(self, turn: Transition) -> View:
        self.conversation, self.view = turn.conversation, turn.view
        self.turns += 1
        return turn.view

    def fork(self) -> Player:
        """A second player at the same point."""
        return replace(self)


@cache
def _asked(guide_id: str, step_id: str) -> frozenset[str]:
    """The facts that are still asked for somewhere ahead of a step, in its guide."""
    guide = library().guides[guide_id]
    ahead, queue = set[str](), [step_id]
    while queue:
        step = guide.step(queue.pop())
        if step and step.id not in ahead:
            ahead.add(step.id)
            queue += [
                c.target.step for c in step.choices if isinstance(c.target, ToStep) and c.target.guide == guide_id
            ]
    steps = [step for step in guide.steps if step.id in ahead]
    whens = (part.when for step in steps for part in step.variants if part.when)
    return frozenset(step.asks for step in steps if step.asks) | {fact for when in whens for fact, _ in when.needs}


Situation = tuple[str, str, str, frozenset[tuple[str, str]]]


def situation(player: Player) -> Situation:
    """What decides how a conversation can go on: where it stands, and the known facts its guide still asks for."""
    here = player.conversation
    assert here
    matter = _asked(here.guide, here.step)
    facts = frozenset((fact, value) for fact, value in here.facts.items() if fact in matter)
    return here.guide, here.step, here.asking if here.open else f"={here.outcome}", facts


def everything(guide: str, *, answer: str) -> Iterator[tuple[Situation, Player, list[Situation]]]:
    """Yield every situation a conversation that starts with `guide` can come to, and what each choice leads to."""
    first = Player(page(answer))
    first.start(guide)
    queue, seen = [first], {situation(first)}
    while queue:
        player = queue.pop()
        leads = []
        for offer in player.view.offers:
            next_player = player.fork()
            next_player.press(offer.id)
            there = situation(next_player)
            leads.append(there)
            # Another guide is played by its own test.
            if there not in seen and there[0] == guide:
                seen.add(there)
                queue.append(next_player)
        yield situation(player), player, leads
