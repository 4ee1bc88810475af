"""Rules about the ways through the guides: what can be reached, where it ends, and what has to come before."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping

from bot.core.guides.guide import Choice, Outcome, Step, ToOutcome, ToStep
from bot.core.guides.library import Library
from bot.core.guides.problem import Problem

Place = tuple[str, str]
Edges = Mapping[Place, tuple[tuple[Choice, Place | Outcome], ...]]

FURTHEST = 6
"""Most answers between the start of a guide and a finding in it, on the shortest way."""


def path_problems(library: Library) -> Iterator[Problem]:
    """Yield what is wrong with the ways through all guides together."""
    edges = dict(_edges(library))
    steps = {(guide.id, step.id): step for guide in library.guides.values() for step in guide.steps}
    starts = [(guide.id, guide.start.id) for guide in library.guides.values()]
    everywhere = _reached(edges, starts)
    blind = _reached(edges, starts, through=lambda place, _: not steps[place].auto)
    unasked = _reached(edges, starts, through=lambda _, choice: "tool_ran" not in choice.facts)
    ends = _ends(edges)
    for place, step in steps.items():
        yield from _unreachable(step, place, everywhere)
        if (step.bypass or step.destructive) and place in blind:
            yield _problem(
                library, place, "before-status", f"can be reached without the official status: {_way(blind, place)}"
            )
        if step.retry and place in unasked:
            yield _problem(
                library, place, "before-asking", f"advises to send again before asking what ran: {_way(unasked, place)}"
            )
        if step.auto and place in _reached(edges, _next(edges, place), through=lambda here, _: bool(steps[here].auto)):
            yield _problem(library, place, "auto", "leads round to itself before anybody is asked")
        if not step.human and step.choices and ends.get(place, set()) <= {Outcome.HANDED_OFF}:
            yield _problem(
                library, place, "only-human", "leads to nothing but a hand-off; mark it `human` if the cause needs one"
            )
    yield from _too_far(library, edges, steps)


def _edges(library: Library) -> Iterator[tuple[Place, tuple[tuple[Choice, Place | Outcome], ...]]]:
    for guide in library.guides.values():
        for step in guide.steps:
            out: list[tuple[Choice, Place | Outcome]] = []
            for choice in step.choices:
                match choice.target:
                    case ToOutcome(outcome):
                        out.append((choice, outcome))
                    case ToStep(guide_id, step_id):
                        other = library.known(guide_id)
                        there = other.step(step_id) if other else None
                        if other and there:
                            out.append((choice, (other.id, there.id)))
            yield (guide.id, step.id), tuple(out)


def _reached(
    edges: Edges, starts: list[Place], through: Callable[[Place, Choice], bool] = lambda _, __: True
) -> dict[Place, Place | None]:
    """Return every place that can be reached, with the place before it on a shortest way."""
    before: dict[Place, Place | None] = dict.fromkeys(starts)
    queue = deque(starts)
    while queue:
        place = queue.popleft()
        for choice, there in edges[place]:
            if not isinstance(there, Outcome) and there not in before and through(place, choice):
                before[there] = place
                queue.append(there)
    return before


def _next(edges: Edges, place: Place) -> list[Place]:
    return [there for _, there in edges[place] if not isinstance(there, Outcome)]


def _way(before: Mapping[Place, Place | None], place: Place) -> str:
    out = [f"{place[0]}#{place[1]}"]
    here = before[place]
    while here is not None:
        out.append(f"{here[0]}#{here[1]}")
        here = before[here]
    return " → ".join(reversed(out))


def _ends(edges: Edges) -> dict[Place, set[Outcome]]:
    """Return the outcomes each place can still lead to."""
    ends: dict[Place, set[Outcome]] = {place: set() for place in edges}
    changed = True
    while changed:
        changed = False
        for place, out in edges.items():
            for _, there in out:
                more = {there} if isinstance(there, Outcome) else ends[there]
                if not more <= ends[place]:
                    ends[place] |= more
                    changed = True
    return ends


def _unreachable(step: Step, place: Place, reached: Mapping[Place, object]) -> Iterator[Problem]:
    if place not in reached:
        yield Problem(step.path, step.line, "unreachable", f"no choice leads to step `{place[1]}`")


def _too_far(library: Library, edges: Edges, steps: Mapping[Place, Step]) -> Iterator[Problem]:
    for guide in library.guides.values():
        answers = {(guide.id, guide.start.id): 0}
        queue = deque(answers)
        while queue:
            place = queue.popleft()
            for _, there in edges[place]:
                if isinstance(there, Outcome) or there[0] != guide.id:
                    continue
                cost = answers[place] + (0 if steps[place].auto else 1)
                if there not in answers or cost < answers[there]:
                    answers[there] = cost
                    queue.append(there)
        for place, cost in answers.items():
            if steps[place].cause and cost > FURTHEST:
                yield _problem(library, place, "too-far", f"takes {cost} answers to reach; at most {FURTHEST}")


def _problem(library: Library, place: Place, rule: str, message: str) -> Problem:
    guide, step = library.step(*place)
    return Problem(step.path or guide.path, step.line, rule, f"step `{step.id}` {message}")
