"""The YAML between the two `---` lines of a guide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableSequence
from dataclasses import field
from datetime import date

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from bot.core.frozen import frozen
from bot.core.guides.guide import Sign
from bot.core.guides.problem import Problem

# The node graph instead of loaded values: every scalar stays the text that was written (`yes`, `529`, dates), and
# every node knows its line. The C parser is ten times faster; where a platform lacks it, the other does the same.
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

_FRONT = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEYS = frozenset(
    {"title", "surfaces", "signs", "phrases", "sources", "reviewed", "was", "merge", "local", "often", "fits"}
)
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")
_HUNDRED = 100
_SIGN_KEYS = frozenset({"text", "outranks"})


@frozen
class FrontMatter:
    """What the head of a guide says."""

    title: str = ""
    surfaces: tuple[str, ...] = ()
    signs: tuple[Sign, ...] = ()
    phrases: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    reviewed: str = ""
    was: tuple[str, ...] = ()
    merge: bool = False
    local: bool = False
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    often: int = 0
    fits: Mapping[str, frozenset[str]] = field(default_factory=dict)


def split_front_matter(text: str, path: str, problems: MutableSequence[Problem]) -> tuple[FrontMatter, str, int]:
    """Return the front matter, the Markdown below it, and how many lines come before that."""
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    found = _FRONT.match(text)
    if not found:
        problems.append(Problem(path, 1, "format", "a guide begins with front matter between two lines `---`"))
        return FrontMatter(), text, 0
    reading = _Reading(path, problems)
    return reading.front(found["yaml"]), text[found.end() :], text[: found.end()].count("\n")


class _Reading:
    """One reading of one head; line numbers count from the top of the file."""

    def __init__(self, path: str, problems: MutableSequence[Problem]) -> None:
        self.path, self.problems = path, problems

    def complain(self, node: Node, message: str) -> None:
        self.problems.append(Problem(self.path, node.start_mark.line + 2, "format", message))

    def front(self, source: str) -> FrontMatter:
        try:
            root = yaml.compose(source, Loader=_LOADER)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 2 if error.problem_mark else 2
            self.problems.append(Problem(self.path, line, "format", f"the front matter is not YAML: {error.problem}"))
            return FrontMatter()
        except yaml.YAMLError as error:
            why = " ".join(str(error).split())
            self.problems.append(Problem(self.path, 2, "format", f"the front matter is not YAML: {why}"))
            return FrontMatter()
        if not isinstance(root, MappingNode):
            self.problems.append(Problem(self.path, 2, "format", "the front matter is a list of `key: value` lines"))
            return FrontMatter()
        return self._front(root)

    def _front(self, root: MappingNode) -> FrontMatter:
        data = self.entries(root)
        merge = self.flag(data, "merge")
        title = self.text(data["title"]) if "title" in data else ""
        if not title and not merge:
            self.complain(root, "the front matter needs a `title`")
        reviewed = self.text(data["reviewed"]) if "reviewed" in data else ""
        if reviewed and not _is_date(reviewed):
            self.complain(data["reviewed"], "`reviewed` is a date such as 2026-11-30")
        return FrontMatter(
            title=title,
            surfaces=self.texts(data.get("surfaces")),
            signs=tuple(self.signs(data.get("signs"))),
            phrases=self.texts(data.get("phrases")),
            sources=dict(self.sources(data.get("sources"))),
            reviewed=reviewed,
            was=self.texts(data.get("was")),
            merge=merge,
            local=self.flag(data, "local"),
            lines={name: node.start_mark.line + 2 for name, node in data.items()},
            often=self.number(data, "often"),
            fits=dict(self.fits(data.get("fits"))),
        )

    def entries(self, root: MappingNode) -> dict[str, Node]:
        data: dict[str, Node] = {}
        for key, value in root.value:
            name = self.text(key)
            if name in data:
                self.complain(key, f"`{name}` stands here a second time: make one of the two")
            elif name and name not in _KEYS:
                self.complain(key, f"front matter knows no `{name}`; it knows {', '.join(sorted(_KEYS))}")
            data[name] = value
        return data

    def text(self, node: Node) -> str:
        if isinstance(node, ScalarNode):
            return str(node.value)
        self.complain(node, "a text is expected here (in quotation marks if it holds a colon or a bracket)")
        return ""

    def flag(self, data: Mapping[str, Node], name: str) -> bool:
        value = self.text(data[name]) if name in data else ""
        if value not in {"", "true", "false"}:
            self.complain(data[name], f"`{name}` is `true` or `false`, not `{value}`")
        return value == "true"

    def number(self, data: Mapping[str, Node], name: str) -> int:
        if name not in data:
            return 0
        value = self.text(data[name])
        if value.isdecimal() and 0 < int(value) <= _HUNDRED:
            return int(value)
        self.complain(data[name], f"`{name}` is a number from 1 to {_HUNDRED}, not `{value}`")
        return 0

    def fits(self, node: Node | None) -> Iterator[tuple[str, frozenset[str]]]:
        for pair in self.text(node).split() if node else ():
            fact, equals, values = pair.partition("=")
            if fact and equals and values:
                yield fact, frozenset(values.split("|"))
            elif node:
                self.complain(node, f"cannot read `{pair}`; it is written `fits: shows=stops|error since=now`")

    def items(self, node: Node | None) -> list[Node]:
        if node is None or (isinstance(node, ScalarNode) and not node.value):
            return []
        if isinstance(node, SequenceNode):
            return list(node.value)
        self.complain(node, "a list is expected here")
        return []

    def texts(self, node: Node | None) -> tuple[str, ...]:
        return tuple(text for item in self.items(node) if (text := self.text(item)))

    def signs(self, node: Node | None) -> Iterator[Sign]:
        for item in self.items(node):
            line = item.start_mark.line + 2
            if isinstance(item, ScalarNode):
                yield Sign(item.value, (), line, self.path)
                continue
            fields = {self.text(key): value for key, value in item.value} if isinstance(item, MappingNode) else {}
            if "text" in fields and fields.keys() <= _SIGN_KEYS:
                yield Sign(self.text(fields["text"]), self.texts(fields.get("outranks")), line, self.path)
            else:
                self.complain(
                    item, "a sign is a text (in quotation marks if it holds a colon), or `text:` and `outranks:`"
                )

    def sources(self, node: Node | None) -> Iterator[tuple[str, str]]:
        if node is None or (isinstance(node, ScalarNode) and not node.value):
            return
        if not isinstance(node, MappingNode):
            self.complain(node, "`sources` is a list of `name: address` lines")
            return
        for key, value in node.value:
            url = self.text(value)
            if not url.startswith("https://"):
                self.complain(value, f"source `{self.text(key)}` is not an https address")
            yield self.text(key), url


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return bool(_DATE.match(text))
