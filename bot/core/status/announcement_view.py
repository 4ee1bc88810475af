"""How announcements look: one message that always shows the present state, and replies with what was said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from urllib.parse import quote, urlsplit

from bot.core.frozen import frozen
from bot.core.messages import Messages
from bot.core.moments import clock, duration, moment, stamp
from bot.core.status.announcement import Doing, Intent, Note, What
from bot.core.status.incident import Update
from bot.core.status.official import state_word
from bot.core.status.plan import parts
from bot.core.status.subscription import Choice
from bot.core.status.topics import Topic
from bot.core.status.watch import Kind, Known, Page, Standing
from bot.core.text import Block, Bullets, Evidence, Inline, Text, words
from bot.core.view import Cite, View

_ROOM = 2400
"""Characters of the vendor's words in one message: what every platform shows without cutting."""
_SHORT = "stspg.io"
"""Where Statuspage's short links lead through."""
_LEAST, _MOST = 60, 400
"""Characters of one update among several, and in the post."""


class Tone(StrEnum):
    """What a message is coloured by; the words say the same."""

    NONE = "none"
    MINOR = "minor"
    MAJOR = "major"
    CRITICAL = "critical"
    MAINTENANCE = "maintenance"
    UNKNOWN = "unknown"
    OVER = "over"
    GONE = "gone"


@frozen
class Notice:
    """A message to a channel. mention: whom to mention in it, as the platform writes it; empty for nobody.

    thread: what a thread is called that begins with it, where threads have names; empty for that of announcements.
    """

    view: View
    tone: Tone
    mention: str = ""
    thread: str = ""


@frozen
class Names:
    """What announcements say besides the vendor's words. components: names of ours by id. drill: nothing is wrong."""

    messages: Messages
    components: Mapping[str, str]
    drill: bool = False


def notice(names: Names, page: Page, topic: Topic, intent: Intent, choice: Choice) -> Notice:
    """Return the message an intent sends or shows. `topic.known` holds the incidents it is about, no others."""
    shown = _Shown(names, page, topic, choice)
    is_post = intent.doing is Doing.POST or (intent.doing is Doing.EDIT and intent.target == 0)
    if is_post:
        return shown.post(intent.sent.updates)
    return shown.reply(intent.sent.updates, intent.sent.notes)


def tone_of(known: Known) -> Tone:
    """Return what an incident is coloured by."""
    if known.standing is not Standing.LISTED:
        return Tone.GONE
    if known.over:
        return Tone.OVER
    if known.incident.maintenance:
        return Tone.MAINTENANCE
    impact = known.incident.impact
    return Tone(impact) if impact in {"none", "minor", "major", "critical"} else Tone.UNKNOWN


class _Shown:
    """One topic in the words of one channel."""

    def __init__(self, names: Names, page: Page, topic: Topic, choice: Choice) -> None:
        self._names, self._say, self._page = names, names.messages, page
        self._kind, self._members, self._choice = topic.kind, topic.known, choice

    def post(self, carried: tuple[str, ...]) -> Notice:
        (first, *_) = self._members
        if self._kind is None:
            blocks = (*self._drill(), *self._parts(first), *self._said(first, carried), *self._foot(first))
            return Notice(self._view(self._lead(first), blocks, self._source(first)), tone_of(first))
        still_open = [known for known in self._members if not known.over]
        tone = tone_of(still_open[0]) if still_open else Tone.OVER
        items = tuple((Text(self._item(known)), *self._latest(known, _MOST // 2)) for known in self._members)
        lead = self._bundle_lead(len(still_open), tone)
        foot = self._foot(*self._members)
        return Notice(self._view(lead, (*self._drill(), Bullets(items), *foot), self._source()), tone)

    def reply(self, updates: tuple[str, ...], notes: tuple[Note, ...]) -> Notice:
        told = [(known, update) for known, update in _in_order(self._members) if _name(known, update) in updates]
        newest = told[-1][0] if told else self._member(notes[0].incident) if notes else self._members[0]
        said = [self._of(self._member(note.incident), self._note(note)) for note in notes]
        blocks: list[Block] = []
        room = _room(len(told))
        for known, update in told:
            # One by itself has its state as the head of the message; several read as a list of what was said.
            head = self._of(known, self._head(update))
            if len(told) == 1:
                said.insert(0, head)
                blocks.append(Text(words(_cut(update.body, room) or self._say.text("announce.unsaid"))))
            else:
                blocks.append(Text(self._of(known, self._update(update, room))))
            blocks += self._moved(update)
        if len(told) > 1:
            said.insert(0, self._say.inline("announce.several", n=len(told)))
        lead, *rest = said or [self._lead(newest)]
        cut = any(len(update.body) > room for _, update in told)
        view = View(lead, (), (*self._drill(), *blocks, *map(Text, rest)), sources=self._source(newest) if cut else ())
        return Notice(view, tone_of(newest))

    # --- pieces ---

    def _view(self, lead: Inline, blocks: tuple[Block, ...], sources: tuple[Cite, ...]) -> View:
        # Nothing of a drill is official.
        return View(lead, (), blocks, sources=sources, evidence=None if self._names.drill else Evidence.OFFICIAL)

    def _lead(self, known: Known) -> Inline:
        incident, mark = known.incident, self._mark(tone_of(known))
        fields = {"mark": mark, "name": incident.name}
        if known.standing is not Standing.LISTED:
            return self._say.inline(f"announce.{known.standing}", **fields)
        if incident.maintenance and incident.scheduled_for is not None:
            return self._planned(known, mark)
        if known.over:
            lasted, ends = incident.lasted(0.0), (incident.started_at, incident.resolved_at)
            if lasted is None or None in ends:
                return self._say.inline("announce.over-undated", **fields)
            start, end = _span(incident.started_at or 0.0, incident.resolved_at or 0.0)
            last = duration(self._say, lasted)
            return self._say.inline("announce.over", **fields, lasted=last, start=start, end=end)
        impact = state_word(self._say, "impact", incident.impact or "none")
        if incident.started_at is None:
            return self._say.inline("announce.open-undated", **fields, impact=impact)
        at = self._at(incident.started_at)
        return self._say.inline("announce.open", **fields, impact=impact, at=at)

    def _planned(self, known: Known, mark: str) -> Inline:
        incident = known.incident
        fields = {"mark": mark, "name": incident.name}
        if known.over:
            return self._say.inline("announce.done", **fields)
        key = "announce.planned" if incident.status == "scheduled" else "announce.running"
        start, end = incident.scheduled_for, incident.scheduled_until
        if start is None or end is None:
            return self._say.inline(f"{key}-undated", **fields)
        words = _span(start, end, dated=True)
        if key == "announce.running":
            return self._say.inline(key, **fields, end=words[1])
        return self._say.inline(key, **fields, start=words[0], end=words[1])

    def _bundle_lead(self, still_open: int, tone: Tone) -> Inline:
        mark = self._mark(tone)
        if self._kind is Kind.OPEN:
            key = "announce.bundle-open" if still_open else "announce.bundle-over"
            return self._say.inline(key, mark=mark, **({"n": still_open} if still_open else {}))
        key = "announce.digest-open" if still_open else "announce.digest"
        return self._say.inline(key, mark=mark, n=still_open or len(self._members))

    def _item(self, known: Known) -> Inline:
        incident = known.incident
        fields = {
            "mark": self._mark(tone_of(known)),
            "name": incident.name,
            "impact": state_word(self._say, "impact", incident.impact or "none"),
        }
        if known.standing is not Standing.LISTED:
            return self._lead(known)
        if not known.over:
            state = state_word(self._say, "state", incident.status)
            return self._say.inline("announce.item", **fields, state=state)
        lasted = incident.lasted(0.0)
        if lasted is None or incident.started_at is None:
            return self._say.inline("announce.item-over-undated", **fields)
        at = stamp(incident.started_at)
        return self._say.inline("announce.item-over", **fields, lasted=duration(self._say, lasted), at=at)

    def _parts(self, known: Known) -> Iterator[Block]:
        if known.standing is not Standing.LISTED or not (found := parts(known)):
            return
        words = []
        for component, name, state in found:
            key = "announce.part" if state else "announce.part-unsaid"
            fields = {"state": state_word(self._say, "state", state)} if state else {}
            words.append(self._say.text(key, name=self._component(component, name), **fields))
        yield Text(self._say.inline("announce.part-unsaid", name=" · ".join(words)))
        listed = len(known.incident.components)
        if listed > len(found):
            yield Text(self._say.inline("announce.parts-of", listed=listed, moved=len(found)))

    def _said(self, known: Known, carried: tuple[str, ...]) -> Iterator[Block]:
        """Say what this message is the only place for, and the latest."""
        told = [u for u in known.incident.updates if _name(known, u) in carried]
        latest = known.incident.latest
        only_latest = [latest] == told or not self._choice.replies
        if len(told) > 1 or not only_latest:
            room = min(_room(len(told)), _MOST)
            first = len(told) == 1 and told != [latest]
            yield from (Text(self._update(update, room, first=first)) for update in told)
        if latest is not None and not known.over and (only_latest or latest not in told):
            yield from self._latest(known, _MOST)
        elif known.over and told == [latest] and latest is not None:
            yield Text(self._update(latest, _MOST))

    def _latest(self, known: Known, room: int) -> Iterator[Block]:
        latest = known.incident.latest
        if latest is None or (known.over and self._kind is Kind.OPEN):
            return
        body = _cut(latest.body, room) or state_word(self._say, "state", latest.status)
        if latest.at is None:
            yield Text(self._say.inline("announce.latest-undated", body=body))
        else:
            yield Text(self._say.inline("announce.latest", at=self._at(latest.at), body=body))

    def _update(self, update: Update, room: int, *, first: bool = False) -> Inline:
        state, body = self._state(update), _cut(update.body, room) or self._say.text("announce.unsaid")
        if update.at is None:
            return self._say.inline("announce.update-undated", state=state, body=body)
        key = "announce.first" if first else "announce.update"
        return self._say.inline(key, **({} if first else {"state": state}), at=self._at(update.at), body=body)

    def _head(self, update: Update) -> Inline:
        state = self._state(update)
        state = state[:1].upper() + state[1:]
        if update.at is None:
            return self._say.inline("announce.head-undated", state=state)
        return self._say.inline("announce.head", state=state, at=self._at(update.at))

    def _state(self, update: Update) -> str:
        key = f"announce.state.{update.status}"
        return self._say.text(key) if key in self._say else state_word(self._say, "state", update.status)

    def _moved(self, update: Update) -> Iterator[Block]:
        """Say which parts changed with an update, a line each."""
        changes = [
            self._say.text(
                "announce.moved",
                name=self._component(move.id, move.name),
                before=state_word(self._say, "state", move.before),
                after=state_word(self._say, "state", move.after),
            )
            for move in update.moves
            if move.before and move.after and move.before != move.after
        ]
        if changes:
            yield Text(words(" · ".join(changes)))

    def _note(self, note: Note) -> Inline:
        match note.what:
            case What.STILL:
                return self._say.inline("announce.note.still", n=int(note.after), at=self._moment(note.before))
            case What.SCHEDULE | What.SOON:
                before, after = (self._moment(value) for value in (note.before, note.after))
            case What.IMPACT:
                before, after = (state_word(self._say, "impact", v or "none") for v in (note.before, note.after))
            case What.STATUS:
                before, after = (state_word(self._say, "state", value) for value in (note.before, note.after))
            case _:
                before, after = note.before, note.after
        fields = {"before": before, "after": after}
        key = f"announce.note.{note.what}"
        return self._say.inline(key, **{name: fields[name] for name in self._say.fields(key)})

    def _of(self, known: Known, text: Inline) -> Inline:
        """Name the incident where a thread is about several."""
        return text if self._kind is None else self._say.inline("announce.of", name=known.incident.name, text=text)

    def _foot(self, *members: Known) -> Iterator[Block]:
        if not all(known.over for known in members):
            yield Text(self._say.inline("announce.replies" if self._choice.replies else "announce.edited-only"))

    def _drill(self) -> Iterator[Block]:
        if self._names.drill:
            yield Text(self._say.inline("announce.drill"))

    def _source(self, known: Known | None = None) -> tuple[Cite, ...]:
        link = (known.incident.link if known else "") or self._page.link
        if known and self._page.link and urlsplit(link).hostname == _SHORT:
            # What people read of a link is its host: that of the page, where it leads in the end.
            link = f"{self._page.link.rstrip('/')}/incidents/{quote(known.incident.id, safe='')}"
        host = urlsplit(self._page.link or link).hostname
        return (Cite(host or self._say.text("status.source"), link),) if link else ()

    def _member(self, incident: str) -> Known:
        return next((known for known in self._members if known.incident.id == incident), self._members[0])

    def _component(self, component: str, name: str) -> str:
        there = self._page.components.get(component)
        return self._names.components.get(component) or name or (there.name if there else component)

    def _mark(self, tone: Tone) -> str:
        return self._say.text(f"announce.mark.{tone}")

    def _moment(self, value: str) -> str:
        return stamp(float(value)) if value else self._say.text("announce.note.unset")

    def _at(self, at: float) -> Inline | str:
        """Say the time, with its day where that is not the day of the page's last reading."""
        same = self._page.read_at is None or abs(self._page.read_at - at) < 12 * 3600
        return moment(at) if same else stamp(at)


def _in_order(members: Iterable[Known]) -> list[tuple[Known, Update]]:
    found = [(known, update) for known in members for update in known.incident.updates]
    dated = all(update.at is not None for _, update in found)
    return sorted(found, key=lambda pair: pair[1].at or 0.0) if dated else found


def _name(known: Known, update: Update) -> str:
    return f"{known.incident.id}/{update.id}"


def _room(updates: int) -> int:
    return max(_LEAST, _ROOM // max(1, updates))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _span(start: float, end: float, *, dated: bool = False) -> tuple[Inline | str, Inline | str]:
    """Say both ends of a time, with days only where they are needed."""
    days = [datetime.fromtimestamp(at, UTC).date() for at in (start, end)]
    if dated or days[0] != days[1]:
        return stamp(start), clock(end) if days[0] == days[1] else stamp(end)
    return moment(start), moment(end)
