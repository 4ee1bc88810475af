"""Forms as Slack's modals. Pure: a form in, Block Kit out; a submission in, the answers out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from bot.adapters.slack.limits import BUTTON, OPTIONS, TITLE, cut
from bot.adapters.slack.mrkdwn import Json
from bot.core.form import Answers, Form, Option, Question

CALLBACK = "redial_form"
"""Callback id of every form."""

_CHECKBOXES = 10
"""Most boxes of one question; more become a select."""
_CHOSEN = "chosen"
"""Action id of what is chosen; the block's id is the question's."""


class Marked(msgspec.Struct, frozen=True):
    """What a modal carries: which sub-command asked, about what, and in which channel."""

    command: str
    subject: str
    channel: str


def to_modal(form: Form, channel: str) -> Json:
    """Return a form as a modal."""
    marked = Marked(form.command, form.subject, channel)
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "private_metadata": msgspec.json.encode(marked).decode(),
        "title": _words(form.title, TITLE),
        "submit": _words(form.submit, TITLE),
        "blocks": [_asked(question) for question in form.questions],
    }


def from_modal(view: Mapping[str, Any]) -> tuple[Marked, Answers] | None:
    """Return what a submitted modal carries and what was chosen in it; None for what is no form of Redial's."""
    if view.get("callback_id") != CALLBACK:
        return None
    try:
        marked = msgspec.json.decode(str(view.get("private_metadata")), type=Marked)
    except msgspec.DecodeError:
        return None
    state = view.get("state")
    values = state.get("values") if isinstance(state, Mapping) else None
    if not isinstance(values, Mapping):
        return None
    return marked, {str(name): tuple(_chosen(answer)) for name, answer in values.items()}


def _asked(question: Question) -> Json:
    options = [_option(option) for option in question.options[:OPTIONS]]
    # Only what is shown can be chosen already; Slack refuses everything else.
    chosen = [option for option in options if option["value"] in question.chosen]
    element: Json = {"action_id": _CHOSEN, "options": options}
    if not question.several:
        element |= {"type": "static_select"} | ({"initial_option": chosen[0]} if chosen else {})
    else:
        boxes = len(question.options) <= _CHECKBOXES
        element |= {"type": "checkboxes" if boxes else "multi_static_select"}
        element |= {"initial_options": chosen} if chosen else {}
    asked: Json = {
        "type": "input",
        "block_id": question.id,
        "optional": question.several,
        "label": _words(question.label, BUTTON),
        "element": element,
    }
    return asked | ({"hint": _words(question.hint, BUTTON)} if question.hint else {})


def _option(option: Option) -> dict[str, Any]:
    return {"text": _words(option.label, BUTTON), "value": option.value}


def _words(text: str, size: int) -> Json:
    return {"type": "plain_text", "text": cut(text, size), "emoji": False}


def _chosen(answer: object) -> Iterator[str]:
    """Yield the values of one question, whatever kind of element it was."""
    element = answer.get(_CHOSEN) if isinstance(answer, Mapping) else None
    if not isinstance(element, Mapping):
        return
    many = element.get("selected_options")
    for option in [element.get("selected_option"), *(many if isinstance(many, list) else [])]:
        if isinstance(option, Mapping) and isinstance(option.get("value"), str):
            yield option["value"]
