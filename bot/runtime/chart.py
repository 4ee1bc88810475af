"""A picture of insights that can be read on a phone. Needs the extra `chart`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bot.core.errors import SettingsError
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


@dataclass(frozen=True, slots=True)
class Row:
    """A bar: what it is of, how long it is (1: all the width), and its figure."""

    words: str
    share: float
    figure: str
    colour: str


def ready() -> None:
    """Raise `SettingsError` with what to do where the extra is not installed."""
    try:
        import altair as alt  # noqa: F401, PLC0415 - an extra
        import vl_convert  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        raise SettingsError("a picture needs two more packages: pip install 'redial[chart]'") from error


def draw(library: Library, week: Insight, month: Insight, path: Path) -> str:
    """Write the picture, and return what to say of it."""
    import altair as alt  # noqa: PLC0415 - an extra

    parts = [part for key, one in (("week", week), ("month", month)) for part in _period(alt, library, key, one)]
    picture = alt.vconcat(*parts, spacing=12).configure(
        background="#ffffff", padding=16, view=alt.ViewConfig(stroke=None)
    )
    try:
        picture.save(path, format="png", scale_factor=_SCALE)
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {error.strerror}") from error
    return f"wrote {path}"


def _period(alt: Any, library: Library, key: str, one: Insight) -> list[Any]:  # noqa: ANN401 - the module
    say = library.messages
    title = say.text(f"insights.{key}", since=day(one.since), until=day(one.until, back=1))
    if one.few:
        return [_bars(alt, [], alt.TitleParams(title, subtitle=[say.text("insights.few", few=FEW)], **_TITLE))]
    within = say.text("insights.within", minutes=one.within) if one.within else ""
    total = say.text("insights.conversations-of", total=figure(say, one.conversations))
    parts = [_bars(alt, _ends(library, one), alt.TitleParams(title, subtitle=[f"{total} {within}".strip()], **_TITLE))]
    if one.steps:
        parts.append(_bars(alt, _steps(library, one), alt.TitleParams(say.text("insights.helped"), **_SMALL)))
    return parts


_PLAIN = {"anchor": "start", "frame": "group", "color": "#1d2330", "offset": 4}
_SMALL = {**_PLAIN, "fontSize": 15}
_TITLE = {**_PLAIN, "fontSize": 18, "subtitleFontSize": 14, "subtitleColor": "#4a5263", "subtitlePadding": 4}


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


def _bars(alt: Any, rows: Sequence[Row], title: object) -> Any:  # noqa: ANN401 - the module, and a chart of it
    """Return bars with their words above them and their figures at the right: on a phone nothing fits beside."""
    values = [{**asdict(row), "row": n} for n, row in enumerate(rows)]
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
    return (bars + words + figures).properties(width=_WIDTH, height=max(1, _BAR * len(rows)))


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"
