"""What a process remembers of conversations is bounded and never contradicts a newer revision it has seen."""

from __future__ import annotations

from dataclasses import replace

from bot.adapters.store.cache import Recent
from bot.core.event import Origin
from bot.core.guides.guide import Outcome
from bot.core.triage.conversation import Conversation

PLACE = Origin("slack", "T1", "C1", "U1", "1.0")


def conversation(name: str, **changes: object) -> Conversation:
    new = Conversation(id=name, origin=PLACE, revision=1, opened=0.0, touched=0.0)
    return replace(new, **changes)  # type: ignore[arg-type]


def test_the_least_recently_used_goes_first() -> None:
    recent = Recent(2)
    for name in ("a", "b"):
        recent.put(conversation(name), here=True)
    assert recent.get(PLACE.tenant, "a") is not None
    recent.put(conversation("c"), here=True)
    assert recent.get(PLACE.tenant, "b") is None
    assert recent.get(PLACE.tenant, "a") is not None
    assert len(recent) == 2


def test_what_is_gone_is_no_longer_at_its_place() -> None:
    recent = Recent(1)
    recent.put(conversation("a"), here=True)
    recent.put(conversation("b", origin=replace(PLACE, thread="2.0")), here=True)
    assert recent.here(PLACE) is None


def test_an_older_revision_does_not_replace_a_newer_one() -> None:
    recent = Recent(2)
    newer = conversation("a", revision=3)
    recent.put(newer, here=True)
    recent.put(conversation("a", revision=2))
    assert recent.get(PLACE.tenant, "a") == recent.here(PLACE) == newer


def test_reading_one_by_its_id_does_not_make_it_the_one_of_its_place() -> None:
    recent = Recent(2)
    recent.put(conversation("a"), here=True)
    recent.put(conversation("b"))
    assert recent.here(PLACE) == conversation("a")


def test_one_that_moved_or_ended_leaves_its_place() -> None:
    recent = Recent(2)
    recent.put(conversation("a"), here=True)
    there = replace(PLACE, thread="2.0")
    recent.put(conversation("a", revision=2, origin=there), here=True)
    assert recent.here(PLACE) is None
    assert recent.here(there) is not None
    recent.put(conversation("a", revision=3, origin=there, outcome=Outcome.FIXED), here=True)
    assert recent.here(there) is None


def test_a_person_is_forgotten_in_one_workspace() -> None:
    recent = Recent(9)
    elsewhere, else_one = replace(PLACE, workspace="T2"), replace(PLACE, user="U2")
    for name, place in (("a", PLACE), ("b", replace(PLACE, channel="C2")), ("c", elsewhere), ("d", else_one)):
        recent.put(conversation(name, origin=place), here=True)
    recent.drop_person(PLACE)
    assert [recent.here(place) is None for place in (PLACE, elsewhere, else_one)] == [True, False, False]
    assert len(recent) == 2
