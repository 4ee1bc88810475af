"""The YAML between the two `---` lines of a guide."""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from bot.core.guide import Sign
from bot.core.problem import Problem

if TYPE_CHECKING:
    from ruamel.yaml import YAML

_FRONT = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEYS = frozenset({"title", "surfaces", "signs", "phrases", "sources", "reviewed", "was", "merge"})
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")


@dataclass(frozen=True, slots=True)
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


@cache
def _yaml() -> YAML:
    # Round-trip mode: the only one that keeps `yes:` a string and knows the line of every value.
    from ruamel.yaml import YAML  # noqa: PLC0415 - a heavy import that `redial --help` does not need

    return YAML(typ="rt", pure=True)


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

    def complain(self, line: int, message: str) -> None:
        self.problems.append(Problem(self.path, line, "format", message))

    def front(self, source: str) -> FrontMatter:
        from ruamel.yaml.error import MarkedYAMLError  # noqa: PLC0415 - see _yaml

        try:
            data = _yaml().load(source)
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            self.complain((mark.line if mark else 0) + 2, f"the front matter is not YAML: {error.problem}")
            return FrontMatter()
        if not isinstance(data, Mapping):
            self.complain(2, "the front matter is a list of `key: value` lines")
            return FrontMatter()
        self._check(data)
        return FrontMatter(
            title=str(data.get("title") or ""),
            surfaces=self._strings(data, "surfaces"),
            signs=self._signs(data),
            phrases=self._strings(data, "phrases"),
            sources=self._sources(data),
            reviewed=str(data.get("reviewed") or ""),
            was=self._strings(data, "was"),
            merge=data.get("merge") is True,
        )

    def _check(self, data: Mapping[str, object]) -> None:
        for key in data:
            if key not in _KEYS:
                self.complain(_line(data, key), f"front matter knows no `{key}`; it knows {', '.join(sorted(_KEYS))}")
        if not data.get("title") and data.get("merge") is not True:
            self.complain(2, "the front matter needs a `title`")
        if data.get("reviewed") and not _DATE.match(str(data["reviewed"])):
            self.complain(_line(data, "reviewed"), "`reviewed` is a date such as 2026-11-30")

    def _strings(self, data: Mapping[str, object], key: str) -> tuple[str, ...]:
        value = data.get(key)
        if value is None:
            return ()
        if not isinstance(value, Sequence) or isinstance(value, str):
            self.complain(_line(data, key), f"`{key}` is a list")
            return ()
        for item in value:
            if not isinstance(item, str):
                self.complain(_line(data, key), f"`{item}` in `{key}` needs quotation marks to be a text")
        return tuple(str(item) for item in value)

    def _signs(self, data: Mapping[str, object]) -> tuple[Sign, ...]:
        value = data.get("signs") or ()
        if not isinstance(value, Sequence) or isinstance(value, str):
            self.complain(_line(data, "signs"), "`signs` is a list")
            return ()
        return tuple(sign for n, item in enumerate(value) if (sign := self._sign(item, _item_line(value, n))))

    def _sign(self, item: object, line: int) -> Sign | None:
        if isinstance(item, str):
            return Sign(item, (), line)
        if isinstance(item, Mapping) and isinstance(item.get("text"), str) and set(item) <= {"text", "outranks"}:
            return Sign(item["text"], self._strings(item, "outranks"), line)
        self.complain(line, "a sign is a text, or `text:` with `outranks:` (in quotation marks if it holds a colon)")
        return None

    def _sources(self, data: Mapping[str, object]) -> Mapping[str, str]:
        value = data.get("sources") or {}
        if not isinstance(value, Mapping):
            self.complain(_line(data, "sources"), "`sources` is a list of `name: address` lines")
            return {}
        for name, url in value.items():
            if not str(url).startswith("https://"):
                self.complain(_line(value, name), f"source `{name}` is not an https address")
        return {str(name): str(url) for name, url in value.items()}


def _line(data: object, key: object) -> int:
    position = getattr(data, "lc", None)
    return int(position.key(key)[0]) + 2 if position is not None else 2


def _item_line(data: object, index: int) -> int:
    position = getattr(data, "lc", None)
    return int(position.item(index)[0]) + 2 if position is not None else 2
