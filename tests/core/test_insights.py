"""What is counted of conversations, and what may be said of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.guides.guide import Outcome
from bot.core.recogniser.engine import Decision, Recognition
from bot.core.triage.conversation import Conversation, Handoff
from bot.core.triage.flow import Press, play
from bot.core.triage.insights import ENOUGH, FEW, counted, insight, odds, summed, week_of, weeks
from bot.core.triage.transition import Transition
from tests.core.talking import Talk
from tests.scenarios.playing import NOW


class Counting(Talk):
    """A talk that counts each of its turns, as handlers do."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self.before: Conversation | None = None

    def _after(self, turn: Transition) -> Counting:
        super()._after(turn)
        if turn.changed:
            self.counts.update(counted(self.library, self.before, self.here))
            self.before = self.here
        return self


def test_a_conversation_to_its_end() -> None:
    talk = Counting()
    talk.starts("cut-off").presses("tools", "known", "works")
    assert talk.counts == {
        "opened": 1,
        "guide:cut-off": 1,
        "tried:cut-off#look": 1,
        "tried:cut-off#short": 1,
        "fixed:cut-off#short": 1,
        "ended:fixed": 1,
        "ended:fixed:cut-off": 1,
        "took:2": 1,
    }
    talk.presses("@helped:1")
    assert talk.counts["unfixed:cut-off#short"] == talk.counts["fixed:cut-off#look"] == 1
    assert talk.counts["ended:fixed"] == 1


def test_fixed_in_words_counts_the_step_it_was_said_at_as_tried() -> None:
    talk = Counting()
    talk.starts("cut-off").presses("tools").says("it works again")
    assert talk.counts["tried:cut-off#look"] == talk.counts["fixed:cut-off#look"] == 1


def test_the_same_step_again_is_no_second_try() -> None:
    talk = Counting()
    talk.starts("page-lost").presses("holds")
    first = Counter(talk.counts)
    talk.says("a note", "what was that again?")
    assert talk.counts == first, "what answers nothing counts nothing"


def test_what_came_back_and_was_fixed_otherwise_is_taken_back() -> None:
    talk = Counting()
    talk.starts("cut-off").presses("tools", "known", "works", "@reopen", "dropped")
    assert talk.counts["reopened"] == 1
    assert talk.counts["fixed:cut-off#short"] == talk.counts["unfixed:cut-off#short"] == 1


def test_wrong_guesses_and_questions_back() -> None:
    talk = Counting()
    talk.reports("x", Recognition(Decision.ASK))
    assert talk.counts == {"opened": 1, "asked-back": 1}
    talk = Counting()
    talk.starts("cut-off").presses("@not-this")
    assert talk.counts["corrected:cut-off"] == 1


def test_what_becomes_of_a_hand_off() -> None:
    talk = Counting()
    talk.starts("cut-off").says("human")
    here = talk.here
    acts = ["", "posted", "take", "return", "take", "resolve"]
    states = [replace(here, handoff=Handoff(here.revision, act, at=NOW + n)) for n, act in enumerate(acts)]
    states[-1] = replace(states[-1], outcome=Outcome.FIXED, helped="helper")
    names = Counter(name for a, b in pairwise(states) for name in counted(talk.library, a, b))
    assert {n: k for n, k in names.items() if n.startswith("handoff")} == {
        "handoff:posted": 1, "handoff:take": 2, "handoff:return": 1, "handoff:resolve": 1,
    }  # fmt: skip
    assert not any(name.startswith("fixed:") for name in names), "it was a person who helped, not a step"


@pytest.mark.parametrize(
    ("day", "week"),
    [("2026-11-30T00:00", "2026-11-30"), ("2026-12-06T23:59", "2026-11-30"), ("2027-01-01T12:00", "2026-12-28")],
)
def test_a_week_is_named_by_its_monday(day: str, week: str) -> None:
    now = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    assert week_of(now) == weeks(now)[0] == week
    assert len(set(weeks(now))) == 5


class TestWhatMayBeSaid:
    def test_of_few_nothing_is_said(self) -> None:
        said = insight({"opened": FEW - 1, "ended:fixed": FEW - 1}, "2026-11-23", "2026-11-30")
        assert (said.few, said.conversations, said.outcomes, said.steps) == (True, None, None, ())

    def test_a_step_is_named_once_it_was_tried_and_helped_often_enough(self) -> None:
        counts = {
            "tried:g#a": ENOUGH,
            "fixed:g#a": 7,
            "tried:g#b": ENOUGH - 1,
            "fixed:g#b": 7,
            "tried:g#c": 20,
            "fixed:g#c": FEW - 1,
        }
        assert odds(counts) == {"g#a": (7, ENOUGH)}
        assert odds(summed([counts, {"unfixed:g#a": 3}])) == {}

    @given(st.dictionaries(st.sampled_from([
        "opened", "asked-back", "reopened", "corrected:g", "guide:g", "ended:fixed", "ended:fixed:g", "ended:left",
        "ended:waiting", "ended:handed_off", "took:5", "took:more", "handoff:posted", "handoff:take", "handoff:stuck",
        "tried:g#a", "fixed:g#a", "unfixed:g#a",
    ]), st.integers(0, 30)))  # fmt: skip
    def test_no_small_figure_is_ever_said(self, counts: dict[str, int]) -> None:
        said = insight(counts, "2026-11-23", "2026-11-30")
        figures = [said.conversations, said.asked_back, said.corrected, said.reopened]
        figures += [*(said.outcomes or {}).values(), *(said.handoffs or {}).values()]
        figures += [n for guide in said.guides for n in (guide.conversations, guide.fixed, guide.corrected)]
        figures += [n for step in said.steps for n in (step.fixed, step.tried)]
        assert all(n is None or n == 0 or n >= FEW for n in figures)

    def test_half_of_those_that_ended(self) -> None:
        counts = {"opened": 9, "took:2": 1, "took:10": 5, "took:more": 3}
        assert insight(counts, "a", "b").within == 10
        assert insight({"opened": 9, "took:more": 9}, "a", "b").within is None


def test_where_a_step_helped_often_it_says_so() -> None:
    talk = Talk()
    talk.starts("cut-off")
    around = replace(talk.around, odds={"cut-off#look": (7, 12)})
    shown = play(talk.library, talk.here, Press("tools", talk.view.step, talk.view.revision), around, "ann").view
    assert "It fixed it for 7 of 12 here." in str(shown.blocks)
    without = play(talk.library, talk.here, Press("tools", "doing", 1), talk.around, "ann").view
    assert "It fixed it for" not in str(without)
