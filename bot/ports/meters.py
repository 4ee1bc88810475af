"""What is measured while Redial works, as those who do the work report it."""

from __future__ import annotations


class Meters:
    """Takes measurements, here none: who measures overrides what it measures.

    Synchronous, cheap, and nothing personal in any word. Words are few: each is a series.
    """

    def began(self) -> None:
        """Forget what was counted before for the turn of this context: it begins."""

    def turned(self, platform: str, kind: str, result: str, seconds: float) -> None:
        """Count a turn. kind: said, pressed, commanded; result: ok, or what kept it from an answer."""

    def refused(self, reason: str) -> None:
        """Count an event that was not taken in: closed, full, person, channel."""

    def recognised(self, decision: str) -> None:
        """Count what a text was taken for."""

    def tripped(self, seconds: float, *, failed: bool) -> None:
        """Count a round trip to the store."""

    def polled(self, page: str, result: str) -> None:
        """Count a reading of a page: read, unread or challenged."""

    def delivered(self, platform: str, doing: str, state: str, lag: float | None) -> None:
        """Count a request of announcing. state: delivered, or why not; lag: seconds since the page's update."""

    def behind(self, platform: str, channels: int) -> None:
        """Say how many channels do not have everything yet."""

    def leased(self, name: str, *, held: bool) -> None:
        """Count an attempt to take, or go on holding, a turn at some work."""

    def logged(self, level: str, event: str) -> None:
        """Count a line of the log from warnings upwards."""

    def reloaded(self, result: str) -> None:
        """Count a reading of changed content: taken or refused."""


UNMETERED = Meters()
"""Where nobody looks."""
