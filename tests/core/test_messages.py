"""Redial's sentences: each one the code says is there with all its fields, and none is there for nothing."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import bot
import handlers
from bot.core.errors import ContentError
from bot.core.guides.guide import UNSURE, Outcome
from bot.core.messages import Messages
from bot.core.redaction import Kind
from bot.core.status.incident import Health
from bot.core.text import Evidence, Span, plain
from handlers.commands import COMMANDS
from tests.scenarios.playing import content, library

SAY = library().messages
SOURCES = [
    path for package in (bot, handlers) for path in sorted(Path(package.__file__ or "").parent.rglob("*.py"))
]  # fmt: skip
KEY = re.compile(r"[a-z]+(?:-[a-z]+)*\.[a-z_-]+")
SPEAKS = {"inline", "text", "say", "tell", "tell_aside", "_sentence"}
"""Names of the calls that say a sentence, with the key as an argument."""


def strings() -> Iterator[str]:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.JoinedStr):
                first, last = node.values[0], node.values[-1]
                yield f"{first.value!s}*" if isinstance(first, ast.Constant) else ""
                yield f"*{last.value!s}" if isinstance(last, ast.Constant) else ""


def calls() -> Iterator[tuple[str, set[str], str]]:
    """Key, names of the fields and place of every sentence that is said with its key written down."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or any(keyword.arg is None for keyword in node.keywords):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            for key in (key for argument in node.args for key in keys(argument) if name in SPEAKS):
                yield key, {keyword.arg or "" for keyword in node.keywords}, f"{path.name}:{node.lineno}"


def keys(argument: ast.expr) -> Iterator[str]:
    """The key an argument is, or the two of a choice."""
    if isinstance(argument, ast.IfExp):
        yield from (*keys(argument.body), *keys(argument.orelse))
    elif isinstance(argument, ast.Constant) and KEY.fullmatch(str(argument.value)):
        yield str(argument.value)


def test_every_key_in_the_code_is_a_sentence() -> None:
    assert {(key, place) for key, _, place in calls() if key not in SAY} == set()


def test_every_sentence_gets_all_its_fields() -> None:
    lacking: defaultdict[str, set[str]] = defaultdict(set)
    for key, fields, place in calls():
        if key in SAY and SAY.fields(key) - fields:
            lacking[place] |= SAY.fields(key) - fields
    assert dict(lacking) == {}


def test_the_scan_finds_most_of_what_is_said() -> None:
    assert len({key for key, _, _ in calls()}) > 60


def test_no_sentence_is_there_for_nothing() -> None:
    used = set(strings())
    starts = {text[:-1] for text in used if re.fullmatch(r"[a-z-]+\.[a-z.-]*\*", text)}
    ends = {text[1:] for text in used if re.fullmatch(r"\*-[a-z-]+", text)}
    tables = {"state", "impact"}  # looked up by what the status page says
    unused = {
        key for key in SAY
        if not (key in used or key.startswith(tuple(starts)) or key.endswith(tuple(ends)))
        and key.partition(".")[0] not in tables
    }  # fmt: skip
    assert unused == set()


# --- every value of what people are shown ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("evidence", [grade.value for grade in Evidence]),
        ("kind", [kind.name.lower() for kind in Kind]),
        ("usage", COMMANDS),
        ("what-it-does", COMMANDS),
        ("surface", [choice.facts["surface"] for choice in library().question("surface").choices]),
        ("control", ["back", "start-over", "human", "it", "stop", "not-this", "switch"]),
        (
            "state",
            [
                "operational", "degraded_performance", "partial_outage", "major_outage", "under_maintenance",
                "investigating", "identified", "monitoring", "resolved", "postmortem",
            ],
        ),
        ("impact", ["none", "minor", "major", "critical", "maintenance"]),
    ],
)  # fmt: skip
def test_every_value_has_its_words(table: str, values: list[str]) -> None:
    assert [value for value in values if f"{table}.{value}" not in SAY] == []


def test_every_end_has_its_words() -> None:
    assert all(plain(library().ending(outcome).title) for outcome in Outcome)


def test_every_surface_of_a_guide_and_of_the_page_can_be_named() -> None:
    surfaces = {surface for guide in library().guides.values() for surface in guide.surfaces}
    assert {f"surface.{surface}" for surface in surfaces | {UNSURE}} <= set(SAY)
    assert surfaces <= set(library().services.surfaces)


def test_a_page_is_well_stale_or_unreadable() -> None:
    """A fourth state would need words of its own in `official`, `handoff` and `status`."""
    assert {health.value for health in Health} == {"ok", "stale", "unreadable"}


# --- how it reads ----------------------------------------------------------------------------------------------


def test_no_sentence_blames_shouts_or_sells() -> None:
    for key in SAY:
        if not key.startswith("says."):
            words = " ".join(SAY.list(key)) if not isinstance(SAY._entries[key], dict) else ""  # noqa: SLF001
            assert "!" not in words, key
            assert not re.search(r"\b(please|sorry|oops|simply|obviously|alas)\b", words, re.IGNORECASE), key


def test_words_for_the_ways_out_mean_one_way_each() -> None:
    seen: dict[str, str] = {}
    for key in SAY.keys("says"):
        for word in SAY.list(key):
            assert key == "says.not" or seen.setdefault(word, key) == key, word


# --- mechanics -------------------------------------------------------------------------------------------------


def test_fields_are_put_in_after_the_markdown_was_read() -> None:
    say = Messages({"a": {"b": "**{who}** says `{what}`"}})
    assert say.inline("a.b", who="*[x](https://evil)*", what="`y`") == (
        Span("*[x](https://evil)*", bold=True), Span(" says "), Span("`y`", code=True),
    )  # fmt: skip


def test_a_field_may_bring_its_own_style() -> None:
    say = Messages({"a": "see **{page}**"})
    assert say.inline("a", page=(Span("here", href="https://x"),))[1] == Span("here", bold=True, href="https://x")


def test_one_and_many() -> None:
    say = Messages({"n": {"one": "{n} day", "other": "{n} days"}, "m": {"other": "{n} all"}})
    assert [say.text("n", n=n) for n in (0, 1, 2)] == ["0 days", "1 day", "2 days"]
    assert say.text("m", n=1) == "1 all"
    assert say.fields("n") == {"n"}


def test_lists_and_tables_of_words() -> None:
    say = Messages({"says": {"yes": ["y", "yes"], "no": "n"}})
    assert say.list("says.yes") == ("y", "yes")
    assert say.list("says.no") == ("n",)
    assert say.keys("says") == ("says.yes", "says.no")


@pytest.mark.parametrize("value", [7, True, ["a", 1], None])
def test_what_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(ContentError, match=r"^en.toml:1: `a.b` is neither a text nor a list of texts"):
        Messages({"a": {"b": value}}, path="en.toml")


def test_all_of_it_was_read() -> None:
    assert len(list(content().library.messages)) > 100
