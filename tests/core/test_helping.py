"""A hand-off with the helpers: who may do what when, and the message they see."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.adapters.discord.limits import TEXT
from bot.adapters.discord.render import Renderer as DiscordRenderer
from bot.adapters.discord.render import Setting
from bot.adapters.slack.render import Renderer as SlackRenderer
from bot.core.guides.guide import Outcome
from bot.core.text import plain
from bot.core.triage.conversation import GONE, Conversation, Handoff, Remark, Visit
from bot.core.triage.endings import person
from bot.core.triage.helping import ACTS, asked, delivered, helped, key, packet_view, refusal, stuck, undelivered
from bot.core.triage.life import ASKED, HELPER, POSTED, RESOLVED, RETURNED, STUCK, TAKEN
from tests.adapters.slack.kit import faults
from tests.core.talking import Talk, said
from tests.scenarios.playing import NOW

LINK = "https://room.example/1"


def handed(**hand: object) -> Conversation:
    """A conversation with the helpers."""
    talk = Talk().starts("cut-off").presses("tools").says("human")
    return replace(talk.here, handoff=replace(Handoff(talk.here.revision, POSTED, message="m1"), **hand))  # type: ignore[arg-type]


def view(here: Conversation, link: str = LINK) -> tuple[str, list[str]]:
    """What helpers read, without the packet, and may press."""
    talk = Talk()
    shown = packet_view(talk.library, here, talk.around, link)
    return f"{plain(shown.lead)}\n{said(shown.blocks)}", [offer.id for offer in shown.offers]


class TestTheBeginning:
    def test_it_begins_when_it_is_handed_over_and_not_before_or_twice(self) -> None:
        talk = Talk().starts("cut-off")
        before = talk.here
        after = talk.says("human").here
        begun = asked(before, after)
        assert begun.handoff == Handoff(since=after.revision)
        assert undelivered(begun)
        assert asked(begun, begun) is begun
        assert asked(before, before) is before
        there = delivered(begun, "m1", LINK)
        assert not undelivered(there)
        assert there.revision == begun.revision + 1
        later = replace(there, revision=there.revision + 1)
        assert asked(there, later) is later, "it is with them already"

    def test_what_could_not_be_brought_there_is_begun_again_by_a_press(self) -> None:
        lost = stuck(handed(act=""), "their channel is gone")
        assert lost.handoff
        assert (lost.handoff.act, undelivered(lost)) == (STUCK, False)
        again = asked(lost, replace(lost, revision=lost.revision + 1))
        assert undelivered(again)
        assert key(again) != key(lost), "another message, to be found by itself"


class TestWhoMayDoWhat:
    @pytest.mark.parametrize(
        ("holder", "act", "by", "says"),
        [
            ("", TAKEN, "bob", ""),
            ("", ASKED, "bob", ""),
            ("", RESOLVED, "bob", ""),
            ("", RETURNED, "bob", "handoff.not-held"),
            ("bob", TAKEN, "bob", "handoff.yours"),
            ("bob", RETURNED, "bob", ""),
            ("bob", RESOLVED, "bob", ""),
            ("bob", TAKEN, "eve", "handoff.taken"),
            ("bob", ASKED, "eve", ""),
            ("bob", RESOLVED, "eve", "handoff.taken"),
            ("bob", RETURNED, "eve", "handoff.taken"),
        ],
    )
    def test_in_each_state(self, holder: str, act: str, by: str, says: str) -> None:
        assert refusal(handed(holder=holder), act, by) == says

    @pytest.mark.parametrize("act", sorted(ACTS))
    def test_nothing_once_it_went_on_without_them(self, act: str) -> None:
        for outcome in (None, Outcome.FIXED, Outcome.LEFT, Outcome.WAITING):
            assert refusal(replace(handed(), outcome=outcome), act, "bob") == "handoff.went-on"
        assert refusal(replace(handed(), handoff=None), act, "bob") == "handoff.went-on"

    def test_what_is_offered_is_what_may_be_done(self) -> None:
        for hand in ({}, {"holder": "bob", "act": TAKEN}, {"act": RETURNED, "by": "bob"}):
            here = handed(**hand)
            assert all(not refusal(here, act, "bob") for act in view(here)[1])


class TestWhatItComesTo:
    def test_who_takes_it_has_it_and_may_press_in_the_thread(self) -> None:
        talk = Talk()
        turn = helped(talk.library, handed(), TAKEN, talk.around, "bob")
        hand = turn.conversation.handoff
        assert hand
        assert (hand.holder, hand.by, hand.at) == ("bob", "bob", talk.around.now)
        assert turn.conversation.helpers == ("bob",)
        assert (turn.conversation.handed, turn.changed) == (True, True)
        assert plain(turn.view.lead) == "a colleague has taken it"
        assert turn.view.lead[0].user == "bob", "by name, where the platform shows names"

    def test_resolved_is_fixed_by_a_helper(self) -> None:
        talk = Talk()
        turn = helped(talk.library, handed(holder="bob"), RESOLVED, talk.around, "bob")
        assert (turn.conversation.outcome, turn.conversation.helped) == (Outcome.FIXED, HELPER)
        assert [offer.id for offer in turn.view.offers] == ["@reopen"]
        assert "Solved, says a colleague" in view(turn.conversation)[0]

    def test_given_back_nobody_has_it(self) -> None:
        talk = Talk()
        turn = helped(talk.library, handed(holder="bob"), RETURNED, talk.around, "bob")
        assert turn.conversation.handoff
        assert turn.conversation.handoff.holder == ""
        assert "gave it back" in plain(turn.view.lead)
        assert view(turn.conversation)[1] == [TAKEN, ASKED, RESOLVED]

    def test_the_owner_is_no_helper_of_their_own(self) -> None:
        talk = Talk()
        assert helped(talk.library, handed(), TAKEN, talk.around, "ann").conversation.helpers == ()


class TestTheMessage:
    def test_it_leads_to_the_thread_or_says_that_there_is_none(self) -> None:
        assert "For a colleague, in this thread." in view(handed())[0]
        assert "write to them directly" in view(handed(), link="")[0]

    @pytest.mark.parametrize(
        ("outcome", "says"),
        [
            (None, "went on with the questions"),
            (Outcome.FIXED, "It works again"),
            (Outcome.LEFT, "has closed it"),
            (Outcome.WAITING, "waits for the official incident"),
        ],
    )
    def test_it_says_how_it_went_on_without_them(self, outcome: Outcome | None, says: str) -> None:
        words, acts = view(replace(handed(), outcome=outcome))
        assert says in words
        assert "Was handed over" in words
        assert acts == []

    def test_somebody_who_is_forgotten_has_no_name(self) -> None:
        (span,) = person(Talk().library.messages, GONE)
        assert span.user == ""

    def test_the_longest_fits_into_one_message_everywhere(self) -> None:
        talk = Talk()
        visits = tuple(Visit("cut-off", "short", "browser", "ann", NOW + n) for n in range(200))
        notes = tuple(Remark(NOW, "word " * 100) for _ in range(20))
        details = dict.fromkeys(("line", "request_id", "time", "attempt", "version", "model"), "x`*_" * 80)
        here = replace(handed(holder="1" * 19), history=visits, notes=notes, details=details, report="word " * 400)
        here = replace(here, began=f"incident:{'Elevated errors ' * 40}")
        shown = packet_view(talk.library, here, talk.around, LINK)
        assert faults(SlackRenderer(talk.library.messages).message(shown)) == []
        parts = DiscordRenderer(talk.library.messages).message(shown, Setting(workspace="1" * 19))
        texts = [str(part["content"]) for part in parts if part["type"] == 10]
        assert sum(map(len, texts)) <= TEXT
        assert talk.library.messages.text("handoff.redacted") in texts[-1], "nothing was cut off"
