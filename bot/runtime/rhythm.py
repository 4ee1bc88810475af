"""How often a process does what nobody asks for."""

from __future__ import annotations

from bot.core.bounds import BOUNDS, Bounds
from bot.core.frozen import frozen


@frozen
class Rhythm:
    """Seconds between two rounds of each job. bounds: how long what is under way may take.

    written: what turns left to be written. owed, ended, silent: conversations that are looked after. learned: what has
    helped. room: what people report. page: whether it is due. channels: whether one lacks something. forgotten: whether
    the store has. tidy: what can be forgotten. content: whether a file has changed. operators: what they should hear.
    """

    written: float = 2.0
    owed: float = 10.0
    ended: float = 60.0
    silent: float = 60.0
    learned: float = 300.0
    room: float = 3.0
    page: float = 5.0
    channels: float = 2.0
    forgotten: float = 10.0
    tidy: float = 3600.0
    content: float = 15.0
    operators: float = 15.0
    bounds: Bounds = BOUNDS


RHYTHM = Rhythm()
"""That of a process as it is run."""
