"""The results of a run: kept as JSON, shown as a table with a bar a figure, and as a page with a plot."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from tests.bench import curves
from tests.bench.measuring import SCALE, Figure

HERE = Path(__file__).parent
JSON, PAGE, PLOT, GROWTH = "results.json", "results.md", "results.svg", "growth.svg"
ORDER = (
    "slack-turn", "discord-turn", "ack", "dispatch", "console-turn", "recogniser", "fan-out", "start", "memory",
    "growth",
)  # fmt: skip
"""The benchmarks as they are shown."""
READING = """\
- *CPU* is that of the process that plays the bot. The platforms, Redis and those who talk are other processes on the
  same machine: there is no network and no TLS in these figures.
- *A ratio* is the median of rounds that took turns with their floor; in brackets the least and the most of them. Where
  nothing can take turns, in growth, both are the least of their rounds.
- *A turn* posts its answer and folds the question it answers. Its goal stands beside two floors: the same requests, and
  the one request of a bot that folds nothing (Slack), or makes the pressed message its answer (Discord).
- *Planned* seconds are those of a clock that jumps to whatever is waited for next: they show order and waiting at the
  platforms' limits. "On paper" the store and the platforms are in memory; "with its store and its post" an announcement
  goes through a real Redis and over HTTP.
- *A start* is a whole process, from nothing to its end, for somebody without a conversation, with compiled code and
  content kept from an earlier one. Its floor is a Python that imports the same modules of the same libraries and ends.
- *Memory* is what Redis calls `used_memory`, and what Python has allocated, with texts of its own for each
  conversation. It is not the size of a process, which has its libraries besides."""
_WIDE, _ROW, _LEFT = 860, 22, 400


@dataclass
class Results:
    """Figures, and under which circumstances they were taken."""

    about: dict[str, Any]
    figures: list[Figure] = field(default_factory=list)

    @classmethod
    def now(cls) -> Results:
        """Begin a run."""
        at = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        return cls({"at": at, "python": platform.python_version(), "cores": cores, "load": {}, "share": {}})

    @classmethod
    def read(cls, folder: Path = HERE) -> Results:
        """Read the run that is kept."""
        found = json.loads((folder / JSON).read_text("utf-8"))
        figures = [
            Figure(**{**one, "spread": tuple(one["spread"]) if one["spread"] else None}) for one in found["figures"]
        ]
        return cls(found["about"], figures)

    def add(self, bench: str, figures: list[Figure]) -> None:
        """Take the figures of one benchmark, and how busy the machine was."""
        self.figures += figures
        self.about["load"][bench] = round(os.getloadavg()[0], 1)
        self.about["share"][bench] = SCALE

    def as_json(self) -> Mapping[str, Any]:
        """The run as plain data."""
        return {"about": self.about, "figures": [asdict(figure) for figure in self.figures]}


def write(results: Results, folder: Path = HERE) -> None:
    """Keep a run in the place of the one before; benchmarks it did not run stay as they were."""
    ran = {figure.bench for figure in results.figures}
    if (folder / JSON).is_file() and not ran >= {figure.bench for figure in Results.read(folder).figures}:
        before = Results.read(folder)
        kept = [figure for figure in before.figures if figure.bench not in ran]
        both = {name: {**before.about[name], **results.about[name]} for name in ("load", "share")}
        results = Results({**results.about, **both}, kept + results.figures)
    results.figures.sort(key=lambda figure: ORDER.index(figure.bench))
    (folder / JSON).write_text(json.dumps(results.as_json(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    (folder / PAGE).write_text(as_page(results), "utf-8")
    (folder / PLOT).write_text(as_svg(results), "utf-8")
    (folder / GROWTH).write_text(curves.as_svg(results.figures), "utf-8")


def as_text(results: Results) -> str:
    """The run as a table for a terminal."""
    rows = [_cells(figure) for figure in results.figures]
    wide = [max(len(row[n]) for row in rows) for n in range(4)]
    lines = [circumstances(results)]
    for row, figure in zip(rows, results.figures, strict=True):
        lines.append("  ".join(cell.ljust(width) for cell, width in zip(row, wide, strict=False)) + f"  {_bar(figure)}")
        if figure.counts:
            lines.append(f"    {_counts(figure)}")
    return "\n".join(lines)


def as_page(results: Results) -> str:
    """The run as a page."""
    head = "# What Redial costs\n\n" + circumstances(results)
    note = f"Written by `python -m tests.bench --write`; how it is measured: [measuring.py](measuring.py).\n\n{READING}"
    rows = ["| what | figure | beside its floor | goal | floor |", "|---|---|---|---|---|"]
    for figure in results.figures:
        what, value, ratio, goal = _cells(figure)
        rows.append(f"| {what} | {value} | {ratio} | {goal} | {figure.floor or '-'} |")
    counted = [f"- {figure.bench}, {figure.name}: {_counts(figure)}" for figure in results.figures if figure.counts]
    plot, table, counts = "![Ratios and their goals](results.svg)", "\n".join(rows), "\n".join(counted)
    growth = f"## What grows with what is stored\n\n![Costs by what is stored]({GROWTH})"
    return f"{head}\n\n{note}\n\n{plot}\n\n{table}\n\n{growth}\n\n## Counted meanwhile\n\n{counts}\n"


def as_summary(results: Results) -> str:
    """What has a goal, as a short table."""
    rows = ["| what | figure | beside its floor | goal |", "|---|---|---|---|"]
    rows += ["| " + " | ".join(_cells(figure)) + " |" for figure in results.figures if figure.goal is not None]
    return f"{circumstances(results)}\n\n" + "\n".join(rows)


def as_capacity(results: Results) -> str:
    """What one core, one Redis and one token carry, as far as it was measured."""
    cost = {(figure.bench, figure.name): figure for figure in results.figures}
    slack, discord = (cost[f"{name}-turn", "32 in flight"].value for name in ("slack", "discord"))
    grown = next(figure for figure in reversed(results.figures) if "stored turn" in figure.name)
    inside = grown.counts["µs in the server"]
    told = next(figure for figure in results.figures if figure.name.startswith("one announcement"))
    held = {figure.name: figure for figure in results.figures if figure.bench == "memory"}
    stored, process = list(held.values())[:2]
    rows = [
        ("turns in Slack, one core of a process", f"{1e6 / slack:,.0f} a second"),
        ("turns in Discord, one core of a process", f"{1e6 / discord:,.0f} a second"),
        (f"turns, one Redis ({grown.name.rpartition('among ')[2]} stored)", f"{1e6 / inside:,.0f} a second"),
        ("announcements, one core of a process", f"{1e6 / told.value:,.0f} a second"),
        (stored.name, f"{stored.value:g} {stored.unit}"),
        (f"10000 conversations in {process.name}", f"{process.value:g} {process.unit}"),
    ]
    table = "\n".join(f"| {what} | {much.replace(',', ' ')} |" for what, much in rows)
    return f"| what | reckoned |\n|---|---|\n{table}"


def as_svg(results: Results) -> str:
    """Each ratio as a bar, with its floor at 1 and its goal as a line."""
    rows = [figure for figure in results.figures if figure.ratio is not None]
    most = max([2.5, *(figure.ratio or 0 for figure in rows)])
    scale = (_WIDE - _LEFT - 110) / most
    tall = _ROW * (len(rows) + 1) + 16
    size = f'width="{_WIDE}" height="{tall}" viewBox="0 0 {_WIDE} {tall}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDE}" height="{tall}" fill="#fff"/>',
        f'<line x1="{_LEFT + scale:.0f}" x2="{_LEFT + scale:.0f}" y1="8" y2="{tall - 8}" stroke="#555"/>',
    ]
    for n, figure in enumerate(rows):
        parts += _drawn(figure, 8 + n * _ROW, scale)
    foot = "bar: times the floor (the line at 1); tick: goal"
    parts.append(f'<text x="8" y="{tall - 8}" fill="#555">{foot}</text></svg>')
    return "\n".join(parts) + "\n"


def _drawn(figure: Figure, top: int, scale: float) -> Iterator[str]:
    ratio = figure.ratio or 0.0
    colour = "#e0a030" if figure.reached is False else "#3a6ea5"
    label = escape(f"{figure.bench}: {figure.name}")
    yield f'<text x="{_LEFT - 8}" y="{top + 14}" text-anchor="end">{label}</text>'
    yield f'<rect x="{_LEFT}" y="{top + 3}" width="{ratio * scale:.1f}" height="{_ROW - 8}" fill="{colour}"/>'
    said = f"{ratio:.2f}" + (" missed" if figure.reached is False else "")
    yield f'<text x="{_WIDE - 8}" y="{top + 14}" text-anchor="end">{said}</text>'
    if figure.goal is not None:
        at = _LEFT + figure.goal * scale
        yield f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{top + _ROW - 2}" stroke="#b00" stroke-width="2"/>'


def circumstances(results: Results) -> str:
    """When, with what, and how busy the machine was."""
    about = results.about
    loads = about["load"].values()
    load = f"load {min(loads)} to {max(loads)}" if loads else "load unknown"
    part = "".join(f", {share:g} of {bench}" for bench, share in about["share"].items() if share != 1)
    return f"{about['at']}, Python {about['python']}, {about['cores']} cores, {load}{part}."


def _cells(figure: Figure) -> tuple[str, str, str, str]:
    ratio = f"{figure.ratio:.2f}x" if figure.ratio is not None else "-"
    if figure.ratio is not None and figure.spread:
        ratio += f" ({figure.spread[0]:.2f} to {figure.spread[1]:.2f})"
    goal = "-"
    if figure.goal is not None:
        limit = f"{figure.goal:g}x" if figure.ratio is not None else f"{figure.goal:g} {figure.unit}"
        goal = f"{limit}: {'yes' if figure.reached else 'no'}"
    return f"{figure.bench}: {figure.name}", f"{figure.value:g} {figure.unit}", ratio, goal


def _bar(figure: Figure) -> str:
    return "█" * min(40, round((figure.ratio or 0) * 10))


def _counts(figure: Figure) -> str:
    return ", ".join(f"{name} {_short(value)}" for name, value in figure.counts.items())


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
