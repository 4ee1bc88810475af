"""What is found in a text: literal output, people's phrases, words with a mistake; and what finding them costs."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Iterator

import pytest

from bot.core.recogniser.engine import Decision
from bot.core.recogniser.match import Literals, Phrases
from bot.core.recogniser.normalise import Normal, normalise, words
from bot.core.recogniser.typos import Typos
from tests.core.reports import recogniser


def found(pieces: list[str], text: str) -> list[str]:
    """The pieces of `text`, in the words of its one form."""
    normal = normalise(text)
    literals = Literals((words(piece).strip(), key) for key, piece in enumerate(pieces))
    seen = []
    for one in literals.find(normal):
        start, length = one.place(normal)
        assert normal.spaced[start : start + length].replace(" ", "") == words(pieces[one.key]).replace(" ", "")
        seen.append(pieces[one.key])
    return seen


def test_output_is_found_across_line_breaks_inside_words() -> None:
    assert found(["Connection closed mid-response"], "API: Connec\ntion closed mid-resp\nonse") != []
    assert found(["Connection closed mid-response"], "x: disConnection closed mid-response") == []


def test_output_that_begins_alike_is_told_apart() -> None:
    pieces = ["Request timed out now", "Request timed out", "Request timed over", "Request timed"]
    assert found(pieces, "Request timed out") == ["Request timed", "Request timed out"]
    assert found(pieces, "Request timed over, Request timed out now") == [
        *("Request timed", "Request timed over"),
        *("Request timed", "Request timed out", "Request timed out now"),
    ]


def test_a_word_is_another_than_the_words_it_is_made_of() -> None:
    pieces = ["NotFoundError here", "notfounderrorhere"]
    assert found(pieces, "NotFoundError here") == ["NotFoundError here"]
    assert found(pieces, "notfounderrorhere") == ["NotFoundError here", "notfounderrorhere"]


def test_short_output_is_whole_words_wherever_it_stands() -> None:
    pieces = ["port 22", "E22", "22"]
    assert found(pieces, "port 22, port 22 of E22") == ["port 22", "22", "port 22", "22", "E22"]
    assert found(pieces, "port 2222 report 22x") == []


def test_east_asian_output_needs_no_blanks() -> None:
    assert found(["连接失败"], "又连接失败了") == ["连接失败"]


@pytest.mark.parametrize(
    ("phrase", "text", "there"),
    [
        ("cut halfway", "it was cut off halfway", True),
        ("cut halfway", f"it was cut {'and so on ' * 9} halfway", False),
        ("cut|stopped halfway", "halfway it stopped", True),
        ("^stopped halfway", "halfway it stopped", False),
        ("^stopped halfway", "stopped halfway", True),
        ("stop* work", "stopping work", True),
        ("stop* work", "nonstop work", False),
        ("cut_off", "cut off", True),
        ("cut_off", "cut it off", False),
        ("off off", "cut off", True),
        ("断 连", "连接断了", True),
    ],
)
def test_a_phrase_asks_for_a_word_of_each_group_close_together(phrase: str, text: str, *, there: bool) -> None:
    assert bool(Phrases([(phrase, 0)]).find(normalise(text))) is there


def test_a_phrase_is_found_by_its_rarest_words_as_by_any() -> None:
    common = [(f"claude stopped{n}", n) for n in range(20)]
    phrases = Phrases([*common, ("claude zork", 20), ("zork claude", 21)])
    assert {one.key for one, _ in phrases.find(normalise("the claude of mine, zork"))} == {20, 21}


def test_words_are_counted_below_a_key_and_told_from_it_on() -> None:
    phrases = Phrases([("lost", 0), ("cut_off", 0), ("today", 1), ("since noon", 1), ("never", 2)], everywhere=1)
    counts, begins = phrases.part(Normal.of("", ["lost", "today", "cut", "off", "since", "noon", "today"]))
    assert counts == {0: 2}
    assert set(begins.keys) == {0}
    assert begins.of(0) == [6, 20, 31]
    assert begins.of(1) == []


LONG = ("authentication", "connection", "mailbox")


def mistakes(word: str) -> Iterator[str]:
    """Every way to type one letter wrong."""
    for at in range(len(word) + 1):
        yield f"{word[:at]}x{word[at:]}"
    for at in range(len(word)):
        yield f"{word[:at]}{word[at + 1 :]}"
        yield f"{word[:at]}x{word[at + 1 :]}"
    for at in range(len(word) - 1):
        yield f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}"


@pytest.mark.parametrize("word", LONG)
def test_one_mistake_in_a_long_word_is_set_right_wherever_it_is(word: str) -> None:
    typos = Typos([*LONG, "authenticates", "connects", "mail"])
    for typed in mistakes(word):
        # What is shorter could be too many words.
        assert typos.correct(f" {typed} ") == f" {word if len(typed) >= 7 else typed} "


@pytest.mark.parametrize("word", ["reception", "interaction", "mailbox", "1234567", "连接失败连接失败", "conn"])
def test_another_word_is_left_as_it_is(word: str) -> None:
    typos = Typos([*LONG, "exception", "integration"])
    assert typos.correct(f" {word} ") == f" {word} "


def test_no_text_pays_for_what_later_ones_need() -> None:
    said = "cluade dosnt conect, zzyzx quuxly, and conection issuess agian tody"
    recogniser().recognise("claude is down")
    tracemalloc.start()
    first = recogniser().recognise(said)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert first.decision is not Decision.NONE
    assert held < 100 * sys.getsizeof(said) + 20_000, "a few words are remembered, and nothing is built"
