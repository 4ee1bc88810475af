"""An answered question as the one line that stays of it, so that a thread reads as a record."""

from __future__ import annotations

from bot.core.frozen import frozen
from bot.core.guides.guide import Guide, Outcome
from bot.core.guides.library import WHICH, Library
from bot.core.text import Inline, Span, Text, plain
from bot.core.triage.asking import what_is_asked
from bot.core.triage.conversation import Conversation
from bot.core.triage.placement import Where


@frozen
class Folded:
    """What stays of a question: its words, what was answered, and the id of who answered.

    lead: what its message said before the question and keeps saying (an opening's quick answer); empty otherwise.
    answer: empty where the same question is asked again further down.
    """

    question: Inline
    answer: str
    by: str
    lead: Inline = ()


def folded(library: Library, before: Conversation, after: Conversation, by: str) -> Folded | None:
    """Return what stays of the question that was open `before`; None where it was not moved on from."""
    if not before.open:
        return _after_the_end(library, before, after)
    answer = _answer(library, before, after)
    if answer is None:
        return None
    guide = library.known(before.guide)
    # What many share was told in a line, which is what stays of it.
    opening = guide and before.revision <= 1 and before.where is not Where.ASIDE
    lead = _quick_answer(guide) if guide and opening else ()
    return Folded(_question(library, before), answer, by, lead)


def repeated(library: Library, here: Conversation) -> Folded:
    """Return what stays of the open question where it is asked again further down."""
    guide = library.known(here.guide)
    lead = _quick_answer(guide) if guide and not here.history and here.shown_at <= 1 else ()
    return Folded(_question(library, here), "", "", lead)


def _after_the_end(library: Library, before: Conversation, after: Conversation) -> Folded | None:
    """Return what stays of an end that was answered: what helped, or that it came back."""
    if before.outcome not in {Outcome.FIXED, Outcome.LEFT}:
        return None
    say, ended = library.messages, library.ending(before.outcome).title
    if after.helped and not before.helped:
        helped = say.text("fixed.itself")
        if "#" in after.helped:
            guide_id, _, step_id = after.helped.partition("#")
            helped = plain(library.step(guide_id, step_id)[1].title)
        return Folded(say.inline("fixed.what"), helped, "", ended)
    if after.open:
        return Folded(ended, say.text(f"reopen.{before.outcome.value}"), "")
    return None


def _question(library: Library, before: Conversation) -> Inline:
    if before.asking:
        return library.question(before.asking).title
    if before.guide:
        return library.step(before.guide, before.step)[1].title
    return library.messages.inline("which.lead" if before.step == WHICH else what_is_asked(before))


def _answer(library: Library, before: Conversation, after: Conversation) -> str | None:
    """Return the label of what was chosen, or of the way out that was taken."""
    say, kept = library.messages.text, len(before.history)
    if len(after.history) > kept and (visit := after.history[kept]).by:
        choice = library.choice(visit.guide, visit.step, visit.choice)
        return choice.label if choice else None
    if after.outcome is not None:
        return _leaving(library, after.outcome)
    if after.guide != before.guide:
        chosen = library.known(after.guide)
        return chosen.title if chosen else say("control.not-this")
    if after.history[:kept] != before.history:
        went_back = after.history and after.history == before.history[: len(after.history)]
        return say("control.back" if went_back or kept == 1 else "control.start-over")
    refused = before.step == WHICH and not before.guide and after.step != WHICH
    return say("which.none") if refused else None


def _leaving(library: Library, outcome: Outcome) -> str:
    ways = {Outcome.HANDED_OFF: "control.human", Outcome.LEFT: "control.stop"}
    return library.messages.text(ways[outcome]) if outcome in ways else plain(library.ending(outcome).title)


def _quick_answer(guide: Guide) -> Inline:
    first = guide.summary[0] if guide.summary else None
    return first.inline if isinstance(first, Text) else (Span(guide.title),)
