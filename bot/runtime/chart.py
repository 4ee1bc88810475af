"""A picture of insights that can be read on a phone. Needs the extra `chart`.

What is drawn is decided here; drawing itself, which holds a process up for a second and leaves a hundred megabytes in
it, is done by another one that ends with it: `python -m bot.runtime.chart`, bars in, PNG out.
"""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from bot.core.errors import NotDrawn, SettingsError
from bot.core.guides.library import Library
from bot.core.triage.insights import FEW, Insight
from handlers.insights import day, figure, outcome_word, step_title

_WIDTH, _SCALE = 350, 3
"""Points of a phone held upright, and pixels a point."""
_BAR = 42
"""Points a bar has, with its words."""
_COLOURS = {"fixed": "#2f9e6e", "waiting": "#e0a526", "handed_off": "#5b6abf", "left": "#b5bac4"}
"""Each end has its word above the bar: a colour never says it alone."""
_LONGEST = 42
_PATIENCE = 30.0
"""Seconds a picture may take; a busy machine needs some."""
_MISSING = 3
"""Exit code where the extra is not installed."""
_HOW = "a picture needs two more packages: pip install 'redial[chart]'"


@dataclass(frozen=True, slots=True)
class Row:
    """A bar: what it is of, how long it is (1: all the width), and its figure."""

    words: str
    share: float
    figure: str
    colour: str


@dataclass(frozen=True, slots=True)
class Part:
    """Bars below a title; small: it belongs to the part above."""

    title: str
    subtitle: str = ""
    rows: tuple[Row, ...] = ()
    small: bool = False


def ready() -> None:
    """Raise `SettingsError` with what to do where the extra is not installed."""
    try:
        import altair as alt  # noqa: F401, PLC0415 - an extra
        import vl_convert  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        raise SettingsError(_HOW) from error


def draw(library: Library, week: Insight, month: Insight, path: Path) -> str:
    """Write the picture, and return what to say of it."""
    png = painted(parts(library, week, month))
    try:
        path.write_bytes(png)
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {error.strerror}") from error
    return f"wrote {path}"


@dataclass
class Studio:
    """Draws for people in chats, one picture at a time; who asks for the same again is given the same."""

    command: Sequence[str] = (sys.executable, "-m", "bot.runtime.chart")
    patience: float = _PATIENCE
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _last: tuple[bytes, bytes] = (b"", b"")

    async def draw(self, library: Library, week: Insight, month: Insight) -> bytes:
        """Return the picture; raises `NotDrawn`, and `SettingsError` where the extra is not installed."""
        wanted = msgspec.json.encode(parts(library, week, month))
        async with self._turn:
            if self._last[0] != wanted:
                self._last = wanted, await self._drawn(wanted)
            return self._last[1]

    async def _drawn(self, wanted: bytes) -> bytes:
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(*self.command, stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError as error:
            raise NotDrawn(f"no process to draw in: {error.strerror}") from error
        try:
            async with asyncio.timeout(self.patience):
                png, said = await process.communicate(wanted)
        except TimeoutError as error:
            raise NotDrawn(f"not drawn within {self.patience:g} s") from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode == _MISSING:
            raise SettingsError(_HOW)
        if process.returncode or not png:
            last = said.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise NotDrawn(f"drawing ended with {process.returncode}: {last}")
        return png


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


# --- drawing ---------------------------------------------------------------------------------------------------

_PLAIN = {"anchor": "start", "frame": "group", "color": "#1d2330", "offset": 4}
_SMALL = {**_PLAIN, "fontSize": 15}
_TITLE = {**_PLAIN, "fontSize": 18, "subtitleFontSize": 14, "subtitleColor": "#4a5263", "subtitlePadding": 4}


def painted(shown: Sequence[Part]) -> bytes:
    """Return parts as a PNG. Needs the extra."""
    import altair as alt  # noqa: PLC0415 - an extra

    picture = alt.vconcat(*(_bars(alt, part) for part in shown), spacing=12).configure(
        background="#ffffff", padding=16, view=alt.ViewConfig(stroke=None)
    )
    png = io.BytesIO()
    picture.save(png, format="png", scale_factor=_SCALE)
    return png.getvalue()


def _bars(alt: Any, part: Part) -> Any:  # noqa: ANN401 - the module, and a chart of it
    """Return bars with their words above them and their figures at the right: on a phone nothing fits beside."""
    title = alt.TitleParams(part.title, **_SMALL) if part.small else alt.TitleParams(
        part.title, subtitle=[part.subtitle], **_TITLE
    )  # fmt: skip
    values = [{**asdict(row), "row": n} for n, row in enumerate(part.rows)]
    y = alt.Y("row:O", axis=None, sort=None)
    base = alt.Chart(alt.Data(values=values), title=title).encode(y=y)
    bars = base.mark_bar(height=10, cornerRadius=3, yOffset=9).encode(
        x=alt.X("share:Q", axis=None, scale=alt.Scale(domain=[0, 1])), color=alt.Color("colour:N", scale=None)
    )
    words = base.mark_text(align="left", baseline="bottom", fontSize=14, color="#1d2330", yOffset=1).encode(
        x=alt.value(0), text="words:N"
    )
    figures = base.mark_text(align="right", baseline="bottom", fontSize=14, color="#1d2330", yOffset=1).encode(
        x=alt.value(_WIDTH), text="figure:N"
    )
    return (bars + words + figures).properties(width=_WIDTH, height=max(1, _BAR * len(part.rows)))


def main() -> int:
    """Draw what standard input names."""
    wanted = msgspec.json.decode(sys.stdin.buffer.read(), type=list[Part])
    try:
        ready()
    except SettingsError:
        return _MISSING
    sys.stdout.buffer.write(painted(wanted))
    return 0


if __name__ == "__main__":
    sys.exit(main())
