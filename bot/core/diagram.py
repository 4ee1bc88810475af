"""A guide as a Mermaid flowchart, for authors and reviewers."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.guide import Choice, Guide, Onward, Step, ToOutcome
from bot.core.text import plain


def flowchart(guide: Guide) -> str:
    """Return the flowchart: rounded steps are answered by Redial, doubled ones state a finding."""
    return "\n".join(_lines(guide)) + "\n"


def _lines(guide: Guide) -> Iterator[str]:
    yield "flowchart TD"
    for step in guide.steps:
        yield f"    {_node(step)}"
    for step in guide.steps:
        for choice in step.choices:
            yield f"    {step.id} -->|{_quoted(choice.label)}| {_end(guide, step, choice)}"


def _node(step: Step) -> str:
    title = _quoted(plain(step.title))
    if step.auto:
        return f"{step.id}([{title}])"
    return f"{step.id}[[{title}]]" if step.cause else f"{step.id}[{title}]"


def _end(guide: Guide, step: Step, choice: Choice) -> str:
    match choice.target:
        case ToOutcome(outcome):
            return f"{outcome}(({outcome}))"
        case Onward():
            return step.id
        case target if target.guide == guide.id:
            there = guide.step(target.step)
            return there.id if there else target.step
        case target:
            return f"{target.guide}{{{{{_quoted(target.guide)}}}}}"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', "#quot;").replace("\n", " ") + '"'
