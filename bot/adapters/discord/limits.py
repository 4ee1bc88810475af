"""Discord's limits on messages and commands, as its reference gives them."""

from __future__ import annotations

TEXT = 4000
"""Characters of all text in one message of components."""
COMPONENTS = 40
"""Components of a message, nested ones included."""
ALT = 1024
"""Characters of what a picture shows in words."""
BUTTONS = 5
"""Buttons of one row."""
LABEL = 80
"""Characters of a button's label."""
OPTIONS = 25
"""Options of one select, and suggestions of one autocompletion."""
OPTION = 100
"""Characters of an option's label and value, and of a suggestion."""
PLACEHOLDER = 150
"""Characters of what a select says before something is chosen."""
CUSTOM_ID = 100
"""Characters of what a button, select or modal carries."""
THREAD = 100
"""Characters of a thread's name."""
DESCRIPTION = 100
"""Characters of a command's, and of an option's, description."""
TITLE, FIELD = 45, 45
"""Characters of a modal's title, and of the label of one of its fields."""
INPUT = 4000
"""Characters people can write into a field."""
NONCE = 25
"""Characters of the mark by which a repeated create is recognised."""
ATTACHMENT = 1024 * 1024
"""Bytes of a text file that is read."""


def cut(text: str, size: int) -> str:
    """Return `text` in at most `size` characters, ending in an ellipsis where something went."""
    return text if len(text) <= size else text[: size - 1].rstrip() + "…"
