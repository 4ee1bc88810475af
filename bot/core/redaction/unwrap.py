"""Join what a narrow terminal broke: a token that goes on after a line break, indentation and the border of a box.

Only what looks like the rest of something drawn, or of a URL, is joined, so that words of different lines stay apart.
Rules look at the unjoined text as well: a wrong join can only ever add to what is found.
"""

from __future__ import annotations

import re

from bot.core.redaction.jumble import KEPT, drawn
from bot.core.redaction.projection import Builder, Projection
from bot.core.redaction.tokens import BEGINNINGS

_PAD = " \t│┃║|▏▕╎┆>⎿`\\\r"
_WIDEST = 160  # blanks and borders between two pieces; more is a table, not a wrapped line
_WORD = "A-Za-z0-9_+/=.%&?#~-"
_TOKEN = "".join(map(chr, range(33, 127))).translate(dict.fromkeys(map(ord, "\"'`<>()[]{}|\\,;!*^$")))
_BREAK = re.compile(
    rf"[\n\r\\](?:(?<=\n)|(?<=\r)(?!\n)|(?<=\\)\\{{0,7}}n)"
    rf"(?P<pad>[ \t│┃║|▏▕╎┆>⎿]{{0,{_WIDEST}}}(?:[0-9]{{1,5}}[ \t]{{0,4}}[│|][ \t]{{0,4}})?(?:\+[ \t]{{1,4}})?)"
    rf"(?=(?P<piece>[{_WORD}]{{1,512}})(?=(?P<next>.?))"
    rf"(?P<last>[ \t]{{0,{_WIDEST}}}(?:[│┃|\"',;)\\]|[\r\n]|\Z))?)",
    re.DOTALL,
)
# A new thing begins here, whatever the line before ended with.
_FRESH = re.compile(
    r"[A-Z_][A-Z0-9_]{2,}=|A[KS]IA|"
    + "|".join(map(re.escape, BEGINNINGS))
    + r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
    r"|[A-Za-z_]{2,}[=](?=[^&]*$)"
)
# Kinds of a fixed length: when all of it is there, whatever follows is something else.
_WHOLE = {
    **dict.fromkeys(("sk-ant-api", "sk-ant-sid", "sk-ant-oat", "sk-ant-ort", "sk-ant-admin"), 108),
    **dict.fromkeys(("ghp_", "gho_", "ghu_", "ghs_", "npm_"), 40),
    "AKIA": 20,
    "ASIA": 20,
    "AIza": 39,
    "hf_": 37,
}
# Where a token begins: in the middle of another the same letters are chance.
_FIXED = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, _WHOLE))})")
_URLISH = ("://", "?", "&", "%")
# Most lines go on with a word: they are passed over quickly unless the line before was joined.
_UNLIKE_A_WORD = re.compile(r"[0-9=&%?]|[a-z][A-Z]|[b-df-hj-np-tv-xz]{6}|[aeiou]{5}")
_DIGIT = re.compile("[0-9]")
_LINKED = re.compile(r"[=&%?]")
_SETS = re.compile(r"[A-Z_][A-Z0-9_]{2,}=|https?:")
_JUDGED = 64  # characters of it that tell whether it was drawn
_MEMORY = 160  # characters of what was joined so far that later pieces are judged by


def unwrap(plain: Projection) -> Projection | None:
    """Return `plain` with wrapped tokens joined, or None when nothing is."""
    text = plain.text
    if "\n" not in text and "\r" not in text and "\\n" not in text:
        return None
    builder = Builder.over(text)
    run, line_end, width = "", -1, 0
    for found in _BREAK.finditer(text):
        if line_end < 0 and not _UNLIKE_A_WORD.search(found["piece"]):
            continue
        left = _stripped(text, found.start())
        piece_at = found.end("pad")
        before = run if left == line_end else _tail(text, left)
        wide = left - _line_start(text, left)
        chained = left == line_end and wide == width
        if left and before and _goes_on(before, found, chained=chained):
            builder.put(left, piece_at, "")
            run, line_end = (before + found["piece"])[-_MEMORY:], piece_at + len(found["piece"])
            width = wide
        else:
            line_end = -1
    return builder.done(plain) if builder.parts else None


def _stripped(text: str, end: int) -> int:
    """Return where the line that ends at `end` ends without blanks and borders; 0 if they are too many."""
    start = max(0, end - _WIDEST)
    kept = len(text[start:end].rstrip(_PAD))
    return start + kept if kept else 0


def _tail(text: str, end: int) -> str:
    """Return the unbroken run of token characters before `end`."""
    start = max(0, end - _MEMORY)
    slab = text[start:end]
    return slab[len(slab.rstrip(_TOKEN)) :]


def _line_start(text: str, end: int) -> int:
    return max(text.rfind("\n", max(0, end - _MEMORY), end), end - _MEMORY)


def _goes_on(before: str, found: re.Match[str], *, chained: bool) -> bool:
    """Say whether the piece that was found is the rest of what `before` began.

    chained: the line before was joined too and is as wide as the one before it, as a terminal's edge makes them.
    """
    piece, last = found["piece"], found["last"] is not None
    if (known := _FIXED.search(before)) and len(before) - known.start() >= _WHOLE[known[0]]:
        return False
    if any(mark in before for mark in _URLISH) and _LINKED.search(piece) and not _SETS.match(piece):
        return True
    if _FRESH.match(piece) or found["next"] in {":", "("} or (before.isalnum() and not drawn(before[-_JUDGED:], 1)):
        return False
    # "0226232c" and "D_7U6G25J" end a key, or are a quantity and a code: alone below something drawn, the former.
    an_end = _DIGIT.search(piece) and (piece.isdigit() or piece.isupper() or not KEPT.fullmatch(piece))
    if last and (chained or (an_end and drawn(before[-_JUDGED:], 16))):
        return True
    return drawn(piece, 1)
