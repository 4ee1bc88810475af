"""What a person's own words pick: a choice by number, label or `says`, a way out, or a question people ask."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bot.core.guides.guide import Choice, Question, ToOutcome
from bot.core.text import plain

_NUMBER = re.compile(r"^(?:option|choice|number|nr|no)?\s*[#(]?(\d{1,2})[.):]?$")
_WORD = re.compile(r"[\w']+", re.UNICODE)
_CLAUSE = re.compile(r"[,.;:!?]+(?:\s+|$)|\s[-\u2013\u2014]+\s")
"""Where one clause ends: in "no, still dropping" the "no" turns nothing round. Not the dot of "claude.ai"."""
_BESIDE, _WEAK = 4, 3
"""Most words beside a saying that ends a conversation; letters of one that people begin sentences with ("ok")."""
_READ = 2000
"""How much of a text is read as an answer: what is longer is a paste."""
_REACH = 3
"""How many words before a `says` word a "not" still turns it round."""


def typed(text: str) -> str:
    """Return what was typed in one form: lower case, plain quotes, single spaces, no punctuation around it."""
    text = text[:_READ].casefold().replace("\u2019", "'").replace("\u2018", "'")
    text = text.replace("\u201c", '"').replace("\u201d", '"')
    return " ".join(text.split()).strip(" .!,;:\"'`*_“”()")


def means(text: str, sayings: Iterable[str]) -> bool:
    """Say whether all of the text is one of these sayings."""
    said = _bare(text)
    if said == "" and text.strip() == "?":
        said = "?"
    meant = {_bare(saying) or saying for saying in sayings}
    return said in meant or said.rstrip("?") in meant


def _bare(text: str) -> str:
    return typed(text).replace(",", "")


def number(text: str) -> int | None:
    """Return the number somebody typed, if that is all they typed."""
    found = _NUMBER.match(typed(text))
    return int(found[1]) if found else None


def pick(text: str, choices: Sequence[Choice], nots: Sequence[str]) -> Choice | None:
    """Return the one choice the text means, or None when it means none or several."""
    n = number(text)
    if n is not None:
        return choices[n - 1] if 0 < n <= len(choices) else None
    said = typed(text)
    for choice in choices:
        if said and said in (typed(choice.label), choice.id):
            return choice
    meant = [choice for choice in choices if _says(said, _sayings(said, choice), nots)]
    return meant[0] if len(meant) == 1 else None


def _sayings(said: str, choice: Choice) -> Iterable[str]:
    """Return the sayings that count in this text: nobody's long sentence ends a conversation by a word in passing."""
    if not isinstance(choice.target, ToOutcome):
        return choice.says
    words = len(_WORD.findall(said))
    return [s for s in choice.says if words - len(_WORD.findall(s)) <= (1 if len(s) <= _WEAK else _BESIDE)]


def asked(text: str, questions: Sequence[Question]) -> Question | None:
    """Return the question people ask that this text is, or None."""
    said = typed(text)
    for question in questions:
        if said and said == typed(plain(question.title)):
            return question
    meant = [question for question in questions if _says(said, question.says, ())]
    return meant[0] if len(meant) == 1 and ("?" in text or _is_asking(said)) else None


_ASKING = frozenset(
    ["will", "does", "do", "is", "are", "should", "can", "could", "would", "what", "why", "how", "when", "which", "am"]
)


def beside(text: str, choice: Choice) -> int:
    """Return how many words say more than the choice does."""
    known = {word for saying in (choice.label, *choice.says) for word in _WORD.findall(typed(saying))}
    return sum(word not in known for word in _WORD.findall(typed(text)))


def _is_asking(said: str) -> bool:
    return said.split(" ", 1)[0] in _ASKING


def _says(said: str, sayings: Iterable[str], nots: Sequence[str]) -> bool:
    """Say whether one of the sayings stands in the text as whole words, and no "not" turns it round."""
    clauses = [_WORD.findall(clause) for clause in _CLAUSE.split(said)]
    wanted = [words for saying in sayings if (words := _WORD.findall(typed(saying)))]
    return any(_stands(one, words, nots) for one in wanted for words in clauses)


def _stands(wanted: Sequence[str], words: Sequence[str], nots: Sequence[str]) -> bool:
    for at in range(len(words) - len(wanted) + 1):
        if words[at : at + len(wanted)] == wanted and not set(words[max(0, at - _REACH) : at]) & set(nots):
            return True
    return False
