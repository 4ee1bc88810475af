"""What the first reply knows of the official page, for every guide."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.status.incident import Board, Health
from bot.core.text import Text, plain
from bot.core.triage.turn import Around
from bot.core.triage.waiting import touched
from tests.core.talking import Talk
from tests.scenarios.playing import NOW, Player, library, page, recogniser

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
    view = player.start("sign-in", {"surface": "claude-code", "provider": "anthropic"})
    assert player.conversation
    assert player.conversation.step == "incident"
    assert next(offer.label for offer in view.offers) == "Wait and tell me"


class TestAQuestionBack:
    """Somebody asks whether Claude is down, and nothing else: the page may be all they wanted to know."""

    @pytest.mark.parametrize(
        ("state", "first"),
        [
            ("clear", "Official status: no open incident for Claude (read 35 s ago)."),
            ("unknown", "Official status: unknown, the page cannot be read right now."),
            ("incident", "It is probably not you: the official page shows trouble at Claude."),
        ],
    )
    def test_the_official_status_is_said_first_and_then_it_is_asked(self, state: str, first: str) -> None:
        lines = reported(state).text.splitlines()
        assert lines[0].startswith(first)
        assert any(line.startswith("I can help if it's Claude.") for line in lines[1:])

    def test_an_incident_is_said_with_its_age_and_can_be_waited_for_to_its_end(self) -> None:
        talk = reported("incident")
        assert "Elevated errors · major · open for 18 min (read 35 s ago)" in " ".join(talk.text.split())
        talk.presses("@wait")
        assert (talk.here.waiting, talk.here.incident) == (True, "i1")
        talk.board = ended()
        assert talk.hears_it_is_over()
        assert talk.offers == ["works", "still"], "and not asked for the line again"
        talk.presses("still")
        assert talk.place == "#@what"

    def test_it_is_said_once(self) -> None:
        talk = reported("clear")
        talk.says("it just does not work")
        assert "Official status" not in talk.text

    def test_what_is_repeated_says_it_again_with_its_age_now(self) -> None:
        talk = reported("clear")
        talk.now += 60
        assert "Official status: no open incident for Claude (read 1 min ago)." in talk.looks().text

    def test_one_that_begins_meanwhile_gets_its_quiet_word(self) -> None:
        talk = reported("clear")
        assert touched(library(), talk.here, Around(NOW, page("incident")))
        told = reported("incident")
        assert touched(library(), told.here, Around(NOW, page("incident"))) is None, "it was said at once"


def reported(state: str) -> Talk:
    text = "Is Claude down?"
    talk = Talk(library(), page=state).reports(text, recogniser().recognise(text))
    assert talk.here.guide == ""
    return talk


def ended() -> Board:
    board = page("incident")
    assert board
    return replace(board, incidents=(replace(board.incidents[0], status="resolved", resolved_at=NOW - 30),))
