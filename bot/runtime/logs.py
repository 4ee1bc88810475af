"""Logs: JSON lines on stderr, with no personal text in them."""

from __future__ import annotations

import logging
import sys

import structlog


def quiet() -> None:
    """Log warnings and errors only, for a person at a terminal."""
    _log_from(logging.WARNING)


def lines() -> None:
    """Log what a service's operator wants to know; libraries only what went wrong."""
    _log_from(logging.INFO)


def _log_from(level: int) -> None:
    logging.getLogger("httpx").setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
