"""What a channel has of a trouble many share: its states, what is sent when, and how it reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.console.plain import as_text
from bot.core.status.announcement_view import Tone
from bot.core.status.incident import Board, Component, Health, Update
from bot.core.triage.gathering import (
    EDITED,
    KEPT,
    Doing,
    Edit,
    Gathering,
    Look,
    Send,
    State,
    advanced,
    intended,
    of_incident,
    of_room,
    plan,
    sent,
    serving,
    spent,
    unsent,
)
from bot.core.triage.gathering_view import mark, shown
from bot.core.triage.room import Murmur, Sensor, Shared, Verdict
from tests.scenarios.playing import NOW, library, page

SENSOR = Sensor()
FOUR = Murmur("overloaded", 4, NOW - 600)
ROOM = of_room("C1", FOUR, NOW)
CLEAR, INCIDENT = page("clear"), page("incident")
GRADES = {"official": "official"}


def over() -> Board:
    assert INCIDENT
    ended = replace(INCIDENT.incidents[0], status="resolved", resolved_at=NOW - 30)
    return replace(INCIDENT, incidents=(ended,))


def now(here: Gathering, people: int, board: Board | None = CLEAR, at: float = NOW) -> Gathering:
    murmur = replace(FOUR, people=people) if people else None
    return advanced(here, murmur, library(), board, at, SENSOR)


def text(here: Gathering, board: Board | None = CLEAR) -> str:
    return as_text(shown(library(), here, Doing.POST, board, NOW).view, grades=GRADES, width=0)


class TestStates:
    def test_it_goes_on_while_half_of_them_are_there_and_then_is_calm(self) -> None:
        assert [now(ROOM, n).state for n in (4, 3, 2, 1, 0)] == [State.ROOM] * 3 + [State.CALM] * 2

    def test_when_calm_it_takes_as_many_as_at_first_to_begin_again(self) -> None:
        calm = now(ROOM, 1)
        assert [now(calm, n).state for n in (2, 3, 4)] == [State.CALM, State.CALM, State.ROOM]

    def test_the_page_takes_over_and_ends_it_whatever_the_room_says(self) -> None:
        official = now(ROOM, 4, INCIDENT)
        assert (official.state, official.incident, official.name) == (State.OFFICIAL, "i1", "Elevated errors")
        assert now(official, 0, INCIDENT).state is State.OFFICIAL
        assert now(official, 9, over()).state is State.OVER

    @pytest.mark.parametrize("board", [None, Board("p", Health.UNREADABLE, NOW - 900), CLEAR])
    def test_an_unreadable_page_or_one_that_lists_it_no_more_is_no_end(self, board: Board | None) -> None:
        official = of_incident("C1", "i1", "Elevated errors", NOW)
        assert now(official, 0, board) == official

    def test_an_incident_that_opens_again_is_open_again(self) -> None:
        ended = now(of_incident("C1", "i1", "Elevated errors", NOW), 0, over())
        assert now(ended, 0, INCIDENT).state is State.OFFICIAL

    def test_parts_that_do_not_work_are_not_official_yet(self) -> None:
        assert CLEAR
        parts = tuple(Component(one.id, one.name, "partial_outage") for one in CLEAR.components)
        assert now(ROOM, 4, replace(CLEAR, components=parts)).state is State.ROOM

    def test_it_is_forgotten_two_hours_after_its_end(self) -> None:
        calm = now(ROOM, 0)
        assert not spent(calm, NOW + KEPT)
        assert spent(calm, NOW + KEPT + 1)
        assert not spent(ROOM, NOW + 9 * KEPT)


class TestServing:
    OFFICIAL = of_incident("C1", "i1", "Elevated errors", NOW)

    def test_a_report_belongs_to_its_incident_or_to_what_the_room_says_of_its_kind(self) -> None:
        both = (ROOM, self.OFFICIAL)
        assert serving(both, "C1", guide="overloaded", incident="i1") == self.OFFICIAL
        assert serving(both, "C1", guide="overloaded", incident="") == ROOM
        assert serving(both, "C1", guide="timeout", incident="") is None
        assert serving(both, "C2", guide="overloaded", incident="i1") is None

    def test_what_the_room_said_first_serves_the_incident_it_became(self) -> None:
        became = now(ROOM, 4, INCIDENT)
        assert serving((became,), "C1", guide="", incident="i1") == became
        assert serving((became,), "C1", guide="overloaded", incident="") is None

    def test_what_is_over_serves_nobody(self) -> None:
        assert serving((now(self.OFFICIAL, 0, over()),), "C1", guide="", incident="i1") is None


def step(here: Gathering, board: Board | None, at: float) -> tuple[object, Gathering]:
    """Do what is planned, as a process would for whom everything works."""
    wanted = mark(library(), here, board, NOW)
    act = plan(here, wanted, at)
    match act:
        case Send(doing):
            after = sent(replace(intended(here, doing, "t"), at=at), f"ref-{doing}", wanted, "https://x", at)
        case Edit(shows):
            after = replace(here, shown=shows, edited=at)
        case Look():
            after = unsent(here)
        case _:
            after = here
    return act, after


class TestPlan:
    def test_one_message_with_a_thread_below_it_then_nothing_until_something_changes(self) -> None:
        act, here = step(ROOM, CLEAR, NOW)
        assert act == Send(Doing.POST)
        act, here = step(here, CLEAR, NOW + 1)
        assert act == Send(Doing.TALK)
        assert step(here, CLEAR, NOW + 1)[0] is None

    def test_counting_on_is_shown_once_a_minute_and_a_new_state_at_once(self) -> None:
        here = step(step(ROOM, CLEAR, NOW)[1], CLEAR, NOW)[1]
        more = now(here, 7)
        assert step(more, CLEAR, NOW + 1)[0] is None
        assert isinstance(step(more, CLEAR, NOW + EDITED)[0], Edit)
        calm, sends = now(here, 0, at=NOW + 2), []
        for _ in range(3):
            act, calm = step(calm, CLEAR, NOW + 3)
            sends.append(type(act))
        assert sends == [Send, Edit, type(None)], "a word below, and the message itself"

    def test_the_thread_has_a_first_word_and_one_for_the_end(self) -> None:
        here, sends = of_incident("C1", "i1", "Elevated errors", NOW), list[str]()
        for board in (INCIDENT, INCIDENT, INCIDENT, over(), over(), over(), over()):
            here = now(here, 0, board, NOW + len(sends))
            act, here = step(here, board, NOW + 100)
            sends += [act.doing] if isinstance(act, Send) else []
        assert [doing.partition("-")[0] for doing in sends] == ["post", "talk", "end"]

    def test_what_is_under_way_is_waited_for_and_then_looked_for(self) -> None:
        here = replace(intended(ROOM, Doing.POST, "t"), at=NOW)
        assert step(here, CLEAR, NOW + 29)[0] is None
        assert step(here, CLEAR, NOW + 31)[0] == Look(Doing.POST)

    @pytest.mark.parametrize("closed", [{"shut": True}, {"adopted": True}])
    def test_where_nothing_can_or_need_be_sent_nothing_is(self, closed: dict[str, bool]) -> None:
        assert step(replace(ROOM, **closed), CLEAR, NOW)[0] is None  # type: ignore[arg-type]

    def test_what_was_over_before_it_was_told_is_not_told(self) -> None:
        assert step(now(ROOM, 0), CLEAR, NOW)[0] is None

    @given(st.lists(st.tuples(st.integers(0, 8), st.sampled_from([CLEAR, None, INCIDENT, over()])), max_size=30))
    def test_whatever_happens_there_is_one_message_and_it_ends_up_showing_how_it_stands(
        self, story: Sequence[tuple[int, Board | None]]
    ) -> None:
        here, at, posts = ROOM, NOW, 0
        for people, board in story:
            here = now(here, people, board, at)
            for _ in range(4):
                act, here = step(here, board, at)
                posts += act == Send(Doing.POST)
            at += EDITED
        last = story[-1][1] if story else CLEAR
        _, here = step(here, last, at + EDITED)
        assert posts <= 1
        assert not here.post or here.shown == mark(library(), here, last, NOW)


class TestWords:
    def test_the_room_before_the_page(self) -> None:
        said = replace(
            ROOM,
            verdict=Verdict.CLAUDES,
            because=(Shared("place", "", 3),),
            common=(Shared("surface", "claude-code", 4), Shared("version", "2.1.30", 3)),
        )
        assert text(said).splitlines()[:6] == [
            "⚪ 4 people here report “Claude is overloaded (529)” since 14:03 UTC",
            "Not official: Claude's status page shows no incident.",
            "It is unlikely to be our network: the 3 who said so are in different networks.",
            "In common: Claude Code (terminal or editor) (all 4 who said so), version 2.1.30 (all 3 who said so).",
            "I'll say here when it calms down or becomes official. To wait for that: `/redial` and what yours says.",
            "Source: https://status.claude.com",
        ]

    @pytest.mark.parametrize(
        ("shared", "said"),
        [
            (Shared("place", "company", 3), "all 3 who said so are in the company's network"),
            (Shared("vpn", "yes", 4), "all 4 who said so are on a VPN"),
            (Shared("network", "holds", 3), "for all 3 who tried it, another network holds"),
        ],
    )
    def test_our_own_network(self, shared: Shared, said: str) -> None:
        here = replace(ROOM, verdict=Verdict.OURS, because=(shared,))
        assert f"It points to our own network: {said}." in text(here)

    @pytest.mark.parametrize("board", [None, Board("p", Health.UNREADABLE, NOW - 900)])
    def test_of_a_page_that_cannot_be_read_nothing_is_claimed(self, board: Board | None) -> None:
        assert "cannot be read, which says neither that Claude works nor that it is down" in text(ROOM, board)
        assert "shows no incident" not in text(ROOM, board)

    def test_every_state_says_what_it_is_and_has_a_colour_and_a_word(self) -> None:
        official, ended = now(ROOM, 4, INCIDENT), now(now(ROOM, 4, INCIDENT), 0, over())
        leads = [text(one, board).splitlines()[0] for one, board in ((now(ROOM, 0), CLEAR), (official, INCIDENT))]
        assert leads == [
            "⚪ Calm again: “Claude is overloaded (529)”, reported by 4 people here since 14:03 UTC",
            "🟠 Claude has an open incident: Elevated errors · major · since 13:55 UTC",
        ]
        assert "4 people here reported “Claude is overloaded (529)” since 14:03 UTC." in text(official, INCIDENT)
        assert text(ended, over()).splitlines()[0] == "🟢 It's over: Elevated errors (14:12 UTC)"
        assert "git diff" in text(ended, over())
        tones = [shown(library(), one, Doing.POST, b, NOW).tone for one, b in ((ROOM, CLEAR), (ended, over()))]
        assert tones == [Tone.NONE, Tone.OVER]

    def test_the_vendors_words_are_cut_and_never_markup(self) -> None:
        assert INCIDENT
        loud = replace(
            INCIDENT.incidents[0],
            name="**<!channel>** [x](https://evil)",
            updates=(Update("u", "identified", "@everyone " * 90, NOW),),
        )
        board = replace(INCIDENT, incidents=(loud,))
        said = text(now(ROOM, 4, board), board)
        assert "**<!channel>** [x](https://evil)" in said
        assert len(said) < 800

    def test_the_mark_changes_with_the_words_and_not_with_the_clock(self) -> None:
        assert mark(library(), ROOM, CLEAR, NOW) == mark(library(), ROOM, CLEAR, NOW + 500)
        assert mark(library(), ROOM, CLEAR, NOW) != mark(library(), now(ROOM, 5), CLEAR, NOW)
