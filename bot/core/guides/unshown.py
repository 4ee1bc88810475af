"""What Markdown can do and no chat can show: HTML, pictures, tables. Authors are told what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator

_IN_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_ADDRESS = re.compile(r"<(?:https?|mailto):[^>\s]*>")
_TAG = re.compile(r"<(?:/?[a-zA-Z][^<>]*|!--.*?--)>", re.DOTALL)
_PICTURE = re.compile(r"!\[[^\]]*\][(\[]")
_TABLE = re.compile(
    r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$|^[ \t]*\|.*\|[ \t]*$", re.MULTILINE
)


def unshown(source: str) -> Iterator[str]:
    """Yield a sentence for each construct in the source of one paragraph that would be shown as raw characters."""
    words = _IN_CODE.sub("", source)
    if address := _ADDRESS.search(words):
        yield f"write a link as `[words](https://…)`, not `{address.group()}`"
        words = _ADDRESS.sub("", words)
    if tag := _TAG.search(words):
        yield f"HTML is not shown: take `{_short(tag.group())}` out, or put it in backquotes if people should read it"
    if _PICTURE.search(words):
        yield "a picture cannot be shown in every chat: say in words what it shows, or link to it"
    if _TABLE.search(words):
        yield "a table cannot be shown in every chat: write a list"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:39]}…"  # noqa: PLR2004 - enough to find it by
