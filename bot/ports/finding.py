"""What `redial doctor` is told by those who look."""

from __future__ import annotations

from typing import Literal

from bot.core.frozen import frozen


@frozen
class Finding:
    """One thing that was looked at; `do` is empty where all is well."""

    name: str
    health: Literal["ok", "warn", "fail"]
    says: str
    do: str = ""
