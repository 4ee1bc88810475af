"""People who cannot say what it is: few questions lead them to their guide, and each question tells guides apart."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from bot.core.text import Text, plain
from bot.core.triage.asking import FACTS_FIRST, OFFERED
from bot.core.triage.turn import NONE_OF_THESE
from tests.scenarios.playing import Player, library, page, recogniser

ROWS: list[list[str]] = tomllib.loads((Path(__file__).parent / "vague.toml").read_text("utf-8"))["people"]
LONGEST = 9


@dataclass
class Run:
    """How one person fared: presses until the right guide began, or none; what was asked, in order."""

    says: str
    guide: str
    presses: int = 0
    right: bool = False
    asked: tuple[str, ...] = ()
    wrong: int = 0


@cache
def runs() -> tuple[Run, ...]:
    return tuple(run(says, guide, dict(zip(FACTS_FIRST, facts, strict=True))) for says, guide, *facts in ROWS)


def run(says: str, guide: str, truths: dict[str, str]) -> Run:
    """Play one person, who takes the right guide where it is offered and corrects a wrong guess."""
    player, it = Player(page("clear")), Run(says, guide)
    player.report(says)
    while it.presses < LONGEST and not it.right:
        view, here = player.view, player.conversation
        assert here
        if here.guide == guide:
            it.right = True
            break
        offers = [offer.id for offer in view.offers]
        it.presses += 1
        if here.guide:
            it.wrong += 1
            player.press("@not-this")
        elif here.step == "@which" and not here.asking:
            player.press(guide if guide in offers else NONE_OF_THESE)
        elif not offers:
            break
        else:
            fact = here.asking or FACTS_FIRST[0]
            it.asked = (*it.asked, fact)
            value = truths[fact]
            player.press(value if value in offers else "unsure")
    return it


def test_everybody_comes_to_the_right_guide_in_few_presses() -> None:
    """In the mean a little more than three: what happens, where, and the guide among few."""
    lost = [it for it in runs() if not it.right]
    assert not lost
    assert max(it.presses for it in runs()) <= 6
    assert sum(it.presses for it in runs()) / len(runs()) <= 3.5
    assert sum(it.wrong for it in runs()) <= len(runs()) // 20, "hardly anybody is led wrong on the way"


def test_nothing_is_asked_twice_nor_what_was_said() -> None:
    for it in runs():
        assert len(set(it.asked)) == len(it.asked)
        assert not set(it.asked) & recogniser().recognise(it.says).facts.keys(), it.says


def test_the_four_facts_come_in_the_order_in_which_they_are_missing() -> None:
    for it in runs():
        assert list(it.asked) == sorted(it.asked, key=FACTS_FIRST.index)


@pytest.mark.parametrize("guide", sorted(library().guides))
def test_whoever_finds_the_line_is_there_at_once(guide: str) -> None:
    player = Player(page("clear"))
    player.report("it's broken")
    player.say(max((sign.text for sign in library().guides[guide].signs), key=len))
    assert guide in {player.view.guide, *(offer.id for offer in player.view.offers[:1])}


@pytest.mark.parametrize("says", [row[0] for row in ROWS])
def test_whoever_is_sure_of_nothing_is_offered_guides_and_a_human(says: str) -> None:
    player = Player(page("unknown"))
    player.report(says)
    for _ in range(LONGEST):
        here = player.conversation
        assert here
        assert "@human" in [way.id for way in player.view.controls]
        offers = [offer.id for offer in player.view.offers]
        if here.guide or not offers:
            break
        assert len(offers) <= 7
        player.press("unsure" if "unsure" in offers else NONE_OF_THESE)
    else:
        pytest.fail("asked in circles")
    assert here.guide or len(here.refused) >= OFFERED


def test_a_line_nobody_knows_is_not_asked_for_again() -> None:
    player = Player(page("clear"))
    player.report("Claude: `Frobnication error: zork 17`")
    assert player.view.step == "@what"
    assert plain(player.view.lead) == "I can't place that line. What does it do?"


def test_a_time_is_an_answer_to_since_when() -> None:
    """In words too: what was written is kept for whoever helps, and not asked for again."""
    player = Player(page("clear"))
    player.report("claude is broken")
    player.press("error")
    while player.view.step != "@since":
        player.press("unsure")
    player.say("since 9:40 CET or so")
    assert player.conversation
    assert player.conversation.details["time"] == "9:40 CET"
    assert "line" not in player.conversation.details, "those were words, no program's line"
    assert [plain(block.inline) for block in player.view.preface if isinstance(block, Text)] == ["Noted."]
    assert player.view.step != "@since"


def test_a_correction_keeps_what_was_answered_and_offers_nothing_twice() -> None:
    player = Player(page("clear"))
    player.report("529 overloaded_error")
    assert (player.view.guide, player.view.step) == ("overloaded", "ran")
    player.press("text")
    player.press("claude-code")
    player.press("@not-this")
    assert player.conversation
    assert player.conversation.facts["surface"] == "claude-code"
    seen = set[str]()
    while player.view.step != "@which":
        assert player.view.step != "@surface", "that was answered"
        player.press("unsure")
    while player.view.offers and player.view.step == "@which":
        offered = {offer.id for offer in player.view.offers} - {NONE_OF_THESE}
        assert "overloaded" not in offered | seen
        assert not offered & seen
        seen |= offered
        chosen = "server-error" if "server-error" in offered else NONE_OF_THESE
        player.press(chosen)
    assert (player.view.guide, player.view.step) == ("server-error", "reach"), "what ran, and where, is known"
