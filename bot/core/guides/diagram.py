"""A guide as a Mermaid flowchart, for authors and reviewers."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.guides.guide import Choice, Guide, Onward, Step, ToOutcome
from bot.core.text import plain

_RESERVED = frozenset({"end", "graph", "subgraph", "flowchart", "style", "class", "click", "default", "direction"})
"""Words that are no names in Mermaid."""


def flowchart(guide: Guide) -> str:
    """Return the flowchart: rounded steps are answered by Redial, doubled ones state a finding."""
    return "\n".join(_lines(guide)) + "\n"


def _lines(guide: Guide) -> Iterator[str]:
    yield "flowchart TD"
    for step in guide.steps:
        yield f"    {_node(step)}"
    for step in guide.steps:
        for choice in step.choices:
            yield f"    {_name(step.id)} -->|{_quoted(choice.label)}| {_end(guide, step, choice)}"


def _node(step: Step) -> str:
    name, title = _name(step.id), _quoted(plain(step.title))
    if step.auto:
        return f"{name}([{title}])"
    return f"{name}[[{title}]]" if step.cause else f"{name}[{title}]"


def _end(guide: Guide, step: Step, choice: Choice) -> str:
    match choice.target:
        case ToOutcome(outcome):
            return f"outcome_{outcome}(({outcome}))"
        case Onward():
            return _name(step.id)
        case target if target.guide == guide.id:
            there = guide.step(target.step)
            return _name(there.id if there else target.step)
        case target:
            return f"guide_{target.guide}{{{{{_quoted(target.guide)}}}}}"


def _name(step_id: str) -> str:
    return f"step_{step_id}" if step_id in _RESERVED else step_id


def _quoted(text: str) -> str:
    return '"' + text.replace("#", "#35;").replace('"', "#quot;").replace("\n", " ") + '"'
