"""recogniser: how long it takes to recognise a report of 1.5 KB among ten guides and among ten thousand."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from bot.core.guides.guide import Guide, Sign
from bot.core.recogniser.engine import Decision, Recogniser
from bot.core.recogniser.products import Products
from bot.runtime.loading import load
from tests.bench.measuring import Figure, Tick, quantile, ratios, scaled
from tests.core.reports import own_reports

FEW, MANY = 10, 10_000
REPORTS, RUSH = 40, 2_000
_SYLLABLES = (
    "ban",
    "cor",
    "del",
    "fim",
    "gro",
    "hul",
    "jat",
    "kep",
    "lis",
    "mor",
    "nud",
    "pra",
    "qui",
    "rov",
    "sta",
    "tev",
)
_LINES = (
    "API Error: Connection closed mid-response. The response above may be incomplete.",
    "    at async Client.request (node:internal/deps/undici/undici:13185:13)",
    "  cause: Error: read ECONNRESET at TLSWrap.onStreamRead (node:internal/stream_base_commons:217:20)",
    "it stopped in the middle of a refactor and now nothing answers, I have tried two networks and a restart",
    "claude-code 2.0.14 on Ubuntu 24.04, node v22.11.0, behind the company's proxy since this morning",
)


def run(tick: Tick) -> list[Figure]:
    """Recognise the same reports with few guides and with many, in turn."""
    content = load()
    guides = list(content.library.guides.values())
    some = [guide for guide in guides if guide.id == "response-cut-off"] + guides[: FEW - 1]
    many = scaled(MANY, 200)
    tick(f"building {many} guides")
    all_guides = (*guides, *islice(_invented(guides), many - len(guides)))
    recognisers = {
        "few": Recogniser(tuple({guide.id: guide for guide in some}.values()), content.products),
        "many": Recogniser(all_guides, content.products),
    }
    written = _reports()
    cpu: dict[str, list[float]] = {name: [] for name in recognisers}
    tick("recognising")
    for number in range(scaled(12, 3)):
        # New ones each time: none was read before, and few of its rarer words.
        reports = list(islice(written, REPORTS))
        for name in list(recognisers) if number % 2 else reversed(recognisers):
            found = [_timed(recognisers[name], report) for report in reports]
            cpu[name].append(sum(found) / len(found))
    ratio, spread = ratios(cpu["many"][1:], cpu["few"][1:])
    value = round(quantile(cpu["many"], 0.5) * 1e6, 1)
    counts = {"guides": many, "bytes of a report": sum(map(len, reports)) / len(reports)}
    floor = f"the same among {FEW} guides"
    p99 = round(quantile(_rush(recognisers["many"], written), 0.99) * 1e3, 3)
    tick("recognising what many people wrote")
    mixed = _mixed(Recogniser(guides, content.products), scaled(5, 2))
    return [
        Figure("recogniser", f"among {many} guides", value, "µs CPU", floor, ratio, spread, 2.0, counts),
        Figure("recogniser", "p99 of 1.5 KB", p99, "ms CPU", goal=0.5),
        Figure("recogniser", "p99 of 1.5 KB of many people's words", mixed, "ms CPU", goal=0.5),
        *_index("the built-in guides", guides, content.products),
        *_index(f"{many} guides", all_guides, content.products),
    ]


def _rush(recogniser: Recogniser, written: Iterator[str]) -> list[float]:
    """Seconds each of many reports takes that come one after the other, the first of them left out."""
    reports = list(islice(written, scaled(RUSH, 100)))
    return [_timed(recogniser, report) for report in reports][REPORTS:]


def _index(of: str, guides: Sequence[Guide], products: Products) -> Iterator[Figure]:
    """What it takes to make a recogniser of these guides, and what it holds beside guides and weights."""
    took = []
    for _ in range(5):
        began = time.thread_time()
        Recogniser(guides, products)
        took.append(time.thread_time() - began)
    yield Figure("recogniser", f"index of {of}", round(min(took) * 1e3, 1), "ms CPU", goal=150)
    tracemalloc.start()
    made = Recogniser(guides, products)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert made.recognise(_LINES[0]).guide == "response-cut-off"
    yield Figure("recogniser", f"memory of the index of {of}", round(held / 1e6, 1), "MB", goal=25)


def _timed(recogniser: Recogniser, report: str) -> float:
    began = time.thread_time()
    found = recogniser.recognise(report)
    took = time.thread_time() - began
    assert (found.decision, found.guide) == (Decision.GUIDE, "response-cut-off"), found
    return took


def _mixed(recogniser: Recogniser, times: int) -> float:
    """The p99, in ms, over 1.5 KB of several people's reports each: nothing settles such a text soon."""
    chance = random.Random(3)  # noqa: S311 - the same texts each time
    rows = [row.text for row in own_reports()]
    texts = [" \n".join(chance.choices(rows, k=30))[:1500] for _ in range(scaled(400, 50))]
    best = [min(_took(recogniser, text) for _ in range(times)) for text in texts]
    return round(quantile(best, 0.99) * 1e3, 3)


def _took(recogniser: Recogniser, text: str) -> float:
    began = time.thread_time()
    recogniser.recognise(text)
    return time.thread_time() - began


def _reports() -> Iterator[str]:
    chance = random.Random(1)  # noqa: S311 - the same reports each time
    while True:
        lines = [_LINES[0]]
        while sum(map(len, lines)) < 1500 - 100:
            lines.append(f"{chance.choice(_LINES[1:])} {_word(chance)}")
        yield "\n".join(lines)


def _invented(guides: Sequence[Guide]) -> Iterator[Guide]:
    """Guides as companies write them: each with a few signs and phrases of its own."""
    chance, number = random.Random(2), 0  # noqa: S311 - the same guides each time
    while True:
        signs = tuple(Sign(f"{_word(chance)} {_word(chance)}: {_word(chance)} failed") for _ in range(3))
        phrases = tuple(f"{_word(chance)} {_word(chance)}" for _ in range(3))
        yield replace(guides[number % len(guides)], id=f"invented-{number}", signs=signs, phrases=phrases, was=())
        number += 1


def _word(chance: random.Random) -> str:
    return "".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4)))
