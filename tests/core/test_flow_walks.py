"""Walks at random: whatever people press and write, in whatever order, what is stored stays in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.guides.library import FACTS, WHICH, Library
from bot.core.recogniser.engine import Candidate, Decision, Recognition
from bot.core.triage.conversation import WHAT, Conversation
from tests.core.small import small
from tests.core.talking import Talk

GUIDES = sorted(small().guides)
WORDS = [
    "back", "again", "start over", "get a human", "that's all", "it works again", "not this", "switch", "?", "wait",
    "1", "2", "3", "9", "no", "", "...", "no tool ran", "an edit", "still dropping", "firefox", "not sure",
    "Will it resume?", "Usage limit reached", "Connection closed mid-response", "Connection lost. Retrying",
    "the cat walked over it", "x" * 3000, "\u202e\x00{notes}",
]  # fmt: skip
CONTROLS = [
    "@back", "@start-over", "@human", "@stop", "@fixed", "@wait", "@not-this", "@switch", "@questions", "@none", "@x",
]  # fmt: skip
FACT_VALUES = st.dictionaries(st.sampled_from(["tool_ran", "browser", "provider"]), st.just("unsure"), max_size=2) | (
    st.sampled_from([{"tool_ran": "yes"}, {"browser": "firefox"}, {"provider": "bedrock"}, {"surface": "web"}])
)


@st.composite
def recognitions(draw: st.DrawFn) -> Recognition:
    candidates = draw(st.lists(st.sampled_from([*GUIDES, "nobody"]), unique=True, max_size=3))
    decision = draw(st.sampled_from([Decision.GUIDE, Decision.CHOOSE, Decision.ASK]))
    return Recognition(
        decision,
        candidates[0] if candidates and decision is Decision.GUIDE else "",
        tuple(Candidate(guide, 0.5) for guide in candidates),
        "the sign",
        sign=draw(st.booleans()),
        facts=draw(FACT_VALUES),
    )


@dataclass(frozen=True)
class Act:
    """What somebody does next: a press of the n-th choice shown, any press, words, or something around them."""

    kind: str
    n: int = 0
    text: str = ""
    found: Recognition | None = None


ACTS = st.one_of(
    # Answers are what most people give.
    *[st.builds(Act, st.just("answer"), st.integers(0, 6))] * 4,
    st.builds(Act, st.just("press"), text=st.sampled_from([*CONTROLS, "tools", "gone"])),
    st.builds(Act, st.just("say"), text=st.sampled_from(WORDS)),
    st.builds(Act, st.just("say"), text=st.text(max_size=30), found=recognitions()),
    st.builds(Act, st.just("old"), st.integers(0, 3), text=st.sampled_from(["tools", "@back", "gone"])),
    st.builds(Act, st.sampled_from(["take up", "look", "over"])),
    st.builds(Act, st.just("page"), text=st.sampled_from(["clear", "incident", "unknown"])),
)


def play(talk: Talk, act: Act) -> None:
    match act.kind:
        case "answer" if talk.offers:
            talk.presses(talk.offers[act.n % len(talk.offers)])
        case "press":
            talk.presses(act.text)
        case "say" if act.found:
            talk.says_as(act.text, act.found)
        case "say":
            talk.says(act.text)
        case "old":
            talk.presses_old(act.text, talk.view.step, talk.here.revision - 1 - act.n)
        case "take up" if not talk.here.open:
            talk.takes_up()
        case "over" if talk.here.waiting:
            talk.changed = talk.hears_it_is_over()
        case "page":
            talk.page, talk.changed = act.text, False
        case _:
            talk.looks()


def learned(library: Library, here: Conversation) -> Mapping[str, str]:
    """What the report and the answers say together."""
    facts = dict(here.stated)
    for visit in here.history:
        choice = library.choice(visit.guide, visit.step, visit.choice)
        assert choice, visit
        facts.update(choice.facts)
    return facts


def check(talk: Talk) -> None:
    here, library = talk.here, talk.library
    assert here.facts == learned(library, here)
    if here.guide:
        assert library.step(here.guide, here.step)[1].id == here.step
    else:
        assert here.step in {WHICH, WHAT}
    assert not here.asking or library.question(here.asking).id == here.asking
    assert set(here.candidates) <= set(library.guides)
    assert not here.cause or library.step(*here.cause.split("#"))[1].cause
    assert all(visit.guide in {*library.guides, FACTS} for visit in here.history)
    assert len(here.notes) <= 20
    assert len(here.report) <= 2000
    view = talk.view
    assert (view.conversation, view.revision, view.key) == (here.id, here.revision, f"{here.id}:{here.revision}")
    assert view.outcome == here.outcome
    assert talk.lead
    assert [offer.n for offer in view.offers] == list(range(1, len(view.offers) + 1))
    assert len(set(talk.offers)) == len(talk.offers)
    if here.outcome is None:
        assert {"@human", "@stop"} <= set(talk.controls)
        assert view.offers or not here.guide


def begun(found: Recognition, page: str) -> Talk:
    talk = Talk(page=page).reports("it broke", found)
    assert talk.here.revision == 1
    check(talk)
    return talk


PAGES = st.sampled_from(["clear", "incident", "unknown"])


@settings(max_examples=150, deadline=None)
@given(recognitions(), PAGES, st.lists(ACTS, max_size=25))
def test_whatever_people_do_the_record_stays_in_order(found: Recognition, page: str, acts: list[Act]) -> None:
    talk = begun(found, page)
    for act in acts:
        before = talk.here
        play(talk, act)
        check(talk)
        assert talk.here.revision == before.revision + talk.changed
        assert not (talk.changed and act.kind in {"old", "look", "page"})
        if not talk.changed:
            assert talk.here == before


@settings(max_examples=150, deadline=None)
@given(recognitions(), PAGES, st.lists(ACTS, max_size=12), st.integers(0, 6))
def test_back_undoes_an_answer(found: Recognition, page: str, acts: list[Act], n: int) -> None:
    """Back after an answer restores facts and place, but for a fact of the report used since: it stops there first."""
    talk = begun(found, page)
    for act in acts:
        play(talk, act)
    if talk.here.open and talk.here.guide and talk.offers:
        before = talk.here
        talk.presses(talk.offers[n % len(talk.offers)])
        answered = talk.here
        if not answered.open:
            talk.takes_up()
        talk.says("back")
        if any(
            not v.by and used(talk.library, answered, v.step, v.guide) for v in answered.history[len(before.history) :]
        ):
            assert len(talk.here.history) > len(before.history)
            return
        assert (talk.here.guide, talk.here.step, talk.here.asking) == (before.guide, before.step, before.asking)
        assert (talk.here.facts, talk.here.history) == (before.facts, before.history)


def used(library: Library, here: Conversation, step: str, guide: str) -> bool:
    """Say whether Redial answered a step from the report."""
    return guide != FACTS and library.step(guide, step)[1].asks in here.stated
