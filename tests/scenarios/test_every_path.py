"""Every situation of every guide: shown within all limits, and able to end well, in both device modes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pytest

from bot.adapters.console.plain import as_json, as_text
from bot.core.guides.guide import Outcome
from bot.core.text import Code
from tests.scenarios.playing import Player, Situation, everything, library, page

GRADES = {"official": "official", "reported": "people report", "unconfirmed": "unconfirmed"}
DISCORD_MESSAGE = 4000


@dataclass(frozen=True)
class Explored:
    """A guide played in every way: where each situation leads, and in which the page is called fine."""

    leads: dict[Situation, list[Situation]]
    outside: set[Situation]
    fine: list[Situation]


@cache
def explored(guide: str, answer: str) -> Explored:
    """Play a guide in every way, once for all tests here; whatever is shown on the way is checked."""
    leads: dict[Situation, list[Situation]] = {}
    outside: set[Situation] = set()
    fine: list[Situation] = []
    for here, player, there in everything(guide, answer=answer):
        if "no open incident" in check_shown(player, managed=True):
            fine.append(here)
        player.managed = False
        player.look()
        check_shown(player, managed=False)
        leads[here] = there
        outside |= {other for other in there if other[0] != guide}
    return Explored(leads, outside, fine)


@pytest.mark.parametrize("answer", ["clear", "incident", "unknown"])
@pytest.mark.parametrize("guide", sorted(library().guides))
def test_every_situation_can_be_shown_and_ends(guide: str, answer: str) -> None:
    found = explored(guide, answer)
    leads, outside = found.leads, found.outside
    good = {here for here in leads if here[2].startswith("=")} | outside
    while more := {here for here, there in leads.items() if here not in good and good.intersection(there)}:
        good |= more
    assert set(leads) - good == set()


def check_shown(player: Player, *, managed: bool) -> str:
    view, here = player.view, player.conversation
    assert here is not None
    text = as_text(view, grades=GRADES)
    assert 0 < len(text) <= DISCORD_MESSAGE, (view.guide, view.step, len(text))
    assert "{" not in "".join(span.text for span in view.lead)
    assert as_json(view, grades=GRADES).count(b"\n") == 0
    if view.outcome is None:
        assert view.offers, (view.guide, view.step)
        assert {"@human", "@stop"} <= {control.id for control in view.controls}
        step = library().guides[here.guide].step(here.step)
        if step and step.bypass and not here.asking:
            request = [block for block in view.blocks if isinstance(block, Code) and "Request to IT" in block.text]
            assert bool(request) is managed
            assert any(offer.id == "skip" for offer in view.offers)
    return text


@pytest.mark.parametrize("guide", sorted(library().guides))
def test_an_open_incident_can_be_waited_for_and_passed_by(guide: str) -> None:
    """Nobody is kept from the triage by an incident, and those who want to wait can."""
    ends = {here[2] for here in explored(guide, "incident").leads}
    status = any(step.auto for step in library().guides[guide].steps)
    assert (f"={Outcome.WAITING}" in ends) is status
    assert f"={Outcome.FIXED}" in ends


def test_an_unreadable_page_is_never_called_fine() -> None:
    for guide in library().guides:
        assert explored(guide, "unknown").fine == []


def test_a_page_with_an_incident_says_so_in_the_first_answer() -> None:
    player = Player(page("incident"))
    view = player.start("web-connection-lost")
    assert "Elevated errors" in as_text(view, grades=GRADES)
    assert "open for 18 min" in as_text(view, grades=GRADES)
