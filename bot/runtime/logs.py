"""Logs: JSON lines on stderr, with no personal text in them."""

from __future__ import annotations

import logging
import sys

import structlog


def quiet() -> None:
    """Log warnings and errors only, for a person at a terminal."""
    logging.getLogger("httpx").setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
