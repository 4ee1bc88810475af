"""The figures of a recognition report are what its docstring says they are."""

from __future__ import annotations

from bot.core.recogniser.engine import Candidate, Decision, Recognition
from handlers.recognition_report import Labelled, evaluate, labelled, render


def offer(*guides: str) -> Recognition:
    return Recognition(Decision.CHOOSE, candidates=tuple(Candidate(guide, 0.5) for guide in guides))


ROWS = [
    Labelled("a", "", "overloaded"),
    Labelled("b", "", "sign-in", also_ok=frozenset({"permission"}), trap=True),
    Labelled("c", "", "timeout", language="de"),
    Labelled("d", "", "none"),
    Labelled("e", "", "none", by_text=False),
    Labelled("f", "", "ask"),
    Labelled("g", "429\nagain " + "and again " * 20, "usage-limit", trap=True),
    Labelled("h", "", "mcp-server"),
]
DECIDED = {
    "a": Recognition(Decision.GUIDE, guide="overloaded"),
    "b": offer("server-error", "permission"),
    "c": Recognition(Decision.ASK),
    "d": offer("timeout", "sign-in"),
    "e": Recognition(Decision.GUIDE, guide="timeout"),
    "f": Recognition(Decision.ASK),
    "g": Recognition(Decision.GUIDE, guide="rate-limit", why="429"),
    "h": offer("timeout", "sign-in", "overloaded", "mcp-server"),
}


def test_figures() -> None:
    figures = evaluate(ROWS, DECIDED).figures
    assert figures.n == 8
    assert figures.right == 37.5, "a by its guide, b by its second offer, f by asking"
    assert figures.first == 25.0, "a and f"
    assert figures.wrong == 50.0, "d, e, g and h; asking back (c) is not wrong"
    assert figures.offered == 37.5
    assert figures.asked == 25.0
    assert figures.false_claims == 100.0, "of d alone: what e is about is not in its text"
    assert figures.traps == 50.0


def test_languages_confusions_and_the_worst_rows() -> None:
    report = evaluate(ROWS, DECIDED)
    assert report.languages["de"].right == report.pooled.right == 0.0
    assert (report.languages["en"].n, report.pooled.n) == (7, 1)
    assert ("usage-limit", "rate-limit", 1) in report.confusions
    assert [miss.id for miss in report.worst] == ["d", "e", "g", "h"]


def test_it_can_be_read_as_plain_text() -> None:
    shown = render(evaluate(ROWS, DECIDED), worst=3)
    assert "usage-limit          rate-limit              1" in shown
    assert "g: usage-limit read as rate-limit because of '429'\n    429 again and again" in shown
    assert max(map(len, shown.splitlines())) < 120
    assert "h: " not in shown


def test_nothing_to_count_is_no_error() -> None:
    assert evaluate([], {}).figures.right == 0.0


def test_a_row_of_a_file() -> None:
    row = {"id": "r1", "guide": "ask", "also_ok": ["none"], "basis": "thread", "trap": True, "long": "L", "chat": "C"}
    read = labelled(row, "chat")
    assert (read.text, read.acceptable, read.by_text, read.trap) == ("C", frozenset({"ask", "none"}), False, True)
