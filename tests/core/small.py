"""A small library for tests of how things work: its guides are in tests/fixtures/content, not what people are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from bot.core.guides.guide import Guide
from bot.core.guides.library import Library, with_ways
from bot.core.guides.markdown import read_guide
from bot.core.guides.problem import Problem
from bot.core.lint import rules
from bot.core.recogniser.engine import Recogniser, parse_products
from tests.scenarios.playing import library as built_in

FOLDER = Path(__file__).parents[1] / "fixtures" / "content"
GUIDES = ("cut-off", "limit", "page-lost")


def text_of(guide: str) -> str:
    """The file of a guide, as written."""
    return (FOLDER / "guides" / "en" / f"{guide}.md").read_text("utf-8")


def parsed(text: str, guide: str = "trial") -> tuple[Guide, list[Problem]]:
    """A guide read from text, and the problems of its format."""
    patch, problems = read_guide(text, guide_id=guide, path=f"{guide}.md")
    return patch.guide, sorted(problems)


@cache
def small() -> Library:
    """The library of the fixture folder, with the sentences and services of the real one."""
    return _library({})


def _library(texts: Mapping[str, str]) -> Library:
    names = dict.fromkeys(("facts", "outcomes", *GUIDES, *texts))
    guides = {name: parsed(texts[name] if name in texts else text_of(name), name)[0] for name in names}
    facts, outcomes = guides.pop("facts"), guides.pop("outcomes")
    return with_ways(replace(built_in(), guides=guides, facts=facts, outcomes=outcomes))


def with_texts(**texts: str) -> Library:
    """The small library with guides replaced or added by name (`_` stands for `-`)."""
    return _library({name.replace("_", "-"): text for name, text in texts.items()})


def found(library: Library, released: Sequence[str] = ()) -> Iterator[str]:
    """The problems of a library as people see them."""
    return (str(problem) for problem in rules.problems(library, released))


@cache
def small_recogniser() -> Recogniser:
    """A recogniser over the small library."""
    path = FOLDER / "products" / "clues.toml"
    return Recogniser(tuple(small().guides.values()), parse_products({str(path): path.read_text("utf-8")}))
