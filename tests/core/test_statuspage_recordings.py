"""The real page, as recorded about once an hour over four months; not part of the repository."""

from __future__ import annotations

import lzma
from pathlib import Path

import msgspec
import pytest

from bot.core.status.statuspage import parse_incidents

RECORDINGS = Path(__file__).parents[3] / "shared" / "recordings" / "claude-incidents.jsonl.xz"
CLAUDE = "tymt9n04zgry"


def test_every_recorded_document_of_the_real_page_is_read() -> None:
    if not RECORDINGS.exists():
        pytest.skip("the 1,563 recordings of the real page are not part of the repository")
    documents, still_open, nameless, times = 0, 0, set(), 0
    with lzma.open(RECORDINGS, "rt", encoding="utf-8") as lines:
        for line in lines:
            listed = parse_incidents(
                msgspec.json.decode(line)["document"], page_id=CLAUDE, hosts=frozenset({"status.claude.com"})
            )
            documents += 1
            still_open = max(still_open, sum(i.open for i in listed))
            nameless |= {i.id for i in listed if not i.components}
            times += sum(u.at is None for i in listed for u in i.updates)
            assert len(listed) == 50
            assert all(i.link.startswith("https://") and i.updates and i.name for i in listed)
    assert (documents, still_open, times) == (1563, 3, 0)
    # 44 name none in the list of components itself; the updates know more of some.
    assert 0 < len(nameless) <= 44
