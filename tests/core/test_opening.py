"""What the first reply knows of the official page, for every guide."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.status.incident import Board, Health
from bot.core.text import Text, plain
from tests.scenarios.playing import NOW, Player, library, page

NOT_YOU = "It is probably not you"
LOCAL = sorted(guide.id for guide in library().guides.values() if guide.local)
CLAUDES = sorted(guide.id for guide in library().guides.values() if not guide.local)


def opening(guide: str, board: Board | None) -> tuple[str, str]:
    """The lead, and everything below it."""
    view = Player(board).start(guide)
    return plain(view.lead), "\n".join(plain(block.inline) for block in view.blocks if isinstance(block, Text))


@pytest.mark.parametrize("guide", CLAUDES)
def test_an_incident_is_said_first_with_its_age_and_waiting_is_offered(guide: str) -> None:
    player = Player(page("incident"))
    view = player.start(guide)
    assert NOT_YOU in plain(view.lead)
    assert "open for 18 min (read 35 s ago)" in opening(guide, page("incident"))[1].splitlines()[0]
    assert "wait" in " ".join((*(o.id for o in view.offers), *(c.id for c in view.controls)))


@pytest.mark.parametrize("guide", LOCAL)
def test_what_an_incident_does_not_explain_is_not_blamed_on_it(guide: str) -> None:
    lead, below = opening(guide, page("incident"))
    assert NOT_YOU not in lead
    assert "Claude has an open incident" in below, "mentioned all the same"


@pytest.mark.parametrize("guide", sorted(library().guides))
def test_a_page_that_cannot_be_read_is_unknown_and_never_clear(guide: str) -> None:
    clear = page("clear")
    assert clear
    for board in (None, replace(clear, health=Health.UNREADABLE, read_at=NOW - 600)):
        lead, below = opening(guide, board)
        assert NOT_YOU not in lead
        assert "Official status: unknown" in below
        assert "no open incident" not in below


def test_during_an_incident_the_sign_in_guide_waits_and_nobody_is_told_to_sign_out() -> None:
    player = Player(page("incident"))
    view = player.start("sign-in", {"surface": "claude-code"})
    assert player.conversation
    assert player.conversation.step == "incident"
    assert next(offer.label for offer in view.offers) == "Wait and tell me"
