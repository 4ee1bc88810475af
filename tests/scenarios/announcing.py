"""A town to announce in: a page that says what a test wants, a clock, channels on paper."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from bot.adapters.console.plain import as_text
from bot.adapters.rehearsal.channels import Message, PaperChannels
from bot.adapters.rehearsal.pages import MemoryPages
from bot.core.status.announcement_view import Names
from bot.core.status.statuspage import parse_incidents, parse_summary, parse_time
from bot.core.status.subscription import Choice, Place, Subscription
from bot.core.status.watch import Page, Reading, merge
from bot.ports.announcing import Channels
from bot.runtime.content import Content
from bot.runtime.loading import load
from handlers.announce import Announcer, Office, Walked
from handlers.replay import Clock, Replay

FIXTURES = Path(__file__).parents[1] / "fixtures" / "statuspage"
CLAUDE = "tymt9n04zgry"
CLAUDE_AI, CONSOLE, API, CODE = "rwppv331jlwc", "0qbwn08sd68x", "k8w3r06qmzrp", "yyzkbfz2thpt"
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
START = 1793714400.0  # 2026-11-03 14:00 UTC, when the invented incident begins
HOSTS = frozenset({"status.claude.com"})


def document(name: str) -> Any:  # noqa: ANN401 - decoded JSON
    """A copy of a fixture, to change."""
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


def incident(document_: Any, incident_id: str) -> Any:  # noqa: ANN401 - decoded JSON
    """One incident of a document, to change in place."""
    return next(i for i in document_["incidents"] if i["id"] == incident_id)


def said(update_id: str, status: str, body: str, at: float) -> dict[str, object]:
    """One more update, as the page's API has it."""
    return {"id": update_id, "status": status, "body": body, "created_at": stamp(at), "display_at": stamp(at)}


def stamp(at: float) -> str:
    """A time as the page's API has it."""
    from datetime import UTC, datetime  # noqa: PLC0415 - only here

    return datetime.fromtimestamp(at, UTC).isoformat()


def made(incident_id: str, status: str = "investigating", at: float = START, **changes: object) -> dict[str, Any]:
    """An incident with one update, as the page's API has it."""
    return {
        "id": incident_id,
        "name": f"Trouble {incident_id}",
        "status": status,
        "impact": "minor",
        "started_at": stamp(at),
        "created_at": stamp(at),
        "resolved_at": stamp(at) if status == "resolved" else None,
        "shortlink": f"https://stspg.io/{incident_id}",
        "components": [],
        "incident_updates": [said(f"{incident_id}u1", status, f"First words of {incident_id}.", at)],
        **changes,
    }


def page_of(*incidents: Mapping[str, object]) -> dict[str, Any]:
    """A document that lists these."""
    return {"page": {"id": CLAUDE}, "incidents": [copy.deepcopy(i) for i in incidents]}


OLD = tuple(made(f"old{n}", "resolved", START - 30 * DAY - n * HOUR) for n in range(5))
"""What ended long ago and fills the list."""


@lru_cache(maxsize=1)
def content() -> Content:
    """The guides and sentences, read once."""
    return load()


@dataclass
class Town:
    """One page and the channels that listen to it. `paper` is the platform unless a test brings its own."""

    clock: Clock
    pages: MemoryPages
    office: Office
    paper: PaperChannels
    names: Names
    others: dict[str, Reading] = field(default_factory=dict)

    @classmethod
    async def build(cls, channels: Mapping[str, Channels] | None = None) -> Town:
        """Put it together, with nobody listening."""
        clock, paper, library = Clock(START), PaperChannels(), content().library
        names = Names(library.messages, library.services.components)
        pages = MemoryPages(clock)
        return cls(clock, pages, Office(pages, channels or {"paper": paper}, lambda _: names), paper, names)

    async def listen(self, channel: str = "C1", platform: str = "paper", **choice: Any) -> Subscription:  # noqa: ANN401 - the fields of Choice
        """A channel listens from now on, as a declared subscription does: without a list of what is open."""
        before = await self.pages.page(CLAUDE)
        new = Subscription(Place(platform, "W", channel), CLAUDE, before.page.revision + 1, Choice(**choice), by="U1")
        assert await self.pages.subscribe(before, new)
        stored = await self.pages.subscription(CLAUDE, new.place)
        assert stored is not None
        return stored

    async def replay(self) -> Replay:
        """A replay in which one channel wants everything."""
        return Replay(self.office, await self.listen(), self.clock)

    async def reads(
        self,
        incidents: Any,  # noqa: ANN401 - decoded JSON, or a fixture's name
        *,
        after: float = MINUTE,
        summary: Any = None,  # noqa: ANN401 - the same
        maintenances: Any = None,  # noqa: ANN401 - the same
    ) -> Page:
        """Some time later the page is read, and says this."""
        self.clock.now += after
        listed = parse_incidents(_decoded(incidents), page_id=CLAUDE, hosts=HOSTS)
        reading = Reading(self.clock.now, listed, link="https://status.claude.com")
        if summary is not None:
            parsed = parse_summary(_decoded(summary), page_id=CLAUDE)
            whole = (*parsed.unresolved, *parsed.maintenances)
            reading = replace(reading, unresolved=whole, components=parsed.components)
        if maintenances is not None:
            planned = parse_incidents(_decoded(maintenances), page_id=CLAUDE, key="scheduled_maintenances")
            reading = replace(reading, maintenances=planned)
        before = await self.pages.page(CLAUDE)
        page = merge(before.page, reading)
        assert await self.pages.put(before, page)
        return page

    async def announces(self, platform: str = "paper") -> Walked:
        """Everybody gets what they should have."""
        total = Walked()
        announcer = Announcer(self.office)
        while (walked := await announcer.walk(CLAUDE, platform)).acts:
            total = replace(walked, acts=total.acts + walked.acts)
        return replace(walked, acts=total.acts)

    async def tells(self, incidents: Any, **how: Any) -> Walked:  # noqa: ANN401 - as `reads` takes them
        """The page says this, and it is announced."""
        await self.reads(incidents, **how)
        return await self.announces()

    def posts(self, channel: str = "C1") -> list[Message]:
        """The messages at the top level of a channel, in order."""
        return [m for m in self.paper.messages.values() if m.place.channel == channel and not m.parent]

    def replies(self, post: Message) -> list[str]:
        """What stands in the thread below a message."""
        return [text(m) for m in self.paper.messages.values() if m.parent == post.ref]


def text(message: Message) -> str:
    """What people read in a message now."""
    return as_text(message.shows.view, grades={"official": "official"}, width=0)


def at(value: str) -> float:
    """Seconds since the epoch of a time as the page's API has it."""
    seconds = parse_time(value)
    assert seconds is not None
    return seconds


def _decoded(value: Any) -> Any:  # noqa: ANN401 - decoded JSON, or a fixture's name
    return document(value) if isinstance(value, str) else value
