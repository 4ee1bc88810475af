"""Two people who talk to Redial in tests of how it works: they use the small library and see what a pipe would show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.adapters.console.plain import as_text
from bot.core.guides.library import Library
from bot.core.recogniser.engine import Candidate, Decision, Recognition
from bot.core.status.incident import Board
from bot.core.text import Block, Text, plain
from bot.core.triage import flow
from bot.core.triage.conversation import Conversation
from bot.core.triage.flow import Begin, Press, Say
from bot.core.triage.transition import Transition
from bot.core.triage.turn import Around
from bot.core.triage.waiting import over
from bot.core.view import View
from tests.core.small import small, small_recogniser
from tests.scenarios.playing import NOW, ORIGIN, page, sure_of

GRADES = {"official": "official", "reported": "people report", "unconfirmed": "unconfirmed"}


def between(*guides: str) -> Recognition:
    """What the recogniser says of a text that fits several guides."""
    return Recognition(Decision.CHOOSE, "", tuple(Candidate(guide, 0.5) for guide in guides))


@dataclass
class Talk:
    """One conversation. `page`: clear, incident or unknown."""

    library: Library = field(default_factory=small)
    page: str = "clear"
    managed: bool = True
    board: Board | None = None
    here: Conversation = field(default_factory=lambda: Conversation("", ORIGIN, 0, 0.0, 0.0))
    view: View = field(default_factory=View)
    changed: bool = False
    now: float = NOW

    @property
    def around(self) -> Around:
        return Around(self.now, self.board or page(self.page), self.managed)

    # --- what people do ---

    def starts(self, guide: str, facts: Mapping[str, str] | None = None) -> Talk:
        """Report something that is surely of `guide`, with facts in it."""
        return self.reports("report", sure_of(guide, facts))

    def reports(self, text: str, found: Recognition | None = None) -> Talk:
        recognition = found or small_recogniser().recognise(text)
        return self._after(flow.begin(self.library, "c1", ORIGIN, Begin(text, recognition), self.around))

    def presses(self, *choices: str) -> Talk:
        for choice in choices:
            press = Press(choice, self.view.step, self.view.revision)
            self._after(flow.play(self.library, self.here, press, self.around, by=ORIGIN.user))
        return self

    def presses_old(self, choice: str, step: str, revision: int) -> Talk:
        """Press a button of a message further up."""
        press = Press(choice, step, revision)
        return self._after(flow.play(self.library, self.here, press, self.around, by=ORIGIN.user))

    def says(self, *texts: str) -> Talk:
        for text in texts:
            event = Say(text, small_recogniser().recognise(text))
            self._after(flow.play(self.library, self.here, event, self.around, by=ORIGIN.user))
        return self

    def says_as(self, text: str, found: Recognition) -> Talk:
        """Say something that is recognised as told."""
        return self._after(flow.play(self.library, self.here, Say(text, found), self.around, by=ORIGIN.user))

    def takes_up(self) -> Talk:
        return self._after(flow.take_up(self.library, self.here, self.around, by=ORIGIN.user))

    def hears_it_is_over(self) -> bool:
        turn = over(self.library, self.here, self.around)
        if turn:
            self._after(turn)
        return turn is not None

    def looks(self) -> Talk:
        return self._after(flow.show(self.library, self.here, self.around))

    def _after(self, turn: Transition) -> Talk:
        self.now += 1
        self.here, self.view, self.changed = turn.conversation, turn.view, turn.changed
        return self

    def fork(self) -> Talk:
        return replace(self)

    # --- what people see ---

    @property
    def place(self) -> str:
        """Guide and step, or the fact asked for, or the end."""
        if self.here.outcome:
            return f"={self.here.outcome}"
        return f"{self.here.guide}#{self.view.step}"

    @property
    def text(self) -> str:
        return as_text(self.view, grades=GRADES)

    @property
    def lead(self) -> str:
        return plain(self.view.lead)

    @property
    def preface(self) -> str:
        return said(self.view.preface)

    @property
    def offers(self) -> list[str]:
        return [offer.id for offer in self.view.offers]

    @property
    def controls(self) -> list[str]:
        return [control.id for control in self.view.controls]

    @property
    def answers(self) -> list[str]:
        """What was answered, by people (`step:choice`) and by Redial (`(step:choice)`)."""
        return [
            f"{visit.step}:{visit.choice}" if visit.by else f"({visit.step}:{visit.choice})"
            for visit in self.here.history
        ]


def said(blocks: tuple[Block, ...]) -> str:
    return "\n".join(plain(block.inline) for block in blocks if isinstance(block, Text))
