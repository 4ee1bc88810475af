"""What came in from a chat platform, in words the handlers understand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an event came from. `thread` is empty at the top level of a channel."""

    platform: str
    workspace: str
    channel: str
    user: str
    thread: str = ""

    @property
    def tenant(self) -> str:
        """The hash tag under which everything of this workspace is stored."""
        return f"{self.platform}:{self.workspace}"


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody wrote `text`, not redacted yet: the handler does that before anything else.

    addressed: it was said to Redial (a command, a mention, a direct message); otherwise it is other people's talk
    unless the writer has an open conversation in that thread.
    fresh: it cannot belong to an open conversation (a slash command, a mention at the top level).
    """

    text: str
    addressed: bool = True
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Pressed:
    """Somebody pressed `choice` on the message that showed `conversation` at `revision` and `step`."""

    conversation: str
    revision: int
    step: str
    choice: str


@dataclass(frozen=True, slots=True)
class Commanded:
    """Somebody gave one of Redial's sub-commands, such as `help`, `status` or `resume 2`."""

    name: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class InboundEvent:
    """One thing that happened on a platform. `id` is unique in its workspace and the same on a re-send."""

    id: str
    origin: Origin
    what: Said | Pressed | Commanded
    locale: str = "en"
