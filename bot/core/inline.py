"""Markdown of one line into spans. Only what every platform can show: bold, italic, code and links."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from mdit_py_plugins.attrs import attrs_block_plugin, attrs_plugin

from bot.core.text import Inline, Span

if TYPE_CHECKING:
    from markdown_it.token import Token


@cache
def parser() -> MarkdownIt:
    """The one Markdown dialect of guides and messages: CommonMark with attributes, without raw HTML."""
    markdown = MarkdownIt("commonmark", {"html": False}).use(attrs_plugin, spans=False).use(attrs_block_plugin)
    return markdown.disable(["image", "autolink", "html_inline", "html_block"])


def inline_text(source: str) -> Inline:
    """Return the spans of one line of Markdown."""
    return spans(parser().parseInline(source)[0].children or ())


def spans(tokens: Sequence[Token]) -> Inline:
    """Return the spans of markdown-it's inline tokens; neighbours of one style are joined."""
    out: list[Span] = []
    bold = italic = 0
    href: str | None = None
    for token in tokens:
        match token.type:
            case "strong_open" | "strong_close":
                bold += token.nesting
            case "em_open" | "em_close":
                italic += token.nesting
            case "link_open":
                href = str(token.attrs.get("href", ""))
            case "link_close":
                href = None
            case "softbreak":
                _append(out, Span(" ", bold > 0, italic > 0, href=href))
            case "hardbreak":
                _append(out, Span("\n", bold > 0, italic > 0, href=href))
            case _:
                code = token.type == "code_inline"
                _append(out, Span(token.content, bold > 0, italic > 0, code, href))
    return tuple(out)


def _append(out: list[Span], span: Span) -> None:
    if not span.text:
        return
    last = out[-1] if out else None
    if last and (last.bold, last.italic, last.code, last.href) == (span.bold, span.italic, span.code, span.href):
        out[-1] = Span(last.text + span.text, span.bold, span.italic, span.code, span.href)
    else:
        out.append(span)
