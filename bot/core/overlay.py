"""A company's content laid over the built-in one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.core.guide import Guide, Step, ToStep
from bot.core.markdown import Patch
from bot.core.problem import Problem


def lay_over(base: Guide | None, patch: Patch) -> tuple[Guide, tuple[Problem, ...]]:
    """Return `base` as `patch` changes it; without `merge`, or without a base, the patch is the guide."""
    over = patch.guide
    if not patch.merge:
        return over, ()
    if base is None:
        return over, (_problem(patch, 1, f"`merge: true`, but there is no guide `{over.id}` below it"),)
    merged = replace(
        base,
        title=over.title or base.title,
        summary=base.summary + over.summary,
        steps=_steps(base, patch),
        questions=base.questions + over.questions,
        surfaces=over.surfaces or base.surfaces,
        signs=base.signs + over.signs,
        phrases=base.phrases + over.phrases,
        sources={**base.sources, **over.sources},
    )
    return merged, tuple(_complaints(base, patch))


def _steps(base: Guide, patch: Patch) -> tuple[Step, ...]:
    steps = {step.id: step for step in base.steps}
    for step in patch.guide.steps:
        if step.id in patch.hides:
            steps.pop(step.id, None)
        elif step.id in patch.adds and step.id in steps:
            below = steps[step.id]
            steps[step.id] = replace(below, body=below.body + step.body, choices=below.choices + step.choices)
        else:
            steps[step.id] = step
    for hidden, instead in _detours(patch).items():
        # A hidden step lives on as a former id of the step people go to instead, so that links from other
        # guides and conversations that stand there go on too.
        if instead in steps:
            steps[instead] = replace(steps[instead], was=(*steps[instead].was, hidden))
    return tuple(steps.values())


def _detours(patch: Patch) -> dict[str, str]:
    """Return hidden step -> step people go to instead."""
    out = {}
    for step in patch.guide.steps:
        if step.id in patch.hides and len(step.choices) == 1 and isinstance(step.choices[0].target, ToStep):
            out[step.id] = step.choices[0].target.step
    return out


def _complaints(base: Guide, patch: Patch) -> Iterator[Problem]:
    for step in patch.guide.steps:
        if step.id in patch.adds | patch.hides and base.step(step.id) is None:
            yield _problem(patch, step.line, f"guide `{base.id}` has no step `{step.id}` to add to or to hide")
        if step.id in patch.hides and step.id not in _detours(patch):
            yield _problem(patch, step.line, "below a hidden step stands one choice: the step people go to instead")


def _problem(patch: Patch, line: int, message: str) -> Problem:
    return Problem(patch.guide.path, line, "overlay", message)
