"""What a room says: counts of people, and what enough of them stated; nothing that names or shows one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.guides.guide import Outcome
from bot.core.triage.room import TOLD_BY, Murmur, Sensor, Shared, Signal, Verdict, murmurs, signal
from tests.scenarios.playing import NOW, Player, library, page

SENSOR = Sensor()
KIND = "overloaded"


def heard(*facts: Mapping[str, str], kind: str = KIND, at: float = NOW - 60) -> Murmur | None:
    signals = [Signal(kind, at, stated) for stated in facts]
    return murmurs(signals, NOW, SENSOR, library()).get(kind)


def test_by_default_four_people_in_half_an_hour() -> None:
    assert (SENSOR.people, SENSOR.minutes, SENSOR.calm) == (4, 30, 2)


def test_people_are_counted_by_kind_since_the_first() -> None:
    signals = [Signal(KIND, NOW - 300), Signal(KIND, NOW - 900), Signal("timeout", NOW - 10)]
    found = murmurs(signals, NOW, SENSOR, library())
    assert {kind: (one.people, one.since) for kind, one in found.items()} == {
        KIND: (2, NOW - 900),
        "timeout": (1, NOW - 10),
    }


def test_what_is_older_than_the_window_or_no_longer_a_guide_does_not_count() -> None:
    signals = [Signal(KIND, NOW - 1801), Signal("a-guide-that-went", NOW)]
    assert murmurs(signals, NOW, SENSOR, library()) == {}


OFFICE, HOME = {"place": "company"}, {"place": "home"}


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        ([OFFICE] * 3, Verdict.OURS),
        ([OFFICE] * 2, Verdict.OPEN),
        ([OFFICE] * 3 + [{}] * 5, Verdict.OURS),
        ([OFFICE] * 3 + [HOME], Verdict.CLAUDES),
        ([OFFICE, HOME], Verdict.OPEN),
        ([OFFICE, HOME, HOME], Verdict.CLAUDES),
        ([{"vpn": "yes"}] * 3, Verdict.OURS),
        ([{"vpn": "no"}] * 3, Verdict.OPEN),
        ([{"vpn": "yes"}, {"vpn": "no"}, {"vpn": "no"}], Verdict.CLAUDES),
        ([{"network": "holds"}] * 3, Verdict.OURS),
        ([{"network": "drops"}] * 3, Verdict.CLAUDES),
        ([{"network": "drops"}, {"network": "holds"}, {"network": "drops"}], Verdict.OPEN),
        ([{**OFFICE, "network": "drops"}] * 3, Verdict.OPEN),
        ([], Verdict.OPEN),
    ],
)
def test_our_network_or_claude(facts: list[Mapping[str, str]], verdict: Verdict) -> None:
    found = heard(*facts, {})
    assert found
    assert found.verdict is verdict
    assert bool(found.because) == (verdict is not Verdict.OPEN)


def test_what_they_have_in_common_is_said_of_three_who_said_so() -> None:
    firefox = {"browser": "firefox", "version": "2.1.30"}
    found = heard(firefox, firefox, firefox, {"version": "2.1.31"})
    assert found
    assert found.common == (Shared("browser", "firefox", 3),)


def test_where_it_can_only_be_seen_in_one_place_that_place_is_no_news() -> None:
    code = {"surface": "claude-code"}
    here, elsewhere = heard(code, code, code), heard(code, code, code, kind="response-cut-off")
    assert here
    assert elsewhere
    assert here.common == (Shared("surface", "claude-code", 3),)
    assert len(library().guide("response-cut-off").surfaces) == 1
    assert elsewhere.common == ()


@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "place": st.sampled_from(["company", "home"]),
                "vpn": st.sampled_from(["yes", "no"]),
                "network": st.sampled_from(["holds", "drops"]),
                "browser": st.sampled_from(["chrome", "firefox"]),
                "version": st.sampled_from(["1", "2"]),
            },
        ),
        max_size=8,
    )
)
def test_nothing_is_ever_said_of_fewer_than_three(facts: list[dict[str, str]]) -> None:
    found = heard(*facts)
    for shared in (*found.common, *found.because) if found else ():
        stated = [one[shared.fact] for one in facts if shared.fact in one]
        assert shared.people == len(stated) >= TOLD_BY
        assert shared.value == "" or set(stated) == {shared.value}


class TestASignal:
    def player(self, guide: str = KIND, answer: str = "clear") -> Player:
        player = Player(page(answer))
        player.start(guide, {"surface": "claude-code", "browser": "unsure", "tool_ran": "yes"})
        return player

    def test_it_holds_the_kind_and_what_tells_something_and_no_more(self) -> None:
        here = self.player().conversation
        assert here
        assert signal(library(), here) == Signal(KIND, here.opened, {"surface": "claude-code"})

    @pytest.mark.parametrize("guide", ["usage-limit", "local-tool-failure"])
    def test_what_is_on_this_side_says_nothing_to_the_room(self, guide: str) -> None:
        here = self.player(guide).conversation
        assert here
        assert signal(library(), here) is None

    def test_what_the_page_explained_is_no_news(self) -> None:
        here = self.player(answer="incident").conversation
        assert here
        assert signal(library(), here) is None

    @pytest.mark.parametrize(
        ("outcome", "counts"),
        [(Outcome.FIXED, False), (Outcome.LEFT, False), (Outcome.WAITING, True), (Outcome.HANDED_OFF, True)],
    )
    def test_trouble_that_is_over_does_not_count(self, outcome: Outcome, *, counts: bool) -> None:
        here = self.player().conversation
        assert here
        assert (signal(library(), replace(here, outcome=outcome)) is not None) == counts
