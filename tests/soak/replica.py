"""`redial run` on a machine of its own: Slack, Discord and the page are servers of this one, minutes are seconds.

The bounds stand where they are half a minute in earnest, or a test of many deaths would take hours. Their order is
kept: a request ends before it counts as unknown, and a lease outlives the work it is for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.adapters.discord import gateway
from bot.cli import main
from bot.core.status import plan
from bot.ports.feed import Feed
from bot.runtime import scheduler, watching
from handlers import announce, clerk, handoff, triage, watch
from handlers.clerk import Office
from handlers.watch import Watcher
from tests.fakes import run_discord  # noqa: F401 - importing it names another Discord


class Eager(Watcher):
    """Reads the page every second or two."""

    def __init__(self, office: Office, feeds: Mapping[str, Feed], **_: Any) -> None:  # noqa: ANN401 - its own interval
        super().__init__(office, feeds, interval=(1.0, 2.0))


BOUNDS: tuple[tuple[object, dict[str, object]], ...] = (
    (plan, {"UNKNOWN_FOR": 4.0, "EDITS_AN_HOUR": 10**6}),
    (clerk, {"UNKNOWN_FOR": 4.0, "SENT_WITHIN": 3.0}),
    (announce, {"LEASE": 3.0}),
    (watch, {"LEASE": 3.0}),
    (watching, {"POLL": 1.0, "ANNOUNCE": 0.5, "RECALL": 2.0, "Watcher": Eager}),
    (scheduler, {"FLUSH": 0.5, "OWED": 1.0, "OWED_FOR": 4.0}),
    (triage, {"_LOOKING": 4}),
    (handoff, {"UNDER_WAY": 4.0}),
    (gateway, {"HELD": 4.0, "RENEWED": 1.0}),
)

if __name__ == "__main__":
    for module, bounds in BOUNDS:
        for name in bounds:
            assert name in vars(module), f"{module} has no {name} any more"
        vars(module).update(bounds)
    main()
