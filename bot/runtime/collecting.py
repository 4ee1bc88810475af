"""Python's collector of garbage while a process starts: what a start makes stays, and is only walked over in vain."""

from __future__ import annotations

import gc


def hold() -> None:
    """Let it rest from now on."""
    gc.disable()


def go_on() -> None:
    """Let it work again, on what comes from now on."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
