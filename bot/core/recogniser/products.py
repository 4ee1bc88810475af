"""What the recogniser knows besides the guides: people's words, shared output, other products."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from bot.core.errors import ContentError
from bot.core.frozen import frozen
from bot.core.recogniser.weights import Weights

SIGN_RANK = 8
"""Rank of a guide's own signs among the ranks of shared output."""


@frozen
class Output:
    """Program output that other programs write as well; `rank` tells which of several says most."""

    guide: str
    rank: int
    texts: tuple[str, ...]


@frozen
class Other:
    """A product that is not Claude: `names` are words people use, `signs` output that only it writes."""

    name: str
    names: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()


@frozen
class Section:
    """A section of the official error page about something that is no connection problem.

    alone: what leads to it only where nothing else is said; in a sentence it means little.
    """

    title: str
    link: str
    signs: tuple[str, ...]
    alone: tuple[str, ...] = ()


@frozen
class Clue:
    """Words that state a fact. `failing`: they do not count where the text says that it works there."""

    fact: str
    value: str
    phrases: tuple[str, ...]
    failing: bool = False


@frozen
class Language:
    """How a language is told: `script`, letters that decide; `sure`, words that do; `little`, words that help.

    letters: a word with one of them helps as well.
    """

    code: str
    script: str = ""
    letters: str = ""
    little: tuple[str, ...] = ()
    sure: tuple[str, ...] = ()


@frozen
class Products:
    """All of `content/products/` that recognising needs.

    words: word lists by name, for `@name` in phrases;
    weights: how much words and marks speak for guides, see `weights`.
    """

    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    outputs: tuple[Output, ...] = ()
    statuses: Mapping[str, str] = field(default_factory=dict)
    others: tuple[Other, ...] = ()
    sections: tuple[Section, ...] = ()
    clues: tuple[Clue, ...] = ()
    languages: tuple[Language, ...] = ()
    weights: Weights = field(default_factory=Weights)

    def expand(self, phrase: str) -> str:
        """Return `phrase` with every `@name` replaced by the words of that list."""
        if "@" not in phrase and "claude" not in phrase:
            return phrase
        hint = "?" if phrase.endswith("?") else ""
        order = "^" if phrase.startswith("^") else ""
        groups = ("|".join(self._alternatives(group)) for group in phrase.strip("^?").split())
        return order + " ".join(groups) + hint

    def _alternatives(self, group: str) -> Iterator[str]:
        for word in group.split("|"):
            if word.startswith("@"):
                yield from self.words.get(word[1:], ())
            elif word == "claude":
                yield from (word, "claudecode")  # the normal form of the name in two words
            else:
                yield word


def parse_products(texts: Mapping[str, str]) -> Products:
    """Read the TOML texts of `content/products/`, by path; tables meant for others are passed over."""
    data = [(path, _toml(path, texts[path])) for path in sorted(texts)]
    return Products(
        words={name: tuple(words) for _, table in data for name, words in table.get("words", {}).items()},
        outputs=tuple(Output(t["guide"], t["rank"], tuple(t["texts"])) for _, t in _tables(data, "output")),
        statuses={status: guide for _, table in data for status, guide in table.get("statuses", {}).items()},
        others=tuple(
            Other(t["name"], tuple(t.get("names", ())), tuple(t.get("signs", ()))) for _, t in _tables(data, "product")
        ),
        sections=tuple(
            Section(t["title"], t["link"], tuple(t["signs"]), tuple(t.get("alone", ())))
            for _, t in _tables(data, "section")
        ),
        clues=(
            *(Clue("provider", t["id"], tuple(t["phrases"])) for _, t in _tables(data, "provider") if "phrases" in t),
            *(
                Clue(t["fact"], t["value"], tuple(t["phrases"]), failing=t.get("failing", False))
                for _, t in _tables(data, "clue")
            ),
        ),
        languages=tuple(
            Language(t["code"], t.get("script", ""), t.get("letters", ""), _split(t, "little"), _split(t, "sure"))
            for _, t in _tables(data, "language")
        ),
        weights=Weights.of(dict(_weights(data))),
    )


_ROW = re.compile(r"[\w-]+ -?\d{1,3}(?:, [\w-]+ -?\d{1,3})*")


def _weights(data: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[tuple[str, str]]:
    """Yield what every file says about words; a row that is no list of guides with whole numbers is refused."""
    for path, table in data:
        for hint, row in table.get("weights", {}).items():
            if not isinstance(row, str) or not _ROW.fullmatch(row):
                raise ContentError(f"the weights of `{hint}` are no `guide 12, other -3`: {row!r}", path=path, line=1)
            yield hint, row


def _split(table: Mapping[str, str], key: str) -> tuple[str, ...]:
    return tuple(table.get(key, "").split())


def _toml(path: str, text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ContentError(str(error), path=path, line=getattr(error, "lineno", 0) or 1) from error


_NEEDED = {
    "output": ("guide", "rank", "texts"),
    "product": ("name",),
    "section": ("title", "link", "signs"),
    "provider": ("id",),
    "clue": ("fact", "value", "phrases"),
    "language": ("code",),
}


def _tables(data: Sequence[tuple[str, Mapping[str, Any]]], name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every `[[name]]` of all files, and refuse one that lacks what it needs."""
    for path, table in data:
        for entry in table.get(name, ()):
            missing = [key for key in _NEEDED[name] if key not in entry]
            if missing:
                raise ContentError(f"a [[{name}]] lacks `{missing[0]}`: {dict(entry)}", path=path, line=1)
            yield path, entry
