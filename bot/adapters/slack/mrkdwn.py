"""Slack's own markup: what of ours is escaped in it, and what people's messages mean without it."""

from __future__ import annotations

import re
from html import unescape

from bot.core.text import Inline, Span

Json = dict[str, object]
"""A piece of Slack's JSON."""

_REFERENCE = re.compile(r"<([^<>\n]*)>")
_MARKUP = str.maketrans({mark: f"\u2060{mark}\u2060" for mark in "*_~`"})
"""A word joiner at both sides keeps a mark from beginning or ending anything, and cannot be seen."""


def escaped(text: str) -> str:
    """Return text in which Slack finds no reference, mention, link or entity."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def to_mrkdwn(inline: Inline) -> str:
    """Return spans as mrkdwn; nothing in their words is markup."""
    return "".join(_moment(span) or _span(span.text, code=span.code, bold=span.bold, href=span.href) for span in inline)


def from_mrkdwn(text: str, *, me: str = "") -> str:
    """Return what a person wrote: links as their address, entities as their characters, and without `me`'s mention."""
    return unescape(_REFERENCE.sub(lambda found: _reference(found[1], me), text)).strip()


def mentions(text: str, user: str) -> bool:
    """Say whether a message mentions `user`."""
    return bool(user) and any(found[1].partition("|")[0] == f"@{user}" for found in _REFERENCE.finditer(text))


def _moment(span: Span) -> str:
    return "" if span.at is None else f"<!date^{int(span.at)}^{{time}}|{escaped(span.text)}>"


def _span(text: str, *, code: bool, bold: bool, href: str | None) -> str:
    if href:
        return f"<{escaped(href).replace('|', '%7C')}|{escaped(text).replace('|', '¦')}>"
    if code and text.strip():
        return f"`{escaped(text.replace('`', chr(39)))}`"
    words = escaped(text).translate(_MARKUP)
    return f"*{words.strip()}*" if bold and words.strip() else words


def _reference(inside: str, me: str) -> str:
    name, _, label = inside.partition("|")
    if name.startswith("@"):
        return " " if name == f"@{me}" else label or "@somebody"
    if name.startswith(("#", "!")):
        return label or name[:1] + "…" if name.startswith("#") else label
    return name.removeprefix("mailto:")
