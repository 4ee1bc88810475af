"""The real page, four months of it, through the very code: what one channel would have been sent.

The recordings are not part of the repository; without them this test says so.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import msgspec
import pytest

from handlers.replay import Recorded, recorded
from tests.scenarios.announcing import Town

RECORDINGS = Path(__file__).parents[3] / "shared" / "recordings" / "claude-incidents.jsonl.xz"

REFERENCE = {
    "baseline": 50,
    "posts": 192,
    "followups": 113,
    "updates": 179,
    "edits": 10,
    "withdrawn": 1,
    "repeated": 0,
    "lost": 0,
}
"""Of a channel that wants everything, on 1,563 documents of 242 incidents."""


def lines() -> Iterator[str]:
    """The lines of the recordings."""
    with lzma.open(RECORDINGS, "rt", encoding="utf-8") as found:
        yield from found


def rows() -> Iterator[Recorded]:
    for line in lines():
        row = recorded(msgspec.json.decode(line))
        assert row is not None
        yield row


async def test_four_months_of_the_real_page_come_to_the_reference_figures() -> None:
    if not RECORDINGS.exists():
        pytest.skip(
            "the 1,563 recordings (../shared/recordings) are not part of the repository; on them one channel gets"
            " 50 silent baselines, 192 posts, 113 follow-ups carrying 179 updates, 10 edits, 1 withdrawn, 0 repeats"
        )
    town = await Town.build()
    replay = await town.replay()
    for row in rows():
        assert await replay.feed(row)
    assert asdict(replay.totals) == REFERENCE
    assert replay.unread == 0
    posts = [m for m in town.paper.messages.values() if not m.parent]
    assert len(posts) == 192, "one message an incident"
    red = [m for m in posts if m.shows.tone not in {"over", "gone"}]
    assert red == [], "nothing was open when the recordings end"
    assert max(len(m.history) for m in posts) < 20, "an advisory of 18 days is one post and few edits"
