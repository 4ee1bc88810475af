"""What can be taken out of a text, and the shape of the rules that find it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from bot.core.redaction.projection import Projection


class Kind(StrEnum):
    """What was removed; the value is the word in the placeholder."""

    PRIVATE_KEY = "private key"
    API_KEY = "api key"
    TOKEN = "token"  # noqa: S105 - a word, not a secret
    COOKIE = "cookie"
    PASSWORD = "password"  # noqa: S105 - a word, not a secret
    OAUTH_CODE = "sign-in code"
    OAUTH_URL = "sign-in data"
    MASKED = "masked key"
    OPAQUE = "long value"
    CARD = "card number"
    EMAIL = "e-mail"
    PHONE = "phone number"
    USER = "user"
    HOST = "host"
    IP = "ip"
    MAC = "mac"
    ORGANISATION = "organisation"

    @property
    def placeholder(self) -> str:
        """What stands in the text where this was."""
        return f"[{self.value}]"


SECRETS = frozenset(
    {Kind.PRIVATE_KEY, Kind.API_KEY, Kind.TOKEN, Kind.COOKIE, Kind.PASSWORD, Kind.OAUTH_CODE},
)
"""Kinds a person has to revoke. A masked key is none: `sk-ant-...abcd` gives nothing away that could be used."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One thing to look for.

    hints: lower-case pieces of which one must be in the text, else `find` is not asked (empty: always asked).
    wrapped: also looked for in the text with its wrapped lines joined.
    learns: what is found is removed wherever else it stands in the text.
    """

    name: str
    kind: Kind
    find: Callable[[Projection], Iterable[Span]]
    hints: tuple[str, ...] = ()
    wrapped: bool = True
    learns: bool = False
