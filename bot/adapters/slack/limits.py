"""Slack's limits, as its reference gives them, and the few it does not document, set with room to spare."""

from __future__ import annotations

BUTTON = 75
"""Characters of a button's and an option's label."""
HEADING = 150
"""Characters of a header."""
TITLE = 24
"""Characters of a modal's title and of its buttons."""
OPTIONS = 100
"""Options of one select."""
IDENTIFIER = 255
"""Characters of an action_id and a block_id."""
SMALL_PRINT = 2400
"""Characters of mrkdwn in the small print; a text object takes 3000, and the links come on top."""
FALLBACK = 3000
"""Characters of the plain text: Slack takes 40,000, a notification and a screen reader want the start of it."""
CODE = 2800
"""Characters of one preformatted element; longer ones are shown as several."""
MESSAGE = 12_000
"""Characters of all rich text in a message: Slack answers `msg_blocks_too_long` somewhere above 13,000."""
ALT = 1000
"""Characters of what a picture shows in words."""
ATTACHMENT = 1024 * 1024
"""Bytes of a text file that is read."""


def cut(text: str, size: int) -> str:
    """Return `text` in at most `size` characters, ending in an ellipsis where something went."""
    return text if len(text) <= size else text[: size - 1].rstrip() + "…"
