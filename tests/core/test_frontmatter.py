"""The head of a guide: everything it may say, and a line with what to do for everything it may not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.guides.frontmatter import FrontMatter, split_front_matter
from bot.core.guides.guide import Sign
from bot.core.guides.problem import Problem


def head(yaml: str) -> tuple[FrontMatter, list[str]]:
    """Front matter read from its YAML, and the problems as people see them."""
    problems: list[Problem] = []
    front, _, _ = split_front_matter(f"---\n{yaml}\n---\n", "a.md", problems)
    return front, [str(problem) for problem in problems]


def test_all_of_it() -> None:
    front, problems = head(
        'title: "500: server"\nsurfaces: [web, api]\nsigns:\n  - Connection closed\n'
        "  - text: 'Error: reset'\n    outranks: [timeout]\n  - 529\nphrases: [yes, no]\n"
        "sources:\n  errors: https://x.y/z\nreviewed: 2026-11-30\nwas: [old, older]\nmerge: true"
    )
    assert problems == []
    assert front == FrontMatter(
        title="500: server",
        surfaces=("web", "api"),
        signs=(
            Sign("Connection closed", (), 5, "a.md"),
            Sign("Error: reset", ("timeout",), 6, "a.md"),
            Sign("529", (), 8, "a.md"),
        ),
        phrases=("yes", "no"),
        sources={"errors": "https://x.y/z"},
        reviewed="2026-11-30",
        was=("old", "older"),
        merge=True,
    )


def test_words_of_yaml_stay_what_was_written() -> None:
    assert head("title: yes\nphrases: [null, 0x1F, 1.50, 2026-01-01, ~]")[0].phrases == (
        "null", "0x1F", "1.50", "2026-01-01", "~",
    )  # fmt: skip


@pytest.mark.parametrize("empty", ["signs:", "phrases: []", "sources:", "was:"])
def test_what_is_left_empty_is_empty(empty: str) -> None:
    assert head(f"title: x\n{empty}") == (FrontMatter(title="x"), [])


@pytest.mark.parametrize(
    ("yaml", "problem"),
    [
        ("", "a.md:2: the front matter is a list of `key: value` lines"),
        ("- a\n- b", "a.md:2: the front matter is a list of `key: value` lines"),
        ("surfaces: [web]", "a.md:2: the front matter needs a `title`"),
        ("title: [a", "a.md:3: the front matter is not YAML: "),
        ("title: a: b", "a.md:2: the front matter is not YAML: mapping values are not allowed"),
        ("title: x\n\tphrases: y", "a.md:3: the front matter is not YAML: "),
        ("title: \x00", "a.md:2: the front matter is not YAML: unacceptable character"),
        ("title: x\nphrases: *gone", "a.md:3: the front matter is not YAML: found undefined alias"),
        ("title: x\ntags: [a]", "a.md:3: front matter knows no `tags`; it knows fits, local, merge, often, phrases"),
        ("title: x\nreviewed: 2026-11-30\ntitle: y", "a.md:4: `title` stands here a second time"),
        ("title: {a: b}", "a.md:2: a text is expected here (in quotation marks if it holds a colon"),
        ("title: x\nphrases: stuck", "a.md:3: a list is expected here"),
        ("title: x\nphrases:\n  - {a: b}", "a.md:4: a text is expected here"),
        ("title: x\nsigns:\n  - API Error: 500", "a.md:4: a sign is a text (in quotation marks if it holds a colon)"),
        ("title: x\nsigns:\n  - {text: x, wins: y}", "a.md:4: a sign is a text"),
        ("title: x\nsigns:\n  - [a]", "a.md:4: a sign is a text"),
        ("title: x\nsources: [a]", "a.md:3: `sources` is a list of `name: address` lines"),
        ("title: x\nsources:\n  a: http://x.y", "a.md:4: source `a` is not an https address"),
        ("title: x\nreviewed: yesterday", "a.md:3: `reviewed` is a date such as 2026-11-30"),
        ("title: x\nreviewed: 2026-02-30", "a.md:3: `reviewed` is a date such as 2026-11-30"),
        ("title: x\nreviewed: 20261130", "a.md:3: `reviewed` is a date such as 2026-11-30"),
        ("title: x\nlocal: 1", "a.md:3: `local` is `true` or `false`, not `1`"),
        ("title: x\noften: many", "a.md:3: `often` is a number from 1 to 100, not `many`"),
        ("title: x\noften: 0", "a.md:3: `often` is a number from 1 to 100, not `0`"),
        ("title: x\noften: 101", "a.md:3: `often` is a number from 1 to 100, not `101`"),
        ("title: x\nfits: shows", "a.md:3: cannot read `shows`; it is written `fits: shows=stops|error since=now`"),
        ("title: x\nfits: [shows=stops]", "a.md:3: a text is expected here"),
        ("title: x\nmerge: yes", "a.md:3: `merge` is `true` or `false`, not `yes`"),
    ],
)
def test_a_mistake_is_told_with_its_line(yaml: str, problem: str) -> None:
    found = head(yaml)[1]
    assert any(one.startswith(problem) for one in found), found
    assert all("\n" not in one for one in found)


def test_all_mistakes_are_told_in_one_go() -> None:
    problems = head("tags: x\nreviewed: soon\nsources:\n  a: x\nphrases: y")[1]
    assert [one.split(":")[1] for one in problems] == ["2", "2", "3", "6", "5"]


def test_a_file_without_front_matter_is_told_so() -> None:
    problems: list[Problem] = []
    assert split_front_matter("## Step {#a}\n", "a.md", problems) == (FrontMatter(), "## Step {#a}\n", 0)
    assert [str(one) for one in problems] == [
        "a.md:1: a guide begins with front matter between two lines `---` [format]"
    ]


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    problems: list[Problem] = []
    front, body, offset = split_front_matter("\ufeff---\r\ntitle: x\r\n---\r\nHello\r\n", "a.md", problems)
    assert (front.title, body, offset, problems) == ("x", "Hello\n", 3, [])


def test_a_line_of_three_dashes_further_down_belongs_to_the_text() -> None:
    _, body, _ = split_front_matter("---\ntitle: x\n---\na\n\n---\nb\n", "a.md", [])
    assert body == "a\n\n---\nb\n"


@given(st.text(alphabet=st.sampled_from("abt:[]{}-&*!|>'\"%@`#, \n\t~?\\"), max_size=60))
def test_any_yaml_is_read_or_refused_with_its_line(yaml: str) -> None:
    for problem in head(yaml)[1]:
        assert problem.startswith("a.md:")
        assert 1 <= int(problem.split(":")[1]) <= yaml.count("\n") + 3
