"""Tell what a machine drew at random from what somebody wrote."""

from __future__ import annotations

import re

_SEGMENT = re.compile(r"[A-Za-z0-9]+")
_HUMPS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_TURNS = re.compile(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")
# node20, 35s, 10k, 4th: a word with a number at one end.
_NUMBERED = re.compile(r"[A-Za-z]{1,12}[0-9]{1,4}|[0-9]{1,7}[a-z]{1,5}|v[0-9]+|x86|[0-9]x[0-9]", re.ASCII)
_HARD = re.compile(r"[bcdfghjklmnpqrstvwxz]{6}|[aeiou]{5}")
# Without one of these nothing in a value can be called drawn; one search tells most words apart.
_MAYBE = re.compile(r"[A-Za-z][0-9]|[0-9][A-Za-z]|[a-z][A-Z]|[bcdfghjklmnpqrstvwxz]{6}|[aeiou]{5}")
_FEW = 2  # changes of case that a name has (`OAuth`)
_CASES = 3.0  # letters between two changes of case: words have more, random letters two
_ENOUGH = 128  # more of a value than this is never needed to judge it

KEPT = re.compile(
    r"(?:req|toolu|msg|session|srvtoolu|chatcmpl|resp|evt|file|batch|msgbatch)_[0-9A-Za-z]+"
    r"|claude-[a-z0-9.-]+(?:\[1m\])?"
    r"|v?[0-9]+(?:\.[0-9]+)+(?:[-+][0-9A-Za-z.-]+)?"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T_ ].*)?|[0-9]{1,2}:[0-9]{2}.*|[0-9]{8}T[0-9]{6}Z?"
    r"|[A-Z]+(?:_[A-Z0-9]+)*|https?:.*|[0-9]+"
    r"|sha(?:1|256|384|512)[-:].*|(?:x86_64|amd64|arm64|win32|utf-?8|base64|ipv[46])\S{0,8}",
    re.DOTALL,
)
"""What looks drawn but names nothing secret: request ids, models, versions, times, error codes, checksums."""


def jumbled(segment: str) -> bool:
    """Say whether letters and digits without punctuation look drawn."""
    turns = len(_TURNS.findall(segment))
    if turns:
        return turns > 1 or not _NUMBERED.fullmatch(segment)
    humps = _HUMPS.findall(segment)
    if len(humps) > _FEW and len(segment) / len(humps) < _CASES:
        return True
    return len(segment) >= 8 and (_HARD.search(segment) is not None)  # noqa: PLR2004 - shorter ones prove nothing


def drawn(value: str, least: int = 8) -> bool:
    """Say whether `value` (`least` characters or more) holds a part that looks drawn and is not of the kept sorts."""
    if len(value) < least or not _MAYBE.search(value) or KEPT.fullmatch(value[:_ENOUGH]):
        return False
    return any(jumbled(segment) for segment in _SEGMENT.findall(value[:_ENOUGH]))
