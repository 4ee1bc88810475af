"""The language somebody wrote in: by script, else by the little words that every sentence needs."""

from __future__ import annotations

import re

_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
)
_LITTLE = {
    code: frozenset(little.split())
    for code, little in {
        "es": "se no lo ya dice"
        " el la los las que y en una por con para pero cuando se me mi está esta no funciona desde muy también",
        "de": "der die das und ist nicht ich ein eine mit bei auf seit immer kein keine aber wenn beim mein geht mir"
        " in im am ab da dann steht dass wird sich auch noch nur zu von dem den hat kann mehr sagt nach wie es einen",
        "fr": "se au il je le la les et est une dans pas je avec pour mais quand mon ne plus depuis sur ça des du qui",
        "pt": "o a os as que e em uma não com para mas quando meu minha está desde aqui deu do da no na",
        "en": "the a is and to it i my on in of not for with but when after this that since no get at",
    }.items()
}
_CODES = {
    word: [code for code, little in _LITTLE.items() if word in little] for word in frozenset().union(*_LITTLE.values())
}
_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH = 2
_LOOK = 400


def language(text: str) -> str:
    """Return the two-letter code of the best guess, `en` when nothing speaks for another."""
    start = text[:_LOOK]
    if not start.isascii():
        for code, script in _SCRIPTS:
            if script.search(start):
                return code
    counts = dict.fromkeys(_LITTLE, 0)
    for word in _WORD.findall(start.lower()):
        for code in _CODES.get(word, ()):
            counts[code] += 1
    best = max(counts, key=lambda code: (counts[code], code == "en"))
    return best if counts[best] >= _ENOUGH and counts[best] > counts["en"] else "en"
