"""What a person's own words pick."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.guides.guide import Choice, Outcome, Question, ToOutcome, ToStep
from bot.core.text import Span
from bot.core.triage import matching
from tests.scenarios.playing import library

NOTS = library().messages.list("says.not")
CHOICES = (
    Choice("tools", "Editing files, or running commands", ToStep("g", "a"), says=("tool", "tool ran", "edit")),
    Choice("text", "Only writing text", ToStep("g", "b"), says=("text", "no tool")),
    Choice("again", "It dropped again", ToStep("g", "c"), says=("dropped", "still dropping", "claude.ai")),
)
QUESTIONS = (
    Question("q1", (Span("Will it resume?"),), (), says=("resume", "by itself")),
    Question("q2", (Span("Is it lost?"),), (), says=("lost", "by itself")),
)


def picked(text: str) -> str:
    choice = matching.pick(text, CHOICES, NOTS)
    return choice.id if choice else ""


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        # by number
        ("1", "tools"), ("2.", "text"), ("(3)", "again"), ("#2", "text"), ("option 1", "tools"), ("Number 2", "text"),
        ("0", ""), ("4", ""), ("99", ""), ("no 2", "text"), ("-1", ""), ("2 of them", ""), ("\u0662", "text"),
        # by label or id, whatever stands around it
        ("Only writing text", "text"), ("  only WRITING text!! ", "text"), ("*It dropped again*", "again"),
        ("\u201cOnly writing text\u201d", "text"), ("Editing files, or running commands.", "tools"), ("tools", "tools"),
        # by what it says, as whole words
        ("a tool was at work", "tools"), ("it was an edit", "tools"), ("edits", ""), ("toolbox", ""),
        ("it was on claude.ai", "again"), ("still  dropping", "again"), ("DROPPED", "again"),
        # none, or several
        ("", ""), ("...", ""), ("hello", ""), ("text, then an edit", ""), ("an edit and it dropped", ""),
        # turned round
        ("no tool ran", "text"), ("it did not edit", ""), ("it isn\u2019t dropped", ""), ("never an edit", ""),
        ("without any tool", ""), ("nothing was dropped", ""), ("didn't do an edit", ""),
        # a "no" that answers something else
        ("no, it dropped", "again"), ("No. Still dropping", "again"), ("not sure - maybe an edit", "tools"),
        ("nope; no edit", ""), ("no, no edit", ""),
        ("I do not know what it was but there was an edit", "tools"),
    ],
)  # fmt: skip
def test_words_pick_a_choice_or_none(text: str, choice: str) -> None:
    assert picked(text) == choice


ENDS = (
    Choice("works", "It works again", ToOutcome(Outcome.FIXED), says=("works", "works again", "ok")),
    Choice("go", "Still the same", ToStep("g", "a"), says=("same", "cli")),
)


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("ok", "works"), ("ok thanks", "works"), ("it works", "works"), ("yes, it works again now", "works"),
        ("ok two files edited, tests not run", ""), ("the first half of it works in the browser", ""),
        ("i have the same trouble in the terminal of my other machine", "go"), ("the cli of mine", "go"),
    ],
)  # fmt: skip
def test_nobodys_long_sentence_ends_it_by_a_word_in_passing(text: str, choice: str) -> None:
    found = matching.pick(text, ENDS, NOTS)
    assert (found.id if found else "") == choice


@pytest.mark.parametrize(
    ("text", "words"), [("yes still the same one", 2), ("It works again!", 0), ("two files edited, tests not run", 6)]
)
def test_how_much_was_said_besides(text: str, words: int) -> None:
    assert min(matching.beside(text, choice) for choice in ENDS) == words


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Will it resume?", "q1"), ("will it resume", "q1"), ("does it resume", "q1"), ("it will resume?", "q1"),
        ("it did resume", ""), ("resume", ""), ("is my work lost", "q2"), ("will that come back by itself?", ""),
        ("what?", ""), ("?", ""), ("", ""),
    ],
)  # fmt: skip
def test_words_ask_a_question_or_none(text: str, question: str) -> None:
    found = matching.asked(text, QUESTIONS)
    assert (found.id if found else "") == question


@pytest.mark.parametrize(
    ("text", "means"),
    [("Back", True), ("go back.", True), ("  BACK!! ", True), ("back to work", False), ("", False), ("...", False)],
)
def test_a_way_out_is_all_of_the_text(text: str, means: bool) -> None:  # noqa: FBT001 - a column of the table
    assert matching.means(text, ["back", "go back"]) is means


def test_a_question_mark_alone_is_a_word() -> None:
    assert matching.means("?", ["questions", "?"])
    assert matching.means(" ? ", ["questions", "?"])
    assert not matching.means("!", ["questions", "?"])


@given(st.text())
def test_any_text_means_something_or_nothing(text: str) -> None:
    assert matching.pick(text, CHOICES, NOTS) in (None, *CHOICES)
    assert matching.asked(text, QUESTIONS) in (None, *QUESTIONS)
    assert matching.number(text) is None or matching.number(text) in range(100)
    assert matching.typed(matching.typed(text)) == matching.typed(text)


@pytest.mark.parametrize("guide", [*library().guides, "facts"])
def test_every_label_and_number_of_every_guide_picks_its_own_choice(guide: str) -> None:
    found = library().facts if guide == "facts" else library().guides[guide]
    for step in found.steps:
        for n, choice in enumerate(step.choices, 1):
            assert matching.pick(choice.label, step.choices, NOTS) == choice, (step.id, choice.id)
            assert matching.pick(f"{n}.", step.choices, NOTS) == choice


@pytest.mark.parametrize("text", ["no not tool " * 83_000, "a" * 1_000_000, ", - " * 250_000, "no, " * 250_000])
def test_a_megabyte_is_no_answer_and_takes_no_time(text: str) -> None:
    choices = [choice for step in library().guides["web-connection-lost"].steps for choice in step.choices]
    began = time.process_time()
    matching.pick(text, choices, NOTS)
    matching.asked(text, library().guides["web-connection-lost"].questions)
    assert time.process_time() - began < 0.5
