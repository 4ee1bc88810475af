"""Signs of two guides that the same output shows, so that nobody could say whose it is."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.guides.library import Library
from bot.core.guides.problem import Problem
from bot.core.recogniser.match import Literals
from bot.core.recogniser.normalise import Normal, words


def fights(library: Library) -> Iterator[Problem]:
    """Yield every sign that holds another guide's sign, where neither of them outranks the other guide."""
    signs = [(guide, sign, words(sign.text)) for guide in library.guides.values() for sign in guide.signs]
    literals = Literals((form.strip(), number) for number, (_, _, form) in enumerate(signs))
    for guide, sign, form in signs:
        for key in sorted({found.key for found in literals.find(Normal.of("", form.split()))}):
            other, theirs, _ = signs[key]
            if other.id == guide.id or other.id in sign.outranks or guide.id in theirs.outranks:
                continue
            message = f"the sign `{sign.text}` is one of `{other.id}` too (`{theirs.text}`): one has to outrank it"
            yield Problem(sign.path or guide.path, sign.line, "fight", message)
