"""A form: several questions at once, each answered by choosing; every platform shows it in its own way."""

from __future__ import annotations

from collections.abc import Mapping

from bot.core.frozen import frozen

Answers = Mapping[str, tuple[str, ...]]
"""What was chosen in a form: values by the id of the question."""


@frozen
class Option:
    """What can be chosen: `value` for us, `label` for people."""

    value: str
    label: str


@frozen
class Question:
    """A question of a form. chosen: values that are chosen now; several: any number of them, also none.

    hint: what it means, where the label does not say it; for people.
    """

    id: str
    label: str
    options: tuple[Option, ...]
    chosen: tuple[str, ...] = ()
    several: bool = False
    hint: str = ""


@frozen
class Form:
    """What a sub-command asks before it does something. subject: what it is about; both come back with the answers."""

    command: str
    subject: str
    title: str
    submit: str
    questions: tuple[Question, ...]
