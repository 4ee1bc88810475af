"""Discord's Markdown: what of ours is escaped in it, and what people's messages mean without it.

Every span is escaped, whoever wrote it. Discord takes a backslash before any mark for the mark itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from urllib.parse import quote, urlsplit

from bot.core.text import Block, Bullets, Code, Evidence, Heading, Inline, Note, Span, Steps, Text, Undo

Grades = Mapping[str, str]
"""The words for the grades of evidence."""

_SPACE = re.compile(r"\s+")
_MARKS = re.compile(r"[\\*_`|<\[\]~]")
_LINE = re.compile(r"(?m)^(\s*)(#|>|[-+](?=\s|#)|\d+(?=[.)]))")
_EMOJI = re.compile(r":(?=\w+:|//)")
_EVERYONE = re.compile(r"@(?=everyone|here)", re.IGNORECASE)
_FENCE = re.compile(r"`(?=`)")
_LANGUAGE = re.compile(r"[a-z0-9+#-]{1,20}")
_MENTION = re.compile(r"<(@[!&]?|#)(\d+)>")
_SPECIAL = re.compile(r"<(?:a?(:\w+:)\d+|(https?://[^\s>]+))>")
_ZERO = "\u200b"
"""Cannot be seen, and parts what must not stand together."""


@lru_cache(maxsize=1024)
def escaped(text: str) -> str:
    """Return text in which Discord finds no markup, mention, link, emoji, list or quote."""
    out = _MARKS.sub(r"\\\g<0>", text)
    out = _EMOJI.sub(r"\\:", out)
    out = _EVERYONE.sub(f"@{_ZERO}", out)
    return _LINE.sub(_broken, out)


@lru_cache(maxsize=4096)
def to_markdown(inline: Inline, *, bold: bool = False) -> str:
    """Return spans as Markdown; nothing in their words is markup. bold: the whole is."""
    runs = groupby(inline, key=lambda span: (span.bold or bold, span.italic))
    out = ""
    for (heavy, slanted), spans in runs:
        run = _run("".join(map(_span, spans)), heavy=heavy, slanted=slanted)
        # Two styles side by side would melt into other marks.
        out += _ZERO + run if out.endswith("*") and run.startswith("*") else run
    return out


@lru_cache(maxsize=1024)
def to_line(inline: Inline, *, bold: bool = False) -> str:
    """Return spans as one line of Markdown."""
    return to_markdown(tuple(replace(span, text=_SPACE.sub(" ", span.text)) for span in inline), bold=bold)


def to_lines(blocks: Sequence[Block], grades: Grades) -> Iterator[str]:  # noqa: C901 - a case a kind of block
    """Yield blocks as lines of Markdown."""
    for block in blocks:
        match block:
            case Text(inline):
                yield from to_markdown(inline).splitlines()
            case Heading(inline, evidence):
                yield heading(inline, evidence, grades)
            case Undo(inline):
                yield f"↩ {to_line(inline)}"
            case Code(text, language):
                yield from code_block(text, language)
            case Note(evidence=evidence, blocks=inner):
                yield from _note(inner, grades[evidence], grades)
            case Steps(items):
                for n, item in enumerate(items, 1):
                    yield from _item(item, f"{n}. ", grades)
            case Bullets(items):
                for item in items:
                    yield from _item(item, "- ", grades)


def heading(inline: Inline, evidence: Evidence | None, grades: Grades) -> str:
    """Return a title of its own line, with the grade of what stands below it."""
    return f"{_title(inline)} · {escaped(grades[evidence])}" if evidence else _title(inline)


def code_block(text: str, language: str = "") -> Iterator[str]:
    """Yield preformatted text as it is; a fence inside it is broken up."""
    yield f"```{language if language != 'text' and _LANGUAGE.fullmatch(language) else ''}"
    yield from (_FENCE.sub(f"`{_ZERO}", text).splitlines() or [""])
    yield "```"


def link(label: str, url: str) -> str:
    """Return a link, or its label alone where the address is not one of the web."""
    if urlsplit(url).scheme not in {"http", "https"}:
        return escaped(label)
    return f"[{escaped(label)}](<{quote(url, safe=':/?#@!$&+,;=%~-._')}>)"


@lru_cache(maxsize=256)
def site(url: str, label: str) -> str:
    """Return a link that is called by the site it leads to, or by its label where it leads to none."""
    return link(urlsplit(url).hostname or label, url)


def from_markdown(text: str, names: Mapping[str, str], *, me: str = "") -> str:
    """Return what a person wrote: mentions as names, without the mention of `me`; links and emoji as their text."""

    def said(found: re.Match[str]) -> str:
        if found[2] == me and found[1].startswith("@"):
            return " "
        return found[1][0] + names.get(found[2], "…")

    return _SPECIAL.sub(lambda found: found[1] or found[2], _MENTION.sub(said, text)).strip()


def cut_lines(lines: Iterable[str], size: int) -> str:
    """Return lines in at most `size` characters; what is cut ends in an ellipsis, and an open code block is closed."""
    out, left, fenced = [], size - len("…\n```"), False
    for line in lines:
        if len(line) + 1 > left:
            out += ["…", *(["```"] if fenced else [])]
            break
        fenced ^= line.startswith("```")
        left -= len(line) + 1
        out.append(line)
    return "\n".join(out)


@lru_cache(maxsize=1024)
def _title(inline: Inline) -> str:
    return f"### {to_line(tuple(replace(span, bold=False) for span in inline))}"


def _broken(found: re.Match[str]) -> str:
    """Return the start of a line with a backslash where it would begin a list, a title or a quote."""
    return f"{found[1]}{found[2]}\\" if found[2].isdecimal() else f"{found[1]}\\{found[2]}"


def _span(span: Span) -> str:
    if span.user.isdecimal():
        # Shown as a name; it calls nobody, for a message mentions whom its request allows.
        return f"<@{span.user}>"
    if span.at is not None:
        # Discord shows it in each reader's own time.
        return f"<t:{int(span.at)}:t>"
    if span.code and span.text.strip():
        return _code(" ".join(span.text.split()))
    return link(span.text, span.href) if span.href else escaped(span.text)


def _code(text: str) -> str:
    if "`" not in text:
        return f"`{text}`"
    return f"`` {text} ``" if "``" not in text else f"`{text.replace('`', chr(39))}`"


def _run(text: str, *, heavy: bool, slanted: bool) -> str:
    """Return text in one style, which Discord only takes tight around the words."""
    words = text.strip()
    if not words or not (heavy or slanted):
        return text
    start = text[: len(text) - len(text.lstrip())]
    end = text[len(text.rstrip()) :]
    mark = "*" * (2 * heavy + slanted)
    return f"{start}{mark}{words}{mark}{end}"


def _item(item: Sequence[Block], mark: str, grades: Grades) -> Iterator[str]:
    """Yield a list item; what belongs to it stands below, and code at the margin, where Discord draws it as a block."""
    fenced, indent = False, " " * len(mark)
    for n, line in enumerate(to_lines(item, grades)):
        fence = line.startswith("```")
        yield (mark if n == 0 and not fence else "" if fenced or fence else indent) + line
        fenced ^= fence


def _note(blocks: Sequence[Block], grade: str, grades: Grades) -> Iterator[str]:
    """Yield an aside as a quote that begins with its grade."""
    for n, line in enumerate(to_lines(blocks, grades)):
        yield f"> *{escaped(grade)}:* {line}" if n == 0 else f"> {line}"
