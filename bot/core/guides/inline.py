"""Markdown of one line into spans. Only what every platform can show: bold, italic, code and links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from functools import cache, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

from bot.core.text import Inline, Span

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


_style = attrgetter(*(one.name for one in fields(Span) if one.name != "text"))


@cache
def parser() -> MarkdownIt:
    """Return the one Markdown dialect of guides and messages: CommonMark with attributes, without raw HTML."""
    # Content that was read before needs no parser.
    from markdown_it import MarkdownIt  # noqa: PLC0415
    from mdit_py_plugins.attrs import attrs_block_plugin, attrs_plugin  # noqa: PLC0415

    markdown = MarkdownIt("commonmark", {"html": False}).use(attrs_plugin, spans=False).use(attrs_block_plugin)
    return markdown.disable(["image", "autolink", "html_inline", "html_block"])


@lru_cache(maxsize=1024)
def inline_text(source: str) -> Inline:
    """Return the spans of one line of Markdown."""
    return spans(parser().parseInline(source)[0].children or ())


def spans(tokens: Sequence[Token]) -> Inline:
    """Return the spans of markdown-it's inline tokens."""
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
                out.append(Span(" ", bold > 0, italic > 0, href=href))
            case "hardbreak":
                out.append(Span("\n", bold > 0, italic > 0, href=href))
            case _:
                out.append(Span(token.content, bold > 0, italic > 0, token.type == "code_inline", href))
    return joined(out)


def joined(parts: Iterable[Span]) -> Inline:
    """Return spans without empty ones, neighbours of one style made one."""
    out: list[Span] = []
    for span in parts:
        if out and _style(span) == _style(out[-1]):
            out[-1] = replace(span, text=out[-1].text + span.text)
        elif span.text:
            out.append(span)
    return tuple(out)
