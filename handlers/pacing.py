"""How fast announcements may go out: so many a second on a platform, a minute in a workspace, a second in a channel.

Waiting is done before an intent is written, so that nothing under way has to wait.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass

from bot.core.subscription import Place


@dataclass(frozen=True, slots=True)
class Budget:
    """What announcements may use of a platform; 0: no limit. The rest is left to conversations.

    second: requests in all. posts, edits: requests a workspace and minute. channel: seconds between two in one channel.
    """

    second: float = 0.0
    posts: float = 0.0
    edits: float = 0.0
    channel: float = 1.0


BUDGETS = {"discord": Budget(second=40.0), "slack": Budget(posts=300.0, edits=50.0)}
"""By platform. Discord allows 50 a second in all; those of Slack are assumed, but for one a second and channel."""


class Pacer:
    """Gives turns of one platform, in the order they are asked for."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        # When the next turn is, by what it belongs to.
        self._next: defaultdict[tuple[str, ...], float] = defaultdict(float)

    async def turn(self, place: Place, *, edit: bool) -> None:
        """Wait for a turn; the narrowest gate first, so that nobody holds a place in a wide one while waiting there."""
        budget = self._budget
        each = budget.edits if edit else budget.posts
        await self._gate(("channel", place.workspace, place.channel), budget.channel)
        await self._gate(("workspace", place.workspace, str(edit)), 60.0 / each if each else 0.0)
        await self._gate(("platform",), 1.0 / budget.second if budget.second else 0.0)

    async def _gate(self, name: tuple[str, ...], apart: float) -> None:
        if not apart:
            return
        now = asyncio.get_running_loop().time()
        turn = max(now, self._next[name])
        self._next[name] = turn + apart
        if len(self._next) > _KEPT:
            self._next = defaultdict(float, {n: at for n, at in self._next.items() if at > now})
        if turn > now:
            await asyncio.sleep(turn - now)


_KEPT = 20_000
"""Gates remembered before those nobody waits at are forgotten."""
