"""A company's content laid over the built-in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bot.core.guides.guide import Guide, Question, Step, ToStep
from bot.core.guides.markdown import Patch
from bot.core.guides.problem import Problem


def lay_over(base: Guide | None, patch: Patch) -> tuple[Guide, tuple[Problem, ...]]:
    """Return `base` as `patch` changes it; without `merge`, or without a base, the patch is the guide."""
    over = patch.guide
    if not patch.merge or base is None:
        return replace(over, steps=over.steps or (_nothing(over),)), tuple(_unmerged(patch))
    merged = replace(
        base,
        title=over.title or base.title,
        summary=base.summary + over.summary,
        steps=_steps(base, patch),
        questions=_questions(base, over),
        surfaces=over.surfaces or base.surfaces,
        signs=base.signs + over.signs,
        phrases=base.phrases + over.phrases,
        sources={**base.sources, **over.sources},
        reviewed=over.reviewed or base.reviewed,
        was=base.was + over.was,
        path=over.path,
        local=base.local or over.local,
        lines={**base.lines, **over.lines},
        often=base.often if over.often == 1 else over.often,
        fits={**base.fits, **over.fits},
    )
    return merged, tuple(_complaints(base, patch))


def _nothing(guide: Guide) -> Step:
    """Return a step for a guide that has none, so that the rest of the content can still be read."""
    return Step("missing", (), path=guide.path, line=1)


def _steps(base: Guide, patch: Patch) -> tuple[Step, ...]:
    steps = {step.id: step for step in base.steps}
    for step in patch.guide.steps:
        known = base.step(step.id)
        name = known.id if known else step.id
        below = steps.get(name)
        if step.id in patch.hides:
            steps.pop(name, None)
        elif below and step.id in patch.adds:
            steps[name] = _added(below, step)
        else:
            was = dict.fromkeys((*step.was, *(below.was if below else ())))
            steps[name] = replace(step, id=name, was=tuple(was))
    for hidden, instead in _detours(base, patch).items():
        # A hidden step lives on as a former id of the step people go to instead, so that links from other
        # guides and conversations that stand there go on too.
        if instead in steps:
            old = base.step(hidden)
            steps[instead] = replace(steps[instead], was=(*steps[instead].was, hidden, *(old.was if old else ())))
            if hidden == base.start.id:
                steps = {instead: steps[instead], **steps}
    return tuple(steps.values()) or (_nothing(patch.guide),)


def _added(below: Step, step: Step) -> Step:
    """Return a step with more in it. What is wrong with it now is the fault of what was added: it points there."""
    return replace(
        below,
        body=below.body + step.body,
        variants=below.variants + step.variants,
        choices=below.choices + step.choices,
        path=step.path,
        line=step.line,
    )


def _questions(base: Guide, over: Guide) -> tuple[Question, ...]:
    questions = {question.id: question for question in (*base.questions, *over.questions)}
    return tuple(questions.values())


def _detours(base: Guide, patch: Patch) -> Mapping[str, str]:
    """Return hidden step -> step people go to instead, past steps that are hidden themselves."""
    said: dict[str, str] = {}
    for step in patch.guide.steps:
        known = base.step(step.id)
        if step.id in patch.hides and known and (instead := _instead(base, step)):
            said[known.id] = instead
    out = {}
    for hidden, first in said.items():
        instead, passed = first, {hidden}
        while instead in said and instead not in passed:
            passed.add(instead)
            instead = said[instead]
        out[hidden] = instead
    return out


def _instead(base: Guide, hidden: Step) -> str:
    target = hidden.choices[0].target if len(hidden.choices) == 1 else None
    if not isinstance(target, ToStep) or target.guide != base.id:
        return ""
    known = base.step(target.step)
    return known.id if known else target.step


def _unmerged(patch: Patch) -> Iterator[Problem]:
    if patch.merge:
        yield _problem(patch, 1, f"`merge: true`, but there is no guide `{patch.guide.id}` below it")
        return
    for step in patch.guide.steps:
        if step.id in patch.adds | patch.hides:
            yield _problem(patch, step.line, "`add` and `hide` need `merge: true` in the front matter")


def _complaints(base: Guide, patch: Patch) -> Iterator[Problem]:
    detours = _detours(base, patch)
    left = {step.id for step in _steps(base, patch)}
    for step in patch.guide.steps:
        known = base.step(step.id)
        if step.id in patch.adds | patch.hides and known is None:
            yield _problem(patch, step.line, f"guide `{base.id}` has no step `{step.id}` to add to or to hide")
        elif step.id in patch.hides and known and known.id not in detours:
            message = "below a hidden step stands one choice: the step of this guide that people go to instead"
            yield _problem(patch, step.line, message)
        elif step.id in patch.hides and known and detours[known.id] not in left:
            message = f"people go on at `{detours[known.id]}` instead of `{step.id}`, and there is no such step"
            yield _problem(patch, step.line, message)
        elif step.id in patch.adds and _graded(step):
            yield _problem(patch, step.line, "`add` adds blocks and choices only: replace the step to change the rest")


def _graded(step: Step) -> bool:
    flags = step.bypass or step.destructive or step.retry or step.human
    return flags or any((step.evidence, step.source, step.auto, step.cause, step.was))


def _problem(patch: Patch, line: int, message: str) -> Problem:
    return Problem(patch.guide.path, line, "overlay", message)
