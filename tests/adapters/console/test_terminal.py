"""What a terminal shows: as wide as it is, and a colour for the grade alone."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from bot.adapters.console.terminal import Terminal
from bot.core.text import Evidence, Note, Text, Undo, words
from bot.core.view import Offer, View

GRADES = {"official": "official", "reported": "people report", "unconfirmed": "unconfirmed"}
SAID = "Copy the exact message and the last tool output, and note the time with its zone."
VIEW = View(
    lead=words("Look at what already happened before anything is sent again"),
    blocks=(Note("n", Evidence.REPORTED, (Text(words(SAID)),)), Undo(words(SAID))),
    offers=(Offer(1, "tools", SAID),),
)


def drawn(width: int, *, colours: bool = False) -> str:
    out = io.StringIO()
    Terminal(
        GRADES, Console(file=out, width=width, force_terminal=colours, color_system="standard" if colours else None)
    ).show(VIEW)
    return out.getvalue()


@pytest.mark.parametrize("width", [40, 60, 200])
def test_words_use_the_width_there_is(width: int) -> None:
    lines = drawn(width).splitlines()
    assert max(map(len, lines)) <= min(width, 96)
    note = next(line for line in lines if "(people report)" in line)
    assert "Copy the" in note
    assert len(lines[lines.index(note) + 1]) > min(width, 60) / 2, "the words go on below their grade"


def test_a_grade_and_a_mark_colour_nothing_but_themselves() -> None:
    shown = drawn(96, colours=True)
    assert "\x1b[33m(people report) \x1b[0mCopy the exact message" in shown
    assert "\x1b[33m↩ \x1b[0mCopy the exact message" in shown
