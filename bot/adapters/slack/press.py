"""What a button carries: the block's id says which question it stands under, the action's id what it answers."""

from __future__ import annotations

from bot.adapters.slack.limits import IDENTIFIER
from bot.core.frozen import frozen

PICK = "@pick"
"""Action id of a select; the option's value is the choice."""


@frozen
class Mark:
    """The question buttons stand under. part: tells apart the blocks of one message."""

    part: str
    conversation: str
    revision: int
    step: str


def to_block_id(mark: Mark) -> str:
    """Return a mark as a block id."""
    return f"{mark.part}:{mark.conversation}:{mark.revision}:{mark.step}"[:IDENTIFIER]


def from_block_id(block_id: str) -> Mark | None:
    """Return the mark of a block id; None for a block that is not Redial's."""
    part, _, rest = block_id.partition(":")
    conversation, _, rest = rest.partition(":")
    revision, found, step = rest.partition(":")
    return Mark(part, conversation, int(revision), step) if found and revision.isdecimal() else None
