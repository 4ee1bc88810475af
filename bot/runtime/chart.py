"""A picture of insights that can be read on a phone. Needs the extra `chart`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bot.core.errors import SettingsError
from bot.core.insights import FEW, Insight
from bot.core.library import Library
from handlers.insights import day, figure, outcome_word, step_title

_WIDTH, _SCALE = 330, 3
"""Points of a phone held upright, and pixels a point."""
_BAR = 30
_COLOURS = {"fixed": "#2f9e6e", "waiting": "#e0a526", "handed_off": "#5b6abf", "left": "#b5bac4"}
"""Each end has its word beside the bar: a colour never says it alone."""
_LONGEST = 44


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
    picture = alt.vconcat(*parts, spacing=14, bounds="full", center=False).configure(
        background="#ffffff", padding=16, view=alt.ViewConfig(stroke=None)
    )
    try:
        picture.save(path, format="png", scale_factor=_SCALE)
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {error.strerror}") from error
    return f"wrote {path}"


def _period(alt: Any, library: Library, key: str, one: Insight) -> list[Any]:  # noqa: ANN401 - the module
    say = library.messages
    since, until = day(one.since), day(one.until, back=1)
    title = say.text(f"insights.{key}", since=since, until=until)
    if one.few:
        return [_words(alt, title, say.text("insights.few", few=FEW))]
    within = say.text("insights.within", minutes=one.within) if one.within else ""
    total = say.text("insights.conversations-of", total=figure(say, one.conversations))
    parts = [_ends(alt, library, one, alt.TitleParams(title, subtitle=[f"{total} {within}".strip()], **_TITLE))]
    if one.steps:
        rows = [
            {
                "step": f"{n} {_short(step_title(library, step.place))}",
                "share": step.fixed / step.tried,
                "of": say.text("insights.of", fixed=step.fixed, tried=step.tried),
            }
            for n, step in enumerate(one.steps, 1)
        ]
        parts.append(_steps(alt, rows, alt.TitleParams(say.text("insights.helped"), fontSize=15, **_PLAIN)))
    return parts


_PLAIN = {"anchor": "start", "frame": "bounds", "color": "#1d2330"}
_TITLE = {**_PLAIN, "fontSize": 18, "subtitleFontSize": 14, "subtitleColor": "#4a5263", "subtitlePadding": 4}


def _ends(alt: Any, library: Library, one: Insight, title: object) -> Any:  # noqa: ANN401 - the module
    """Return a bar an end; one that is small has a bar of the least length that is called so."""
    say = library.messages
    rows = [
        {"end": outcome_word(say, name), "n": FEW - 1 if n is None else n, "figure": figure(say, n), "key": name}
        for name, n in (one.outcomes or {}).items()
        if n != 0
    ]
    colour = alt.Color("key:N", legend=None, scale=alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values())))
    base = alt.Chart(alt.Data(values=rows), title=title).encode(y=_labels(alt, "end"))
    bars = base.mark_bar(height=18, cornerRadius=3).encode(x=alt.X("n:Q", axis=None), color=colour)
    return (bars + _figures(base, "n:Q", "figure:N")).properties(width=_WIDTH - 130, height=_BAR * max(1, len(rows)))


def _steps(alt: Any, rows: list[dict[str, object]], title: object) -> Any:  # noqa: ANN401 - the module
    """Return a bar a step, its words above it: they are too long to stand beside."""
    base = alt.Chart(alt.Data(values=rows), title=title).encode(y=alt.Y("step:N", axis=None, sort=None))
    bars = base.mark_bar(height=9, cornerRadius=3, color=_COLOURS["fixed"], yOffset=9).encode(
        x=alt.X("share:Q", axis=None, scale=alt.Scale(domain=[0, 1]))
    )
    words = base.mark_text(align="left", baseline="bottom", fontSize=13, color="#1d2330", yOffset=2).encode(
        x=alt.value(0), text="step:N"
    )
    shares = base.mark_text(align="right", baseline="middle", fontSize=13, color="#4a5263", yOffset=9).encode(
        x=alt.value(_WIDTH), text="of:N"
    )
    return (bars + words + shares).properties(width=_WIDTH, height=44 * len(rows))


def _labels(alt: Any, name: str) -> object:  # noqa: ANN401 - the module
    axis = alt.Axis(title=None, ticks=False, domain=False, labelFontSize=14, labelLimit=130, labelColor="#1d2330")
    return alt.Y(f"{name}:N", axis=axis, sort=None)


def _figures(base: Any, x: str, text: str) -> Any:  # noqa: ANN401 - altair's
    return base.mark_text(align="left", dx=5, fontSize=14, color="#1d2330").encode(x=x, text=text)


def _words(alt: Any, title: str, text: str) -> Any:  # noqa: ANN401 - the module
    shown = alt.Chart(alt.Data(values=[{}]), title=alt.TitleParams(title, **_TITLE))
    return (
        shown.mark_text(align="left", fontSize=14, color="#4a5263")
        .encode(x=alt.value(0), y=alt.value(10), text=alt.value(text))
        .properties(width=_WIDTH, height=24)
    )


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"
