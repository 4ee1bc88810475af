"""What `content/products/` says of guides and facts that are not there: it would never fit, and nobody would notice."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from bot.core.guides.guide import UNSURE
from bot.core.guides.library import Library
from bot.core.guides.problem import Problem
from bot.core.recogniser.judge import ASK, NONE


def unknown(library: Library, texts: Mapping[str, str]) -> Iterator[Problem]:
    """Yield what the TOML texts, by path, say of unknown guides, facts and values of facts."""
    for path, text in texts.items():
        table = tomllib.loads(text)
        for name, rule, message in _named(library, table):
            yield Problem(path, _line(text, name), rule, message)


def _named(library: Library, table: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield what stands in a file that nothing has, with its rule and what is wrong."""
    for clue in table.get("clue", ()):
        fact, value = clue["fact"], clue["value"]
        question = library.facts.step(fact)
        values = {choice.facts.get(fact) for choice in question.choices} | {UNSURE} if question else set()
        if question is None:
            yield fact, "unknown-fact", f"no fact `{fact}` in facts.md"
        elif value not in values:
            yield value, "unknown-fact", f"the fact `{fact}` has no value `{value}`"
    guides = {name for row in table.get("weights", {}).values() for name, _ in map(str.split, row.split(","))}
    guides |= {output["guide"] for output in table.get("output", ())} | set(table.get("statuses", {}).values())
    for guide in sorted(guides - {ASK, NONE}):
        if library.known(guide) is None:
            yield guide, "unknown-target", f"no guide `{guide}`"


def _line(text: str, name: str) -> int:
    lines = text.splitlines()
    return next((n for n, line in enumerate(lines, 1) if not line.startswith("#") and f'"{name}' in line), 0) or next(
        (n for n, line in enumerate(lines, 1) if name in line), 1
    )
