"""What came in from a chat platform, in words the handlers understand."""

from __future__ import annotations

from hashlib import blake2b
from typing import Literal

from bot.core.form import Answers
from bot.core.frozen import frozen

How = Literal["command", "mention", "direct", "thread", "watched", "shortcut"]
"""How something was said: behind `/redial`; with a mention, also one in a thread; in a direct message; in a thread
without a mention; at the top level of a watched channel; with the shortcut on a message ("Triage this message")."""

Room = Literal["direct", "threads", "plain", "closed"]
"""What Redial can do where an event came from: talk to one person; open a thread or go on in one; only post, where
no thread can exist; nothing, because it is not a member of the channel."""


@frozen
class Origin:
    """Where an event came from. `thread` is empty where there is none yet, and in a direct message.

    A mention at the top level has the thread that an answer to it opens (in Slack and Discord its name is known before:
    it is the message's own id).
    """

    platform: str
    workspace: str
    channel: str
    user: str
    thread: str = ""

    @property
    def tenant(self) -> str:
        """The hash tag under which everything of this workspace is stored."""
        return f"{self.platform}:{self.workspace}"


@frozen
class Said:
    """Somebody said `text`, not redacted yet: the handler does that before anything else.

    author: whose words they are, where that is somebody else (a shortcut on, or a mention that quotes, a message of
    theirs): the conversation is then theirs, and who asked for it helps.
    edited: somebody changed what they had said before; it counts until the first answer.
    """

    text: str
    how: How
    author: str = ""
    edited: bool = False


@frozen
class Pressed:
    """Somebody pressed `choice` on the message that showed `conversation` at `revision` and `step`.

    message: its id, as `Posted.message`, where the platform says it and it can be edited by that id.
    """

    conversation: str
    revision: int
    step: str
    choice: str
    message: str = ""


@frozen
class Commanded:
    """Somebody gave one of Redial's sub-commands, such as `help`, `status` or `resume 2`.

    answers: what was chosen in the form it asked; `argument` is then the form's subject.
    """

    name: str
    argument: str = ""
    answers: Answers | None = None


@frozen
class InboundEvent:
    """One thing that happened on a platform. `id` is unique in its workspace and the same on a re-send.

    newcomer: who did it has an account, or has been there, for too short to count as somebody of the room.
    """

    id: str
    origin: Origin
    what: Said | Pressed | Commanded
    locale: str = "en"
    room: Room = "direct"
    newcomer: bool = False

    @property
    def request(self) -> str:
        """What logs call everything that comes of it: the same when it comes again, and it tells nobody's name."""
        name = f"{self.origin.tenant}|{self.id}".encode("utf-8", "surrogatepass")
        return blake2b(name, digest_size=6).hexdigest()
