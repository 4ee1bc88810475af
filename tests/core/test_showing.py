"""What a view holds besides the words, and guides as plain lines for records and requests."""

from __future__ import annotations

from dataclasses import replace

from bot.core.guides.guide import Outcome, ToOutcome, ToStep
from bot.core.text import Evidence
from bot.core.triage.flow import show
from bot.core.triage.showing import as_lines
from bot.core.triage.turn import Around
from bot.core.view import Cite, Tone
from tests.core.small import parsed, small
from tests.core.talking import Talk
from tests.scenarios.playing import NOW, everything, library


def test_a_view_says_what_it_belongs_to() -> None:
    view = Talk().starts("cut-off").presses("text", "dropped").view
    assert (view.conversation, view.revision, view.key) == ("c1", 3, "c1:3")
    assert (view.guide, view.step, view.cause) == ("cut-off", "network", "network")
    assert view.outcome is None


def test_the_grade_and_the_source_stand_with_the_step() -> None:
    view = Talk().starts("cut-off").presses("tools").view
    assert view.evidence is Evidence.OFFICIAL
    assert view.sources == (Cite("errors", "https://code.claude.com/docs/en/errors"),)


def test_in_an_opening_the_grade_belongs_to_the_question() -> None:
    view = Talk().starts("page-lost").view
    assert view.evidence is Evidence.REPORTED
    assert view.lead_evidence is None


def test_a_note_has_a_grade_of_its_own() -> None:
    talk = Talk().starts("cut-off").presses("tools")
    assert "(people report) A message or a branch may have been made outside the project too." in talk.text


def test_what_is_repeated_after_a_note_is_short() -> None:
    talk = Talk().starts("cut-off").presses("tools").says("hm")
    assert talk.view.blocks == ()
    assert talk.view.sources == ()
    assert talk.offers == ["known", "twice"]


def test_the_ways_out_are_on_every_question_and_on_no_end() -> None:
    talk = Talk().starts("page-lost").presses("holds")
    assert talk.controls == ["@back", "@human", "@not-this", "@fixed", "@stop"]
    assert talk.says("stop").controls == []
    assert talk.view.outcome is Outcome.LEFT


def test_that_it_works_is_one_press_at_every_question_of_every_guide() -> None:
    shown, words = library(), library().messages.list("says.fixed")
    fresh = Talk().starts("cut-off").here
    for guide in shown.guides.values():
        for step in (step for step in guide.steps if not step.auto):
            here = replace(fresh, guide=guide.id, step=step.id)
            view = show(shown, here, Around(NOW, managed=False)).view
            said = [c for c in step.choices if c.target == ToOutcome(Outcome.FIXED) or c.label.casefold() in words]
            ways = ["@fixed"] if "@fixed" in [way.id for way in view.controls] else []
            assert bool(said) != bool(ways), (guide.id, step.id, "there, and not twice")


def test_waiting_is_a_way_out_only_while_the_page_shows_trouble() -> None:
    talk = Talk(page="incident").starts("cut-off", {"provider": "anthropic"})
    assert "@wait" in talk.controls
    # Where the step has that choice itself, it is not there twice.
    assert "@wait" not in talk.presses("text").controls
    assert "@wait" not in Talk().starts("cut-off").controls


def test_blocks_as_lines() -> None:
    guide, problems = parsed(
        "---\ntitle: x\n---\n## A {#a}\nSee [here](https://x.y) and `this`.\n\n1. One\n\n   ```\n   code\n   ```\n"
        "2. Two\n   - nested\n\n{#n evidence=reported}\n> Noted.\n\n{.undo}\nBack.\n\n- [Go](#a){#go}\n"
    )
    assert problems == []
    assert list(as_lines(guide.start.body)) == [
        "See here (https://x.y) and this.",
        "1. One",
        "       code",
        "2. Two",
        "   - nested",
        "Noted.",
        "Back.",
    ]


def test_every_text_of_every_guide_can_be_a_line() -> None:
    for guide in (*library().guides.values(), *small().guides.values()):
        for step in guide.steps:
            assert all("\n" not in line for line in as_lines(step.body))


def test_the_end_everybody_wants_has_a_tone_of_its_own() -> None:
    offers = Talk().starts("cut-off").presses("text").view.offers
    assert {offer.id: offer.tone for offer in offers}["works"] is Tone.GOOD
    assert [offer.tone for offer in offers].count(Tone.GOOD) == 1


def test_a_step_that_cannot_be_taken_back_by_waiting_is_announced_by_its_choice() -> None:
    views = (player.view for _, player, _ in everything("install-update", answer="clear"))
    view, grave = next((view, offer) for view in views for offer in view.offers if offer.tone is Tone.GRAVE)
    choice = library().choice("install-update", view.step, grave.id)
    assert choice
    assert isinstance(choice.target, ToStep)
    assert library().step(choice.target.guide, choice.target.step)[1].destructive
