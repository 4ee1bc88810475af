"""Pictures of messages as people see them on a phone: drawn as HTML beside each other, photographed by a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.fakes.npm import NODE, brought

WIDTH = 390
"""Pixels of a phone's screen, which each column has."""
_PACKAGES = ("slack-blocks-to-jsx@1.1.1", "react@18.3.1", "react-dom@18.3.1")
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_GAP = 10
_DOTS = {"⚪": "#c4c9ce", "🟡": "#f2c94c", "🟠": "#e8833a", "🔴": "#d64545", "🔵": "#3d7fc4", "🟢": "#3fa45b"}
_PAGE = """<!doctype html><meta charset=utf-8><style>
body {{ margin: 0; background: #fff; display: flex; gap: {gap}px; align-items: flex-start;
  font: 15px Lato, "Noto Sans", "DejaVu Sans", "Noto Color Emoji", sans-serif }}
section {{ width: {width}px; flex: none; box-sizing: border-box; padding: 8px; border: 1px solid #ccc }}
section * {{ min-width: 0; overflow-wrap: anywhere }}
section > div + div {{ margin-top: 6px }}
</style>{body}<script>
const all = document.documentElement; all.title = all.scrollWidth + "x" + all.scrollHeight;</script>"""


def slack_columns(columns: Sequence[Sequence[dict[str, Any]]]) -> str:
    """Return Slack messages as HTML, a column each; `frame` makes one a modal or a home page."""
    home = brought(*_PACKAGES)
    script = Path(__file__).with_name("slack.mjs")
    sent = json.dumps(columns)
    done = subprocess.run(  # noqa: S603 - our own arguments
        [NODE, script, home], input=sent, capture_output=True, text=True, check=True
    )
    return done.stdout


def _dotted(body: str) -> str:
    """Draw coloured circles, which not every machine has a font for."""
    for mark, colour in _DOTS.items():
        dot = f'<span style="display:inline-block;width:.8em;height:.8em;border-radius:50%;background:{colour}"></span>'
        body = body.replace(mark, dot)
    return body


def photograph(body: str, columns: int, path: Path) -> None:
    """Write a picture of columns of HTML, as high as they are."""
    browser = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise SystemExit(f"no browser takes pictures here: {', '.join(_BROWSERS)}")
    width = columns * (WIDTH + _GAP) - _GAP
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(_PAGE.format(gap=_GAP, width=WIDTH, body=_dotted(body)), encoding="utf-8")
        quiet = [
            browser,
            "--headless",
            "--no-sandbox",
            "--hide-scrollbars",
            f"--user-data-dir={folder}/b",
        ]
        size = [f"--window-size={width},600", "--virtual-time-budget=3000"]
        dumped = subprocess.run(  # noqa: S603 - the same
            [*quiet, *size, "--dump-dom", page.as_uri()], capture_output=True, text=True, check=True
        )
        height = int(dumped.stdout.split('title="', 1)[1].split('"', 1)[0].partition("x")[2])
        shot = [f"--window-size={width},{height}", f"--screenshot={path}", page.as_uri()]
        subprocess.run([*quiet, *shot], capture_output=True, check=True)  # noqa: S603 - the same
