"""A picture of insights that can be read on a phone. Needs the extra `chart`, which turns a drawing into pixels."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from bot.core.errors import NotDrawn, SettingsError
from bot.core.frozen import frozen
from bot.core.guides.library import Library
from bot.core.triage.insights import FEW, Insight
from handlers.insights import day, figure, outcome_word, step_title

_WIDTH, _EDGE, _SCALE = 350, 16, 3
"""Points of a phone held upright, of the white around them, and pixels a point."""
_TITLE, _SMALL, _SUBTITLE, _BAR, _APART = 30, 28, 20, 42, 14
"""Points a title takes, a smaller one, the line below it, a bar with its words, and what stands between two parts."""
_FONTS = "Liberation Sans, Arial, sans-serif"
"""The first of them comes with the extra."""
_INK, _GREY = "#1d2330", "#4a5263"
_COLOURS = {"fixed": "#2f9e6e", "waiting": "#e0a526", "handed_off": "#5b6abf", "left": "#b5bac4"}
"""Each end has its word above the bar: a colour never says it alone."""
_LONGEST = 42


@frozen
class Row:
    """A bar: what it is of, how long it is (1: all the width), and its figure."""

    words: str
    share: float
    figure: str
    colour: str


@frozen
class Part:
    """Bars below a title; small: it belongs to the part above."""

    title: str
    subtitle: str = ""
    rows: tuple[Row, ...] = ()
    small: bool = False


def draw(library: Library, week: Insight, month: Insight, path: Path) -> str:
    """Write the picture, and return what to say of it. Raises `SettingsError` with what to do."""
    png = pixels(drawing(parts(library, week, month)))
    try:
        path.write_bytes(png)
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {error.strerror}") from error
    return f"wrote {path}"


class Studio:
    """Draws for people in chats, in a thread: it takes a few hundredths of a second."""

    async def draw(self, library: Library, week: Insight, month: Insight) -> bytes:
        """Return the picture as a PNG; raises `NotDrawn`, and `SettingsError` where the extra is not installed."""
        return await asyncio.to_thread(pixels, drawing(parts(library, week, month)))


def pixels(svg: str) -> bytes:
    """Return a drawing as a PNG; raises `SettingsError` where the extra is not installed, `NotDrawn` where it fails."""
    try:
        import vl_convert  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise SettingsError("a picture needs one more package: pip install 'redial[chart]'") from error
    try:
        return bytes(vl_convert.svg_to_png(svg, scale=_SCALE))
    except (RuntimeError, ValueError) as error:
        raise NotDrawn(f"the drawing was refused: {str(error).partition(chr(10))[0]}") from error


def parts(library: Library, week: Insight, month: Insight) -> list[Part]:
    """Return what a picture shows."""
    return [part for key, one in (("week", week), ("month", month)) for part in _period(library, key, one)]


def _period(library: Library, key: str, one: Insight) -> Iterator[Part]:
    say = library.messages
    title = say.text(f"insights.{key}", since=day(one.since), until=day(one.until, back=1))
    if one.few:
        yield Part(title, say.text("insights.few", few=FEW))
        return
    within = say.text("insights.within", minutes=one.within) if one.within else ""
    total = say.text("insights.conversations-of", total=figure(say, one.conversations))
    yield Part(title, f"{total} {within}".strip(), tuple(_ends(library, one)))
    if one.steps:
        yield Part(say.text("insights.helped"), rows=tuple(_steps(library, one)), small=True)


def _ends(library: Library, one: Insight) -> list[Row]:
    """Return a bar an end; one that is small has the length of the least that is not."""
    say = library.messages
    shown = {name: FEW if n is None else n for name, n in (one.outcomes or {}).items() if n != 0}
    most = max(shown.values(), default=1)
    return [
        Row(outcome_word(say, name), n / most, figure(say, (one.outcomes or {})[name]), _COLOURS[name])
        for name, n in shown.items()
    ]


def _steps(library: Library, one: Insight) -> list[Row]:
    """Return a bar a step: how many of those who tried it were helped."""
    of = library.messages.text
    return [
        Row(
            _short(step_title(library, step.place)),
            step.fixed / step.tried,
            of("insights.of", fixed=step.fixed, tried=step.tried),
            _COLOURS["fixed"],
        )
        for step in one.steps
    ]


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"


def drawing(shown: Sequence[Part]) -> str:
    """Return parts as an SVG: words above each bar and its figure at the right, for on a phone nothing fits beside."""
    lines, y = list[str](), float(_EDGE)
    for part in shown:
        y += _SMALL if part.small else _TITLE
        lines.append(_text(part.title, y - 10, 15 if part.small else 18, bold=True))
        if part.subtitle:
            y += _SUBTITLE
            lines.append(_text(part.subtitle, y - 8, 14, colour=_GREY))
        for row in part.rows:
            lines += [_text(row.words, y + 16, 14), _text(row.figure, y + 16, 14, right=True), _bar(row, y + 22)]
            y += _BAR
        y += _APART
    width, height = _WIDTH + 2 * _EDGE, y + _EDGE - _APART
    size = f'width="{width}" height="{height}" font-family="{_FONTS}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    return "\n".join([head, '<rect width="100%" height="100%" fill="#ffffff"/>', *lines, "</svg>"])


def _text(words: str, y: float, size: int, *, bold: bool = False, right: bool = False, colour: str = _INK) -> str:
    x, anchor = (_EDGE + _WIDTH, "end") if right else (_EDGE, "start")
    look = f'font-size="{size}" font-weight="{"bold" if bold else "normal"}" text-anchor="{anchor}" fill="{colour}"'
    return f'<text x="{x}" y="{y}" {look}>{escape(words)}</text>'


def _bar(row: Row, y: float) -> str:
    return f'<rect x="{_EDGE}" y="{y}" width="{row.share * _WIDTH:.1f}" height="10" rx="3" fill="{row.colour}"/>'
