"""Recordings nobody has seen: what a replay counts of them is what an independent count of the documents comes to.

Invented vendors and, where they are there, variants of the real recordings: parts of them, gaps of days, documents that
come again or in another order, torn ones, and those of other pages in between.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import msgspec
import pytest

from handlers.replay import recorded
from tests.scenarios.announcing import DAY, HOUR, MINUTE, Town, stamp
from tests.scenarios.counting import ENDED, Counter
from tests.scenarios.test_announce_recordings import RECORDINGS, lines
from tests.scenarios.vendor import VENDOR, Vendor

INCIDENTS = "/api/v2/incidents.json"
Row = dict[str, Any]


async def replayed(rows: Sequence[Row]) -> tuple[dict[str, int], dict[str, int]]:
    """What Redial counts, and what there is to count."""
    town = await Town.build()
    replay, counter = await town.replay(), Counter()
    for row in rows:
        counter.count(row)
        read = recorded(row)
        assert read is not None
        await replay.feed(read)
    return asdict(replay.totals), counter.totals


def invented(seed: int) -> Iterator[Row]:
    """A vendor's months: deletions, edits, steps back, silence of days, and documents that are none."""
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    vendor = Vendor(chance)
    for _ in range(chance.randrange(3)):
        vendor.does("begin")
    for _ in range(chance.randrange(20, 80)):
        for _ in range(chance.choice([0, 1, 1, 2, 4])):
            vendor.does(chance.choice(VENDOR))
            vendor.now += chance.choice([1, MINUTE, 10 * MINUTE])
        vendor.now += chance.choice([MINUTE, 5 * MINUTE, HOUR, HOUR, 20 * HOUR, 30 * HOUR, 4 * DAY])
        document = vendor.document()
        for incident in document["incidents"]:
            chance.shuffle(incident["incident_updates"])
        row = {"at": stamp(vendor.now), "path": INCIDENTS, "document": document}
        yield row
        yield from chance.choices([[], [row], [torn(row)], [foreign(row)], [other_list(row)]], (6, 1, 1, 1, 1))[0]


def torn(row: Row) -> Row:
    return {**row, "document": "<html>"}


def foreign(row: Row) -> Row:
    return {**row, "document": {**row["document"], "page": {"id": "another"}, "incidents": []}}


def other_list(row: Row) -> Row:
    return {**row, "path": "/api/v2/status.json", "document": {"page": row["document"]["page"], "incidents": None}}


@pytest.mark.parametrize("first", range(0, 30, 10))
async def test_of_an_invented_vendor_both_count_the_same(first: int) -> None:
    for seed in range(first, first + 10):
        ours, reference = await replayed(list(invented(seed)))
        assert ours == reference, seed


def begun_in_the_middle(rows: list[Row]) -> list[Row]:
    """From a document on in which several are open."""
    start = next(n for n, row in enumerate(rows) if n > 300 and n_open(row) > 1)
    return rows[start : start + 150]


def n_open(row: Row) -> int:
    return sum(incident["status"] not in ENDED for incident in row["document"]["incidents"])


def with_gaps(rows: list[Row]) -> list[Row]:
    """Twice nobody records for four days: the page is read about once an hour."""
    return [row for n, row in enumerate(rows[600:900]) if n % 150 < 50]


def disordered(rows: list[Row]) -> list[Row]:
    """Lists in any order, each document twice, what is none in between."""
    chance, found = random.Random(1), list[Row]()  # noqa: S311 - to be repeated
    for row in copy.deepcopy(rows[1000:1060]):
        chance.shuffle(row["document"]["incidents"])
        found += [row, torn(row), row, foreign(row), other_list(row)]
    return found


def sparse(rows: list[Row]) -> list[Row]:
    """More than a day between two documents."""
    return rows[::30]


def newest(rows: list[Row]) -> list[Row]:
    return rows[-150:]


PARTS = (begun_in_the_middle, with_gaps, disordered, sparse, newest)


async def test_of_parts_of_the_real_page_both_count_the_same() -> None:
    if not RECORDINGS.exists():
        pytest.skip("the 1,563 recordings (../shared/recordings) are not part of the repository")
    rows = [msgspec.json.decode(line) for line in lines()]
    for change in PARTS:
        ours, reference = await replayed(change(rows))
        assert ours == reference, change.__name__
        assert ours["posts"] > 0, "something happened in it"
