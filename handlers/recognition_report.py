"""How well texts are recognised: figures, a table of confusions and the worst rows, from labelled reports.

A label is a guide, `none` (not ours) or `ask` (too vague); `also_ok` is what a careful person would accept as well.
An offer is right when one of its first three guides is acceptable. Asking back is never wrong, only slow. On a report
that is not ours, every guide named that is not acceptable is a false claim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from bot.core.frozen import frozen
from bot.core.recogniser.engine import Decision, Recognition

ENGLISH = "en"
_LINE = 110
SHOWN = 3
"""Guides of an offer that count, because people see no more at once."""


@frozen
class Labelled:
    """A report with its right answer. `trap`: its first error token misleads; `by_text`: the text itself says it."""

    id: str
    text: str
    guide: str
    also_ok: frozenset[str] = frozenset()
    language: str = "en"
    trap: bool = False
    by_text: bool = True

    @property
    def acceptable(self) -> frozenset[str]:
        """Every answer that counts as right."""
        return self.also_ok | {self.guide}


@frozen
class Figures:
    """Percentages over `n` rows; false claims over those that are not ours, traps over those that mislead."""

    n: int
    right: float
    first: float
    wrong: float
    offered: float
    asked: float
    false_claims: float
    traps: float


@frozen
class Miss:
    """A row that was decided wrongly, by which piece of its text, and how that begins."""

    id: str
    expected: str
    decided: str
    why: str
    text: str = ""


@frozen
class Report:
    """What came out: `confusions` counts (expected, decided) pairs that are wrong, the commonest first.

    pooled: all languages but English together.
    """

    figures: Figures
    languages: Mapping[str, Figures]
    pooled: Figures
    confusions: tuple[tuple[str, str, int], ...]
    worst: tuple[Miss, ...]


@frozen
class _Mark:
    row: Labelled
    decision: Decision
    named: tuple[str, ...]
    right: bool
    first: bool

    @property
    def wrong(self) -> bool:
        return not self.right and self.decision is not Decision.ASK

    @property
    def false_claim(self) -> bool:
        return bool(self.named) and not self.row.acceptable.intersection(self.named)


def labelled(row: Mapping[str, object], form: str = "long") -> Labelled:
    """Read one row of a file of labelled reports; `form` is the key of the text where a row has several."""
    also = row.get("also_ok")
    return Labelled(
        id=str(row["id"]),
        text=str(row[form] if form in row else row["text"]),
        guide=str(row["guide"]),
        also_ok=frozenset(map(str, also)) if isinstance(also, Iterable) and not isinstance(also, str) else frozenset(),
        language=str(row.get("lang", "en")),
        trap=bool(row.get("trap")),
        by_text=row.get("basis") != "thread",
    )


def evaluate(rows: Sequence[Labelled], recognitions: Mapping[str, Recognition]) -> Report:
    """Hold `recognitions`, by row id, against the labels of `rows`."""
    marks = [_mark(row, recognitions[row.id]) for row in rows]
    wrong = [mark for mark in marks if mark.wrong]
    confusions = Counter((mark.row.guide, _decided(mark)) for mark in wrong)
    languages = sorted({row.language for row in rows})
    return Report(
        figures=_figures(marks),
        languages={code: _figures([mark for mark in marks if mark.row.language == code]) for code in languages},
        pooled=_figures([mark for mark in marks if mark.row.language != ENGLISH]),
        confusions=tuple((expected, decided, n) for (expected, decided), n in confusions.most_common()),
        worst=tuple(
            Miss(mark.row.id, mark.row.guide, _decided(mark), recognitions[mark.row.id].why, _beginning(mark.row.text))
            for mark in sorted(wrong, key=_gravity)
        ),
    )


def render(report: Report, *, worst: int = 20) -> str:
    """Return `report` as plain text, with at most `worst` of its rows."""
    lines = [_heading(), _line("all", report.figures)]
    if len(report.languages) > 1:
        lines += [_line(f"not {ENGLISH}", report.pooled)] if ENGLISH in report.languages else []
        lines += [_line(code, figures) for code, figures in report.languages.items()]
    if report.confusions:
        lines += ["", "expected             decided              rows"]
        lines += [f"{expected:<20} {decided:<20} {n:>4}" for expected, decided, n in report.confusions]
    if report.worst:
        lines += ["", "worst rows"]
        for miss in report.worst[:worst]:
            because = f" because of {miss.why!r}" if miss.why else ""
            lines += [f"{miss.id}: {miss.expected} read as {miss.decided}{because}", f"    {miss.text}"]
    return "\n".join(lines)


def _mark(row: Labelled, recognition: Recognition) -> _Mark:
    decision = recognition.decision
    if decision is Decision.GUIDE:
        named: tuple[str, ...] = (recognition.guide,)
    elif decision is Decision.CHOOSE:
        named = tuple(candidate.guide for candidate in recognition.candidates[:SHOWN])
    else:
        accepted = decision.value in row.acceptable
        return _Mark(row, decision, (), accepted, accepted)
    right = not row.acceptable.isdisjoint(named)
    return _Mark(row, decision, named, right, first=not row.acceptable.isdisjoint(named[:1]))


def _figures(marks: Sequence[_Mark]) -> Figures:
    foreign = [mark for mark in marks if mark.row.guide == Decision.NONE and mark.row.by_text]
    traps = [mark for mark in marks if mark.row.trap]
    return Figures(
        n=len(marks),
        right=_percent(sum(mark.right for mark in marks), len(marks)),
        first=_percent(sum(mark.first for mark in marks), len(marks)),
        wrong=_percent(sum(mark.wrong for mark in marks), len(marks)),
        offered=_percent(sum(mark.decision is Decision.CHOOSE for mark in marks), len(marks)),
        asked=_percent(sum(mark.decision is Decision.ASK for mark in marks), len(marks)),
        false_claims=_percent(sum(mark.false_claim for mark in foreign), len(foreign)),
        traps=_percent(sum(mark.right for mark in traps), len(traps)),
    )


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def _decided(mark: _Mark) -> str:
    return "/".join(mark.named) if mark.named else mark.decision.value


def _gravity(mark: _Mark) -> tuple[int, str]:
    """Sort claims of what is not ours first, then single wrong guides, then offers, then stepping aside."""
    if mark.row.guide == Decision.NONE and mark.named:
        return 0, mark.row.id
    order = (Decision.GUIDE, Decision.CHOOSE, Decision.NONE)
    return 1 + order.index(mark.decision), mark.row.id


def _beginning(text: str) -> str:
    """Return as much of a text as a line shows."""
    line = " ".join(text.split())
    return line if len(line) <= _LINE else f"{line[: _LINE - 1]}…"


def _heading() -> str:
    return f"{'':<7}{'rows':>5}{'right':>8}{'first':>8}{'wrong':>8}{'offered':>9}{'asked':>8}{'claims':>8}{'traps':>8}"


def _line(name: str, f: Figures) -> str:
    start = f"{name:<7}{f.n:>5}{f.right:>8}{f.first:>8}{f.wrong:>8}{f.offered:>9}{f.asked:>8}"
    return f"{start}{f.false_claims:>8}{f.traps:>8}"
