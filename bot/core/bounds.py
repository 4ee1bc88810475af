"""How long what is under way may take. It stands together because what keeps messages single is the order of these."""

from __future__ import annotations

from bot.core.frozen import frozen


@frozen
class Bounds:
    """Seconds, but for the last. Assumed of every platform: no request lands later than `unknown`.

    sent: a request may take; afterwards its result is not known. unknown: after which a request without a result has
    arrived or never will, so that it can be looked for. turn: a replica may be silent before another does its work.
    owed: an answer may stay unconfirmed before it is looked for. apart: clocks may be, so that a message is looked for
    from so long before its intent on. finish: running turns get after a signal; orchestrators wait for ten. edits: of
    one topic in one channel an hour, but for those that end an incident.
    """

    sent: float = 10.0
    unknown: float = 30.0
    turn: float = 30.0
    owed: float = 10.0
    apart: float = 120.0
    finish: float = 8.0
    edits: int = 12


BOUNDS = Bounds()
"""Those of a process as it is run."""
