"""Rich text without a platform: spans with a style, and the blocks guides and views are made of.

Foreign text (pasted by people, published by vendors) enters as plain spans, so that nothing in it can
become markup, a link or a mention; each adapter escapes spans in its own way.
"""

from __future__ import annotations

import re
from enum import StrEnum

from bot.core.frozen import frozen


class Evidence(StrEnum):
    """How sure Redial is of a statement, shown to people."""

    OFFICIAL = "official"
    REPORTED = "reported"
    UNCONFIRMED = "unconfirmed"


@frozen
class Span:
    """A run of text in one style; `href` makes it a link.

    at: the moment the text names, in seconds since the epoch; platforms that can show it in each reader's own time.
    user: the id of the person it stands for; platforms show their name, others the text.
    """

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    href: str | None = None
    at: float | None = None
    user: str = ""


Inline = tuple[Span, ...]


@frozen
class Text:
    """A paragraph."""

    inline: Inline


@frozen
class Heading:
    """A title inside a message, with the grade of what stands below it if it has one of its own."""

    inline: Inline
    evidence: Evidence | None = None


@frozen
class Steps:
    """A numbered list; each item is a paragraph and may carry blocks of its own."""

    items: tuple[tuple[Block, ...], ...]


@frozen
class Bullets:
    """An unnumbered list."""

    items: tuple[tuple[Block, ...], ...]


@frozen
class Code:
    """Preformatted text to copy; `language` may be empty."""

    text: str
    language: str = ""


@frozen
class Note:
    """An aside with a grade of its own: something reported, unconfirmed, or a source that differs."""

    id: str
    evidence: Evidence
    blocks: tuple[Block, ...]
    source: str | None = None


@frozen
class Undo:
    """How to take a risky step back; shown with it, always."""

    inline: Inline


Block = Text | Heading | Steps | Bullets | Code | Note | Undo


def plain(inline: Inline) -> str:
    """Return the words of `inline` without any style."""
    return "".join(span.text for span in inline)


# What colours a terminal, control characters but tab and newline, surrogates, and the marks that are not seen but turn
# the direction of the text that follows, or part its words.
_HIDDEN = re.compile(
    "\x1b\\[[0-?]{0,64}[ -/]{0,4}[@-~]"
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")


def visible(text: str) -> str:
    """Return foreign `text` without what nobody sees, and with one kind of line break."""
    return _HIDDEN.sub("", _BREAKS.sub("\n", text))


def words(text: str) -> Inline:
    """Return `text` as one plain span: the way foreign text enters a view."""
    return (Span(text),) if text else ()
