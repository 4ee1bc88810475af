"""The linter: a guide broken on purpose for each rule, pointing at its line, and silence where nothing is wrong."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import bot
from bot.core.guides.library import Library
from bot.core.guides.problem import RULES
from bot.core.lint import rules
from tests.core.small import GUIDES, parsed, small, text_of, with_texts
from tests.scenarios.playing import content, library

LONG = "word " * 59 + "word"


@dataclass(frozen=True)
class Broken:
    """One block of `broken.txt`."""

    rule: str
    guide: str
    text: str
    line: int
    told: str


def _broken(block: str) -> Broken:
    first, *lines = block.replace("LONG", LONG).splitlines()
    rule, guide = first.rstrip(")").split(" (")
    text, out, new = text_of(guide), list[str](), list[str]()
    mark, told = "", ""

    def put() -> None:
        nonlocal text
        if out:
            old = "".join(f"{line}\n" for line in out)
            assert text.count(old) == 1, (guide, old)
            text = text.replace(old, "".join(f"{line}\n" for line in new))
        out.clear()
        new.clear()

    for line in lines:
        if line.startswith("-->"):
            told = line.removeprefix("--> ")
        elif line.startswith("-"):
            if new:
                put()
            out.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith("@"):
            mark = line.removeprefix("@ ")
    put()
    return Broken(rule, guide, text, text[: text.index(mark)].count("\n") + 1, told)


BROKEN = [
    _broken(block) for block in (Path(__file__).parent / "data" / "broken.txt").read_text("utf-8").split("\n=== ")[1:]
]


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: f"{broken.rule}-{broken.line}")
def test_a_broken_guide_is_told_so_at_its_line(broken: Broken) -> None:
    assert parsed(broken.text, broken.guide)[1] == []
    found = [str(problem) for problem in rules.problems(with_texts(**{broken.guide: broken.text}))]
    start = f"{broken.guide}.md:{broken.line}: {broken.told}"
    assert any(one.startswith(start) and one.endswith(f" [{broken.rule}]") for one in found), found


def test_clean_guides_are_told_nothing() -> None:
    assert rules.problems(small()) == ()


def test_what_people_are_given_is_clean() -> None:
    assert content().problems == ()
    assert rules.problems(library(), list(rules.ids(library()))) == ()


RULE_AT = {"Problem": 2, "_at": 1, "step_problem": 1, "_problem": 2, "complain": 2}
"""Which argument of the calls that make a problem is the rule."""


def applied() -> Iterator[str]:
    """The rules that are written down anywhere in the source as the reason of a problem."""
    for path in Path(bot.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call):
                name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                rule = call.args[RULE_AT[name]] if name in RULE_AT and len(call.args) > RULE_AT[name] else None
                if isinstance(rule, ast.Constant) and isinstance(rule.value, str) and " " not in rule.value:
                    yield rule.value


def test_every_rule_has_a_guide_that_breaks_it() -> None:
    elsewhere = {
        "format": "test_markdown.py and test_frontmatter.py",
        "overlay": "test_overlay.py",
        "message": "tests/runtime/test_content.py",
        "link": "tests/runtime/test_content.py",
        "lost-id": "below",
    }
    assert set(applied()) == set(RULES)
    assert {broken.rule for broken in BROKEN} | elsewhere.keys() == set(RULES)


@pytest.mark.parametrize(
    "words",
    [
        "Do not try again yet.", "Before you retry, look.", "Claude retries by itself.", "Was it sent again?",
        "The VPN is off.", "Ask whether a proxy is in use.",
    ],
)  # fmt: skip
def test_words_that_advise_nothing_risky_need_no_mark(words: str) -> None:
    text = text_of("limit").replace("{#time}\n", f"{{#time evidence=reported}}\n{words}\n")
    assert rules.problems(with_texts(limit=text)) == ()


def test_a_gap_of_variants_counts_unless_they_cover_every_value() -> None:
    parts = "\n".join(
        f'### {name} {{when="browser={name}"}}\nHere.\n' for name in ("chrome", "firefox", "other", "unsure")
    )
    text = text_of("limit").replace("{#time}\n", f"{{#time evidence=reported}}\n{parts}")
    assert rules.problems(with_texts(limit=text)) == ()


# --- ids that were released ------------------------------------------------------------------------------------


def lost(library: Library) -> list[str]:
    return [str(problem) for problem in rules.problems(library, rules.ids(small()))]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("{#time}", "{#when}", "limit.md:1: `limit#time` was released and is gone: keep it with `was`"),
        ("{#no says", "{#none says", "limit.md:11: `limit#time#no` was released and is gone: keep it with `was`"),
    ],
)
def test_a_released_id_that_is_gone_is_told(old: str, new: str, told: str) -> None:
    found = lost(with_texts(limit=text_of("limit").replace(old, new)))
    assert any(one.startswith(told) and one.endswith("[lost-id]") for one in found), found


@pytest.mark.parametrize(
    ("old", "new"),
    [("{#time}", '{#when was="time"}'), ("{#no says", '{#none was="no" says'), ("title:", "was: [older]\ntitle:")],
)
def test_a_released_id_kept_with_was_passes(old: str, new: str) -> None:
    assert lost(with_texts(limit=text_of("limit").replace(old, new))) == []


def test_a_guide_that_is_gone_is_told_and_one_that_was_renamed_is_not() -> None:
    assert any("`limits` was released" in str(one) for one in rules.problems(small(), ["limits", "limits#time"]))
    renamed = with_texts(limit=text_of("limit").replace("title:", "was: [limits]\ntitle:"))
    assert rules.problems(renamed, ["limits", "limits#time", "limits#time#no"]) == ()


def test_questions_for_facts_are_released_too() -> None:
    renamed = with_texts(facts=text_of("facts").replace("{#browser}", "{#window}").replace("browser=", "window="))
    assert any("`facts#browser` was released" in one for one in lost(renamed))


def test_ids_are_listed_for_the_next_release() -> None:
    listed = list(rules.ids(small()))
    assert {"limit", "limit#time", "limit#time#no", "facts#over#works"} <= set(listed)
    assert len(listed) == len(set(listed))
    assert {name.partition("#")[0] for name in listed} == {*GUIDES, "facts"}
