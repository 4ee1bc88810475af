"""What `redial doctor` looks at, one check a line."""

from __future__ import annotations

from enum import StrEnum

from bot.core.frozen import frozen


class Health(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@frozen
class Check:
    """One thing that was looked at. says: what was found; do: what to do about it, empty when all is well."""

    name: str
    health: Health
    says: str
    do: str = ""
