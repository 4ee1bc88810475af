"""Every situation of every guide: shown within all limits, and able to end well, in both device modes."""

from __future__ import annotations

import pytest

from bot.adapters.console.plain import as_json, as_text
from bot.core.guide import Outcome
from bot.core.text import Code
from tests.scenarios.playing import Player, Situation, everything, library, page

GRADES = {"official": "official", "reported": "people report", "unconfirmed": "unconfirmed"}
SLACK_SECTION, DISCORD_MESSAGE = 3000, 4000


@pytest.mark.parametrize("answer", ["clear", "incident", "unknown"])
@pytest.mark.parametrize("guide", sorted(library().guides))
def test_every_situation_can_be_shown_and_ends(guide: str, answer: str) -> None:
    leads: dict[Situation, list[Situation]] = {}
    outside: set[Situation] = set()
    for here, player, there in everything(guide, answer=answer):
        check_shown(player, managed=True)
        player.managed = False
        player.look()
        check_shown(player, managed=False)
        leads[here] = there
        outside |= {other for other in there if other[0] != guide}
    good = {here for here in leads if here[2].startswith("=")} | outside
    while more := {here for here, there in leads.items() if here not in good and good.intersection(there)}:
        good |= more
    assert set(leads) - good == set()


def check_shown(player: Player, *, managed: bool) -> None:
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


@pytest.mark.parametrize("guide", sorted(library().guides))
def test_an_open_incident_can_be_waited_for_and_passed_by(guide: str) -> None:
    """Nobody is kept from the triage by an incident, and those who want to wait can."""
    ends = {here[2] for here, _, _ in everything(guide, answer="incident")}
    status = any(step.auto for step in library().guides[guide].steps)
    assert (f"={Outcome.WAITING}" in ends) is status
    assert f"={Outcome.FIXED}" in ends


def test_an_unreadable_page_is_never_called_fine() -> None:
    for guide in library().guides:
        for _, player, _ in everything(guide, answer="unknown"):
            assert "no open incident" not in as_text(player.view, grades=GRADES)


def test_a_page_with_an_incident_says_so_in_the_first_answer() -> None:
    player = Player(page("incident"))
    view = player.start("web-connection-lost")
    assert "Elevated errors" in as_text(view, grades=GRADES)
    assert "open for 18 min" in as_text(view, grades=GRADES)
