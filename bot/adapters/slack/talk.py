"""Who has written in a thread since Redial's last post, and which channels it is a member of.

Kept in memory: another replica's share of a thread is not seen, and then only an answer too many is given.
"""

from __future__ import annotations

from collections import OrderedDict

_THREADS = 20_000


class Talk:
    """Bounded notes on threads."""

    def __init__(self) -> None:
        """Begin with nothing heard."""
        self._since: OrderedDict[tuple[str, str], frozenset[str]] = OrderedDict()

    def heard(self, channel: str, thread: str, user: str) -> bool:
        """Note that a person wrote in a thread; say whether another one has since Redial's last post."""
        key = (channel, thread)
        before = self._since.get(key, frozenset())
        self._since[key] = before | {user}
        self._since.move_to_end(key)
        if len(self._since) > _THREADS:
            self._since.popitem(last=False)
        return bool(before - {user})

    def spoke(self, channel: str, thread: str) -> None:
        """Note that Redial posted: what was written before is answered."""
        self._since.pop((channel, thread), None)


class Members:
    """Channels Redial is a member of, by workspace; unknown ones count as joined until Slack says otherwise."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._joined: dict[str, set[str]] = {}

    def know(self, workspace: str, channels: set[str]) -> None:
        """Take the whole list of a workspace."""
        self._joined[workspace] = channels

    def joined(self, workspace: str, channel: str) -> None:
        """Note that something came from a channel, which only members hear."""
        if workspace in self._joined:
            self._joined[workspace].add(channel)

    def left(self, workspace: str, channel: str) -> None:
        """Note that Redial was removed from a channel."""
        self._joined.get(workspace, set()).discard(channel)

    def here(self, workspace: str, channel: str) -> bool:
        """Say whether Redial can post in a channel, as far as it knows."""
        return workspace not in self._joined or channel in self._joined[workspace]
