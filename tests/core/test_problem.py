"""A problem points at its place."""

from __future__ import annotations

from bot.core.guides.problem import RULES, Problem


def test_it_reads_like_a_compiler_says_it() -> None:
    problem = Problem("guides/en/a.md", 7, "dead-end", "nobody can go on")
    assert str(problem) == "guides/en/a.md:7: nobody can go on [dead-end]"
    assert str(problem.error()) == "guides/en/a.md:7: nobody can go on"


def test_problems_sort_by_file_and_line() -> None:
    names = [("b.md", 1), ("a.md", 20), ("a.md", 3)]
    problems = sorted(Problem(path, line, "format", "x") for path, line in names)
    assert [(p.path, p.line) for p in problems] == [("a.md", 3), ("a.md", 20), ("b.md", 1)]


def test_every_rule_says_what_it_refuses() -> None:
    assert all(RULES.values())
