"""What `redial doctor` looks at, one check a line."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Health(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. says: what was found; do: what to do about it, empty when all is well."""

    name: str
    health: Health
    says: str
    do: str = ""
