"""The one tree of errors Redial raises by itself.

RedialError
├── ContentError            guides or messages that cannot be used; carries file and line
├── SettingsError           a setting that cannot be used
├── NotDrawn                a picture could not be drawn
├── StoreError
│   ├── StoreUnavailable    the store cannot be reached or refuses to write
│   └── RecordTooNew        a record written by a newer Redial, or naming ids this one does not know
├── StatusError             the status page could not be read or understood
│   └── StatusChallenged    it wants proof of a human
└── ChatError               a chat platform did not do what was asked
    ├── ChannelGone         the channel, thread or message is no longer there, or archived: it will not come back
    ├── NotAllowed          a right is missing; carries which
    └── ChatUnavailable     the platform cannot be reached, fails or asks to wait; carries for how long
"""

from __future__ import annotations


class RedialError(Exception):
    """Anything Redial raises by itself; its text is fit for an operator to read."""


class ContentError(RedialError):
    """Content that cannot be used. `str()` is `file:line: message`."""

    def __init__(self, message: str, *, path: str, line: int) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.message = message
        self.path = path
        self.line = line


class SettingsError(RedialError):
    """A setting that cannot be used; the text names it and says what would be accepted."""


def not_listening(host: str, port: int, setting: str, error: OSError) -> SettingsError:
    """Return what is wrong with an address nothing can listen on. aiohttp puts the reason behind the last colon."""
    why = (error.strerror or "").rpartition(": ")[2]
    return SettingsError(f"nothing can listen on {host}:{port} (`{setting}`): {why}")


class NotDrawn(RedialError):  # noqa: N818 - reads as the state it names
    """A picture could not be drawn; what it shows is said in words."""


class StoreError(RedialError):
    """The store did not do what was asked."""


class StoreUnavailable(StoreError):  # noqa: N818 - reads as the state it names
    """The store cannot be reached, is read-only, or is out of memory."""


class RecordTooNew(StoreError):  # noqa: N818 - reads as the state it names
    """A record of a newer schema, or naming a guide, step or choice this version does not know."""


class StatusError(RedialError):
    """The status page could not be read or did not say what a status page says."""


class ChatError(RedialError):
    """A chat platform did not do what was asked."""


class ChannelGone(ChatError):  # noqa: N818 - reads as the state it names
    """The channel, thread or message is no longer there, or archived for good; asking again is of no use."""


class NotAllowed(ChatError):  # noqa: N818 - reads as the state it names
    """Redial lacks a right, or a person does not take its messages. missing: the right, as the platform calls it."""

    def __init__(self, message: str, *, missing: str = "") -> None:
        super().__init__(message)
        self.missing = missing


class ChatUnavailable(ChatError):  # noqa: N818 - reads as the state it names
    """The platform cannot be reached, fails, or asks to wait. retry_after: seconds, 0 where it does not say."""

    def __init__(self, message: str, *, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class StatusChallenged(StatusError):  # noqa: N818 - reads as the state it names
    """The status page, or what stands before it, wants proof of a human."""
