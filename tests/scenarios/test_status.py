"""`/redial status` and `redial status`: what is open, how old that is, and what it means for who asks."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bot.adapters.console.plain import as_text
from bot.adapters.rehearsal.pages import MemoryPages
from bot.core.status.incident import Board, Component, Health
from bot.core.status.statuspage import combine, parse_incidents, parse_summary
from bot.core.status.watch import Page, Reading, Trouble, merge
from handlers.board import FRESH, StoredStatus
from handlers.status import LAST, status_view
from tests.scenarios.announcing import API, CLAUDE, CLAUDE_AI, CODE, OLD, START, content, document, made, page_of

NOW = START + 3000


def board(**changes: object) -> Board:
    incidents = parse_incidents(page_of(made("slow", at=START, components=[{"id": CLAUDE_AI}]), *OLD), page_id=CLAUDE)
    parts = tuple(Component(c, c, "operational") for c in (CLAUDE_AI, CODE))
    one = Board(CLAUDE, Health.OK, NOW - 40, incidents, parts, "https://status.claude.com")
    return replace(one, **changes)  # type: ignore[arg-type]


def said(board: Board, surface: str = "") -> str:
    return as_text(status_view(content().library, board, NOW, {"surface": surface}), grades={}, width=0)


def everything(**states: str) -> tuple[Component, ...]:
    """Every part of Claude we know of; all work but those named."""
    named = {API: "api", CLAUDE_AI: "claude_ai", CODE: "code"}
    parts = content().library.services.components
    return tuple(Component(c, name, states.get(named.get(c, ""), "operational")) for c, name in parts.items())


def test_what_is_open_is_told_with_its_age_and_the_last_five_that_ended() -> None:
    told = said(board())
    assert told.startswith("1 open incident on the official page.\nRead 40 s ago.")
    assert "Trouble slow · minor · being looked into · since 14:00 UTC (50 min), last update 50 min ago" in told
    assert "Its parts: claude.ai" in told
    assert "2 parts work." in told
    assert told.count("Trouble old") == LAST
    assert told.index("Trouble old0") < told.index("Trouble old1"), "the newest first"
    assert told.endswith("Source: https://status.claude.com")


@pytest.mark.parametrize(
    ("surface", "says"),
    [
        ("web", "For you (claude.ai): it is probably not you. “Trouble slow” is open."),
        ("claude-code", "For you (Claude Code): the page shows no trouble."),
        ("", ""),
        ("unsure", ""),
    ],
)
def test_it_says_what_that_means_where_somebody_works(surface: str, says: str) -> None:
    told = said(board(components=everything()), surface)
    assert (says in told) if says else ("For you" not in told)


def test_whoever_asks_reads_what_it_means_where_they_work_also_if_nobody_knows_where_that_is() -> None:
    """A surface is known only of a conversation; who has none is told of all, alike ones together, the worst first."""
    clear = said(board(incidents=(), components=everything()))
    everywhere = "Claude Code, claude.ai, the desktop app, the phone app, the Claude API, the Claude Console"
    assert f"For {everywhere}: the page shows no trouble." in clear
    mixed = said(board(components=everything(api="partial_outage")))
    lines = [line for line in mixed.splitlines() if line.startswith("For ")]
    assert lines == [
        "For claude.ai, the desktop app, the phone app: “Trouble slow” is open.",
        "For Claude Code, the Claude API: not everything works. Claude API: partial outage",
        "For the Claude Console: the page shows no trouble.",
    ]
    known = said(board(components=everything()), "api")
    assert [line.split(":")[0] for line in known.splitlines() if line.startswith("For ")] == [
        "For you (the Claude API)",
        "For claude.ai, the desktop app, the phone app",
        "For Claude Code, the Claude Console",
    ]


def test_who_reaches_claude_through_somebody_else_is_not_told_that_all_is_fine_for_them() -> None:
    library, facts = content().library, {"surface": "claude-code", "provider": "bedrock"}
    view = status_view(library, board(incidents=(), components=everything()), NOW, facts)
    told = as_text(view, grades={}, width=0)
    assert "For you" not in told
    assert "Claude's status page says nothing about that" in told
    assert "health.aws.amazon.com" in told


def test_a_part_that_does_not_work_is_told_without_any_incident() -> None:
    parts = [Component(c, f"part {c}", "operational") for c in content().library.services.components]
    parts = [replace(p, status="major_outage") if p.id == CODE else p for p in parts]
    told = said(board(incidents=(), components=tuple(parts)), "claude-code")
    assert told.startswith("No incident is posted, but not everything works.")
    assert f"For you (Claude Code): not everything works. part {CODE}: major outage" in told
    assert "5 other parts work." in told


def test_a_page_that_cannot_be_read_says_since_when_and_where_it_is_and_calls_nothing_fine() -> None:
    for health in (Health.UNREADABLE, Health.STALE):
        told = said(board(health=health, read_at=NOW - 3600), "claude-code")
        assert told.startswith("The official page cannot be read since 13:50 UTC.")
        assert "neither that Claude works nor that it is down" in told
        assert "Last read 1 h 0 min ago" in told
        assert "https://status.claude.com" in told
        assert "For you" not in told
    never = said(Board(CLAUDE, Health.UNREADABLE, None))
    assert never.startswith("The official status is unknown right now.")
    assert "https://status.claude.com" in never


# --- the board all replicas share ------------------------------------------------------------------------------


class Direct:
    """Another way to the page, which counts how often it is used."""

    def __init__(self, board: Board) -> None:
        self.asked, self.answer = 0, board

    async def board(self) -> Board:
        self.asked += 1
        return self.answer

    async def close(self) -> None:
        """Nothing is open."""


class Shared:
    """A page in a store whose clock is an hour ahead of this machine's, and one replica's view of it."""

    def __init__(self) -> None:
        self.store_now, self.here_now = NOW, NOW - 3600
        self.pages = MemoryPages(lambda: self.store_now)
        self.direct = Direct(Board(CLAUDE, Health.UNREADABLE, None))
        self.status = StoredStatus(self.pages, CLAUDE, self.direct, lambda: self.here_now)

    async def reads(self) -> None:
        """The replica whose turn it is reads the page."""
        summary = parse_summary(document("summary_three_open.json"), page_id=CLAUDE)
        listed = combine(parse_incidents(document("incidents_three_open.json"), page_id=CLAUDE), summary)
        before = await self.pages.page(CLAUDE)
        after = merge(before.page, Reading(self.store_now, listed, components=summary.components, link="https://x"))
        assert await self.pages.put(before, after)

    async def changes(self, **changes: object) -> None:
        before = await self.pages.page(CLAUDE)
        after: Page = replace(before.page, **changes)  # type: ignore[arg-type]
        assert await self.pages.put(before, after)

    def passes(self, seconds: float) -> None:
        self.store_now += seconds
        self.here_now += seconds


async def test_a_replica_finds_the_status_in_memory_and_asks_the_page_only_before_anybody_has_read_it() -> None:
    shared = Shared()
    await shared.status.refresh()
    assert (await shared.status.board()).health is Health.UNREADABLE
    assert shared.direct.asked == 1
    await shared.reads()
    shared.passes(30)
    await shared.status.refresh()
    found = await asyncio.gather(*(shared.status.board() for _ in range(50)))
    assert shared.direct.asked == 1
    assert found[0].health is Health.OK
    assert len(found[0].open) == 3
    assert shared.here_now - (found[0].read_at or 0) == pytest.approx(30), "the age is the store's, not this machine's"
    assert found[0].clock(shared.here_now) == pytest.approx(shared.store_now)
    assert "Read 30 s ago" in as_text(status_view(content().library, found[0], shared.here_now), grades={}, width=0)


async def test_what_was_told_is_not_taken_back_by_an_older_reading() -> None:
    shared = Shared()
    await shared.changes(read_at=shared.store_now - 5)
    shared.direct.answer = board(read_at=shared.here_now)
    assert len((await shared.status.board()).open) == 1, "read by this process itself, before it asked the store"
    await shared.status.refresh()
    assert len((await shared.status.board()).open) == 1, "the store has not heard of it yet"
    assert shared.direct.asked == 1
    shared.passes(20)
    await shared.reads()
    await shared.status.refresh()
    assert len((await shared.status.board()).open) == 3


async def test_a_reading_ages_and_one_that_failed_is_never_fine() -> None:
    shared = Shared()
    await shared.reads()
    await shared.status.refresh()
    shared.passes(FRESH + 1)
    aged = await shared.status.board()
    assert aged.health is Health.STALE
    assert len(aged.open) == 3, "what was last known is still told, as such"
    shared.direct.answer = Board(CLAUDE, Health.OK, shared.here_now)
    assert (await shared.status.board()).health is Health.OK, "who can read the page itself does"
    shared.direct.answer = Board(CLAUDE, Health.UNREADABLE, None)
    await shared.changes(trouble=Trouble(shared.store_now, "503"))
    await shared.status.refresh()
    assert (await shared.status.board()).health is Health.UNREADABLE
