"""The format of guides: every construct of content/README.md, and a sentence with file and line for every mistake."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import content
from bot.core.guides.guide import Choice, Condition, Guide, Onward, Outcome, Step, ToOutcome, ToStep
from bot.core.guides.markdown import read_guide
from bot.core.text import Bullets, Code, Evidence, Note, Span, Steps, Text, Undo, plain
from tests.core.small import GUIDES, found, parsed, small, text_of, with_texts
from tests.scenarios.playing import library

HEAD = "---\ntitle: A trial\nreviewed: 2026-11-30\nsources:\n  errors: https://x.y/z\n---\n"
LINES = HEAD.count("\n")


def read(body: str) -> Guide:
    """A guide without a mistake."""
    guide, problems = parsed(HEAD + textwrap.dedent(body))
    assert problems == []
    return guide


def mistakes(body: str) -> list[str]:
    """The mistakes of a guide, as people see them, with lines counted from the first below the front matter."""
    problems = parsed(HEAD + textwrap.dedent(body))[1]
    return [f"{problem.line - LINES}: {problem.message}" for problem in problems]


@cache
def examples() -> list[str]:
    """The fenced examples of the authors' page."""
    page = (content.ROOT / "README.md").read_text("utf-8")
    return re.findall(r"^```markdown\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


# --- the authors' page -----------------------------------------------------------------------------------------


def test_the_example_of_the_authors_page_is_a_guide() -> None:
    patch, problems = read_guide(examples()[0], guide_id="example")
    assert problems == ()
    guide = patch.guide
    assert guide.title == "Claude Code lost its connection mid-response"
    assert guide.surfaces == ("claude-code",)
    assert [sign.text for sign in guide.signs] == [
        "Connection closed mid-response", "The socket connection was closed unexpectedly",
    ]  # fmt: skip
    assert guide.signs[1].outranks == ("cannot-connect",)
    assert guide.phrases == ("cut off halfway", "stopped mid answer")
    assert [step.id for step in guide.steps] == ["doing", "inspect"]
    tools, text, unsure = guide.start.choices
    assert (tools.target, tools.facts, tools.says) == (
        ToStep("example", "inspect"), {"tool_ran": "yes"}, ("tool", "edit", "bash", "command"),
    )  # fmt: skip
    assert text.facts == {"tool_ran": "no"}
    assert unsure.facts == {"tool_ran": "unsure"}
    inspect = guide.steps[1]
    assert (inspect.evidence, inspect.source) == (Evidence.OFFICIAL, "errors")
    assert isinstance(inspect.body[0], Steps)


def test_the_other_examples_of_the_authors_page_are_read_too() -> None:
    notes, questions = examples()[1:3]
    step = read(f"## A step {{#a}}\n\n{notes}\n- [Go](#a){{#go}}\n").start
    note, undo = step.body
    assert isinstance(note, Note)
    assert (note.id, note.evidence) == ("mechanism", Evidence.UNCONFIRMED)
    assert isinstance(undo, Undo)
    question = read(f"## A step {{#a}}\n- [Go](#a){{#go}}\n\n{questions}").questions[0]
    assert (question.id, question.says) == ("faq-resume", ("resume", "by itself"))


@pytest.mark.parametrize(
    "attribute",
    [
        "evidence=official", "evidence=reported", "evidence=unconfirmed", "source=errors", "auto=official-status",
        "cause=name", "retry", "bypass", "destructive", "human", 'was="old|older"',
    ],
)  # fmt: skip
def test_every_attribute_of_the_authors_page_is_known(attribute: str) -> None:
    read(f"## A step {{#a {attribute}}}\n- [Go](#a){{#go}}\n")
    documented = (content.ROOT / "README.md").read_text("utf-8")
    assert attribute.partition("=")[0] in documented


# --- what can be written ---------------------------------------------------------------------------------------


def test_a_step_says_what_it_is() -> None:
    step = read(
        """
        ## Do `it` {#reset was="old|older" cause=stale evidence=official source=errors bypass destructive retry human}
        - [Go](#reset){#go}
        """
    ).start
    assert plain(step.title) == "Do it"
    assert Span("it", code=True) in step.title
    assert step == Step(
        id="reset", title=step.title, choices=step.choices, evidence=Evidence.OFFICIAL, source="errors", cause="stale",
        bypass=True, destructive=True, retry=True, human=True, was=("old", "older"), path="trial.md", line=LINES + 2,
    )  # fmt: skip


def test_a_choice_leads_to_a_step_a_guide_or_an_end() -> None:
    step = read(
        """
        ## Where to? {#where}
        - [On](#where){#on}
        - [Another *guide*](sign-in.md){#guide}
        - [A step of `another`](sign-in.md#again){#there says="there|over there" was="yonder" os=windows browser=edge}
        - [Fixed](outcomes.md#fixed){#fixed}
        - [Nowhere](#){#nowhere}
        """
    ).start
    assert [choice.target for choice in step.choices] == [
        ToStep("trial", "where"), ToStep("sign-in", ""), ToStep("sign-in", "again"), ToOutcome(Outcome.FIXED), Onward(),
    ]  # fmt: skip
    assert step.choices[1].label == "Another guide"
    assert step.choices[2] == Choice(
        "there", "A step of another", ToStep("sign-in", "again"), {"os": "windows", "browser": "edge"},
        ("there", "over there"), ("yonder",), "trial.md", LINES + 5,
    )  # fmt: skip


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_end_can_be_led_to(outcome: Outcome) -> None:
    step = read(f"## A {{#a}}\n- [End](outcomes.md#{outcome}){{#end}}\n").start
    assert step.choices[0].target == ToOutcome(outcome)


def test_every_kind_of_block() -> None:
    step = read(
        """
        ## A {#a}
        A paragraph with **bold**, `code` and [a link](https://x.y).

        1. First
           - nested
        2. Second

           with a second paragraph

        * plain

        ```sh
        ## not a heading {#no}
        - [not a choice](#a){#no}
        ```

            indented code

        {#n evidence=official source=errors}
        > A note
        >
        > in two parts

        {.undo}
        Take it back.

        - [Go](#a){#go}
        """
    ).start
    text, steps, bullets, fence, indented, note, undo = step.body
    assert isinstance(text, Text)
    assert Span("a link", href="https://x.y") in text.inline
    assert steps == Steps(
        (
            (Text((Span("First"),)), Bullets(((Text((Span("nested"),)),),))),
            (Text((Span("Second"),)), Text((Span("with a second paragraph"),))),
        )
    )
    assert bullets == Bullets(((Text((Span("plain"),)),),))
    assert fence == Code("## not a heading {#no}\n- [not a choice](#a){#no}", "sh")
    assert indented == Code("indented code")
    assert note == Note("n", Evidence.OFFICIAL, note.blocks if isinstance(note, Note) else (), "errors")
    assert undo == Undo((Span("Take it back."),))
    assert [choice.id for choice in step.choices] == ["go"]


def test_variants() -> None:
    step = read(
        """
        ## Extensions {#ext}
        For all.

        ### Chrome or Edge {when="browser=chrome|edge os=windows"}
        Here.

        ### Any other
        There.

        - [Done](#ext){#done}
        """
    ).start
    first, other = step.variants
    assert first.when == Condition((("browser", frozenset({"chrome", "edge"})), ("os", frozenset({"windows"}))))
    assert other.when is None
    assert (plain(first.title), first.line) == ("Chrome or Edge", LINES + 5)
    assert [choice.id for choice in step.choices] == ["done"]


def test_choices_may_stand_before_the_variants() -> None:
    step = read("## A {#a}\nText.\n\n- [Go](#a){#go}\n\n### Any\nHere.\n").start
    assert [choice.id for choice in step.choices] == ["go"]


def test_the_text_before_the_first_step_is_the_quick_answer() -> None:
    guide = read("**Stop.** Look first.\n\nThen on.\n\n## A {#a}\n- [Go](#a){#go}\n")
    assert [plain(block.inline) for block in guide.summary if isinstance(block, Text)] == [
        "Stop. Look first.", "Then on.",
    ]  # fmt: skip


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    for name in GUIDES:
        guide, problems = parsed("\ufeff" + text_of(name).replace("\n", "\r\n"), name)
        assert problems == []
        assert guide == small().guides[name]


def test_an_underlined_title_is_a_step_too() -> None:
    assert mistakes("A title\n---\n- [Go](#a){#go}\n") == ["1: a step needs an id: `## Title {#id}`"]


# --- what cannot -----------------------------------------------------------------------------------------------

STEP = "## A {#a}\n"
GO = "\n- [Go](#a){#go}\n"


def told(name: str) -> list[tuple[str, str]]:
    """The blocks of a file of mistakes: a body, and how what the author is told begins."""
    blocks = (Path(__file__).parent / "data" / name).read_text("utf-8").split("===\n")[1:]
    return [(body, mistake.strip()) for body, _, mistake in (block.partition("--> ") for block in blocks)]


@pytest.mark.parametrize(("body", "mistake"), told("mistakes.txt"))
def test_a_mistake_is_told_with_its_line_and_what_to_do(body: str, mistake: str) -> None:
    found = mistakes(body)
    assert any(one.startswith(mistake) for one in found), found


def test_several_mistakes_are_told_in_one_go() -> None:
    found = mistakes("## No id\n<b>\n\n## A {#a shiny}\n[x](http://x.y)\n\n- [Go](nowhere){#go}\n")
    assert [int(one.split(":")[0]) for one in found] == [1, 2, 4, 5, 7]


def test_the_first_mistake_is_an_error_that_says_its_place() -> None:
    _, problems = read_guide(f"{HEAD}## No id\n- [Go](x){{#go}}\n", guide_id="trial")
    error = min(problems).error()
    assert str(error).startswith("trial.md:7: a step needs an id")
    assert (error.path, error.line) == ("trial.md", 7)


@pytest.mark.parametrize("text", ["", "\n", "---", "---\n---", "---\n---\n", "\ufeff", "## A {#a}"])
def test_a_file_that_holds_next_to_nothing_is_refused_not_feared(text: str) -> None:
    assert parsed(text)[1]


def test_a_plain_list_with_another_mark_is_not_merged_with_the_choices() -> None:
    step = read(f"{STEP}* plain\n{GO}").start
    assert isinstance(step.body[0], Bullets)
    assert [choice.id for choice in step.choices] == ["go"]


# --- anything --------------------------------------------------------------------------------------------------

REAL = {name: text_of(name) for name in ("facts", "outcomes", *GUIDES)}
MARKS = st.text(alphabet="#{}[]()-*>`|.=\"' \n\tab1:~_!<\\&", max_size=200)


@given(MARKS)
def test_anything_below_a_head_is_read_or_refused(body: str) -> None:
    guide, problems = parsed(HEAD + body)
    assert guide.steps
    assert all(problem.line >= 0 and "\n" not in str(problem) for problem in problems)


@given(st.text())
def test_anything_at_all_is_refused_with_a_sentence(text: str) -> None:
    guide, problems = parsed(text)
    assert problems
    assert guide.steps


def mangled(data: st.DataObject, text: str) -> str:
    """A text with lines lost, doubled, swapped or cut."""
    lines = text.splitlines()
    for _ in range(data.draw(st.integers(1, 6))):
        a, b = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        match data.draw(st.sampled_from(["lose", "double", "swap", "cut"])):
            case "lose" if len(lines) > 1:
                del lines[a]
            case "double":
                lines.insert(b, lines[a])
            case "swap":
                lines[a], lines[b] = lines[b], lines[a]
            case _:
                lines[a] = lines[a][: len(lines[a]) // 2]
    return "\n".join(lines)


@given(st.data())
def test_a_mangled_guide_never_breaks_the_reader_or_the_linter(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(REAL)))
    text = mangled(data, REAL[name])
    patch, problems = read_guide(text, guide_id=name)
    assert patch.guide.steps
    assert all(0 < problem.line <= text.count("\n") + 3 for problem in problems)
    assert all("\n" not in problem for problem in found(with_texts(**{name: text})))


@settings(max_examples=20, deadline=None)
@given(st.data(), st.sampled_from(sorted(library().guides)))
def test_a_mangled_guide_of_the_real_ones_never_breaks_the_reader(data: st.DataObject, name: str) -> None:
    text = (content.ROOT / "guides" / "en" / f"{name}.md").read_text("utf-8")
    assert read_guide(mangled(data, text), guide_id=name)[0].guide.steps


def test_a_problem_is_one_line_even_if_what_it_quotes_is_not() -> None:
    _, problems = parsed(HEAD + "{1}\\\n1\n")
    assert problems
    assert all("\n" not in str(problem) for problem in problems)
