"""What is wrong with content, where it stands in the file."""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.errors import ContentError


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One finding; `rule` is its stable name. `str()` is `file:line: message [rule]`."""

    path: str
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message} [{self.rule}]"

    def error(self) -> ContentError:
        """Return this as an exception, for callers that cannot go on."""
        return ContentError(self.message, path=self.path, line=self.line)
