"""What is wrong with content, where it stands in the file, and the rules that say so."""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.errors import ContentError

RULES = {
    "format": "front matter, headings, lists, links and attributes that cannot be read as the format says",
    "overlay": "a company's file that adds to or hides something that is not there",
    "message": "a sentence with other fields than the one it replaces",
    "facts": "a question that Redial asks and `facts.md` does not have",
    "outcomes": "an end without its words in `outcomes.md`",
    "summary": "a guide that does not say first the one thing to know or do",
    "reviewed": "a guide without the day its facts were checked",
    "unknown-surface": "a surface nobody can be asked about",
    "sign": "a sign too short to point anywhere",
    "fight": "a sign that two guides claim, of which none outranks the other",
    "clash": "an id that is used twice",
    "too-long": "a title, label, text or block to copy too long for a phone and for every platform's limit",
    "dead-end": "a step from which nobody can go on",
    "unknown-target": "a link to a guide or step that is not there",
    "unreachable": "a step no choice leads to",
    "evidence": "an advice without its grade",
    "source": "an official statement without its address",
    "link": "a link to a host that no `links.txt` lists",
    "auto": "an automatic step that lacks an answer, or has text nobody sees",
    "ambiguous": "two choices of one question that a known fact could not tell apart",
    "variants": "variants with nothing for everybody else",
    "unknown-fact": "a fact or value that `facts.md` does not declare",
    "unsure": 'a question without a way to say "not sure"',
    "undo": "a risky step that does not say how to take it back",
    "skip": "a step around the company's controls that cannot be skipped",
    "unmarked": "a step that reads as if it were risky or advised to send again, and is not marked so",
    "before-status": "a risky step that can be reached without the official status",
    "before-asking": "advice to send again that can be reached without asking what already ran",
    "only-human": "a step that leads to nothing but a hand-off, and does not say why",
    "too-far": "a finding more than six answers away",
    "lost-id": "an id of the last release that is gone, though open conversations may name it",
}
"""Every rule of `redial check`, by its stable name: what it refuses."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One finding; `rule` is one of `RULES`. `str()` is `file:line: message [rule]`."""

    path: str
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message} [{self.rule}]"

    def error(self) -> ContentError:
        """Return this as an exception, for callers that cannot go on."""
        return ContentError(self.message, path=self.path, line=self.line)
