"""Which channels Redial is a member of."""

from __future__ import annotations


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
