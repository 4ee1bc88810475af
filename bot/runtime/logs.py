"""Logs: JSON lines on stderr, with no personal text in them.

Libraries log through the standard library; of what they say, the sentence is kept and what was put into it is not.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, MutableMapping
from typing import Any

import structlog
from structlog.typing import Processor

from bot.core.unforeseen import unforeseen

Counted = Callable[[str, str], None]
"""Takes the level and the event of a line."""

Heard = Callable[[MutableMapping[str, Any]], None]
"""Takes a line."""

_counted: list[Counted] = []
_heard: list[Heard] = []


def quiet() -> None:
    """Log warnings and errors only, for a person at a terminal."""
    _log_from(logging.WARNING)


def lines() -> None:
    """Log what a service's operator wants to know; libraries only what went wrong."""
    _log_from(logging.INFO)
    logging.basicConfig(level=logging.WARNING, handlers=[_Library()], force=True)


def count(counted: Counted) -> None:
    """Have warnings and errors counted, from now on and by this one alone."""
    _counted[:] = [counted]


def listen(heard: Heard) -> None:
    """Have warnings and errors heard, from now on and by this one alone."""
    _heard[:] = [heard]


def _log_from(level: int) -> None:
    logging.getLogger("httpx").setLevel(logging.WARNING)
    # Jobs answer for their own errors; what is left is a round that skips the next, and one that an end cuts off.
    logging.getLogger("apscheduler").setLevel(logging.CRITICAL)
    processors: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        _count,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.JSONRenderer(),
    ]
    printer = structlog.PrintLogger(sys.stderr)
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(level),
        # One for all: none is kept by who logs, and each line would make its own.
        logger_factory=lambda *_: printer,
    )


def _count(_: object, level: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    if level in {"warning", "error", "critical"}:
        for counted in _counted:
            counted(level, str(line["event"]))
        for heard in _heard:
            heard(line)
    return line


class _Library(logging.Handler):
    """Says that a library complained: which, the sentence without its values, and the kind and place of an error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        from bot.core.redaction import redact  # noqa: PLC0415 - rarely needed, and it takes a while to load

        told: dict[str, object] = {"library": record.name, "says": redact(_sentence(record)).text}
        if record.exc_info and record.exc_info[1]:
            told |= unforeseen(record.exc_info[1])
        log = structlog.get_logger(__name__)
        (log.error if record.levelno >= logging.ERROR else log.warning)("library", **told)


def _sentence(record: logging.LogRecord) -> str:
    """Return what a library meant to say: its template, or what stands before the first value of a ready sentence."""
    template = str(record.msg)
    return (template if record.args else template.partition(":")[0].partition("(")[0])[:120].strip()
