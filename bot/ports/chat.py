"""A chat platform as the rest of Redial sees it."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from bot.core.event import Origin
from bot.core.frozen import frozen
from bot.core.triage.folding import Folded
from bot.core.triage.placement import Where
from bot.core.view import View


@frozen
class Posted:
    """Where a message stands. thread: the thread it is in or has opened, empty where there are none.

    message: its id, as much as it takes to edit it later; empty where it cannot be edited.
    link: an address people can open, where there is one.
    """

    thread: str
    message: str
    link: str = ""


class Chat(Protocol):
    """Shows views to people. Adapters own rendering, limits, escaping, pacing and retries within a few seconds.

    Every method may raise `ChannelGone` (do not ask again), `NotAllowed` (a right is missing) and `ChatUnavailable`
    (later), and nothing else that a platform or its library raises.
    """

    async def private(self, origin: Origin) -> Origin:
        """Return where a conversation that is held privately with `origin.user` takes place from its first message on.

        Slack: their direct message with Redial. Discord: `origin` itself, where it goes on ephemerally. `NotAllowed`
        where the person takes no messages.
        """

    async def show(self, origin: Origin, view: View, where: Where, *, message: str = "") -> Posted:
        """Show `view` at `origin`, and return where it stands. The message can be found by `view.key`.

        `origin.thread` empty and `where` a thread: the message opens one. `where` one message: `message`, if it is
        given, is edited instead of posting another.
        """

    async def tell(self, origin: Origin, view: View) -> None:
        """Show `view` to `origin.user` alone, where they are or in a direct message; it is never looked for again."""

    async def fold(self, origin: Origin, message: str, folded: Folded) -> None:
        """Turn the answered question in `message` into one line with its answer; its choices go. May be lost."""

    async def shown(self, origin: Origin, key: str) -> Posted | None:
        """Look for the message with this key at `origin`; None if it is not there, or a platform cannot look."""


@runtime_checkable
class Overhears(Protocol):
    """A chat that can look who has spoken in a thread, where no process hears everything. May raise `ChatError`."""

    async def others_since(self, origin: Origin, shown: str) -> bool:
        """Say whether a human other than `origin.user` has written in the thread since Redial's last post there.

        shown: a post of Redial's known to be there, as `Posted.message`; a younger one counts.
        """
