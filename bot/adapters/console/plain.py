"""A view as plain text and as one JSON line: what a pipe and a script read."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import msgspec

from bot.core.text import Block, Bullets, Code, Evidence, Heading, Inline, Note, Steps, Text, Undo
from bot.core.view import View

_WIDTH = 100


def as_text(view: View, *, grades: dict[str, str], width: int = _WIDTH) -> str:
    """Return a view as plain text. `grades`: the words for the grades of evidence."""
    return "\n".join(_lines(view, grades, width)).strip("\n")


def as_json(view: View, *, grades: dict[str, str]) -> bytes:
    """Return a view as one line of JSON; `text` is what a person would read, without choices and ways out."""
    return msgspec.json.encode(
        {
            "guide": view.guide or None,
            "step": view.step or None,
            "text": "\n".join(_said(view, grades, 0)).strip("\n"),
            "choices": [{"n": offer.n, "id": offer.id, "label": offer.label} for offer in view.offers],
            "evidence": view.evidence,
            "outcome": view.outcome,
            "cause": view.cause,
            "sources": [cite.url for cite in view.sources],
            "ways_out": [{"id": control.id, "label": control.label} for control in view.controls],
            "conversation": view.conversation or None,
            "revision": view.revision,
        }
    )


def _lines(view: View, grades: dict[str, str], width: int) -> Iterator[str]:
    yield from _said(view, grades, width)
    if view.offers:
        yield ""
    for offer in view.offers:
        yield from _wrapped(offer.label, width, f"  {offer.n}  ")
    if view.controls:
        yield ""
        yield from _wrapped(" · ".join(control.label for control in view.controls), width, "  ")


def _said(view: View, grades: dict[str, str], width: int) -> Iterator[str]:
    yield from _blocks(view.preface, grades, width)
    if view.preface:
        yield ""
    yield from _wrapped(_inline(view.lead) + _grade(view.lead_evidence, grades), width)
    yield from _blocks(view.blocks, grades, width)
    for cite in view.sources:
        yield f"Source: {cite.url}"
    if view.read_as:
        yield ""
        yield from _wrapped(_inline(view.read_as), width)


def _grade(evidence: Evidence | None, grades: dict[str, str]) -> str:
    return f"  [{grades[evidence]}]" if evidence else ""


def _blocks(blocks: Sequence[Block], grades: dict[str, str], width: int, indent: str = "") -> Iterator[str]:
    for block in blocks:
        match block:
            case Text(inline):
                yield from _wrapped(_inline(inline), width, indent)
            case Heading(inline, evidence):
                yield ""
                yield from _wrapped(_inline(inline) + _grade(evidence, grades), width, indent)
            case Undo(inline):
                yield from _wrapped(f"↩ {_inline(inline)}", width, indent)
            case Code(text):
                yield from (f"{indent}    {line}" for line in text.splitlines())
            case Note(evidence=evidence, blocks=inner):
                first, *rest = inner
                if isinstance(first, Text):
                    yield from _wrapped(f"({grades[evidence]}) {_inline(first.inline)}", width, indent)
                    inner = tuple(rest)
                yield from _blocks(inner, grades, width, f"{indent}  ")
            case Steps(items) | Bullets(items):
                for n, item in enumerate(items, 1):
                    mark = f"{n}. " if isinstance(block, Steps) else "- "
                    yield from _item(item, grades, width, indent, mark)


def _item(item: Sequence[Block], grades: dict[str, str], width: int, indent: str, mark: str) -> Iterator[str]:
    lines = list(_blocks(item, grades, max(0, width - len(mark) - len(indent))))
    for n, line in enumerate(lines):
        yield indent + (mark if n == 0 else " " * len(mark)) + line


def _inline(inline: Inline) -> str:
    """Return the words, with the address behind each link and backquotes around what is to be typed."""
    out = []
    for span in inline:
        text = f"`{span.text}`" if span.code else span.text
        out.append(f"{text} ({span.href})" if span.href and span.href != span.text else text)
    return "".join(out)


def _wrapped(text: str, width: int, first: str = "") -> Iterator[str]:
    """Wrap to `width`, or not at all when it is 0; following lines stand below the first word."""
    for line in text.splitlines() or [""]:
        if not width:
            yield first + line
            continue
        yield from textwrap.wrap(
            line, max(20, width), initial_indent=first, subsequent_indent=" " * len(first), break_on_hyphens=False,
            break_long_words=False,
        ) or [first.rstrip()]  # fmt: skip
