"""The picture of `redial chat`: a real conversation, drawn by the terminal's own renderer."""

from __future__ import annotations

import io

from rich.console import Console
from rich.terminal_theme import MONOKAI

from bot.adapters.console.terminal import Terminal
from bot.core.text import Evidence
from tests.scenarios.playing import Player, library, page

LINES = (
    "claude code died mid refactor: API Error: Connection closed mid-response. The response above may be incomplete.",
    "1",
)
_FORMAT = """<style>pre a {{ color: inherit }}</style>
<div style="width:790px;box-sizing:border-box;padding:14px;border-radius:8px;background:{background};
color:{foreground}"><pre style="margin:0;font:13px/1.4 'DejaVu Sans Mono',monospace">{code}</pre></div>"""


async def chat() -> tuple[str, int]:
    """What a terminal shows of a report and its first answer."""
    console = Console(file=io.StringIO(), record=True, width=92, force_terminal=True, color_system="standard")
    terminal = Terminal({grade.value: library().messages.text(f"evidence.{grade}") for grade in Evidence}, console)
    player = Player(page("clear"))
    for n, line in enumerate(LINES):
        console.print(f"[bold cyan]you >[/] {line}")
        terminal.show(player.say(line) if n else player.report(line))
    return console.export_html(theme=MONOKAI, inline_styles=True, code_format=_FORMAT), 2


SCENES = {"chat": chat}
