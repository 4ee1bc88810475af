"""Redial's own sentences, by key. Fields are put in after the Markdown was read, so that no value can become markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from bot.core.errors import ContentError
from bot.core.guides.inline import inline_text, joined
from bot.core.text import Inline, Span, plain

_FIELD = re.compile(r"\{(\w+)\}")

Value = str | int | Inline
Entry = str | tuple[str, ...] | dict[str, str]
"""A sentence, a list of words, or the forms of a sentence by what is counted."""


class Messages:
    """The sentences of one locale; asking for a key that is not there is a mistake in the code, not in the content."""

    def __init__(self, table: Mapping[str, object], *, path: str = "") -> None:
        """Take a decoded TOML document; raises ContentError for a value that is no text, list or plural table."""
        self._entries = dict(_flat(table, "", path))
        self._fixed: dict[str, Inline] = {}
        self._words: dict[str, str] = {}
        self._read: Mapping[str, Inline] = {}

    @classmethod
    def known(cls, entries: dict[str, Entry], read: Mapping[str, Inline]) -> Messages:
        """Return messages that were read before, as `as_known` gave them."""
        found = cls({})
        found._entries, found._read = entries, read
        return found

    def as_known(self) -> tuple[dict[str, Entry], Mapping[str, Inline]]:
        """Return what `known` takes: all entries, and what the Markdown of each sentence comes to."""
        texts = (
            text
            for entry in self._entries.values()
            if not isinstance(entry, tuple)
            for text in (entry.values() if isinstance(entry, dict) else (entry,))
        )
        return self._entries, {text: inline_text(text) for text in texts}

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def adopt(self, other: Messages) -> None:
        """Say from now on what another says, to everybody who holds on to this one."""
        self._entries, self._fixed, self._words, self._read = other._entries, other._fixed, other._words, other._read

    def fields(self, key: str) -> frozenset[str]:
        """Return the names of the fields the sentence has."""
        return frozenset(_FIELD.findall(" ".join(self._all(key))))

    def inline(self, key: str, **fields: Value) -> Inline:
        """Return the sentence as spans with its fields put in."""
        if not fields and (known := self._fixed.get(key)) is not None:
            return known
        template = self._template(key, fields)
        spans = self._read[template] if template in self._read else inline_text(template)
        said = joined([part for span in spans for part in _filled(span, fields)])
        if not fields:
            self._fixed[key] = said
        return said

    def text(self, key: str, **fields: Value) -> str:
        """Return the sentence as plain text."""
        if not fields and (known := self._words.get(key)) is not None:
            return known
        said = plain(self.inline(key, **fields))
        if not fields:
            self._words[key] = said
        return said

    def list(self, key: str) -> tuple[str, ...]:
        """Return a list of words, such as those that mean "back"."""
        entry = self._entries[key]
        return entry if isinstance(entry, tuple) else (str(entry),)

    def keys(self, prefix: str) -> tuple[str, ...]:
        """Return the keys below `prefix.`, in the order of the file."""
        return tuple(key for key in self._entries if key.startswith(f"{prefix}."))

    def objections(self, over: Mapping[str, object], *, path: str) -> Iterator[tuple[str, str]]:
        """Yield key and sentence for each entry of `over` that cannot be said in place of ours; raises ContentError."""
        for key, entry in _flat(over, "", path):
            if key not in self._entries:
                yield key, f"Redial says no `{key}`"
            elif isinstance(entry, tuple) is not isinstance(self._entries[key], tuple):
                yield key, f"`{key}` is {'a list of texts' if isinstance(self._entries[key], tuple) else 'one text'}"
            else:
                texts = entry.values() if isinstance(entry, dict) else (entry,) if isinstance(entry, str) else entry
                known = self.fields(key)
                for name in sorted(set(_FIELD.findall(" ".join(texts))) - known):
                    fields = ", ".join(f"{{{field}}}" for field in sorted(known)) or "none"
                    yield key, f"`{key}` has no field {{{name}}}; it has {fields}"

    def _template(self, key: str, fields: Mapping[str, Value]) -> str:
        entry = self._entries[key]
        if isinstance(entry, dict):
            return str(entry["one" if fields.get("n") == 1 and "one" in entry else "other"])
        return str(entry)

    def _all(self, key: str) -> tuple[str, ...]:
        entry = self._entries[key]
        return tuple(entry.values()) if isinstance(entry, dict) else self.list(key)


@lru_cache(maxsize=1024)
def _parts(text: str) -> tuple[str, ...]:
    """Split a template at its fields: words and field names take turns."""
    return tuple(_FIELD.split(text))


def _filled(span: Span, fields: Mapping[str, Value]) -> Inline:
    out: list[Span] = []
    for n, part in enumerate(_parts(span.text)):
        value: Value = fields[part] if n % 2 else part
        if isinstance(value, tuple):
            out += [replace(v, bold=v.bold or span.bold, italic=v.italic or span.italic) for v in value]
        elif value != "":
            out.append(Span(str(value), span.bold, span.italic, span.code, span.href))
    return tuple(out)


def _flat(table: Mapping[str, object], prefix: str, path: str) -> list[tuple[str, Entry]]:
    out: list[tuple[str, Entry]] = []
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, str):
            out.append((key, value))
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            out.append((key, tuple(value)))
        elif isinstance(value, Mapping) and "other" in value:
            out.append((key, {form: str(text) for form, text in value.items()}))
        elif isinstance(value, Mapping):
            out += _flat(value, f"{key}.", path)
        else:
            raise ContentError(f"`{key}` is neither a text nor a list of texts", path=path, line=1)
    return out
