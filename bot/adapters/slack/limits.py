"""Slack's limits, as its reference gives them, and the few it does not document, set with room to spare."""

from __future__ import annotations

BUTTON = 75
"""Characters of a button's and an option's label."""
ACTIONS = 25
"""Elements of one actions block."""
OPTIONS = 100
"""Options of one select."""
OPTION_VALUE = 150
"""Characters of an option's value."""
IDENTIFIER = 255
"""Characters of an action_id and a block_id."""
HEADER = 150
"""Characters of a header block."""
MRKDWN = 3000
"""Characters of a text object."""
BLOCKS = 50
"""Blocks of a message."""
HOME_BLOCKS = 100
"""Blocks of an App Home."""
FALLBACK = 3000
"""Characters of the plain text: Slack takes 40,000, a notification and a screen reader want the start of it."""
CODE = 2800
"""Characters of one preformatted element; longer ones are shown as several."""
MESSAGE = 12_000
"""Characters of all rich text in a message: Slack answers `msg_blocks_too_long` somewhere above 13,000."""
ATTACHMENT = 1024 * 1024
"""Bytes of a text file that is read."""


def cut(text: str, size: int) -> str:
    """Return `text` in at most `size` characters, ending in an ellipsis where something went."""
    return text if len(text) <= size else text[: size - 1].rstrip() + "…"
