"""The interactive terminal: a prompt (prompt_toolkit) and readable messages (rich)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.formatted_text import HTML
from prompt_toolkit.patch_stdout import patch_stdout
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.style import Style
from rich.table import Table
from rich.text import Text as RichText

from bot.core.guides.guide import Outcome
from bot.core.text import Block, Bullets, Code, Evidence, Heading, Inline, Note, Steps, Text, Undo
from bot.core.view import View

_GRADE = {Evidence.OFFICIAL: "green", Evidence.REPORTED: "yellow", Evidence.UNCONFIRMED: "magenta"}
_MARK = {Outcome.FIXED: "✔", Outcome.WAITING: "◷", Outcome.HANDED_OFF: "→", Outcome.LEFT: "·"}
_WIDTH = 96


class Terminal:
    """Draws views, and reads lines until the person leaves."""

    def __init__(self, grades: dict[str, str], console: Console | None = None) -> None:
        """Take the words for the grades of evidence."""
        self._grades = grades
        self.console = console or Console(highlight=False)

    def show(self, view: View) -> None:
        """Draw one view."""
        self.console.print(Group(*self.drawn(view)), width=min(_WIDTH, self.console.width))

    def say(self, inline: Inline) -> None:
        """Write a line of the session itself."""
        self.console.print(_spans(inline), style="dim", width=min(_WIDTH, self.console.width))

    async def lines(self) -> AsyncIterator[str]:
        """Yield what is typed or pasted, until end of input or Ctrl-C."""
        prompt: PromptSession[str] = PromptSession()
        while True:
            try:
                with patch_stdout():
                    line = await prompt.prompt_async(HTML("<ansicyan><b>you &gt;</b></ansicyan> "))
            except (EOFError, KeyboardInterrupt):
                return
            yield line

    def drawn(self, view: View) -> Iterator[RenderableType]:
        """Yield the parts of a view as rich draws them."""
        yield RichText()
        yield from self._blocks(view.preface)
        if view.preface:
            yield RichText()
        yield self._lead(view)
        yield from (Padding(part, (0, 0, 0, 2)) for part in self._blocks(view.blocks))
        for cite in view.sources:
            yield Padding(RichText(cite.url, style=Style(dim=True, link=cite.url)), (0, 0, 0, 2))
        if view.read_as:
            yield Padding(_spans(view.read_as, "dim"), (1, 0, 0, 2))
        if view.offers:
            yield self._offers(view)
        if view.controls:
            yield Padding(RichText(" · ".join(c.label for c in view.controls), style="dim"), (1, 0, 0, 2))
        yield RichText()

    def _lead(self, view: View) -> RichText:
        mark = f"{_MARK[view.outcome]} " if view.outcome else "▌ "
        lead = RichText(mark, style="bold green" if view.outcome is Outcome.FIXED else "bold cyan")
        lead.append_text(_spans(view.lead, "bold"))
        return self._graded(lead, view.lead_evidence)

    def _graded(self, text: RichText, evidence: Evidence | None) -> RichText:
        if evidence:
            text.append(f"  {self._grades[evidence]}", style=_GRADE[evidence])
        return text

    def _offers(self, view: View) -> RenderableType:
        table = Table.grid(padding=(0, 1))
        table.add_column(justify="right", style="bold cyan", min_width=4)
        table.add_column()
        for offer in view.offers:
            table.add_row(str(offer.n), RichText(offer.label))
        return Padding(table, (1, 0, 0, 0))

    def _blocks(self, blocks: Sequence[Block]) -> Iterator[RenderableType]:
        for block in blocks:
            match block:
                case Text(inline):
                    yield _spans(inline)
                case Heading(inline, evidence):
                    yield RichText()
                    yield self._graded(_spans(inline, "bold"), evidence)
                case Undo(inline):
                    yield RichText().append("↩ ", style="yellow").append_text(_spans(inline))
                case Code(text):
                    yield Panel(RichText(text, overflow="fold"), border_style="dim", expand=False, padding=(0, 1))
                case Note(evidence=evidence, blocks=inner):
                    mark = RichText().append(f"({self._grades[evidence]}) ", style=_GRADE[evidence])
                    first, *rest = inner
                    # Beside its text a grade would leave a narrow terminal no room.
                    yield mark.append_text(_spans(first.inline)) if isinstance(first, Text) else mark
                    yield from self._blocks(rest if isinstance(first, Text) else inner)
                case Steps(items) | Bullets(items):
                    yield self._list(items, numbered=isinstance(block, Steps))

    def _list(self, items: Sequence[Sequence[Block]], *, numbered: bool) -> RenderableType:
        table = Table.grid(padding=(0, 1))
        table.add_column(justify="right", style="dim", min_width=2)
        table.add_column()
        for n, item in enumerate(items, 1):
            table.add_row(f"{n}." if numbered else "•", Group(*self._blocks(item)))
        return table


def _spans(inline: Inline, style: str = "") -> RichText:
    """Return spans as rich text; nothing in them is read as rich's own markup."""
    out = RichText(style=style)
    for span in inline:
        out.append(span.text, Style(
            bold=span.bold or None, italic=span.italic or None, color="cyan" if span.code else None, link=span.href,
            underline=True if span.href else None,
        ))  # fmt: skip
    return out
