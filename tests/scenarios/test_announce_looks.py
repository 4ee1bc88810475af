"""How announcements read: short, the state first, the source named."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scenarios.announcing import CLAUDE_AI, MINUTE, OLD, START, Town, made, page_of, said, text


def an_incident(*later: str, **changes: Any) -> dict[str, object]:  # noqa: ANN401 - fields of the page
    new = made("new", at=START, impact="major", components=[{"id": CLAUDE_AI, "name": "claude.ai"}], **changes)
    for n, body in enumerate(later, 1):
        update = said(f"later{n}", "identified", body, START + n * MINUTE)
        moved = {"code": CLAUDE_AI, "name": "claude.ai", "old_status": "operational", "new_status": "partial_outage"}
        new["incident_updates"] = [update | {"affected_components": [moved]}, *new["incident_updates"]]
        new["status"] = "identified"
    return new


@pytest.fixture
async def town() -> Town:
    town = await Town.build()
    await town.listen()
    await town.tells(page_of(*OLD))
    return town


async def test_a_post_says_what_how_grave_since_when_and_the_latest(town: Town) -> None:
    await town.tells(page_of(an_incident(), *OLD))
    await town.tells(page_of(an_incident("The cause is known."), *OLD))
    (post,) = town.posts()
    lines = text(post).splitlines()
    assert lines[0] == "🟠 Trouble new · major · open since 14:00 UTC  [official]"
    assert "claude.ai: partial outage" in lines
    assert "At first, 14:00 UTC: First words of new." in lines
    assert "Latest, 14:01 UTC: The cause is known." in lines


async def test_a_reply_has_its_state_as_its_head_and_parts_that_changed_on_a_line_of_their_own(town: Town) -> None:
    await town.tells(page_of(an_incident(), *OLD))
    await town.tells(page_of(an_incident("The cause is known."), *OLD))
    (post,) = town.posts()
    (reply,) = town.replies(post)
    assert reply.splitlines() == [
        "Cause known · 14:01 UTC",
        "The cause is known.",
        "claude.ai: working → partial outage",
    ]


async def test_several_updates_at_once_are_a_list_in_the_order_of_time(town: Town) -> None:
    await town.tells(page_of(an_incident(), *OLD))
    await town.tells(page_of(an_incident("One.", "Two."), *OLD))
    (post,) = town.posts()
    (reply,) = town.replies(post)
    lines = reply.splitlines()
    assert lines[0] == "2 updates:"
    assert lines.index("cause known, 14:01 UTC: One.") < lines.index("cause known, 14:02 UTC: Two.")


@pytest.mark.parametrize(
    ("shortlink", "link"),
    [
        ("https://stspg.io/abc", "https://status.claude.com/incidents/new"),
        ("https://status.claude.com/incidents/xyz", "https://status.claude.com/incidents/xyz"),
        (None, "https://status.claude.com"),
    ],
)
async def test_the_source_is_the_page_people_know(town: Town, shortlink: str | None, link: str) -> None:
    await town.tells(page_of(an_incident(shortlink=shortlink), *OLD))
    (post,) = town.posts()
    assert f"Source: {link}" in text(post).splitlines()
