"""`redial check`: the merged content under all rules."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bot.core.errors import ContentError, SettingsError
from bot.core.guides.problem import Problem
from bot.core.lint.knowledge import unknown
from bot.core.lint.rules import ids, problems
from bot.runtime.content import Content
from bot.runtime.reading import product_texts, read
from content import ROOT

RELEASED = ROOT / "released.txt"
"""The ids of the last release: conversations that are open name them."""


def check_content(
    dirs: Sequence[Path], released: Path | None, *, list_ids: bool, as_json: bool, built_in: Path = ROOT
) -> int:
    """Print every problem and return the exit code: 1 if there is one."""
    found, content = _found(dirs, released, built_in)
    if list_ids and content:
        sys.stdout.writelines(f"{name}\n" for name in ids(content.library))
        return 0
    for problem in found:
        line = msgspec.json.encode(problem).decode() if as_json else str(problem)
        sys.stdout.write(f"{line}\n")
    if not as_json:
        count = len(content.library.guides) if content else 0
        word = "problem" if len(found) == 1 else "problems"
        sys.stderr.write(f"{len(found)} {word} in {count} guides\n")
    return 1 if found else 0


def _found(dirs: Sequence[Path], released: Path | None, built_in: Path) -> tuple[Sequence[Problem], Content | None]:
    try:
        content = read(dirs, built_in=built_in)
    except ContentError as error:
        return [Problem(error.path, error.line, "format", error.message)], None
    found = {*content.problems, *problems(content.library, _ids(released))}
    return sorted(found | set(unknown(content.library, product_texts((built_in, *dirs))))), content


def _ids(released: Path | None) -> Sequence[str]:
    path = released or RELEASED
    try:
        return path.read_text("utf-8").split()
    except FileNotFoundError:
        if released:
            raise SettingsError(f"{released} is not there; `redial check --ids` writes such a list") from None
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"the list of released ids cannot be read: {error}") from error
