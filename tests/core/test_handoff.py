"""The hand-off: everything a human needs, and no longer than one message."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.core.status.incident import Board, Component, Health, Incident
from bot.core.triage.conversation import Remark, Visit
from bot.core.triage.handoff import cause_title, packet
from tests.core.small import small
from tests.core.talking import Talk
from tests.scenarios.playing import NOW, Player, library, page, sure_of


def handed(talk: Talk) -> list[str]:
    return packet(talk.library, talk.here, talk.board or page(talk.page)).splitlines()


def test_it_says_what_when_where_and_what_was_tried() -> None:
    found = replace(
        sure_of("cut-off", {"browser": "firefox"}),
        details={"line": "Connection closed mid-response", "request_id": "req_1", "time": "14:02 UTC", "model": "opus"},
    )
    talk = Talk().reports("it died", found).says("in the middle of an edit", "two files changed")
    talk.presses("known", "dropped").says("human")
    assert handed(talk) == [
        "Redial hand-off",
        "Problem: The reply was cut off",
        "It says: Connection closed mid-response",
        "Opened: 2026-09-21 14:13 UTC",
        "When it happened: 14:02 UTC",
        "Request id: req_1",
        "Where: was doing: Editing files or running commands · browser: Firefox",
        "Program: model opus",
        "Not said yet, and support asks for it: surface, system",
        "Found: Something on this network ends the connection",
        "Official status at 14:13 UTC: no open incident.",
        "Official status now: No open incident on the official page. (14:12 UTC)",
        "Asked and answered:",
        "  14:13 UTC  What was Claude doing when it stopped? → Editing files or running commands",
        "  14:13 UTC  Look at what already happened → I know what happened",
        "  14:13 UTC  The official status → No incident",
        "  14:13 UTC  Send one short message, then go on from there → It dropped again",
        "In the person's words:",
        "  “in the middle of an edit”",
        "  “two files changed”",
        "Secrets and personal data were taken out before anything was kept.",
    ]


def test_everything_that_is_known_is_said_in_words() -> None:
    answers = library().facts.steps
    known = {step.id: next(iter(step.choices)).facts.get(step.id, "") for step in answers if step.choices}
    for name, value in ((name, value) for name, value in known.items() if value):
        player = Player(page("clear"))
        player.start("response-cut-off")
        assert player.conversation
        here = replace(player.conversation, facts={name: value})
        lines = packet(library(), here, page("clear")).splitlines()
        (said,) = [line for line in lines if line.startswith(("Where: ", "More: "))]
        assert not re.search(r"[a-z]_[a-z]|=", said), said
        question = library().facts.step(name)
        assert question
        assert said.endswith(f": {next(c.label for c in question.choices if c.facts.get(name) == value)}"), said
        assert question.title
        assert f"fact.{name}" in library().messages, "with a short name"


def test_the_program_and_its_answer_have_a_line() -> None:
    talk = Talk().starts("limit")
    details = {"version": "2.1.3", "model": "claude-opus-4-5", "status": "529", "attempt": "3/10"}
    talk.here = replace(talk.here, details=details)
    assert "Program: version 2.1.3 · model claude-opus-4-5 · HTTP status 529 · attempt 3/10" in handed(talk)


@pytest.mark.parametrize(
    ("facts", "unsaid"),
    [
        ({}, "surface, system"),
        ({"surface": "claude-code"}, "system, version, request id"),
        ({"surface": "web", "os": "macos"}, "browser"),
        ({"surface": "web", "os": "unsure", "browser": "unsure"}, "system, browser"),
        ({"surface": "phone", "os": "macos"}, ""),
    ],
)
def test_what_support_will_ask_for_is_named_once_for_all(facts: dict[str, str], unsaid: str) -> None:
    talk = Talk().starts("limit")
    talk.here = replace(talk.here, facts=facts)
    said = [line for line in handed(talk) if line.startswith("Not said yet")]
    assert said == ([f"Not said yet, and support asks for it: {unsaid}"] if unsaid else [])


def test_what_the_page_answered_twice_is_said_once_and_that_it_works_is_no_cause() -> None:
    talk = Talk(library()).starts("web-connection-lost").presses("text")
    assert not any("works again" in line.casefold() for line in handed(talk) if line.startswith("Not ruled out"))
    talk.here = replace(talk.here, history=(*talk.here.history, *talk.here.history))
    status = [line for line in handed(talk) if "Does the official page show an incident?" in line]
    assert len(status) == 1
    assert sum("Was Claude using a tool" in line for line in handed(talk)) == 2, "what people answered stays"


def test_without_a_line_the_report_stands_in() -> None:
    talk = Talk().reports("it   died\non me", sure_of("limit"))
    assert handed(talk)[1:4] == [
        "Problem: A limit was reached",
        "Report: it died on me",
        "Opened: 2026-09-21 14:13 UTC",
    ]


def test_without_a_guide_there_is_still_something_to_hand_over() -> None:
    talk = Talk().reports("it died", replace(sure_of("nobody")))
    assert handed(talk)[:2] == ["Redial hand-off", "Report: it died"]


def test_questions_for_facts_are_among_the_answers() -> None:
    talk = Talk().starts("page-lost").presses("holds", "firefox")
    assert "  14:13 UTC  Which browser is it? → Firefox" in handed(talk)


def board(**changes: object) -> Board:
    clear = page("clear")
    assert clear
    return replace(clear, **changes)  # type: ignore[arg-type]


def test_the_status_is_that_of_now() -> None:
    talk = Talk().starts("limit")
    says = [
        (None, "not readable."),
        (board(health=Health.STALE), "not readable."),
        (page("incident"), "1 open incident on the official page. Elevated errors (14:12 UTC)"),
        (
            board(components=(Component("c", "claude.ai", "partial_outage"),)),
            "No incident is posted, but not everything works. claude.ai: partial outage (14:12 UTC)",
        ),
    ]
    for shown, words in says:
        assert f"Official status now: {words}" in packet(talk.library, talk.here, shown).splitlines()


def test_it_fits_into_a_message_whatever_was_said() -> None:
    talk = Talk().starts("cut-off")
    visits = tuple(Visit("cut-off", "short", "browser", "ann", NOW + n) for n in range(200))
    notes = tuple(Remark(NOW, "word " * 100) for _ in range(20))
    details = dict.fromkeys(("line", "request_id", "time", "attempt", "version", "model"), "x" * 200)
    incidents = tuple(
        Incident(f"i{n}", "Elevated errors " * 20, "investigating", "major", NOW, NOW, None, "https://x")
        for n in range(9)
    )
    talk.here = replace(talk.here, history=visits, notes=notes, details=details, report="word " * 400)
    text = packet(talk.library, talk.here, board(incidents=incidents))
    assert len(text) <= 3000, len(text)
    assert "(190 earlier answers left out)" in text


def test_a_finding_is_named_in_words() -> None:
    assert cause_title(small(), "page-lost#vpn-found") == "It is the VPN"
