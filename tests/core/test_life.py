"""Silence, what helped, and what is left: the life of a conversation besides its questions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.guides.guide import Outcome
from bot.core.text import plain
from bot.core.triage.conversation import EVERYONE, GONE, Conversation, Handoff, without
from bot.core.triage.flow import Press, play, take_up
from bot.core.triage.folding import folded
from bot.core.triage.gathering import of_incident
from bot.core.triage.life import ITSELF, Pace, Quiet, causes_left, closed, due, helped_by, quiet, remedies
from bot.core.triage.transition import nudge
from bot.core.triage.turn import Around
from tests.core.talking import Talk
from tests.scenarios.playing import NOW, page

HALF, DAY = 1800.0, 86400.0
PACE = Pace()


def silent(talk: Talk | None = None) -> Conversation:
    """A conversation in a chat, as it stands after its last turn."""
    here = (talk or Talk().starts("cut-off")).here
    here = replace(here, origin=replace(here.origin, platform="slack"))
    return replace(here, due=due(here, PACE, here.touched))


def around(now: float, answer: str = "clear", pace: Pace = PACE) -> Around:
    return Around(now, page(answer), pace=pace)


class TestSilence:
    def test_it_is_asked_about_after_half_an_hour_once(self) -> None:
        talk, here = Talk().starts("cut-off"), silent()
        assert here.due == here.touched + HALF
        assert nudge(talk.library, here, around(here.touched + HALF - 1)) is None
        asked = nudge(talk.library, here, around(here.touched + HALF))
        assert asked
        after = asked.conversation
        assert (after.nudged, after.revision, after.step) == (True, here.revision + 1, here.step)
        assert "Are you still there?" in str(asked.view.preface)
        assert asked.view.offers, "what can be answered stands with it"
        assert quiet(after, PACE, after.due - 1) is Quiet.WAIT
        assert quiet(after, PACE, after.due) is Quiet.CLOSE
        assert after.due == here.touched + DAY, "being asked makes it no younger"

    def test_an_answer_begins_the_silence_anew_and_nobody_is_asked_twice(self) -> None:
        here = replace(silent(), nudged=True)
        assert due(here, PACE, here.touched) == here.touched + DAY
        assert quiet(replace(here, due=here.touched + DAY), PACE, here.touched + HALF) is Quiet.WAIT

    def test_nobody_is_hurried_while_the_page_shows_trouble(self) -> None:
        here = silent()
        assert nudge(Talk().starts("cut-off").library, here, around(here.due, "incident")) is None

    def test_nor_while_many_in_the_channel_have_it(self) -> None:
        here, library = silent(), Talk().starts("cut-off").library
        for channel, hurried in ((here.origin.channel, False), ("elsewhere", True)):
            shared = of_incident(channel, "i1", "Elevated errors", here.touched)
            there = replace(around(here.due), gatherings=(shared,))
            assert (nudge(library, here, there) is not None) is hurried

    @pytest.mark.parametrize("outcome", Outcome)
    def test_what_has_ended_or_waits_is_left_alone(self, outcome: Outcome) -> None:
        here = replace(silent(), outcome=outcome)
        assert due(here, PACE, here.touched) == 0.0
        assert quiet(here, PACE, here.touched + 9 * DAY) is Quiet.WAIT

    def test_a_terminal_waits(self) -> None:
        assert due(Talk().starts("cut-off").here, PACE, 1.0) == 0.0

    def test_either_can_be_switched_off(self) -> None:
        here = silent()
        assert due(here, Pace(nudge=0), here.touched) == here.touched + DAY
        assert due(here, Pace(nudge=0, close=0), here.touched) == 0.0
        assert due(here, Pace(close=0), here.touched) == here.touched + HALF
        assert quiet(replace(here, nudged=True), Pace(close=0), here.touched + 9 * DAY) is Quiet.WAIT
        late = around(here.touched + 2 * DAY)
        assert quiet(here, PACE, late.now) is Quiet.CLOSE, "after a day nobody is asked any more"

    def test_closed_is_one_revision_on_and_can_be_taken_up_where_it_stood(self) -> None:
        talk = Talk().starts("cut-off").presses("tools")
        after = closed(talk.here, NOW + DAY)
        assert (after.outcome, after.revision, after.due) == (Outcome.LEFT, talk.here.revision + 1, 0.0)
        again = take_up(talk.library, after, around(NOW + DAY), by="ann").conversation
        assert (again.open, again.step) == (True, talk.here.step)


class TestWhatHelped:
    def fixed(self) -> Talk:
        talk = Talk().starts("cut-off").presses("tools", "known")
        return talk.says("it works again")

    def test_it_is_asked_once_among_what_was_tried(self) -> None:
        talk = self.fixed()
        assert talk.offers == ["@helped:0", "@helped:1", "@helped:itself", "@reopen"]
        tried = remedies(talk.library, talk.here)
        assert tried == ("cut-off#short", "cut-off#look")
        assert helped_by(talk.library, talk.here) == "cut-off#short", "without an answer it is what was tried last"
        stays = folded(talk.library, talk.here, talk.fork().presses("@helped:1").here, "ann")
        assert stays
        assert (plain(stays.lead), stays.answer) == ("Fixed", "Look at what already happened")
        talk.presses("@helped:1")
        assert talk.here.helped == "cut-off#look"
        assert helped_by(talk.library, talk.here) == "cut-off#look"
        assert talk.offers == ["@reopen"]
        assert "Thanks" in talk.preface

    def test_it_may_have_gone_away_by_itself(self) -> None:
        talk = self.fixed().presses("@helped:itself")
        assert (talk.here.helped, helped_by(talk.library, talk.here)) == (ITSELF, "")

    @pytest.mark.parametrize("choice", ["@helped:7", "@helped:x", "@helped:", "@helped:-1"])
    def test_what_is_no_answer_changes_nothing(self, choice: str) -> None:
        talk = self.fixed()
        before = talk.here
        talk.presses(choice)
        assert talk.here == before

    def test_one_step_is_not_worth_a_question(self) -> None:
        talk = Talk().starts("limit").says("it works again")
        assert talk.offers == ["@reopen"]

    def test_it_came_back(self) -> None:
        talk = self.fixed().presses("@helped:0").presses("@reopen")
        assert (talk.here.open, talk.here.helped, talk.here.step) == (True, "", "short")
        assert talk.says("it works again").offers[0] == "@helped:0", "another end, another question"


class TestWhatIsLeft:
    def test_causes_ahead_are_named_and_those_seen_are_not(self) -> None:
        talk = Talk().starts("cut-off")
        assert causes_left(talk.library, talk.here) == ("cut-off#network",)
        talk.presses("tools", "known", "dropped")
        assert talk.here.cause == "cut-off#network"
        assert causes_left(talk.library, talk.here) == ()

    def test_what_the_page_answers_is_no_guess(self) -> None:
        talk = Talk().starts("cut-off")
        assert not any("incident" in cause for cause in causes_left(talk.library, talk.here))


class TestNames:
    def test_somebody_who_is_forgotten_is_named_nowhere(self) -> None:
        talk = Talk().starts("cut-off").presses("tools")
        here = replace(talk.here, helpers=("bob", "eve"), handoff=Handoff(2, "take", "bob", NOW, "bob"))
        here = replace(here, history=tuple(replace(visit, by="bob") for visit in here.history))
        assert here.others == {"bob", "eve"}
        after = without(here, "bob")
        assert after.others == {"eve"}
        assert after.handoff
        assert (after.handoff.by, after.handoff.holder) == (GONE, GONE)

    def test_everybody_is_nobody(self) -> None:
        assert replace(silent(), helpers=(EVERYONE,)).others == frozenset()


def test_only_the_owner_lets_others_help() -> None:
    talk = Talk().starts("cut-off")
    for by, helpers in (("bob", ()), ("ann", (EVERYONE,))):
        press = Press("@share", talk.view.step, talk.view.revision)
        assert play(talk.library, talk.here, press, around(NOW), by).conversation.helpers == helpers
