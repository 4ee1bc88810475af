"""A text as a person reads it, with a way back to the offsets of the original.

Colour codes, zero-width characters and stray control characters are gone; full-width and other look-alike letters,
percent-encoding and JSON or HTML escapes have become the plain characters they stand for.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from html import unescape

from bot.core.frozen import frozen

BARRIER = "\ue000"
"""Stands for each character of a placeholder already in the text, so that no rule reads one as a value."""

# Letters of other alphabets that look like Latin ones. Only matching sees the result, so prose loses nothing.
_TWINS = dict(
    zip(
        "АВЕЅІЈКМНОРСТХаеѕіјорсухԁԛԝһΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυ",  # noqa: RUF001 - look-alikes are the point
        "ABESIJKMHOPCTXaesijopcyxdqwhABEZHIKMNOPTYXavopu",
        strict=True,
    )
)
_DASHES = "‐‑‒–—―−﹘﹣"  # noqa: RUF001 - look-alikes are the point
_COMPATIBLE = (
    range(0x00A0, 0x0100), range(0x2000, 0x2070), range(0x2070, 0x20A0), range(0x2100, 0x2150),
    range(0x2460, 0x2500), range(0x3000, 0x3001), range(0xFE50, 0xFE70), range(0xFF00, 0xFFEF),
    range(0x1D400, 0x1D800), range(0x1F100, 0x1F190),
)  # fmt: skip


def _folding() -> dict[int, str]:
    table = {ord(a): b for a, b in _TWINS.items()}
    for code in (code for block in _COMPATIBLE for code in block):
        plain = unicodedata.normalize("NFKC", chr(code))
        if len(plain) == 1 and " " <= plain <= "~":
            table[code] = plain
    return table | {ord(dash): "-" for dash in _DASHES}


_FOLD = _folding()
_HIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
# Repetitions are bounded: an open one, tried at every place of a long run, would take quadratic time.
_NOISE = re.compile(
    rf"(?P<drop>(?:\x1b|\\{{1,8}}(?:u001[bB]|x1[bB]|033|e)|\^\[)\[[0-9;:?<=>]{{0,64}}[ -/]{{0,4}}[@-~]"
    # Chat clients swallow the escape character and leave the rest of a colour code behind.
    r"|\[[0-9]{1,3}(?:;[0-9]{1,3}){0,8}m"
    rf"|[{_HIDDEN}]+"
    r"|\\{1,8}(?=[\"'/]))"
    # Every further time a text is percent-encoded turns % into %25.
    r"|%(?:25){0,6}(?P<hex>[2-7][0-9A-Fa-f])"
    r"|\\{1,8}u00(?P<escape>[2-7][0-9A-Fa-f])"
    r"|&(?:amp;){0,4}(?P<entity>#x?[0-9A-Fa-f]{2,4}|amp|quot|apos|lt|gt);"
)
# One class of characters is looked for much faster than the alternatives that begin with them.
_NOISY = re.compile(rf"[\x1b%&\\^\[{_HIDDEN}]")
_FOREIGN = re.compile("[^\x00-\x7f]+")
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


@frozen
class Projection:
    """A text and, run by run, where it came from.

    low: the text in lower case, of the same length.
    _starts, _origins, _ends: of each run the offset here, and its span in what lies under this (the original, or
        `_under`); a run of another length there is one character here.
    """

    text: str
    low: str
    _starts: tuple[int, ...] = (0,)
    _origins: tuple[int, ...] = (0,)
    _ends: tuple[int, ...] = (0,)
    _under: Projection | None = None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that `text[start:end]` stands for."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        span = self._at(first, start)[0], self._at(last, end - 1)[1]
        return self._under.original(*span) if self._under else span

    def _at(self, run: int, offset: int) -> tuple[int, int]:
        origin, end = self._origins[run], self._ends[run]
        upto = self._starts[run + 1] if run + 1 < len(self._starts) else len(self.text)
        if upto - self._starts[run] != end - origin:
            return origin, end
        at = origin + offset - self._starts[run]
        return at, at + 1


def lowered(text: str) -> str:
    """Return `text` in lower case without changing its length."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate(_ASCII_LOWER)


@dataclass(slots=True)
class Builder:
    """Collects the runs of a projection from left to right."""

    source: str
    parts: list[str]
    starts: list[int]
    origins: list[int]
    ends: list[int]
    length: int = 0
    upto: int = 0

    @classmethod
    def over(cls, source: str) -> Builder:
        """Begin a projection of `source`."""
        return cls(source, [], [], [], [])

    def put(self, start: int, end: int, instead: str) -> None:
        """Copy up to `start`, then write `instead` (one character, or none) for `source[start:end]`."""
        for piece, origin, stop in ((self.source[self.upto : start], self.upto, start), (instead, start, end)):
            if piece:
                self.parts.append(piece)
                self.starts.append(self.length)
                self.origins.append(origin)
                self.ends.append(stop)
                self.length += len(piece)
        self.upto = end

    def done(self, under: Projection | None = None) -> Projection:
        """Copy the rest and return the projection."""
        self.put(len(self.source), len(self.source), "")
        text = "".join(self.parts)
        return Projection(text, lowered(text), tuple(self.starts), tuple(self.origins), tuple(self.ends), under)


def clear(text: str, placeholders: re.Pattern[str]) -> Projection:
    """Return `text` as it is read, with `placeholders` barred."""
    folded = text if text.isascii() else _FOREIGN.sub(_fold, text)
    barred = placeholders.sub(_bar, folded) if "[" in folded else folded
    if not _NOISY.search(barred):
        return Projection(barred, lowered(barred), (0,), (0,), (len(barred),))
    builder = Builder.over(barred)
    for suspect in _NOISY.finditer(barred):
        if suspect.start() >= builder.upto and (noise := _NOISE.match(barred, suspect.start())):
            builder.put(*noise.span(), _meant(noise))
    return builder.done()


def _fold(match: re.Match[str]) -> str:
    return match[0].translate(_FOLD)


def _bar(match: re.Match[str]) -> str:
    return BARRIER * len(match[0])


def _meant(noise: re.Match[str]) -> str:
    if noise["drop"]:
        return ""
    if code := noise["hex"] or noise["escape"]:
        return chr(int(code, 16)).replace("\x7f", "")
    plain = unescape(f"&{noise['entity']};")
    return plain if len(plain) == 1 and " " <= plain <= "~" else noise[0][:1]
