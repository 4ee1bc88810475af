"""What a button carries: everything a press needs, so that it works after a restart and at any replica."""

from __future__ import annotations

import re
from hashlib import blake2b

from bot.adapters.discord.limits import CUSTOM_ID
from bot.core.frozen import frozen

PICK = "*"
"""Choice of a select: the option's value is the choice."""
WRITE = "+"
"""Choice of the button that asks for words in a form."""
REMOVE = "-"
"""Choice of the button that takes an offer away."""

_FORM = "r1"
"""Raised when the parts of a custom_id change."""
PATTERN = re.compile(
    rf"{_FORM}:(?P<conversation>[^:]*):(?P<revision>[0-9]+)"
    r":(?P<step>[^:]*):(?P<choice>[^:]*):(?P<for_user>[^:]*):(?P<workspace>[^:]*)"
)
"""What every custom_id of Redial's looks like."""


@frozen
class Mark:
    """What a component stands for. Without a conversation it is an offer, and `for_user` alone may take it.

    workspace: where the conversation is kept, for a message in another place: a direct message knows no server.
    """

    choice: str
    conversation: str = ""
    revision: int = 0
    step: str = ""
    for_user: str = ""
    workspace: str = ""


class Ids:
    """The custom_ids of one message's components, which differ in their choice alone."""

    __slots__ = ("_after", "_head", "_room", "_step")

    def __init__(self, mark: Mark) -> None:
        """Take what all of them stand for, whatever its choice is."""
        self._head, self._step = f"{_FORM}:{mark.conversation}:{mark.revision}:", mark.step
        self._after = f":{mark.for_user}:{mark.workspace}"
        self._room = CUSTOM_ID - len(self._head) - len(self._step) - len(":") - len(self._after)

    def fits(self, choice: str) -> bool:
        """Say whether a choice can be read back as it was."""
        return len(choice) <= self._room and ":" not in choice

    def of(self, choice: str) -> str:
        """Return the id of a choice. One too long becomes a hash: the press then shows the question again."""
        if len(choice) <= self._room:
            return f"{self._head}{self._step}:{choice}{self._after}"
        return f"{self._head}{_short(self._step)}:{_short(choice)}{self._after}"


def to_custom_id(mark: Mark) -> str:
    """Return a mark as a custom_id."""
    return Ids(mark).of(mark.choice)


def from_custom_id(custom_id: str) -> Mark | None:
    """Return the mark of a component; None for one that is not Redial's."""
    found = PATTERN.fullmatch(custom_id)
    if found is None:
        return None
    conversation, revision, step, choice, for_user, workspace = found.groups()
    return Mark(choice, conversation, int(revision), step, for_user, workspace)


def key_mark(key: str) -> int:
    """Return the number by which the message with a view's key is found: the id of its first component."""
    return int.from_bytes(blake2b(key.encode(), digest_size=4).digest()) >> 1 or 1


def _short(name: str) -> str:
    return name if len(name) <= 1 else "~" + blake2b(name.encode(), digest_size=5).hexdigest()
