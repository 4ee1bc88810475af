from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from bot.adapters.discord.commands import PLAIN
from handlers.commands import COMMANDS, MANAGING
from tests.contract.bench_console import Console
from tests.contract.bench_discord import DiscordBench
from tests.contract.bench_slack import SlackBench
from tests.contract.parity import PLATFORMS, SUITE, Cell, cells, table

ROOT = Path(__file__).parents[2]
LACKS = {"console": Console.lacks, "slack": SlackBench.lacks, "discord": DiscordBench.lacks}


@cache
def found_in(path: str) -> dict[str, frozenset[str]]:
    """Tests of a file, each with what it wants a platform to have."""
    return dict(_tests(ast.parse((ROOT / path).read_text(encoding="utf-8")), frozenset()))


def _tests(tree: ast.AST, outer: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            marks = [ast.unparse(mark) for mark in node.decorator_list]
            wants = outer | {mark.split("'")[1] for mark in marks if mark.startswith("pytest.mark.has(")}
            if isinstance(node, ast.ClassDef):
                yield from _tests(node, wants)
            elif node.name.startswith("test_"):
                yield node.name, wants


@pytest.mark.parametrize("cell", cells(), ids=lambda cell: f"{cell.platform}: {cell.feature}")
def test_every_cell_is_proven_or_has_its_reason(cell: Cell) -> None:
    if cell.exempt:
        assert len(cell.exempt) > 5
        return
    path, _, name = cell.proof.partition("::")
    assert name in found_in(path), f"{path} has no {name}"
    if path == SUITE:
        assert not found_in(path)[name] & LACKS[cell.platform], "that test is skipped there"


def test_what_the_suite_skips_has_a_reason_here() -> None:
    exempt = {cell.platform for cell in cells() if cell.exempt}
    assert {platform for platform in PLATFORMS if LACKS[platform]} <= exempt


def test_the_table_has_a_row_a_feature() -> None:
    assert len(table().splitlines()) == 2 + len(cells()) // len(PLATFORMS)


def test_every_sub_command_is_on_discord() -> None:
    assert {*PLAIN, "triage", "guide", "resume", "subscribe", "unsubscribe"} == {*COMMANDS, *MANAGING}
