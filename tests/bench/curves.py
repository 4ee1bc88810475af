"""What grows with what is stored, drawn: sizes on a logarithmic axis, each cost beside the same among ten."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from html import escape

from tests.bench.measuring import Figure

_WIDE, _TALL, _LEFT, _FOOT, _RIGHT = 860, 320, 48, 40, 300
_COLOURS = ("#3a6ea5", "#b0562b", "#4d8a4d", "#7a5aa0")
_SIZE = re.compile(r"\d(?:[\d ]*\d)?")
_LEAST, _MOST = 1, 6
"""Powers of ten at both ends of the axis."""

Curves = Mapping[str, list[tuple[int, float]]]


def curves(figures: Iterable[Figure]) -> Curves:
    """Return for each thing that was measured at several sizes its ratios, by size."""
    found: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for figure in figures:
        if figure.bench == "growth" and figure.ratio is not None and (size := _SIZE.search(figure.name)):
            found[_SIZE.sub("n", figure.name)].append((int(size[0].replace(" ", "")), figure.ratio))
    return found


def as_svg(figures: Iterable[Figure]) -> str:
    """Return the curves as a picture, with the goals of what they show as a line."""
    rows = [figure for figure in figures if figure.bench == "growth"]
    drawn, goal = curves(rows), min((figure.goal for figure in rows if figure.goal), default=1.0)
    top = max([1.5, *(ratio for points in drawn.values() for _, ratio in points)]) * 1.05
    size = f'width="{_WIDE}" height="{_TALL}" viewBox="0 0 {_WIDE} {_TALL}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDE}" height="{_TALL}" fill="#fff"/>',
        *_axes(top, goal),
    ]
    for number, (name, points) in enumerate(drawn.items()):
        parts += _curve(name, points, number, top)
    foot = "n, logarithmic; upwards: times the cost among 10, the store's own time included; dashed: goal"
    parts.append(f'<text x="{_LEFT}" y="{_TALL - 6}" fill="#555">{foot}</text></svg>')
    return "\n".join(parts) + "\n"


def _x(size: float) -> float:
    share = (math.log10(size) - _LEAST) / (_MOST - _LEAST)
    return _LEFT + share * (_WIDE - _LEFT - _RIGHT)


def _y(ratio: float, top: float) -> float:
    return 12 + (1 - ratio / top) * (_TALL - _FOOT - 24)


def _axes(top: float, goal: float) -> Iterator[str]:
    right = _WIDE - _RIGHT
    for power in range(_LEAST, _MOST + 1):
        x = _x(10**power)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="12" y2="{_y(0, top):.1f}" stroke="#eee"/>'
        label = f"{10**power:,}".replace(",", " ")
        yield f'<text x="{x:.1f}" y="{_y(0, top) + 15:.1f}" text-anchor="middle" fill="#555">{label}</text>'
    for ratio in (0.0, 0.5, 1.0, 1.5, 2.0):
        if ratio <= top:
            y = _y(ratio, top)
            yield f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ccc"/>'
            yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{ratio:g}x</text>'
    y = _y(goal, top)
    yield f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#b00" stroke-dasharray="6 4"/>'


def _curve(name: str, points: list[tuple[int, float]], number: int, top: float) -> Iterator[str]:
    colour = _COLOURS[number % len(_COLOURS)]
    places = [(_x(size), _y(ratio, top)) for size, ratio in sorted(points)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
    yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in places)
    y = 24 + 20 * number
    yield f'<rect x="{_WIDE - _RIGHT + 16}" y="{y - 9}" width="12" height="12" fill="{colour}"/>'
    yield f'<text x="{_WIDE - _RIGHT + 34}" y="{y + 1}">{escape(name)}</text>'
