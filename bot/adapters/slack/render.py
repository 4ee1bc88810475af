"""Views as Block Kit messages. Pure: a view and the words of the catalogue in, Slack's JSON out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from bot.adapters.slack.limits import BUTTON, FALLBACK, HEADING, MESSAGE, OPTIONS, SMALL_PRINT, cut
from bot.adapters.slack.mrkdwn import Json, escaped, to_mrkdwn
from bot.adapters.slack.press import PICK, Mark, to_block_id
from bot.adapters.slack.rich import Rich, bounded
from bot.core.frozen import frozen
from bot.core.messages import Messages
from bot.core.text import Block, Evidence, Heading, Inline, Steps, Text, plain, words
from bot.core.triage.folding import Folded
from bot.core.triage.showing import as_lines
from bot.core.view import Control, Offer, Tone, View

EVENT_TYPE = "redial_view"
"""Type of the metadata in which a message carries its key."""

_BUTTONS = 5
"""Choices shown as buttons; more become a select."""
_STYLES = {Tone.GOOD: "primary", Tone.GRAVE: "danger"}
"""Green for the end everybody wants, red for a step with an undo; a colour never says it alone."""
_PRIMARY = frozenset({"@wait"})
_HELD = "redial"
"""Conversation of buttons that belong to none; an empty one would make an id like that of an empty block."""


@frozen
class Message:
    """A message as Slack takes it: `text` for notifications and screen readers, blocks for eyes."""

    text: str
    blocks: tuple[Json, ...]
    key: str = ""

    def body(self) -> Json:
        """Return the arguments of a post or an edit; unfurls are off, and nothing in the text is looked for."""
        body: Json = {
            "text": self.text,
            "blocks": list(self.blocks),
            "unfurl_links": False,
            "unfurl_media": False,
        }
        if self.key:
            body["metadata"] = {"event_type": EVENT_TYPE, "event_payload": {"key": self.key}}
        return body


class Renderer:
    """Turns views into messages in one language."""

    def __init__(self, messages: Messages) -> None:
        """Take the sentences."""
        self.say = messages
        self.grades = {grade.value: messages.text(f"evidence.{grade}") for grade in Evidence}

    def message(self, view: View) -> Message:
        """Return a view as a message."""
        return Message(_fallback(view), tuple(self._blocks(view)), view.key)

    def home(self, view: View) -> Json:
        """Return a view as a person's page: it is read as a whole, so its parts have headings of Slack's own."""
        blocks: list[Json] = [_heading(view.lead)]
        rich = Rich(self.grades)
        for block in (*view.blocks, Heading(())):
            if not isinstance(block, Heading):
                rich.blocks([block])
                continue
            if rich.elements:
                blocks.append({"type": "rich_text", "elements": bounded(rich.elements, MESSAGE)})
            if block.inline:
                blocks.append(_heading(block.inline))
            rich = Rich(self.grades)
        blocks += self._offers(view)
        if context := self._context(view):
            blocks.append(_small(context))
        return {"type": "home", "blocks": blocks}

    def folded(self, folded: Folded) -> Message:
        """Return an answered question as the line that stays of it."""
        rich = Rich(self.grades)
        rich.lead(folded.lead, None)
        struck: list[Json] = [{"type": "text", "text": plain(folded.question), "style": {"strike": True}}]
        answer: list[Json] = [{"type": "text", "text": f" → {folded.answer} "}] if folded.answer else []
        if folded.by:
            answer += [{"type": "text", "text": "· "}, {"type": "user", "user_id": folded.by}]
        rich.line([*struck, *answer])
        text = plain(folded.question) + (f" → {folded.answer}" if folded.answer else "")
        return Message(escaped(cut(text, FALLBACK)), ({"type": "rich_text", "elements": rich.elements},))

    def _blocks(self, view: View) -> Iterator[Json]:
        rich = Rich(self.grades)
        rich.blocks(view.preface)
        rich.lead(view.lead, view.lead_evidence)
        rich.blocks(view.blocks)
        if _long(view.offers):
            rich.blocks([Steps(tuple((Text(words(offer.label)),) for offer in view.offers))])
        if rich.elements:
            yield {"type": "rich_text", "elements": bounded(rich.elements, MESSAGE)}
        yield from self._offers(view)
        if context := self._context(view):
            yield _small(context)
        elif view.offers and view.controls:
            yield {"type": "divider"}
        if view.controls:
            yield self._actions(view, "ways", [_button(way) for way in view.controls])

    def _offers(self, view: View) -> Iterator[Json]:
        if not view.offers:
            return
        numbered = _long(view.offers)
        if len(view.offers) <= _BUTTONS:
            first = view.offers[0] if not view.conversation else None
            styles = [_STYLES.get(offer.tone, "primary" if offer is first else "") for offer in view.offers]
            buttons = [_button(o, numbered=numbered, style=s) for o, s in zip(view.offers, styles, strict=True)]
            yield self._actions(view, "pick", buttons)
            return
        options: list[Json] = [
            {"text": _words(_label(offer, numbered=numbered)), "value": offer.id} for offer in view.offers[:OPTIONS]
        ]
        select: Json = {
            "type": "static_select",
            "action_id": PICK,
            "placeholder": _words(self.say.text("slack.pick", n=len(options))),
            "options": options,
        }
        yield self._actions(view, "pick", [select])

    def _actions(self, view: View, part: str, elements: Sequence[Json]) -> Json:
        mark = Mark(part, view.conversation or _HELD, view.revision, view.step)
        return {"type": "actions", "block_id": to_block_id(mark), "elements": list(elements)}

    def _context(self, view: View) -> str:
        """Return the small print: why this guide, and where it is written."""
        lines = [cut(to_mrkdwn(view.read_as), SMALL_PRINT)] if view.read_as else []
        if view.sources:
            links = " · ".join(f"<{escaped(cite.url)}|{escaped(cite.label)}>" for cite in view.sources)
            lines.append(f"{self.say.text('slack.sources')} {links}")
        return "\n".join(lines)


def _button(shown: Offer | Control, *, numbered: bool = False, style: str = "") -> Json:
    button: Json = {"type": "button", "action_id": shown.id, "text": _words(_label(shown, numbered=numbered))}
    if style or shown.id in _PRIMARY:
        button["style"] = style or "primary"
    return button


def _label(shown: Offer | Control, *, numbered: bool) -> str:
    label = f"{shown.n}. {shown.label}" if numbered and isinstance(shown, Offer) else shown.label
    return cut(label, BUTTON)


def _words(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": False}


def _small(text: str) -> Json:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": True}]}


def _heading(inline: Inline) -> Json:
    return {"type": "header", "text": _words(cut(plain(inline), HEADING))}


def _long(offers: Sequence[Offer]) -> bool:
    """Say whether a label does not fit a button: all are then listed in full above."""
    return any(len(offer.label) > BUTTON for offer in offers)


@lru_cache(maxsize=256)
def _lines(blocks: tuple[Block, ...]) -> tuple[str, ...]:
    """Return blocks as lines of text; a guide's are the same each time."""
    return tuple(as_lines(blocks))


def _fallback(view: View) -> str:
    """Return everything that is said as plain text: the lead first, for it is all that a notification shows."""
    lines = [plain(view.lead), *as_lines(view.preface), *_lines(view.blocks)]
    lines += [f"{offer.n}. {offer.label}" for offer in view.offers]
    return escaped(cut("\n".join(line for line in lines if line.strip()), FALLBACK)) or "…"
