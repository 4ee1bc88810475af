"""Bring pasted text to one form: what a terminal, a chat, a log or a JSON body did to a line no longer shows.

`spaced` holds the words of the text, lower case, without accents and punctuation, one blank between them and at
both ends. `squeezed` is the same without blanks: narrow panes break lines inside words, so long literal output is
looked for there. Errors a client attached by itself (`[{"error":…`) are kept apart: they seldom are the complaint.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, islice, pairwise

from bot.core.frozen import frozen

LIMIT = 20_000
"""Longest text, in characters, that is looked at whole."""
WHY = 120
"""Longest quotation handed on as the reason of a decision, in characters."""

_HEAD, _TAIL, _MIDDLE = 8_000, 4_000, 8_000
_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_TAGS = (
    "img|p|br|h[1-6r]|html|head|body|title|center|div|span|a|pre|code|details|summary|[bi]|em|strong|[uo]l|li"
    "|table|t[rdh]|su[bp]"
)
_TAG = re.compile(rf"<!--.*?(?:-->|$)|</?(?:{_TAGS})(?:\s[^<>]{{0,300}})?/?>", re.DOTALL | re.IGNORECASE)
_ESCAPE = re.compile(r"\\+(?:[nrt](?![a-z]{2})|[\"'/]|u00[0-9a-f]{2})")
_BRACKETED = re.compile(
    r"\[(?:e\.?g\.?|i\.e\.|for example|completar|please|your|z\. ?b\.|例如|例)[^\]\n]{0,80}\]", re.IGNORECASE
)
_FORM = re.compile(
    r"^[#*\s]*(?:steps to reproduce|what's wrong|what should happen|error messages/logs|preflight checklist"
    r"|is this a regression|last working version|additional (?:information|context)|expected behaviou?r"
    r"|actual behaviou?r|to reproduce|describe the bug|screenshots?)\b[*:? ]*$|^.{0,6}i have searched .{0,120}$",
    re.IGNORECASE | re.MULTILINE,
)
_FORMS = frozenset({
    "steps to reproduce", "what's wrong", "what should happen", "error messages/logs", "preflight checklist",
    "is this a regression", "last working version", "additional information", "additional context",
    "expected behavior", "expected behaviour", "actual behavior", "actual behaviour", "to reproduce",
    "describe the bug", "screenshot", "screenshots",
})  # fmt: skip
"""The lines of a form without what stands around them: looked up first, because that takes a tenth of the time."""
_DUMP = re.compile(r'\[\s*\{\s*\\*"error\\*"\s*:')
_DUMP_END = re.compile(r"\}\s*…?\]\s*$", re.MULTILINE)
_LOUD = re.compile(
    r"^.*(?:error|fail|denied|refused|timed? ?out|unable|cannot|overload|limit|expired).*$",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTES = "\u2019\u02bc\u2018"
_ARTICLES = frozenset({"c", "d", "j", "l", "m", "n", "s", "t", "qu"})
"""What stands before an apostrophe in French, and is a word of its own: `l'api`, `n'arrive`, `qu'il`."""
_BREAKS = re.compile(r"[^\x00-\x7f\w]+")
_NAME = re.compile(r"claude(?<!\Sclaude)\s+code(?!\S)")
_BLANKS = bytes(n if n > ord("\x7f") or chr(n).isalnum() else ord(" ") for n in range(256))
"""What becomes of every letter of plain ASCII: several times as fast as looking for breaks."""
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
EAST = re.compile(f"[{_CJK}]+")
"""East Asian letters, which stand without blanks between words."""
_WORD = re.compile(
    # Case is of no matter only where it says so: that East Asian letters have none takes Python a while to find out.
    rf"(?<![^\W_{_CJK}])(?i:claude[\W_]+code)(?![^\W_{_CJK}])|[{_CJK}]+|(?<![^\W_])(?i:[cdjlmnst]|qu)(?=['\u2019\u02bc\u2018][^\W\d_])|[^\W_{_CJK}]+(?:['\u2019\u02bc\u2018][^\W\d_{_CJK}]+)*"
)
_FOLD = dict(zip("àáâãäåāçčèéêëēėęìíîïīñńòóôõöøōùúûüūýÿšžёй", "aaaaaaacceeeeeeeiiiiinnooooooouuuuuyyszеи", strict=True))  # noqa: RUF001
_ACCENTED = re.compile(f"[{''.join(_FOLD)}]")


@frozen
class Normal:
    """A text in its one form. `clean` is what can be quoted; `dump` is the normal form of attached errors.

    said: the words of `spaced`, in their order; each: the same, each once; ends: where each ends in `squeezed`.
    """

    clean: str
    spaced: str
    dump: str
    said: Sequence[str]
    each: frozenset[str]
    squeezed: str
    ends: Sequence[int]

    @classmethod
    def of(cls, clean: str, said: Sequence[str], dump: str = "") -> Normal:
        """Return the text of which the words are known."""
        spaced, squeezed = f" {' '.join(said)} ", "".join(said)
        return cls(clean, spaced, dump, said, frozenset(said), squeezed, list(accumulate(map(len, said))))

    def quote(self, start: int, length: int, limit: int = 200) -> tuple[str, str]:
        """Return the piece of `clean` that became `spaced[start:start + length]`, and its line, both shortened."""
        first, last = self._span(start, length)
        begin = self.clean.rfind("\n", 0, first) + 1
        end = self.clean.find("\n", last)
        line = " ".join(self.clean[begin : end if end >= 0 else len(self.clean)].split())
        if len(line) > limit:
            line = _shorten(" ".join(self.clean[first : first + limit].split()), limit)
        return _shorten(" ".join(self.clean[first:last].split()), WHY), line

    def unsqueeze(self, start: int, length: int) -> tuple[int, int]:
        """Return start and length in `spaced` of `squeezed[start:start + length]`."""
        first, last = bisect_right(self.ends, start), bisect_right(self.ends, start + length - 1)
        # Before a word stand the letters of all earlier words and one blank for each, and one at the beginning.
        return start + first + 1, length + last - first

    def _span(self, start: int, length: int) -> tuple[int, int]:
        """Count words, because they are what both forms have in common."""
        before = max(0, self.spaced.count(" ", 0, start) - 1)
        count = max(1, len(self.spaced[start : start + length].split()))
        # Words are soon counted, and found one by one only from a blank on that cannot be behind them.
        begin = max(self.clean.rfind(blank, 0, start) for blank in " \n") + 1
        earlier = words(self.clean[:begin]).split()
        if len(earlier) > before or earlier[-1:] == ["claude"]:  # the second half of the name may follow
            begin, earlier = 0, []
        before -= len(earlier)
        spans = [match.span() for match in islice(_WORD.finditer(self.clean, begin), before, before + count)]
        return (spans[0][0], spans[-1][1]) if spans else (0, len(self.clean))


def normalise(text: str) -> Normal:
    """Bring `text` to its one form."""
    clean = tidy(text)
    kept, dump = _without_dump(clean)
    return Normal.of(kept, _said(kept), words(dump) if dump else "")


def words(text: str) -> str:
    """Return the words of tidy `text`, lower case, with one blank between them and at both ends."""
    return f" {' '.join(_said(text))} "


def _said(text: str) -> list[str]:
    flat = flatten(text)
    if not flat.isascii():
        for quote in _QUOTES:
            flat = flat.replace(quote, "'")
        flat = EAST.sub(lambda run: f" {run[0]} ", flat)  # a template is filled in at five times the cost
    if "'" in flat:
        flat = _without_apostrophes(flat)
    parted = flat.encode(errors="replace").translate(_BLANKS).decode()
    if not parted.isascii():
        parted = _BREAKS.sub(" ", parted)
    # One name, so that its second half is not taken for a code somebody was sent, or wrote.
    return (_NAME.sub("claudecode", parted) if "claude" in parted else parted).split()


def _without_apostrophes(flat: str) -> str:
    """Part French articles from their words; leave every other apostrophe inside a word out."""
    parts = flat.split("'")
    whole = parts[:1]
    for before, after in pairwise(parts):
        if (
            not after[:1].isalpha()
            or (before[-1:] in _ARTICLES and not before[-2:-1].isalnum())
            or (before[-2:] in _ARTICLES and not before[-3:-2].isalnum())
        ):
            whole.append(" ")
        whole.append(after)
    return "".join(whole)


def flatten(text: str) -> str:
    """Return `text` in lower case without accents, of the same length."""
    low = text.lower()
    if len(low) != len(text):  # a handful of letters grow when lowered; positions must not move
        low = "".join(c if len(c) == 1 else o for o, c in zip(text, map(str.lower, text), strict=True))
    return low if low.isascii() or not _ACCENTED.search(low) else _ACCENTED.sub(lambda found: _FOLD[found.group()], low)


def tidy(text: str) -> str:
    """Return `text` without what terminals, forms and encodings put around it, cut to a bounded length."""
    if len(text) > LIMIT:
        text = _cut(text)
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "\\" in text:
        text = _ESCAPE.sub(" ", text)
    low = text.lower()
    if "have searched" in low or not _FORMS.isdisjoint([line.strip("#*:? \t") for line in low.split("\n")]):
        text = _FORM.sub(" ", text)
    return _BRACKETED.sub(" ", text) if "[" in text else text


def _cut(text: str) -> str:
    """Keep the beginning, the end and, from between, the last lines that sound like an error."""
    middle = text[_HEAD:-_TAIL]
    loud = [line[:400] for line in _LOUD.findall(middle[-500_000:])][-100:]
    return "\n".join([text[:_HEAD], "\n".join(loud)[-_MIDDLE:], text[-_TAIL:]])


def _without_dump(text: str) -> tuple[str, str]:
    """Part what somebody wrote from the list of errors a client attached."""
    found = _DUMP.search(text)
    if found is None:
        return text, ""
    end = _DUMP_END.search(text, found.end())
    stop = end.end() if end else len(text)
    return text[: found.start()] + "\n" + text[stop:], text[found.start() : stop]


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
