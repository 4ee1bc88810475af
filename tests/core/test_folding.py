"""What stays of a question once it was moved on from."""

from __future__ import annotations

from bot.core.text import plain
from bot.core.triage import flow
from bot.core.triage.flow import Press, Say
from bot.core.triage.transition import Transition
from tests.scenarios.playing import Player, library, page, recogniser

CUT_OFF = "API Error: Connection closed mid-response. The response above may be incomplete."


def opened() -> Player:
    player = Player(page("clear"))
    player.report(CUT_OFF)
    return player


def pressed(player: Player, choice: str) -> Transition:
    assert player.conversation
    press = Press(choice, player.view.step, player.view.revision)
    return flow.play(library(), player.conversation, press, player.around, by="U1")


def stays(turn: Transition) -> tuple[str, str]:
    assert turn.folded
    return plain(turn.folded.question), turn.folded.answer


def test_an_opening_keeps_its_quick_answer_and_a_later_question_has_none() -> None:
    player = opened()
    offer = player.view.offers[0]
    turn = pressed(player, offer.id)
    assert turn.folded
    assert turn.folded.answer == offer.label
    assert turn.folded.by == "U1"
    assert turn.folded.lead == player.view.lead
    player.press(offer.id)
    later = pressed(player, player.view.offers[0].id)
    assert stays(later) == (plain(player.view.lead), player.view.offers[0].label)
    assert later.folded
    assert later.folded.lead == ()


def test_a_way_out_is_named_by_its_label() -> None:
    player = opened()
    say = library().messages.text
    for way in ("human", "stop", "not-this"):
        assert stays(pressed(player, f"@{way}"))[1] == say(f"control.{way}")
    player.press(player.view.offers[0].id)
    assert stays(pressed(player, "@back"))[1] == say("control.back")
    player.press(player.view.offers[0].id)
    assert stays(pressed(player, "@start-over"))[1] == say("control.start-over")
    assert stays(pressed(player, "@back"))[1] == say("control.back")


def test_words_that_say_it_works_are_told_as_the_end_they_are() -> None:
    player = opened()
    assert player.conversation
    fixed = Say("solved", recogniser().recognise("solved"))
    turn = flow.play(library(), player.conversation, fixed, player.around, by="U1")
    assert turn.conversation.outcome
    assert stays(turn)[1] == plain(library().ending(turn.conversation.outcome).title)


def test_a_note_a_stale_press_and_a_repeat_fold_nothing() -> None:
    player = opened()
    assert player.conversation
    for text in ("my cat is orange", "again"):
        said = Say(text, recogniser().recognise(text))
        assert flow.play(library(), player.conversation, said, player.around, by="U1").folded is None
    stale = Press(player.view.offers[0].id, player.view.step, 0)
    assert flow.play(library(), player.conversation, stale, player.around, by="U1").folded is None


def test_a_guide_chosen_from_an_offer() -> None:
    player = opened()
    player.press("@not-this")
    if player.view.offers:
        turn = pressed(player, player.view.offers[0].id)
        assert stays(turn)[1] == player.view.offers[0].label
