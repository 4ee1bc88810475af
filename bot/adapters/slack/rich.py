"""Views' blocks as rich_text: its texts are taken literally, so nothing in them can become markup or a mention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bot.adapters.slack.limits import CODE
from bot.adapters.slack.mrkdwn import Json
from bot.core.text import Block, Bullets, Code, Evidence, Heading, Inline, Note, Span, Steps, Text, Undo

Grades = Mapping[str, str]
"""The words for the grades of evidence."""

_NEWLINE: Json = {"type": "text", "text": "\n"}
_GAP: Json = {"type": "text", "text": "\n\n"}


@dataclass(slots=True)
class Rich:
    """Collects the elements of one rich_text block."""

    grades: Grades
    elements: list[Json] = field(default_factory=list)
    titled: bool = False

    def lead(self, inline: Inline, evidence: Evidence | None) -> None:
        """Add the line everything else follows."""
        self._title([*_spans(inline, bold=True), *self._grade(evidence)])

    def blocks(self, blocks: Sequence[Block]) -> None:
        """Add blocks, one paragraph below the other."""
        for block in blocks:
            match block:
                case Text(inline):
                    self._section(_spans(inline))
                case Heading(inline, evidence):
                    self._title([*_spans(inline, bold=True), *self._grade(evidence)])
                case Undo(inline):
                    self._quote([{"type": "text", "text": "↩ "}, *_spans(inline)])
                case Code(text):
                    self._code(text)
                case Note(evidence=evidence, blocks=inner):
                    self._note(evidence, inner)
                case Steps(items):
                    self._list(items, "ordered")
                case Bullets(items):
                    self._list(items, "bullet")

    def line(self, line: list[Json]) -> None:
        """Add a line that is made of Slack's own elements."""
        self._section(line)

    def _note(self, evidence: Evidence, inner: Sequence[Block]) -> None:
        mark: Json = {"type": "text", "text": f"{self.grades[evidence]}: ", "style": {"italic": True}}
        lines = list(_lines(inner))
        for n, (line, code) in enumerate(lines):
            if code is not None:
                self._code(code)
            else:
                self._quote([mark, *line] if n == 0 else line)

    def _list(self, items: Sequence[Sequence[Block]], style: str, indent: int = 0) -> None:
        """Add a list; what is no paragraph stands between its items, which go on counting."""
        for n, item in enumerate(items):
            first = item[0].inline if item and isinstance(item[0], Text) else ()
            rest = list(item[1:] if first else item)
            line = _spans(first)
            while rest and isinstance(rest[0], Text):
                line += [_NEWLINE, *_spans(rest.pop(0).inline)]  # type: ignore[union-attr]
            self._item(line, style, n, indent)
            for block in rest:
                if isinstance(block, Steps | Bullets):
                    self._list(block.items, "ordered" if isinstance(block, Steps) else "bullet", indent + 1)
                else:
                    self.blocks([block])

    def _item(self, line: list[Json], style: str, n: int, indent: int) -> None:
        if not line:
            return
        section: Json = {"type": "rich_text_section", "elements": line}
        last = self.elements[-1] if self.elements else {}
        if n and (last.get("type"), last.get("style"), last.get("indent", 0)) == ("rich_text_list", style, indent):
            items = last["elements"]
            assert isinstance(items, list)  # noqa: S101 - a list of ours, for mypy
            items.append(section)
            return
        added: Json = {"type": "rich_text_list", "style": style, "elements": [section]}
        if indent:
            added["indent"] = indent
        if n and style == "ordered":
            added["offset"] = n
        self.elements.append(added)

    def _title(self, line: list[Json]) -> None:
        apart = bool(line and self.elements and self.elements[-1]["type"] != "rich_text_section")
        self._section([_NEWLINE, *line] if apart else line)
        self.titled = bool(line)

    def _section(self, line: list[Json]) -> None:
        if not line:
            return
        last = self.elements[-1] if self.elements else {}
        if last.get("type") == "rich_text_section":
            # Two sections in a row run together in one paragraph; what belongs to a title stands right below it.
            before = last["elements"]
            assert isinstance(before, list)  # noqa: S101 - a list of ours, for mypy
            before += [_NEWLINE if self.titled else _GAP, *line]
        else:
            self.elements.append({"type": "rich_text_section", "elements": line})
        self.titled = False

    def _quote(self, line: list[Json]) -> None:
        if line:
            self.elements.append({"type": "rich_text_quote", "elements": line})

    def _code(self, text: str) -> None:
        for part in parts(text, CODE):
            self.elements.append({"type": "rich_text_preformatted", "elements": [{"type": "text", "text": part}]})

    def _grade(self, evidence: Evidence | None) -> list[Json]:
        if evidence is None:
            return []
        return [{"type": "text", "text": f" · {self.grades[evidence]}", "style": {"italic": True}}]


def _spans(inline: Inline, *, bold: bool = False) -> list[Json]:
    return [_element(span, bold=bold) for span in inline if span.text]


def _element(span: Span, *, bold: bool) -> Json:
    style = {"bold": bold or span.bold, "italic": span.italic, "code": span.code}
    element: Json = {"type": "text", "text": span.text}
    if span.user:
        element = {"type": "user", "user_id": span.user}
    elif span.at is not None:
        element = {"type": "date", "timestamp": int(span.at), "format": "{time}", "fallback": span.text}
    elif span.href:
        element = {"type": "link", "url": span.href, "text": span.text}
    if on := {name: True for name, is_on in style.items() if is_on}:
        element["style"] = on
    return element


def _lines(blocks: Sequence[Block]) -> Iterator[tuple[list[Json], str | None]]:
    """Yield the lines of an aside, and the code in it."""
    for block in blocks:
        match block:
            case Text(inline) | Heading(inline) | Undo(inline):
                yield _spans(inline), None
            case Code(text):
                yield [], text
            case Note(blocks=inner):
                yield from _lines(inner)
            case Steps(items) | Bullets(items):
                for n, item in enumerate(items, 1):
                    mark: Json = {"type": "text", "text": f"{n}. " if isinstance(block, Steps) else "• "}
                    for k, (line, code) in enumerate(_lines(item)):
                        yield ([mark, *line] if k == 0 and code is None else line), code


def parts(text: str, size: int) -> Iterator[str]:
    """Yield `text` in pieces of at most `size` characters, broken at line ends where there are any."""
    rest = text.strip("\n")
    while len(rest) > size:
        end = rest.rfind("\n", 0, size)
        end = end if end > 0 else size
        yield rest[:end]
        rest = rest[end:].lstrip("\n")
    if rest.strip():
        yield rest


def size(elements: Sequence[Json]) -> int:
    """Return how many characters people see in elements."""
    total = 0
    for element in elements:
        text, inner = element.get("text") or element.get("fallback"), element.get("elements")
        total += len(text) if isinstance(text, str) else 0
        total += size(inner) if isinstance(inner, list) else 0
    return total


def bounded(elements: Sequence[Json], most: int) -> list[Json]:
    """Return the elements a message has room for; an ellipsis stands where the rest would be."""
    kept: list[Json] = []
    left = most
    for element in elements:
        left -= size([element])
        if left < 0:
            kept.append({"type": "rich_text_section", "elements": [{"type": "text", "text": "…"}]})
            break
        kept.append(element)
    return kept
