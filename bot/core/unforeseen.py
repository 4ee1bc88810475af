"""Errors nobody foresaw, as a log may speak of them."""

from __future__ import annotations

import traceback


def unforeseen(error: BaseException) -> dict[str, object]:
    """Return the kind and the place of an error; not its text, which may quote what somebody pasted."""
    told: dict[str, object] = {"error": type(error).__name__}
    if where := traceback.extract_tb(error.__traceback__)[-1:]:
        told |= {"file": where[0].filename, "line": where[0].lineno}
    return told
