"""How a conversation goes on: one pure function over guides, a conversation and what somebody did.

`begin` opens a conversation, `play` takes an answer, `show` repeats where it stands. Each returns the conversation as
it is to be stored (one revision on, if anything changed) and the one view to answer with.
"""

from __future__ import annotations

from bot.core.changing import changed
from bot.core.event import Origin
from bot.core.frozen import frozen
from bot.core.guides.guide import UNSURE, Choice, Onward, Outcome, Step, ToOutcome
from bot.core.guides.library import FACTS, WHICH, Library
from bot.core.recogniser.engine import Decision, Recognition
from bot.core.triage import matching
from bot.core.triage.asking import LINE
from bot.core.triage.conversation import WHAT, Conversation, Remark
from bot.core.triage.endings import wish
from bot.core.triage.folding import folded
from bot.core.triage.placement import Where
from bot.core.triage.transition import Transition, settled
from bot.core.triage.turn import NONE_OF_THESE, OVER, SAME, Around, Turn

_NOTES, _NOTE = 20, 500
_REPORT = 2000
_LIKELY, _NAMED = 0.2, 3
"""How likely a guide is to be remembered as what the words speak for, and how many are."""
_IN_PASSING = 2
"""Words beside those of a choice that say no more than it ("still the same")."""

_WAYS = (
    "again", "back", "start-over", "human", "stop", "fixed", "wait", "not-this", "switch", "questions", "share",
)  # fmt: skip
"""The ways out people may take in words, at any question."""

_ENDS = {
    "human": Outcome.HANDED_OFF,
    "stop": Outcome.LEFT,
    "fixed": Outcome.FIXED,
    "wait": Outcome.WAITING,
}
"""The ways out that end a conversation."""


@frozen
class Begin:
    """A report, redacted, what it was recognised as, and how it will be held."""

    report: str
    recognition: Recognition
    where: Where = Where.DIRECT


@frozen
class Say:
    """Something written in an open conversation, redacted, and what it would be recognised as on its own."""

    text: str
    recognition: Recognition


@frozen
class Press:
    """A press on a message that showed `step` at `revision`; `choice` may be a way out, such as `@back`."""

    choice: str
    step: str
    revision: int


Happening = Say | Press


def begin(library: Library, conversation_id: str, origin: Origin, event: Begin, around: Around) -> Transition:
    """Open a conversation with a report that is not `none`."""
    found = event.recognition
    fresh = Conversation(
        id=conversation_id,
        origin=origin,
        revision=0,
        opened=around.now,
        touched=around.now,
        report=event.report[:_REPORT],
        details=found.details,
        stated=found.facts,
        facts=found.facts,
        where=event.where,
    )
    turn = Turn(library, fresh, around, by=origin.user)
    _recognised(turn, found)
    now = turn.reading()
    if not turn.conversation.guide:
        turn.tell_status(now)
    turn.change(began=f"{now.answer}:{now.incident.name if now.incident else ''}")
    return settled(turn, opening=True)


def play(library: Library, conversation: Conversation, event: Happening, around: Around, by: str) -> Transition:
    """Take what somebody did in a conversation."""
    turn = Turn(library, conversation, around, by)
    if isinstance(event, Press):
        _pressed(turn, event)
    else:
        _said(turn, event)
    done = settled(turn, opening=not turn.changed and not turn.aside and conversation.revision <= 1)
    return changed(done, folded=folded(library, conversation, done.conversation, by)) if done.changed else done


def show(library: Library, conversation: Conversation, around: Around, preface: str = "") -> Transition:
    """Repeat where a conversation stands, and change nothing. `preface` is the key of a message said before."""
    turn = Turn(library, conversation, around, by="")
    if preface:
        turn.tell(preface)
    return settled(turn, opening=conversation.revision <= 1)


def take_up(library: Library, conversation: Conversation, around: Around, by: str) -> Transition:
    """Go on with a conversation that was left or waits, where it stood."""
    turn = Turn(library, conversation, around, by)
    turn.reopen()
    turn.tell("outcome.reopened")
    return settled(turn)


def answers_only(library: Library, text: str) -> bool:
    """Say whether a text only makes sense in an open conversation: a number, or a way out such as "back"."""
    return matching.number(text) is not None or any(matching.means(text, _ways_to_say(library, name)) for name in _WAYS)


def _recognised(turn: Turn, found: Recognition) -> None:
    """Go where a recognition leads: a guide, an offer of several, or the question what it says."""
    candidates = turn.not_refused(_named(found))
    known = turn.library.known(found.guide) if turn.not_refused([found.guide]) else None
    if found.decision is Decision.GUIDE and known:
        turn.opened = True
        turn.change(guide=known.id, candidates=candidates, because=found.why)
        turn.enter(known.id, "")
    elif found.decision in {Decision.GUIDE, Decision.CHOOSE} and candidates:
        turn.change(guide="", step=WHICH, asking="", candidates=candidates)
    else:
        turn.change(guide="", step=WHAT, asking="", candidates=candidates)
        turn.ask()


# --- presses ---------------------------------------------------------------------------------------------------


def _pressed(turn: Turn, press: Press) -> None:
    here = turn.conversation
    if press.revision < here.revision or press.step != turn.place:
        turn.tell("step.answered")
    elif press.choice.startswith("@") and press.choice != NONE_OF_THESE:
        _control(turn, press.choice.removeprefix("@"))
    elif here.open:
        _answer(turn, press.choice)


def _control(turn: Turn, name: str) -> None:
    match name:
        case "back":
            if not turn.back():
                turn.tell_aside("step.first")
        case "start-over":
            _start_over(turn)
        case "human" | "stop" | "fixed" | "wait":
            turn.finish(_ENDS[name])
        case "not-this":
            _not_this(turn)
        case "switch" if turn.other:
            turn.switch(turn.other)
        case "questions":
            _list_questions(turn)
        case _:
            wish(turn, name)


def _start_over(turn: Turn) -> None:
    here = turn.conversation
    stated = {fact: value for fact, value in here.stated.items() if value != UNSURE}
    turn.change(history=(), stated=stated, facts=stated, asking="", cause="", outcome=None, incident="")
    if here.guide:
        turn.enter(here.guide, "")
    else:
        turn.change(step=WHAT, refused=())
        turn.ask()


def _not_this(turn: Turn) -> None:
    here = turn.conversation
    turn.change(refused=(*here.refused, *([here.guide] if here.guide else here.candidates)))
    others = turn.not_refused(here.candidates)
    turn.change(guide="", step=WHICH, asking="", cause="", because="", outcome=None, candidates=others)
    if not others:
        turn.ask()


def _list_questions(turn: Turn) -> None:
    guide = turn.library.known(turn.conversation.guide)
    if guide and guide.questions:
        turn.tell_questions(guide.questions)
    else:
        turn.tell_aside("step.no-questions")


# --- answers ---------------------------------------------------------------------------------------------------


def _answer(turn: Turn, choice_id: str) -> None:
    """Take a choice of the question that is open: an offer of guides, a fact, or a step."""
    step = turn.question
    choice = next((one for one in turn.choices if choice_id == one.id or choice_id in one.was), None)
    if choice is None:
        return
    if step:
        _take(turn, step, choice)
    elif choice.id == NONE_OF_THESE:
        _not_this(turn)
    else:
        turn.visit(FACTS, WHICH, choice, by=turn.by)
        turn.choose(choice.id)


def _take(turn: Turn, step: Step, choice: Choice) -> None:
    here = turn.conversation
    if here.asking or not here.guide:
        turn.visit(FACTS, step.id, choice, by=turn.by)
        turn.change(asking="")
        if isinstance(choice.target, ToOutcome):
            turn.finish(choice.target.outcome)
        elif here.asking == OVER:
            turn.look_again()
        elif here.asking == SAME:
            _different(turn)
        elif here.guide:
            turn.enter(here.guide, here.step)
        else:
            turn.ask()
        return
    turn.visit(here.guide, step.id, choice, by=turn.by)
    match choice.target:
        case ToOutcome(outcome):
            turn.finish(outcome)
        case Onward():
            turn.enter(here.guide, here.step)
        case target:
            turn.enter(target.guide, target.step, chosen=target.guide == here.guide)


def _different(turn: Turn) -> None:
    """Begin although many share it: with what matters first, which the short question left out."""
    here = turn.conversation
    turn.change(incident="")
    if guide := turn.library.known(here.guide):
        turn.preface += guide.summary
        turn.enter(guide.id, here.step)


# --- free text -------------------------------------------------------------------------------------------------


def _said(turn: Turn, event: Say) -> None:
    if not turn.conversation.open:
        _said_after_the_end(turn, event)
        return
    picked = matching.pick(event.text, turn.choices, turn.library.messages.list("says.not"))
    if picked and not turn.conversation.guide and matching.number(event.text) is None and _places(turn, event):
        picked = None  # what is recognised says more than a word of a choice that stands in it
    control = _meant_control(turn, event.text)
    if control and not (picked and control in {"fixed", "wait"}):
        _control_said(turn, control)
    elif picked:
        _keep_longer_words(turn, event.text, picked)
        _answer(turn, picked.id)
    elif matching.number(event.text) is not None:
        turn.tell_aside("step.no-match")
    elif not turn.conversation.guide:
        _placed(turn, event)
    else:
        _question_or_note(turn, event)


def _said_after_the_end(turn: Turn, event: Say) -> None:
    """After the end only the two answers to "it is over" and a wish to go on mean something."""
    control = _meant_control(turn, event.text)
    if control in {"start-over", "fixed", "human"}:
        _control(turn, control)


def _meant_control(turn: Turn, text: str) -> str:
    return next((name for name in _WAYS if matching.means(text, _ways_to_say(turn.library, name))), "")


def _ways_to_say(library: Library, name: str) -> tuple[str, ...]:
    """Return what people may write for a way out: the words for it, and what stands on its button."""
    say = library.messages
    buttons = [f"control.{name}", *(["control.it"] if name == "human" else [])]
    return (*say.list(f"says.{name}"), *(say.text(key) for key in buttons if key in say and not say.fields(key)))


def _control_said(turn: Turn, name: str) -> None:
    if name == "switch" and not turn.other:
        turn.tell_aside("step.no-match")
    elif name != "again":
        _control(turn, name)


def _placed(turn: Turn, event: Say) -> None:
    """Take more words about a report without a guide; `event` is recognised together with what was said before."""
    here, found = turn.conversation, event.recognition
    if found.sign and found.why not in here.report:
        # Output that was not there when the guide was refused says more than that refusal.
        turn.change(refused=tuple(guide for guide in here.refused if guide != found.guide))
    turn.change(
        report=f"{here.report}\n{event.text}"[-_REPORT:],
        details={**here.details, **found.details},
        stated={**here.stated, **found.facts},
        facts={**here.facts, **found.facts},
    )
    if _places(turn, event):
        _recognised(turn, found)
        if (turn.conversation.guide, turn.conversation.candidates) == ("", here.candidates):
            turn.tell("step.no-match")
    elif here.step == WHICH and turn.conversation.facts == here.facts:
        turn.tell("step.no-match")
    elif here.step == WHICH:
        turn.ask()
    else:
        _told(turn, here.asking or LINE, found)


def _places(turn: Turn, event: Say) -> bool:
    """Say whether words about a report without a guide are recognised."""
    found = event.recognition
    return found.decision in {Decision.GUIDE, Decision.CHOOSE} and bool(
        turn.not_refused(c.guide for c in found.candidates)
    )


def _told(turn: Turn, asked: str, found: Recognition) -> None:
    """Go on from words that nothing is recognised by: what was asked for is not asked for again."""
    turn.unsure(asked)
    turn.change(candidates=turn.not_refused(_named(found)))
    turn.tell("what.again" if asked == LINE else "what.noted")
    turn.ask()


def _named(found: Recognition) -> list[str]:
    """Return the guides a text speaks for: those worth an offer, or that are likely enough to be remembered."""
    offered = found.decision is Decision.CHOOSE
    return [one.guide for one in found.candidates if offered or one.score >= _LIKELY][:_NAMED]


def _question_or_note(turn: Turn, event: Say) -> None:
    guide = turn.library.known(turn.conversation.guide)
    question = matching.asked(event.text, guide.questions) if guide else None
    if question:
        turn.tell_answer(question)
        return
    _note(turn, event.text)
    found = event.recognition
    other = turn.library.known(found.guide)
    visited = {visit.guide for visit in turn.conversation.history} | {turn.conversation.guide}
    if found.decision is Decision.GUIDE and found.sign and other and other.id not in visited:
        turn.change(candidates=(other.id, *(c for c in turn.conversation.candidates if c != other.id)))
        turn.tell_aside("step.another", title=other.title, because=found.why)
    else:
        turn.tell_aside("step.noted")


def _note(turn: Turn, text: str) -> None:
    note = " ".join(text.split())[:_NOTE]
    turn.change(notes=(*turn.conversation.notes, Remark(turn.around.now, note))[-_NOTES:])


def _keep_longer_words(turn: Turn, text: str, picked: Choice) -> None:
    """Keep what was said besides the choice: it says what is done, and the hand-off needs it."""
    if matching.number(text) is None and matching.beside(text, picked) > _IN_PASSING:
        _note(turn, text)
