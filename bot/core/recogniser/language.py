"""The language somebody wrote in: by its letters, else by the little words that every sentence needs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.core.recogniser.products import Language

_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = bytes(n if chr(n).isalpha() else ord(" ") for n in range(128)) + bytes(128)
"""What `_WORD` finds in plain ASCII, at a third of the time."""
_ENOUGH = 2
"""Little words of a language that tell it."""
_LOOK = 400
_HOME = "en"


class Languages:
    """Tells the languages of `content/products/` apart."""

    def __init__(self, languages: Sequence[Language]) -> None:
        # Compiled when a text first has other letters: few have, and it takes a while.
        self._scripts = [(one.code, f"[{one.script}]") for one in languages if one.script]
        self._letters = {letter: one.code for one in languages for letter in one.letters}
        self._telling: dict[str, list[tuple[str, int]]] = {}
        for one in languages:
            tells = {word: _ENOUGH if word in one.sure else 1 for word in (*one.little, *one.sure)}
            for word, much in tells.items():
                self._telling.setdefault(word, []).append((one.code, much))

    def of(self, text: str) -> str:
        """Return the two-letter code of the best guess, `en` when nothing speaks for another."""
        start = text[:_LOOK]
        if not start.isascii():
            for code, script in self._scripts:
                if re.search(script, start):
                    return code
        counts = {_HOME: 0}
        low = start.lower()
        plain = low.isascii()
        said = low.encode().translate(_LETTERS).decode().split() if plain else _WORD.findall(low)
        for word in filter(self._telling.__contains__, said):
            for code, much in self._telling[word]:
                counts[code] = counts.get(code, 0) + much
        for word in () if plain else (word for word in said if not word.isascii()):
            for code in {self._letters[letter] for letter in word if letter in self._letters}:
                counts[code] = counts.get(code, 0) + 1
        best = max(counts, key=lambda code: (counts[code], code == _HOME))
        return best if counts[best] >= _ENOUGH and counts[best] > counts[_HOME] else _HOME
