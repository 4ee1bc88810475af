"""What a channel can wish to hear of a page: as words behind `/redial subscribe`, as a form, and as a choice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from bot.core.form import Answers, Form, Option, Question
from bot.core.frozen import frozen
from bot.core.messages import Messages
from bot.core.status.subscription import IMPACTS, Choice

PARTS, LEAST, ALSO, MENTION, MENTION_FROM, LANGUAGE = "parts", "least", "also", "mention", "mention-from", "language"
"""Ids of the questions, in the order they are asked."""
NOBODY = "nobody"
"""The answer of who wants nobody mentioned: a platform's select takes no empty value."""

_PAGE = "page"
_EXTRAS = ("maintenance", "general", "replies")
"""What is told besides, unless somebody says no."""
_DAILY = "daily"
"""What is told besides only if somebody says so."""
_LONGEST = 8
"""Most words of a name that is looked for."""

Phrase = tuple[str, ...]
_TOKEN = re.compile(r"[^\s,;_-]+")


@frozen
class Part:
    """A component of a page. label: as people read it here; name: as the page calls it."""

    id: str
    label: str
    name: str = ""


@frozen
class Menu:
    """What can be chosen of one page in one channel. mentions: whom the platform lets Redial mention there."""

    page: str
    name: str
    parts: tuple[Part, ...] = ()
    mentions: tuple[Option, ...] = ()
    languages: tuple[str, ...] = ()


@frozen
class Words:
    """What somebody typed. answers: what was understood; unknown: what was not; names: how many of it were names."""

    answers: Answers = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    names: int = 0

    @property
    def a_report(self) -> bool:
        """Say whether it is no wish, but somebody's trouble ("subscribe button shows 500 on claude.ai")."""
        return not self.answers.keys() - {PARTS} and len(self.unknown) > max(1, self.names)

    @property
    def nothing(self) -> bool:
        """Say whether nothing was wished for: at most a page was named."""
        return not (self.answers or self.unknown)


def page_named(text: str, pages: Mapping[str, str]) -> str:
    """Return the id of the page a text names, by its id or its name; empty for none."""
    names = {_phrase(word): page for page, name in pages.items() for word in (page, name)}
    said = _phrase(text)
    found = (names.get(said[at:end]) for at, end in _spans(len(said)))
    return next((page for page in found if page), "")


def understood(say: Messages, text: str, menu: Menu) -> Words:
    """Return what the words behind `subscribe` wish for; what is not said is as in a form nobody has touched."""
    vocabulary = _vocabulary(say, menu)
    said = _phrase(text)
    asked, unknown, at = list[tuple[str, str]](), list[str](), 0
    while at < len(said):
        end = next((end for end in range(min(len(said), at + _LONGEST), at, -1) if said[at:end] in vocabulary), 0)
        if end:
            asked.append(vocabulary[said[at:end]])
        else:
            unknown.append(said[at])
        at = end or at + 1
    return Words(_answers(asked), tuple(unknown), sum(question in {_PAGE, PARTS} for question, _ in asked))


def to_choice(answers: Answers, menu: Menu, before: Choice) -> Choice | None:
    """Return the choice that answers make; None where they choose what is not on the menu (any more)."""
    parts = frozenset(answers.get(PARTS, ()))
    mention = _one(answers, MENTION, NOBODY)
    least, loud = _one(answers, LEAST, IMPACTS[0]), _one(answers, MENTION_FROM, IMPACTS[-1])
    language = _one(answers, LANGUAGE, before.locale)
    callable_ = {NOBODY, before.mention, *(option.value for option in menu.mentions)}
    fits = parts <= {part.id for part in menu.parts} | before.components and mention in callable_
    if not (fits and {least, loud} <= set(IMPACTS) and language in {before.locale, *menu.languages}):
        return None
    also = answers.get(ALSO, _EXTRAS)
    return Choice(
        components=parts,
        general="general" in also,
        least=least,
        maintenance="maintenance" in also,
        mention="" if mention == NOBODY else mention,
        mention_from=loud,
        replies="replies" in also,
        locale=language,
        daily=_DAILY in also,
    )


def to_form(say: Messages, menu: Menu, choice: Choice) -> Form:
    """Return the form with what is chosen now."""
    mention = _mention(say, menu, choice)
    loud = _level(say, MENTION_FROM, IMPACTS[1:], choice.mention_from)
    asked = (
        _parts(say, menu, choice),
        _level(say, LEAST, IMPACTS, choice.least),
        _also(say, choice),
        *((mention, loud) if len(mention.options) > 1 else ()),
        _language(say, menu, choice),
    )
    return Form(
        command="subscribe",
        subject=menu.page,
        title=say.text("subscribe.form.title", page=menu.name),
        submit=say.text("subscribe.form.submit"),
        # Nobody is asked what has but one answer.
        questions=tuple(q for q in asked if len(q.options) > 1 or (q.several and q.options)),
    )


# --- words ---


def _phrase(text: str) -> Phrase:
    return tuple(_TOKEN.findall(text.casefold()))


def _spans(size: int) -> Iterator[tuple[int, int]]:
    """Yield where each run of words begins and ends, long ones first."""
    for length in range(min(size, _LONGEST), 0, -1):
        for at in range(size - length + 1):
            yield at, at + length


def _vocabulary(say: Messages, menu: Menu) -> dict[Phrase, tuple[str, str]]:
    """Return what every phrase answers: the id of a question, empty for words that only connect, and a value."""
    found = dict[Phrase, tuple[str, str]]()
    found |= {_phrase(word): ("", "") for word in say.list("subscribe.words.filler")}
    found |= {phrase: (PARTS, part) for phrase, part in _pieces(menu.parts).items() if phrase not in found}
    for part in menu.parts:
        found |= {_phrase(name): (PARTS, part.id) for name in (part.id, part.name, part.label) if name}
    for mention in menu.mentions:
        found |= {_phrase(name): (MENTION, mention.value) for name in (mention.value, mention.label)}
    for language in menu.languages:
        found |= {_phrase(say.text("subscribe.words.language", code=language)): (LANGUAGE, language)}
    for level in IMPACTS:
        for word in say.list(f"subscribe.words.{level}"):
            found |= {_phrase(word): (LEAST, level)}
            found |= {_phrase(say.text("subscribe.words.from", level=word)): (MENTION_FROM, level)}
    for extra in _EXTRAS:
        found |= {_phrase(word): (ALSO, extra) for word in say.list(f"subscribe.words.no-{extra}")}
    found |= {_phrase(word): (ALSO, _DAILY) for word in say.list("subscribe.words.daily")}
    found |= {_phrase(word): (LEAST, IMPACTS[0]) for word in say.list("subscribe.words.everything")}
    return found | {_phrase(word): (_PAGE, menu.page) for word in (menu.page, menu.name)}


def _pieces(parts: Iterable[Part]) -> dict[Phrase, str]:
    """Return pieces of names that only one part has, so that "api" is enough for "Claude API"."""
    owners = dict[Phrase, str]()
    count = Counter[Phrase]()
    for part in parts:
        names = [_phrase(part.label), _phrase(part.name)]
        pieces = {name[at:end] for name in names for at, end in _spans(len(name))}
        count.update(pieces)
        owners |= dict.fromkeys(pieces, part.id)
    return {piece: part for piece, part in owners.items() if count[piece] == 1}


def _answers(asked: Iterable[tuple[str, str]]) -> Answers:
    answers = dict[str, tuple[str, ...]]()
    for question, value in asked:
        if question == PARTS:
            answers[PARTS] = tuple(dict.fromkeys((*answers.get(PARTS, ()), value)))
        elif question == ALSO:
            others = tuple(extra for extra in answers.get(ALSO, _EXTRAS) if extra != value)
            answers[ALSO] = (*others, value) if value == _DAILY else others
        elif question == MENTION_FROM and MENTION not in answers:
            # "from major", before anybody is to be mentioned, is how grave it has to be.
            answers[LEAST] = (value,)
        elif question not in {"", _PAGE}:
            answers[question] = (value,)
    return answers


# --- questions ---


def _parts(say: Messages, menu: Menu, choice: Choice) -> Question:
    known = {part.id: part.label for part in menu.parts}
    chosen = tuple(sorted(choice.components, key=lambda part: known.get(part, part)))
    # What is chosen stands first: a platform shows only so many.
    ids = dict.fromkeys((*chosen, *known))
    options = tuple(Option(part, known.get(part, part)) for part in ids)
    hint = say.text("subscribe.form.parts-hint")
    return Question(PARTS, say.text("subscribe.form.parts", page=menu.name), options, chosen, several=True, hint=hint)


def _level(say: Messages, name: str, levels: Iterable[str], chosen: str) -> Question:
    options = tuple(Option(level, say.text(f"subscribe.form.{name}-{level}")) for level in levels)
    known = chosen if chosen in {option.value for option in options} else options[0].value
    return Question(name, say.text(f"subscribe.form.{name}"), options, (known,))


def _also(say: Messages, choice: Choice) -> Question:
    on = {
        "maintenance": choice.maintenance,
        "general": choice.general,
        "replies": choice.replies,
        _DAILY: choice.daily,
    }
    options = tuple(Option(extra, say.text(f"subscribe.form.{extra}")) for extra in on)
    chosen = tuple(extra for extra in on if on[extra])
    return Question(ALSO, say.text("subscribe.form.also"), options, chosen, several=True)


def _mention(say: Messages, menu: Menu, choice: Choice) -> Question:
    nobody = Option(NOBODY, say.text("subscribe.form.nobody"))
    # Who is chosen stands first, like parts: a platform shows only so many.
    known = {option.value: option for option in menu.mentions}
    chosen = known.get(choice.mention, Option(choice.mention, choice.mention))
    options = {option.value: option for option in (nobody, chosen, *menu.mentions) if option.value}
    hint = say.text("subscribe.form.mention-hint")
    now = (choice.mention or NOBODY,)
    return Question(MENTION, say.text("subscribe.form.mention"), tuple(options.values()), now, hint=hint)


def _language(say: Messages, menu: Menu, choice: Choice) -> Question:
    options = tuple(Option(language, language) for language in menu.languages)
    return Question(LANGUAGE, say.text("subscribe.form.language"), options, (choice.locale,))


def _one(answers: Answers, question: str, default: str) -> str:
    found = answers.get(question, ())
    return found[0] if found else default


def called(choice: Choice, menu: Menu) -> Choice:
    """Return the choice with whom it mentions by name, to be said and not to mention anybody."""
    name = next((option.label for option in menu.mentions if option.value == choice.mention), choice.mention)
    return replace(choice, mention=name)
