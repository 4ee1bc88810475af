"""Learn `content/products/weights.toml` from labelled reports: `python -m tests.learn [FILE…]`, a minute.

Reports of the project are always learnt from; FILE is a JSON Lines file of more, as `redial recognise --report` reads.
A multinomial logistic regression by AdaGrad with dropout, averaged over the later rounds of three fixed orders: the
same reports give the same table.
`--author NAME` learns from all whose id does not begin so, and says how the others are then recognised: the honest
figure for that author.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from bot.core.recogniser.engine import Recogniser
from bot.core.recogniser.normalise import normalise
from bot.core.recogniser.products import Products
from bot.core.recogniser.sight import Eyes
from bot.core.recogniser.weights import MARK_SHARE, Weights, beginnings, hints, part_of, table_of, weighed
from bot.core.redaction import redact
from bot.runtime.reading import read
from content import ROOT
from handlers.recognition_report import Labelled, evaluate, render
from tests.core.reports import chatter, in_all_forms, lessons, official_strings, own_reports

TABLE = ROOT / "products" / "weights.toml"
HEAD = """# How much words and marks speak for guides, for `none` (not ours) and for `ask` (too little), in tenths.
# Learnt from labelled reports by `python -m tests.learn`; the module `recogniser.weights` says how it is used.
# Words of your own guide stand in a file of your own: `"zork" = "zork-is-down 40"`.

[weights]
"""
ROUNDS, STEP, PULL, LEAST = 12, 0.6, 7e-3, 5
"""Passes over the reports, size of a step, pull towards nought, tenths that are kept."""
LEFT_OUT = 0.5
"""The share of what a report says that is not looked at in a pass: nothing may lean on one word alone."""
ORDERS, LATER = 3, ROUNDS // 2
"""In how many orders all is gone through, and from which pass on: the table is the mean of what was reached then,
because a single pass depends on what came last."""
RARE, RARE_PAIR = 2, 4
"""In how many reports a hint has to be; two Latin words in a row say by chance more often what they seem to."""
ALSO, CHATTER, LESSON, OFFICIAL = 0.4, 0.25, 0.5, 2.0
"""What a report's other acceptable answers count together; what a line of chatter, a lesson and an official string
count beside a report."""
_QUIET = 0.004
_NUMBER = re.compile("[0-9]{5}")
"""Numbers of one report: they say nothing of the next."""


Lesson = tuple[Sequence[tuple[str, float]], Sequence[float], float]
"""What a report says and how much of it each is, how likely each answer should become, and how much it counts."""


@dataclass(frozen=True, slots=True)
class Example:
    """A report as the table sees it; `goal`: how likely each answer should become."""

    said: tuple[Sequence[str], ...]
    marks: frozenset[str]
    goal: dict[str, float]
    weight: float = 1.0


def reports(path: str) -> Iterator[Labelled]:
    """Read a file of labelled reports, in every form it holds."""
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        yield from in_all_forms(json.loads(line))


def example(eyes: Eyes, report: Labelled, weight: float = 1.0) -> Example:
    """See a report as the recogniser would."""
    text = normalise(redact(report.text).text)
    also = report.acceptable - {report.guide}
    goal = {answer: ALSO / len(also) for answer in also} | {report.guide: 1 - ALSO if also else 1.0}
    said, sight = weighed(text.said), eyes.look(text)
    kinds = tuple(sorted(kind) for kind in (hints(said), beginnings(said), sight.near))
    return Example(kinds, frozenset(sight.marks()), goal, weight)


def examples(eyes: Eyes, known: Iterable[Labelled]) -> Iterator[Example]:
    """Yield everything there is to learn from: reports, and what is always learnt from."""
    for report in known:
        yield example(eyes, report)
    for lesson in lessons():
        yield example(eyes, lesson, LESSON)
    for number, (text, guide) in enumerate(official_strings()):
        if guide not in {"section", "-"}:
            yield example(eyes, Labelled(f"official {number}", text, guide), OFFICIAL)
    for number, line in enumerate(chatter()):
        yield example(eyes, Labelled(f"chatter {number}", line, "none"), CHATTER)


def learn(known: Sequence[Example]) -> dict[str, str]:
    """Return the table learnt from `known`."""
    answers = sorted({answer for one in known for answer in one.goal})
    often = Counter(hint for one in known for kind in one.said for hint in set(kind))
    lessons: list[Lesson] = []
    for one in known:
        parts = [(mark, MARK_SHARE) for mark in sorted(one.marks)]
        for kind in one.said:
            said = Counter(hint for hint in kind if often[hint] >= _rare(hint) and not _NUMBER.search(hint))
            parts += [(hint, count * part_of(said.total())) for hint, count in said.items()]
        lessons.append((parts, [one.goal.get(answer, 0.0) for answer in answers], one.weight))
    reached = {key: [0.0] * len(answers) for key in sorted({key for parts, _, _ in lessons for key, _ in parts})}
    for order in range(ORDERS):
        _go_through(lessons, reached, random.Random(order))  # noqa: S311 - nothing secret: the same every time
    passes = ORDERS * (ROUNDS - LATER)
    means = {key: dict(zip(answers, (much / passes for much in row), strict=True)) for key, row in reached.items()}
    return table_of(means, answers, LEAST)


def _go_through(lessons: Sequence[Lesson], reached: dict[str, list[float]], order: random.Random) -> None:
    """Study all lessons again and again in one random order, and add to `reached` what the later passes come to."""
    weights = {key: [0.0] * len(row) for key, row in reached.items()}
    moved = {key: [0.01] * len(row) for key, row in reached.items()}
    lessons = list(lessons)
    for turn in range(ROUNDS):
        order.shuffle(lessons)
        for parts, goal, weight in lessons:
            kept = [(key, value / (1 - LEFT_OUT)) for key, value in parts if order.random() >= LEFT_OUT]
            _study(weights, moved, kept, goal, weight)
        if turn >= LATER:
            for key, row in weights.items():
                reached[key] = [so_far + held for so_far, held in zip(reached[key], row, strict=True)]


def _rare(hint: str) -> int:
    return RARE_PAIR if " " in hint and hint.isascii() else RARE


def _study(
    weights: dict[str, list[float]],
    moved: dict[str, list[float]],
    parts: Sequence[tuple[str, float]],
    goal: Sequence[float],
    weight: float,
) -> None:
    """Move the weights of one report towards its goal."""
    scores = [0.0] * len(goal)
    for key, value in parts:
        for answer, held in enumerate(weights[key]):
            scores[answer] += held * value
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    whole = sum(powers)
    off = [(answer, power / whole - goal[answer]) for answer, power in enumerate(powers)]
    off = [(answer, much) for answer, much in off if abs(much) > _QUIET]
    for key, value in parts:
        row, steps = weights[key], moved[key]
        for answer, much in off:
            slope = weight * much * value + PULL * row[answer]
            steps[answer] += slope * slope
            row[answer] -= STEP * slope / math.sqrt(steps[answer])


def written(table: dict[str, str]) -> str:
    """Return the table as TOML."""
    return HEAD + "".join(f"{json.dumps(key, ensure_ascii=False)} = {json.dumps(row)}\n" for key, row in table.items())


def measured(products: Products, table: dict[str, str], rows: Sequence[Labelled]) -> str:
    """Say how `rows` are recognised with `table`, each form by itself."""
    known = Recogniser(tuple(read().library.guides.values()), replace(products, weights=Weights.of(table)))
    shown = []
    for form in sorted({_form(row) for row in rows}):
        these = [row for row in rows if _form(row) == form]
        found = {row.id: known.recognise(redact(row.text).text) for row in these}
        shown.append(f"# {form}\n{render(evaluate(these, found), worst=40)}")
    return "\n\n".join(shown)


def _form(row: Labelled) -> str:
    return row.id.partition(" ")[2] or "text"


@click.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False))
@click.option("--author", help="Learn from all others, say how theirs are then recognised, and write nothing.")
def main(files: Sequence[str], author: str | None) -> None:
    """Learn the table from our reports, lessons and those of FILES, or measure it on one author's."""
    content = read()
    eyes = Eyes(tuple(content.library.guides.values()), content.products)
    known = [*own_reports(unseen=False), *(report for name in files for report in reports(name))]
    if author is None:
        TABLE.write_text(written(learn(list(examples(eyes, known)))), encoding="utf-8")
        return
    theirs = [row for row in own_reports() if row.id.startswith(author)]
    if not theirs:
        raise click.UsageError(f"no report of ours has an id that begins with {author}")
    others = [row for row in known if not row.id.startswith(author)]
    click.echo(measured(content.products, learn(list(examples(eyes, others))), theirs))


if __name__ == "__main__":
    main()
