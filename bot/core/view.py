"""What a person is shown, without a platform; each adapter renders it and owns its own limits."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from bot.core.frozen import frozen
from bot.core.guides.guide import Outcome
from bot.core.text import Block, Evidence, Heading, Inline

COMMAND = "@command"
"""Step of a view whose offers are sub-commands, ids as typed behind `/redial`; its `conversation` is the channel."""
HANDOFF = "@handoff"
"""Step of a hand-off's message, where helpers read it; its offers are what they may do."""
START = "start"
"""The offer of such a view that begins a report without words: the exact line is then asked for."""


class Tone(StrEnum):
    """What a choice leads to, where that is worth a colour: an end that is good, or a step that takes care."""

    PLAIN = "plain"
    GOOD = "good"
    GRAVE = "grave"


@frozen
class Offer:
    """A choice as it is shown: `n` counts from 1 and is what people may type."""

    n: int
    id: str
    label: str
    tone: Tone = Tone.PLAIN


@frozen
class Control:
    """A way out that every question has: back, start over, a human, "that's all", "not this"."""

    id: str
    label: str


@frozen
class Cite:
    """A source people can open."""

    label: str
    url: str


@frozen
class Picture:
    """A PNG with its file name, and what it shows in words, for who does not see it."""

    png: bytes = field(repr=False)
    name: str
    alt: str


@frozen
class View:
    """One message. The lead is the answer or the one thing to do now; details follow.

    key: findable mark of this message, `<conversation>:<revision>`; empty for answers without a conversation.
    preface: what is said before the lead (an acknowledgement, an answer to a question, the official status).
    read_as: why the report was taken for this guide ("Read as … because of …").
    outcome: set when this view ends the conversation; cause: the id of the finding, if one was made.
    picture: shown with it where the platform can; everything it shows is in the words as well.
    """

    lead: Inline = ()
    preface: tuple[Block, ...] = ()
    blocks: tuple[Block, ...] = ()
    offers: tuple[Offer, ...] = ()
    controls: tuple[Control, ...] = ()
    evidence: Evidence | None = None
    sources: tuple[Cite, ...] = ()
    read_as: Inline = ()
    key: str = ""
    conversation: str = ""
    revision: int = 0
    guide: str = ""
    step: str = ""
    outcome: Outcome | None = None
    cause: str | None = None
    picture: Picture | None = None

    @property
    def lead_evidence(self) -> Evidence | None:
        """The grade to show at the lead; in an opening it belongs to the question further down."""
        return None if any(isinstance(block, Heading) and block.evidence for block in self.blocks) else self.evidence
