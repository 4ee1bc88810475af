"""What one channel is to be sent of a recording, counted from the documents alone, with none of Redial's code.

The rules are those of the list the project was given: a first document is taken over silently; what is new is posted,
unless it ended a day ago or more; after a day without a document what ended meanwhile is a digest; new updates of one
document are one reply to a message; what is missing twice, while three older ones are listed, was withdrawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.scenarios.announcing import CLAUDE

ENDED = {"resolved", "postmortem", "completed"}
A_DAY = 24 * 60 * 60


@dataclass
class Remembered:
    """An incident as the last document that listed it had it. thread: of the message about it; None for none."""

    began: float
    name: str = ""
    impact: str = ""
    status: str = ""
    updates: dict[str, tuple[str, str]] = field(default_factory=dict)
    thread: str | None = None
    missing: int = 0


@dataclass
class Counter:
    """Counts document after document."""

    totals: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("baseline", "posts", "followups", "updates", "edits", "withdrawn", "repeated", "lost"), 0
        )
    )
    known: dict[str, Remembered] = field(default_factory=dict)
    before: float | None = None

    def count(self, row: Mapping[str, Any]) -> None:
        """Take one line of a recording."""
        document = row["document"]
        if not isinstance(document, dict) or document.get("page", {}).get("id") != CLAUDE:
            return
        if not row["path"].endswith("/incidents.json") or not isinstance(document.get("incidents"), list):
            return
        now, threads = seconds(row["at"]), set[str]()
        for incident in document["incidents"]:
            if incident["id"] not in self.known:
                self._new(incident, now)
            else:
                threads |= self._again(self.known[incident["id"]], incident)
        self.totals["followups"] += len(threads)
        self._missing({i["id"] for i in document["incidents"]}, document["incidents"])
        self.before = now

    def _new(self, incident: Mapping[str, Any], now: float) -> None:
        last = max(seconds(u["display_at"] or u["created_at"]) for u in incident["incident_updates"])
        here = self.known[incident["id"]] = Remembered(began_of(incident))
        is_open = incident["status"] not in ENDED
        if self.before is None:
            self.totals["baseline"] += 1
            here.thread = "what was open at first" if is_open else None
        elif is_open or (now - self.before <= A_DAY and now - last < A_DAY):
            here.thread = incident["id"]
        elif now - self.before > A_DAY and last > self.before:
            here.thread = f"digest {now}"
        self.totals["posts"] += here.thread is not None and self.before is not None
        remember(here, incident)

    def _again(self, here: Remembered, incident: Mapping[str, Any]) -> set[str]:
        """Compare with the document before; return the thread that gets a reply."""
        updates = updates_of(incident)
        new = updates.keys() - here.updates.keys()
        reopened = incident["status"] not in ENDED and here.status in ENDED
        reopened |= any(updates[u][0] not in ENDED for u in new)
        replies = {here.thread} if here.thread is not None and new else set()
        if here.thread is not None:
            self.totals["updates"] += len(new)
            self.totals["edits"] += (here.name, here.impact) != (incident["name"], incident["impact"])
            self.totals["edits"] += any(here.updates[u] != updates[u] for u in updates.keys() - new)
        elif reopened:
            self.totals["posts"] += 1
            here.thread = incident["id"]
        remember(here, incident)
        return replies

    def _missing(self, listed: set[str], incidents: Iterable[Mapping[str, Any]]) -> None:
        begun = [began_of(incident) for incident in incidents]
        for name in self.known.keys() - listed:
            here = self.known[name]
            if here.missing < 0:
                continue
            here.missing += 1
            if here.missing >= 2 and sum(at < here.began for at in begun) >= 3:
                here.missing = -1
                self.totals["withdrawn"] += here.thread is not None


def seconds(time: str) -> float:
    """Seconds since the epoch of a time of the page."""
    return datetime.fromisoformat(time).timestamp()


def began_of(incident: Mapping[str, Any]) -> float:
    """When an incident began."""
    return seconds(incident.get("started_at") or incident["created_at"])


def updates_of(incident: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """State and words of each update."""
    return {u["id"]: (u["status"], u["body"]) for u in incident["incident_updates"]}


def remember(here: Remembered, incident: Mapping[str, Any]) -> None:
    """Note what this document says."""
    here.name, here.impact, here.status = incident["name"], incident["impact"], incident["status"]
    here.updates, here.missing = updates_of(incident), 0
