"""A net under the forms of `assigned`: a drawn value close behind a word for secrets.

It holds what comes in tables, behind arrows, in calls, in YAML or in another language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.redaction.jumble import drawn
from bot.core.redaction.kinds import Kind, Rule, Span
from bot.core.redaction.projection import Projection

_KEYS = ("key", "密钥", "密鑰", "キー", "키", "ключ", "clave", "chave", "schlüssel", "clé")
_TOKENS = ("token", "secret", "passw", "credential", "令牌", "口令", "トークン", "jeton", "segreto")
_REACH = 80  # characters behind the word
_LEAST = 16
_VALUE = re.compile(r"[A-Za-z0-9](?<![\w/\\.@%+=-].)[\w+/=~-]{15,}(?![\w(]|[/.]\w)", re.ASCII)
_LABELLED = re.compile(
    r"(?:\bid|_id|uuid|ray|commit|sha-?[0-9]*|trace|etag|version|model|integrity|digest|md5|session|hash|build|revision|head)"
    r"[\"']?\s?[:=(]?\s?[\"'(]?\Z",
    re.IGNORECASE,
)
_SEGMENT = re.compile(r"[A-Za-z0-9]{12,}")


def _near(words: tuple[str, ...], kind: Kind) -> Rule:
    word = re.compile("|".join(map(re.escape, words)))

    def find(view: Projection) -> Iterator[Span]:
        text = view.text
        for found in word.finditer(view.low):
            limit = found.end() + _REACH
            for value in _VALUE.finditer(text, found.end(), limit):
                if value.end() == limit and (whole := _VALUE.match(text, value.start())):
                    value = whole  # noqa: PLW2901 - the window cut it short
                if _secret(value) and text.count("\n", found.end(), value.start()) <= 1:
                    yield value.span()

    return Rule(f"near {words[0]}", kind, find, words)


def _secret(found: re.Match[str]) -> bool:
    """Say whether a value is drawn beyond doubt, and not called an id or a checksum."""
    value = found[0]
    if not drawn(value, _LEAST) or not any(drawn(part[0], 1) for part in _SEGMENT.finditer(value[:200])):
        return False
    return not _LABELLED.search(found.string[max(0, found.start() - 20) : found.start()])


NEAR = (_near(_KEYS, Kind.API_KEY), _near(_TOKENS, Kind.TOKEN))
"""Rules for what stands close to a word for it."""
