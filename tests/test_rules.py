"""Rules of the house that no linter knows: what is tested is not patched, and files that are named are there.

That no test replaces a method of an object, mypy sees to.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import LONG

HERE = Path(__file__).parent
ROOT = HERE.parent
ELSEWHERE = {"Route.BASE", "DiscordWebSocket.DEFAULT_GATEWAY"}
"""What `fakes/elsewhere.py` sets: discord.py has no other way to name another Discord."""
_PATCHING = {"setattr", "delattr", "setitem", "delitem", "__setattr__", "__delattr__"}
_MOCKS = {"mock", "unittest", "pytest_mock"}


def patches(code: str) -> Iterator[str]:
    """Yield what a test does to code that is not its own: mocks of it, and what is put in its place."""
    tree = ast.parse(code)
    imported = dict(_imported(tree))
    theirs = {name for name, module in imported.items() if module != "tests"}
    yield from _MOCKS & set(imported.values())
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Attribute(_, attr)) if attr in _PATCHING:
                yield ast.unparse(node)
            case ast.Call(ast.Name("setattr" | "delattr" | "vars"), [first, *_]) if _root(first) in theirs:
                yield ast.unparse(node)
            case ast.Attribute(value, attr, ast.Store() | ast.Del()) if _root(value) in theirs:
                yield ast.unparse(node)
            case ast.Attribute(value, "__dict__") if _root(value) in theirs:
                yield ast.unparse(node)


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield each name that is imported, with the package it comes from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                package = top if isinstance(node, ast.Import) else (node.module or "").partition(".")[0]
                yield alias.asname or top, package


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def test_no_test_patches_what_it_tests() -> None:
    found = {
        f"{path.relative_to(HERE)}: {patch}"
        for path in HERE.rglob("*.py")
        for patch in patches(path.read_text("utf-8"))
    }
    assert found == {f"fakes/elsewhere.py: {name}" for name in ELSEWHERE}


@pytest.mark.parametrize(
    "code",
    [
        "from unittest import mock",
        "import unittest.mock",
        "def test(monkeypatch): monkeypatch.setattr('bot.runtime.running.FINISH', 0)",
        "from bot.runtime import running\nsetattr(running, 'FINISH', 0)",
        "from bot.runtime import running\nrunning.FINISH = 0",
        "from bot.runtime import running\nvars(running).update(FINISH=0)",
        "from bot.runtime import running\nrunning.__dict__['FINISH'] = 0",
        "import time\ntime.time = lambda: 0",
        "object.__setattr__(chat, 'show', None)",
    ],
)
def test_a_patch_is_found(code: str) -> None:
    assert list(patches(code))


_TOPS = "bot|core|ports|adapters|runtime|handlers|content|deploy|tests"
_NAMED = re.compile(rf"(?<![\w./-])((?:{_TOPS})(?:/[\w-]+)+\.(?:py|lua|toml|md|yaml))\b")


@pytest.mark.parametrize("folder", ["bot", "handlers", "content", "deploy", "tests"])
def test_files_that_are_named_are_there(folder: str) -> None:
    for path in [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.md"), ROOT / "README.md"]:
        for name in _NAMED.findall(path.read_text("utf-8")):
            assert any((at / name).exists() for at in (ROOT, ROOT / "bot", path.parent)), (path, name)


def test_the_long_tests_that_begin_first_are_there() -> None:
    assert [path for path in LONG if not path.exists()] == []
