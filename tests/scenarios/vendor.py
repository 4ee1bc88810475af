"""An invented vendor, who publishes incidents and changes its mind; every update has a mark of its own in its words."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import Any

from tests.scenarios.announcing import OLD, START, made, page_of, said

MARK = re.compile(r"\[u\d+\]")
OPEN_STATES = ("investigating", "identified", "monitoring")
VENDOR = ("begin", "update", "update", "resolve", "postmortem", "edit", "rename", "regrade", "delete")
"""What it does, and how often."""


@dataclass
class Vendor:
    """Publishes, and changes its mind."""

    chance: random.Random
    now: float = START
    incidents: dict[str, dict[str, Any]] = field(default_factory=dict)
    count: int = 0

    def does(self, what: str) -> None:
        """One thing a vendor does."""
        listed = list(self.incidents.values())
        if what == "begin" or not listed:
            self.count += 1
            name = f"i{self.count}"
            new = made(name, at=self.now, impact=self.chance.choice(["none", "minor", "major", "critical"]))
            new["incident_updates"] = []
            self.incidents[name] = new
            self.says(new, "investigating")
            return
        incident = self.chance.choice(listed)
        match what:
            case "update":
                self.says(incident, self.chance.choice(OPEN_STATES))
            case "resolve":
                self.says(incident, "resolved")
            case "postmortem":
                self.says(incident, "postmortem")
            case "edit":
                update = self.chance.choice(incident["incident_updates"])
                update["body"] = f"{update['body']} Edited."
            case "rename":
                # And back again: a late edit may show what was true before.
                name, more = incident["name"], " more"
                incident["name"] = name.removesuffix(more) if name.endswith(more) else name + more
            case "regrade":
                incident["impact"] = self.chance.choice(["none", "minor", "major", "critical"])
            case "delete":
                del self.incidents[incident["id"]]

    def says(self, incident: dict[str, Any], status: str) -> None:
        """Publish an update; its mark is the first word of it."""
        self.count += 1
        update = said(f"u{self.count}", status, f"[u{self.count}] words.", self.now)
        incident["incident_updates"].insert(0, update)
        incident["status"] = status
        if status == "resolved":
            incident["resolved_at"] = update["created_at"]

    def document(self) -> dict[str, Any]:
        """What the page says now, in no order."""
        listed = [*self.incidents.values(), *OLD]
        self.chance.shuffle(listed)
        return page_of(*listed)
