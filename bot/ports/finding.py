"""What `redial doctor` is told by those who look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `do` is empty where all is well."""

    name: str
    health: Literal["ok", "warn", "fail"]
    says: str
    do: str = ""
