"""Whose trouble a text tells of: what stands near the names in it, how it begins, whether it asks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import compress, count

from bot.core.recogniser.normalise import words
from bot.core.recogniser.products import Products

_CLOSE = 3
"""Words that are close to a name, on either side."""
_OURS, _THEIRS = "c", "o"
_PATTERN = re.compile("[ |*^]")
_BEGINS = re.compile(r'\s*([^\n:"]{1,30}):\s')


class Names:
    """The names of Claude and of other products that are one word."""

    def __init__(self, products: Products) -> None:
        theirs = {name for other in products.others for name in other.names}
        named = [*((name, _THEIRS) for name in theirs), *((name, _OURS) for name in products.words.get("claude", ()))]
        self._kinds = {
            word: kind
            for name, kind in named
            if not _PATTERN.search(name) and " " not in (word := words(name.replace("_", " ")).strip())
        }

    def near(self, said: Sequence[str]) -> frozenset[str]:
        """Return what stands close to a name: `c>works` is close behind Claude's, `slow>o` close before another's."""
        found: set[str] = set()
        for at in compress(count(), map(self._kinds.__contains__, said)):
            kind = self._kinds[said[at]]
            found.update([f"{kind}>{other}" for other in said[at + 1 : at + 1 + _CLOSE]])
            found.update([f"{other}>{kind}" for other in said[max(0, at - _CLOSE) : at]])
        return frozenset(found)

    def begins(self, clean: str) -> str:
        """Say of whom a text tells that begins with a few words and a colon (`codex: …`)."""
        found = _BEGINS.match(clean)
        if found is None:
            return ""
        kinds = {self._kinds.get(word) for word in words(found[1]).split()}
        return "claude" if _OURS in kinds else "another" if _THEIRS in kinds else "something"


def asks(clean: str) -> str:
    """Say whether a text ends in a question, or holds one."""
    if "?" not in clean:
        return ""
    return "ends in a question" if clean.rstrip().endswith("?") else "holds a question"
