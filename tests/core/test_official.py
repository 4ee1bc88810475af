"""What the official page says about one person's trouble; never more than was read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.status.incident import Board, Component, Health, Incident, Update
from bot.core.status.official import CLEAR, ELSEWHERE, INCIDENT, UNKNOWN, Reading, reading
from bot.core.text import Text, plain
from tests.core.small import small
from tests.scenarios.playing import NOW, library, page

SERVICES = small().services
ID = {name: key for key, name in SERVICES.components.items()}
CLEAR_PAGE = page("clear") or Board("", Health.UNREADABLE, None)
ON = Incident(
    "i1", "Elevated errors", "investigating", "major", NOW - 1080, NOW - 240, None, "https://x",
    updates=(Update("u1", "investigating", "We look.", NOW - 1080), Update("u2", "identified", "Found.", NOW - 240)),
)  # fmt: skip


def read(board: Board | None, guide: str = "cut-off", **facts: str) -> Reading:
    return reading(small(), small().guides.get(guide), facts, board, NOW)


def words(found: Reading) -> str:
    return "\n".join(plain(line.inline) for line in found.lines if isinstance(line, Text))


def with_incident(**changes: object) -> Board:
    incident = replace(ON, **changes)  # type: ignore[arg-type]
    return replace(CLEAR_PAGE, incidents=(incident,))


def with_part(name: str, status: str) -> Board:
    parts = tuple(Component(c.id, c.name, status if c.id == ID[name] else c.status) for c in CLEAR_PAGE.components)
    return replace(CLEAR_PAGE, components=parts)


def test_all_clear() -> None:
    found = read(CLEAR_PAGE, surface="claude-code")
    assert found.answer == CLEAR
    assert words(found) == "Official status: no open incident for Claude Code (read 35 s ago)."


def test_an_incident_with_its_latest_update() -> None:
    found = read(with_incident())
    assert (found.answer, found.incident) == (INCIDENT, ON)
    assert words(found).splitlines() == [
        "Official status: Claude has an open incident. Elevated errors · major · open for 18 min (read 35 s ago).",
        "Latest, 14:09 UTC: Found.",
    ]


def test_an_incident_without_times_is_told_without_them() -> None:
    found = read(with_incident(started_at=None, updates=()))
    assert words(found) == ("Official status: Claude has an open incident. Elevated errors · major (read 35 s ago).")


def test_a_long_update_is_cut() -> None:
    found = read(with_incident(updates=(Update("u", "identified", "x" * 900, NOW),)))
    assert len(words(found).splitlines()[1]) < 330
    assert words(found).endswith("…")


def test_what_the_vendor_writes_is_shown_as_it_is_and_never_as_markup() -> None:
    found = read(with_incident(name="**<!channel>** [x](https://evil)", status="vanished", impact="meteoric"))
    assert "**<!channel>** [x](https://evil) · meteoric" in words(found)
    spans = [span for line in found.lines if isinstance(line, Text) for span in line.inline]
    assert not any(span.href for span in spans)


@pytest.mark.parametrize(
    ("surface", "answer"), [("claude-code", CLEAR), ("web", INCIDENT), ("unsure", CLEAR), ("", CLEAR)]
)
def test_an_incident_elsewhere_is_named_and_does_not_count(surface: str, answer: str) -> None:
    board = with_incident(components=(ID["claude.ai"],))
    found = read(board, **({"surface": surface} if surface else {}))
    assert found.answer == answer
    if answer == CLEAR:
        assert "open elsewhere: Elevated errors" in words(found)


def test_where_the_surface_is_not_known_the_guides_surfaces_count() -> None:
    assert read(with_part("claude.ai", "partial_outage"), "page-lost").answer == INCIDENT
    assert read(with_part("claude.ai", "partial_outage"), "cut-off").answer == CLEAR
    assert read(with_part("claude.ai", "partial_outage"), "").answer == INCIDENT


@pytest.mark.parametrize(("guide", "answer"), [("sign-in", INCIDENT), ("overloaded", CLEAR)])
def test_signing_in_to_claude_code_needs_claude_ai_too(guide: str, answer: str) -> None:
    board = with_incident(components=(ID["claude.ai"],))
    assert reading(library(), library().guide(guide), {"surface": "claude-code"}, board, NOW).answer == answer


def test_an_incident_without_impact_is_named_and_does_not_count() -> None:
    found = read(with_incident(impact="none"), surface="claude-code")
    assert found.answer == CLEAR
    assert "open elsewhere: Elevated errors" in words(found)


def test_a_part_that_does_not_work_counts_without_an_incident() -> None:
    found = read(with_part("Claude Code", "degraded_performance"))
    assert (found.answer, found.incident) == (INCIDENT, None)
    assert "Official status: not everything works. Claude Code: degraded" in words(found)


def test_a_planned_maintenance_troubles_nobody() -> None:
    board = with_incident(status="scheduled", impact="maintenance", scheduled_for=NOW + 900)
    assert read(board).answer == CLEAR
    assert "elsewhere" not in words(read(board))


def test_a_part_the_page_does_not_list_is_unknown() -> None:
    board = replace(CLEAR_PAGE, components=tuple(c for c in CLEAR_PAGE.components if c.id != ID["Claude Code"]))
    assert read(board).answer == UNKNOWN
    assert "the page says nothing about this part of Claude" in words(read(board))


@pytest.mark.parametrize("health", [Health.STALE, Health.UNREADABLE])
@pytest.mark.parametrize("incidents", [(), (ON,)])
def test_a_page_not_read_just_now_is_unknown_since(health: Health, incidents: tuple[Incident, ...]) -> None:
    found = read(replace(CLEAR_PAGE, health=health, incidents=incidents))
    assert found.answer == UNKNOWN
    assert words(found).startswith("Official status: unknown, the page could not be read since 14:12 UTC.")


@pytest.mark.parametrize("board", [None, Board("p", Health.UNREADABLE, None)])
def test_a_page_never_read_is_unknown(board: Board | None) -> None:
    assert "unknown, the page cannot be read right now" in words(read(board))


@pytest.mark.parametrize(
    ("provider", "told"),
    [("bedrock", "You reach Claude through Amazon Bedrock"), ("gateway", "Whoever runs it knows.")],
)
def test_on_another_provider_the_page_says_nothing(provider: str, told: str) -> None:
    for board in (CLEAR_PAGE, with_incident(), None):
        found = read(board, provider=provider)
        assert found.answer == ELSEWHERE
        assert told in words(found)


@given(st.sampled_from(list(Health)), st.lists(st.sampled_from(["operational", "major_outage", "odd"]), min_size=6))
def test_all_clear_is_only_said_of_a_fresh_page_that_says_so(health: Health, states: list[str]) -> None:
    parts = tuple(replace(part, status=state) for part, state in zip(CLEAR_PAGE.components, states, strict=False))
    found = read(replace(CLEAR_PAGE, health=health, components=parts), surface="claude-code")
    fine = {part.id for part in parts if part.operational}
    assert (found.answer == CLEAR) == (health is Health.OK and SERVICES.needed("claude-code") <= fine)
    assert ("no open incident" in words(found)) == (found.answer == CLEAR)
