"""The conversation finds the cause: people with a hidden one answer truthfully until it is named, or it ends well."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace

import pytest

from bot.adapters.console.plain import as_text
from bot.core.guides.guide import Outcome
from bot.core.triage.turn import NONE_OF_THESE
from tests.scenarios.answering import Person, pick, read_people
from tests.scenarios.playing import Player, library, page

GRADES = {"official": "official", "reported": "people report", "unconfirmed": "unconfirmed"}
FORGETTABLE = frozenset(
    "tool provider others vpn drops one_tab private hotspot culprit device inspect setting ipv6 curl".split()  # noqa: SIM905
)
LONGEST, UNSURE_LONGEST, FORGOTTEN = 12, 11, 0.35


@dataclass
class Run:
    """One person's conversation: what was shown and answered, and what was found."""

    person: Person
    player: Player
    answers: int = 0
    found: str = ""
    wrong: str = ""
    path: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def transcript(self) -> str:
        """The conversation as the person saw it."""
        pairs = zip(self.shown, [*self.said, ""], strict=False)
        return "\n\n".join([f"> {self.person.says}", *(f"{shown}\n\n> {said}" for shown, said in pairs)])

    def outline(self) -> str:
        """Only where it was and what was answered."""
        pairs = zip(self.path, [*self.said, "-"], strict=False)
        return "\n".join([f"> {self.person.says}", *(f"  {place}\n    > {said}" for place, said in pairs)])


def run(person: Person, longest: int = LONGEST) -> Run:
    """Play a person until the cause is named, the end is reached, or nothing can be answered."""
    player = Player(page(person.page), managed=person.devices == "managed")
    it = Run(person, player)
    player.report(person.says)
    while not _settled(it):
        if it.answers >= longest:
            it.wrong = "no end"
            break
        _answer(it)
    if not it.wrong and it.answers > person.within:
        it.wrong = f"{it.answers} answers"
    return it


def _settled(it: Run) -> bool:
    view, here = it.player.view, it.player.conversation
    assert here is not None
    if it.wrong:
        return True
    it.shown.append(as_text(view, grades=GRADES))
    it.path.append(f"{view.guide}#{view.step}")
    outcome = here.outcome.value if here.outcome else ""
    if view.cause in it.person.causes or outcome in it.person.ends:
        it.found = view.cause or outcome
    elif here.outcome is Outcome.HANDED_OFF and it.person.handed:
        it.found = outcome
    elif outcome:
        it.wrong = f"ended {outcome}, cause {view.cause}"
    return bool(it.wrong or it.found)


def _answer(it: Run) -> None:
    player, person = it.player, it.person
    view = player.view
    it.answers += 1
    chosen = pick(person, view)
    if view.step == "@what" and (chosen is None or person.line not in {"", *it.said}):
        it.said.append(person.line or person.says)
        player.say(it.said[-1])
        return
    if chosen is None and view.step == "@which":
        chosen = next(offer for offer in view.offers if offer.id == NONE_OF_THESE)
    if chosen is None:
        it.wrong = "no choice is true"
        return
    it.said.append(chosen.label)
    player.say(str(chosen.n))


PEOPLE = [*read_people("people.toml"), *read_people("people-desk.toml")]
UNREADABLE = [person for person in PEOPLE if person.page == "clear"]


@pytest.mark.parametrize("person", PEOPLE, ids=lambda person: person.name)
def test_the_conversation_finds_the_cause(person: Person) -> None:
    it = run(person)
    assert not it.wrong, f"{it.wrong}\n\n{it.transcript()}"
    assert it.found


@pytest.mark.parametrize("person", UNREADABLE, ids=lambda person: person.name)
@pytest.mark.parametrize("devices", ["managed", "personal"])
def test_it_finds_the_cause_with_an_unreadable_page_and_on_any_device(person: Person, devices: str) -> None:
    causes = (*person.causes, *UNREAD_CAUSES.get(person.causes[0] if person.causes else "", ()))
    it = run(replace(person, page="unknown", devices=devices, causes=causes, within=person.within + 1))
    assert not it.wrong, f"{it.wrong}\n\n{it.transcript()}"


UNREAD_CAUSES = {"capacity": ("capacity-status-unknown",)}
"""What a finding is called while nobody can say whether there is an incident."""


@pytest.mark.parametrize("person", [person for person in UNREADABLE if person.causes], ids=lambda person: person.name)
@pytest.mark.parametrize("seed", range(6))
def test_people_who_know_less_come_to_an_honest_end(person: Person, seed: int) -> None:
    """Whoever answers "not sure" gets the cause all the same, or the hand-off, and is not asked in circles."""
    chance = random.Random(f"{person.name}{seed}")  # noqa: S311 - the same people in every run
    known = {k: v for k, v in person.truths.items() if k not in FORGETTABLE or chance.random() > FORGOTTEN}
    devices = chance.choice(["managed", "personal"])
    ends = (*person.ends, "handed_off", "waiting")
    vague = replace(person, truths=known, page="unknown", devices=devices, ends=ends, within=UNSURE_LONGEST)
    it = run(vague, UNSURE_LONGEST)
    assert not it.wrong, f"{it.wrong}\n\n{it.outline()}"
    assert max(Counter(zip(it.path, it.said, strict=False)).values(), default=0) < 3


def test_there_are_thirty_people_over_the_guides() -> None:
    assert len(PEOPLE) >= 30
    assert len({person.name for person in PEOPLE}) == len(PEOPLE)
    causes = {step.cause for guide in library().guides.values() for step in guide.steps}
    assert not {cause for person in PEOPLE for cause in person.causes} - causes
