"""What many share, and waiting for its end, as the pure functions decide it; on the built-in guides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.guides.guide import Outcome
from bot.core.status.incident import Board, Health
from bot.core.text import Text, plain
from bot.core.triage.conversation import Conversation
from bot.core.triage.flow import Press, play
from bot.core.triage.gathering import State, of_incident, of_room
from bot.core.triage.placement import Where
from bot.core.triage.room import Murmur
from bot.core.triage.turn import Around, Turn
from bot.core.triage.waiting import another, aside, became_official, over, touched
from bot.core.view import View
from tests.scenarios.playing import NOW, ORIGIN, Player, library, page

CLEAR, INCIDENT = page("clear"), page("incident")
ROOM = replace(of_room(ORIGIN.channel, Murmur("timeout", 5, NOW - 300), NOW), link="https://x")


def ended() -> Board:
    assert INCIDENT
    one = replace(INCIDENT.incidents[0], status="resolved", resolved_at=NOW - 30)
    return replace(INCIDENT, incidents=(one,))


def begun(guide: str = "timeout", board: Board | None = CLEAR) -> Conversation:
    player = Player(board)
    player.start(guide, {"surface": "claude-code", "provider": "anthropic"})
    assert player.conversation
    return player.conversation


def words(view: View) -> str:
    blocks = [block for block in (*view.preface, *view.blocks) if isinstance(block, Text)]
    return "\n".join((plain(view.lead), *(plain(block.inline) for block in blocks)))


def press(here: Conversation, view: View, choice: str, around: Around) -> tuple[Conversation, View]:
    turn = play(library(), here, Press(choice, view.step, view.revision), around, by=ORIGIN.user)
    return turn.conversation, turn.view


class TestAWordInPassing:
    def test_it_asks_one_thing_and_keeps_the_revision_of_the_report(self) -> None:
        turn = aside(library(), begun(board=INCIDENT), Around(NOW, INCIDENT), "i1")
        assert (turn.conversation.where, turn.conversation.revision) == (Where.ASIDE, 1)
        assert [offer.id for offer in turn.view.offers] == ["wait", "different"]
        assert turn.view.controls == ()

    def test_what_the_room_says_is_called_not_official_and_leads_to_its_thread(self) -> None:
        around = Around(NOW, CLEAR, gatherings=(ROOM,))
        turn = aside(library(), begun(), around, ROOM.id)
        assert plain(turn.view.lead).startswith("You are not alone: 5 people here report “Requests to Claude time out")
        assert "Not official so far." in plain(turn.view.lead)
        assert [span.href for span in turn.view.lead if span.href] == ["https://x"]

    @pytest.mark.parametrize("guide", ["timeout", "overloaded", "server-error", "sign-in", "response-cut-off"])
    def test_whose_is_different_is_not_asked_again_whether_it_is_the_incident(self, guide: str) -> None:
        around = Around(NOW, INCIDENT)
        turn = aside(library(), begun(guide, INCIDENT), around, "i1")
        here, view = press(turn.conversation, turn.view, "different", around)
        assert here.open
        for _ in range(6):
            assert view.step != "incident", "it was said already"
            if not view.offers:
                break
            here, view = press(here, view, view.offers[0].id, around)

    def test_before_signing_out_the_incident_still_counts(self) -> None:
        around = Around(NOW, INCIDENT)
        turn = aside(library(), begun("sign-in", INCIDENT), around, "i1")
        here, _ = press(turn.conversation, turn.view, "different", around)
        assert here.step == "saw"
        there = Turn(library(), here, around, by="")
        there.enter("sign-in", "reset-status")
        waits = [c.id for c in library().step("sign-in", there.conversation.step)[1].choices]
        assert "wait" in waits, there.conversation.step


class TestTheEnd:
    def waiting(self, board: Board | None, incident: str = "") -> Conversation:
        return replace(begun(board=board), outcome=Outcome.WAITING, incident=incident, revision=3)

    def test_what_the_page_ended_is_over_and_what_to_look_at_is_said(self) -> None:
        turn = over(library(), self.waiting(INCIDENT, "i1"), Around(NOW, ended()))
        assert turn
        assert "has ended" in words(turn.view)
        assert turn.conversation.outcome is None
        steps = str(turn.view.blocks)
        assert "git diff" in steps
        assert "continue" in steps

    def test_where_another_is_open_it_is_not_over_and_that_one_is_waited_for(self) -> None:
        board = ended()
        second = replace(board.incidents[0], id="i2", name="Slow answers", status="investigating", resolved_at=None)
        both = replace(board, incidents=(second, *board.incidents))
        turn = another(library(), self.waiting(INCIDENT, "i1"), Around(NOW, both))
        assert turn
        assert (turn.conversation.waiting, turn.conversation.incident) == (True, "i2")
        told = words(turn.view)
        assert "“Elevated errors” has ended, but another incident that may be yours is open." in told
        assert "Waiting for: Slow answers" in told
        assert "It's over" not in told
        assert another(library(), turn.conversation, Around(NOW, both)) is None, "said once"
        last = replace(
            both, incidents=tuple(replace(one, status="resolved", resolved_at=NOW) for one in both.incidents)
        )
        assert another(library(), turn.conversation, Around(NOW, last)) is None
        assert over(library(), turn.conversation, Around(NOW, last))

    @pytest.mark.parametrize("parts", [("0scnb50nvy53",), ()])
    def test_one_that_is_not_theirs_keeps_nobody_waiting(self, parts: tuple[str, ...]) -> None:
        board = ended()
        changes = {"components": parts} if parts else {"impact": "none"}
        second = replace(board.incidents[0], id="i2", status="investigating", resolved_at=None, **changes)
        both = replace(board, incidents=(second, *board.incidents))
        assert another(library(), self.waiting(INCIDENT, "i1"), Around(NOW, both)) is None

    def test_when_nothing_ran_it_may_simply_be_sent_again(self) -> None:
        here = self.waiting(INCIDENT, "i1")
        turn = over(library(), replace(here, facts={**here.facts, "tool_ran": "no"}), Around(NOW, ended()))
        assert turn
        assert "Send it once more" in words(turn.view)
        assert "git diff" not in str(turn.view.blocks)

    @pytest.mark.parametrize("board", [INCIDENT, CLEAR, None, Board("p", Health.UNREADABLE, NOW - 900)])
    def test_nothing_else_is_an_end(self, board: Board | None) -> None:
        assert over(library(), self.waiting(INCIDENT, "i1"), Around(NOW, board)) is None

    def test_who_waits_on_a_green_page_is_not_told_at_once_that_all_works(self) -> None:
        assert over(library(), self.waiting(CLEAR), Around(NOW, CLEAR)) is None

    def test_but_hears_when_it_becomes_official_and_then_its_end(self) -> None:
        here = self.waiting(CLEAR)
        assert became_official(library(), here, Around(NOW, CLEAR)) is None
        turn = became_official(library(), here, Around(NOW, INCIDENT))
        assert turn
        assert "It is official now." in words(turn.view)
        assert (turn.conversation.incident, turn.conversation.waiting) == ("i1", True)
        assert over(library(), turn.conversation, Around(NOW, ended()))

    @pytest.mark.parametrize(
        ("gatherings", "told"),
        [
            (None, ""),
            ((ROOM,), ""),
            ((replace(ROOM, state=State.CALM),), "It has calmed down here."),
            ((), "It has calmed down here."),
            ((replace(ROOM, state=State.OFFICIAL, incident="i1"),), "has ended"),
        ],
    )
    def test_what_the_room_reported_ends_with_the_room_or_with_the_page(
        self, gatherings: tuple[object, ...] | None, told: str
    ) -> None:
        turn = over(library(), self.waiting(CLEAR, ROOM.id), Around(NOW, ended(), gatherings=gatherings))  # type: ignore[arg-type]
        assert bool(turn) == bool(told)
        assert turn is None or told in words(turn.view)


class TestAQuietWord:
    def test_it_changes_nothing_and_can_be_pressed(self) -> None:
        here = begun()
        found = touched(library(), here, Around(NOW, INCIDENT))
        assert found
        incident, view = found
        assert (incident, view.revision, view.conversation) == ("i1", here.revision, here.id)
        after, _ = press(here, view, "@wait", Around(NOW, INCIDENT))
        assert (after.waiting, after.incident) == (True, "i1")

    @pytest.mark.parametrize(
        ("here", "board"),
        [
            (begun(), CLEAR),
            (begun(), None),
            (begun(board=INCIDENT), INCIDENT),
            (begun("usage-limit"), INCIDENT),
            (begun("local-tool-failure"), INCIDENT),
        ],
        ids=["clear", "unread", "told already", "a limit", "a local tool"],
    )
    def test_there_is_none_where_there_is_nothing_new_to_say(self, here: Conversation, board: Board | None) -> None:
        assert touched(library(), here, Around(NOW, board)) is None

    def test_nor_for_one_that_was_a_word_in_passing(self) -> None:
        shared = of_incident(ORIGIN.channel, "i1", "Elevated errors", NOW)
        turn = aside(library(), begun(), Around(NOW, INCIDENT, gatherings=(shared,)), "i1")
        assert touched(library(), turn.conversation, Around(NOW, INCIDENT)) is None
