"""`redial insights` and `redial conversations`, as an operator types them."""

from __future__ import annotations

import asyncio
import json
import struct
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bot.adapters.store import connect
from bot.adapters.store.tallies import RedisTallies
from bot.core.errors import NotDrawn
from bot.core.event import Origin
from bot.core.guides.guide import Outcome
from bot.core.triage.conversation import Handoff
from bot.core.triage.insights import Insight, insight, weeks
from bot.runtime.chart import Part, Row, Studio, draw, drawing, parts, pixels
from tests.contract.conversations import triage
from tests.runtime.redial import Redial
from tests.scenarios.playing import library

ANN = Origin("slack", "T1", "C1", "U0SECRETANN", "1.1")
BOB = Origin("discord", "42", "7", "99887766", "8")
COUNTS = {
    "opened": 23, "ended:fixed": 12, "ended:waiting": 6, "ended:left": 3, "took:5": 9, "took:60": 8, "asked-back": 2,
    "tried:response-cut-off#short": 12, "fixed:response-cut-off#short": 7, "guide:response-cut-off": 11,
}  # fmt: skip


async def counted(data_dir: Path) -> None:
    """Two workspaces with conversations of last week."""
    store = await connect(None, data_dir)
    tallies, week = RedisTallies(store.server), weeks(time.time())[1]
    for place in (ANN, BOB):
        await store.commit("e1", triage(place))
        for name, n in COUNTS.items():
            tallies.count(place, week, [name] * n)
    await tallies.flush()
    await store.close()


async def test_insights_of_all_workspaces_as_text_and_json(redial: Redial) -> None:
    await counted(redial.data)
    said = redial.run("insights").stdout
    assert "45 or more conversations: 24 fixed, 12 waited for Claude, 6 left" in said
    assert "“Send one short message, then go on from there” fixed it for 14 of 24" in said
    assert "fewer than 5 had to be asked" in said
    assert "“Claude Code lost its connection mid-response”: 20 or more, 0 fixed" in said
    found = json.loads(redial.run("insights", "--json").stdout)
    assert found["week"]["outcomes"] == {"fixed": 24, "waiting": 12, "handed_off": 0, "left": 6}
    assert found["week"]["asked_back"] is None, "a small figure is not given"
    assert found["week"]["steps"] == [{"place": "response-cut-off#short", "fixed": 14, "tried": 24}]
    assert found["month"]["conversations"] == 45


async def test_a_picture_that_fits_a_phone(redial: Redial) -> None:
    await counted(redial.data)
    done = redial.run("insights", "--png", "there.png")
    assert done.stdout == "wrote there.png\n"
    assert 1000 < width(redial.home / "there.png") <= 3 * 390
    assert redial.run("insights", "--png", "nowhere/there.png", code=2).stderr.startswith("redial: cannot write")


def width(path: Path) -> int:
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG")
    return int(struct.unpack(">I", data[16:20])[0])


@pytest.mark.parametrize("of", [(COUNTS, {}), ({}, {}), ({"opened": 7}, COUNTS)])
def test_there_is_a_picture_of_little_too(tmp_path: Path, of: tuple[dict[str, int], dict[str, int]]) -> None:
    week, month = (insight(counts, "2026-11-23", "2026-11-30") for counts in of)
    assert isinstance(week, Insight)
    draw(library(), week, month, tmp_path / "x.png")
    assert width(tmp_path / "x.png") > 300


def test_without_the_extra_it_says_what_to_install(redial: Redial) -> None:
    hidden = redial.home / "hidden"
    hidden.mkdir()
    (hidden / "vl_convert.py").write_text("raise ImportError('not installed')")
    redial.env["PYTHONPATH"] = str(hidden)
    done = redial.run("insights", "--png", "x.png", code=2)
    assert done.stderr == "redial: a picture needs one more package: pip install 'redial[chart]'\n"
    assert "How conversations went" in redial.run("insights").stdout


async def test_what_goes_on_is_listed_without_names_or_words(redial: Redial) -> None:
    assert redial.run("conversations").stdout == "Nothing is open, waiting or with helpers.\n"
    store = await connect(None, redial.data)
    now = time.time()
    first = triage(
        ANN, report="my words", step="doing", opened=now - 7200, touched=now - 600, details={"line": "my line"}
    )
    await store.commit("e1", first)
    for n, act in enumerate(("posted", "stuck")):
        other = triage(replace(BOB, thread=f"t{n}"), guide=f"g{n}", opened=now - 60, touched=now - 60)
        await store.commit(f"o{n}", other)
        handed = replace(other, revision=2, outcome=Outcome.HANDED_OFF, handoff=Handoff(2, act, holder="99887766"))
        await store.commit(f"h{n}", handed)
    await store.close()
    rows = json.loads(redial.run("conversations", "--json").stdout)
    assert [(row["state"], row["handoff"], row["guide"]) for row in rows] == [
        ("handed_off", "stuck", "g1"),
        ("open", None, "connection-lost"),
        ("handed_off", "posted", "g0"),
    ]
    assert rows[1]["age"] // 60 == 120
    lines = redial.run("conversations").stdout
    assert f"{first.id}  slack:T1  open  connection-lost#doing  since 2 h 0 min, silent for 10 min" in lines
    for personal in ("U0SECRETANN", "99887766", "my words", "my line"):
        assert personal not in lines + json.dumps(rows)


async def test_a_picture_for_a_chat_is_drawn_while_others_are_served() -> None:
    week = insight(COUNTS, "2026-11-23", "2026-11-30")
    png, _ = await asyncio.gather(Studio().draw(library(), week, week), asyncio.sleep(0))
    assert png.startswith(b"\x89PNG")
    with pytest.raises(NotDrawn, match="the drawing was refused"):
        pixels("<svg")


def test_what_a_picture_says_is_text_and_nothing_else() -> None:
    hostile = Part("<script> & “quotes”", "a < b", (Row("</svg>", 0.5, "1 & 2", "#000000"),))
    root = ET.fromstring(drawing([hostile]))  # noqa: S314 - our own
    words = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert words == ["<script> & “quotes”", "a < b", "</svg>", "1 & 2"]


def test_nothing_in_a_picture_stands_outside_of_it_or_on_something_else() -> None:
    week = insight({name: n * 10 for name, n in COUNTS.items()}, "2026-11-23", "2026-11-30")
    root = ET.fromstring(drawing(parts(library(), week, week)))  # noqa: S314 - our own
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    bars = [one.attrib for one in root.iter("{http://www.w3.org/2000/svg}rect") if one.attrib["width"] != "100%"]
    assert len(bars) == 2 * (3 + 1), "three ends and a step, of both times"
    assert all(float(bar["x"]) + float(bar["width"]) <= width - 16 for bar in bars)
    lines = sorted(float(one.attrib["y"]) for one in root.iter("{http://www.w3.org/2000/svg}text"))
    assert lines[-1] < height
    apart = [second - first for first, second in pairwise(sorted(set(lines)))]
    assert min(apart) >= 18, "no line stands on another"
