"""How a conversation becomes bytes and back: a MessagePack array that begins with the schema number.

Fields are told apart by position, which keeps a record small: new ones go to the end and have a default, so that
records written before still decode. A change an older Redial must not touch raises `SCHEMA` in
core/triage/conversation.py. Names that repeat in the history (guides, people) are stored once, and referred to by
number.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated
from urllib.parse import quote, unquote

import msgspec

from bot.core.errors import RecordTooNew, StoreError
from bot.core.event import Origin
from bot.core.frozen import frozen
from bot.core.guides.guide import Outcome
from bot.core.triage.conversation import SCHEMA, Conversation, Handoff, Remark, Visit
from bot.core.triage.placement import Where


class _Head(msgspec.Struct, array_like=True):
    schema: int


_Name = Annotated[int, msgspec.Meta(ge=0)]
"""A position in the record's `names`."""


class _Visit(msgspec.Struct, array_like=True):
    guide: _Name
    step: str
    choice: str
    by: _Name
    at: float


class _Handoff(msgspec.Struct, array_like=True):
    since: int
    act: str = ""
    by: str = ""
    at: float = 0.0
    holder: str = ""
    message: str = ""
    link: str = ""
    why: str = ""


class _Record(msgspec.Struct, array_like=True):
    schema: int
    id: str
    revision: int
    platform: str
    workspace: str
    channel: str
    user: str
    thread: str
    opened: float
    touched: float
    locale: str = "en"
    report: str = ""
    because: str = ""
    guide: str = ""
    step: str = ""
    asking: str = ""
    candidates: tuple[str, ...] = ()
    facts: dict[str, str] = {}
    details: dict[str, str] = {}
    stated: dict[str, str] = {}
    names: tuple[str, ...] = ()
    history: tuple[_Visit, ...] = ()
    notes: tuple[tuple[float, str], ...] = ()
    cause: str = ""
    incident: str = ""
    outcome: str = ""
    where: str = Where.DIRECT.value
    shown: str = ""
    helpers: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    told: str = ""
    began: str = ""
    due: float = 0.0
    nudged: bool = False
    helped: str = ""
    handoff: _Handoff | None = None
    shown_at: int = 0


_encoder = msgspec.msgpack.Encoder()
_head = msgspec.msgpack.Decoder(_Head)
_record = msgspec.msgpack.Decoder(_Record)


def encode(conversation: Conversation) -> bytes:
    """Return the record of `conversation`; raises `StoreError` for text that is not valid Unicode."""
    try:
        return _encoder.encode(_to_record(conversation))
    except UnicodeEncodeError as error:
        raise StoreError(f"Conversation {conversation.id!r} holds text that is not valid Unicode.") from error


def decode(data: bytes, posted: bytes | None = None) -> Conversation:
    """Return the conversation of a record and of what was `posted` since.

    Raises `RecordTooNew` for a newer schema, `StoreError` for other bytes.
    """
    if schema_of(data) > SCHEMA:
        raise RecordTooNew(f"A conversation has schema {schema_of(data)}; this Redial knows {SCHEMA}.")
    try:
        return placed(_from_record(_record.decode(data)), posted)
    except (msgspec.DecodeError, IndexError) as error:
        raise StoreError(f"A stored conversation cannot be read: {len(data)} bytes that are no record.") from error


def schema_of(data: bytes) -> int:
    """Return the schema number of a record without decoding the rest."""
    try:
        return _head.decode(data).schema
    except msgspec.DecodeError as error:
        raise StoreError(f"A stored conversation cannot be read: {len(data)} bytes that are no record.") from error


def _to_record(conversation: Conversation) -> _Record:
    origin = conversation.origin
    names = tuple(dict.fromkeys(name for visit in conversation.history for name in (visit.guide, visit.by)))
    number = {name: n for n, name in enumerate(names)}
    return _Record(
        schema=conversation.schema,
        id=conversation.id,
        revision=conversation.revision,
        platform=origin.platform,
        workspace=origin.workspace,
        channel=origin.channel,
        user=origin.user,
        thread=origin.thread,
        opened=conversation.opened,
        touched=conversation.touched,
        locale=conversation.locale,
        report=conversation.report,
        because=conversation.because,
        guide=conversation.guide,
        step=conversation.step,
        asking=conversation.asking,
        candidates=conversation.candidates,
        facts=dict(conversation.facts),
        details=dict(conversation.details),
        stated=dict(conversation.stated),
        names=names,
        history=tuple(_Visit(number[v.guide], v.step, v.choice, number[v.by], v.at) for v in conversation.history),
        notes=tuple((note.at, note.text) for note in conversation.notes),
        cause=conversation.cause,
        incident=conversation.incident,
        outcome=conversation.outcome.value if conversation.outcome else "",
        where=conversation.where.value,
        shown=conversation.shown,
        helpers=conversation.helpers,
        refused=conversation.refused,
        told=conversation.told,
        began=conversation.began,
        due=conversation.due,
        nudged=conversation.nudged,
        helped=conversation.helped,
        handoff=_Handoff(**asdict(conversation.handoff)) if conversation.handoff else None,
        shown_at=conversation.shown_at,
    )


def _from_record(record: _Record) -> Conversation:
    names = record.names
    return Conversation(
        id=record.id,
        origin=Origin(record.platform, record.workspace, record.channel, record.user, record.thread),
        revision=record.revision,
        opened=record.opened,
        touched=record.touched,
        schema=SCHEMA,  # read as the present shape, so written as such
        locale=record.locale,
        report=record.report,
        because=record.because,
        guide=record.guide,
        step=record.step,
        asking=record.asking,
        candidates=record.candidates,
        facts=record.facts,
        details=record.details,
        stated=record.stated,
        history=tuple(Visit(names[v.guide], v.step, v.choice, names[v.by], v.at) for v in record.history),
        notes=tuple(Remark(at, text) for at, text in record.notes),
        cause=record.cause,
        incident=record.incident,
        outcome=_outcome(record.outcome),
        where=_where(record.where),
        shown=record.shown,
        helpers=record.helpers,
        refused=record.refused,
        told=record.told,
        began=record.began,
        due=record.due,
        nudged=record.nudged,
        helped=record.helped,
        handoff=Handoff(**msgspec.structs.asdict(record.handoff)) if record.handoff else None,
        shown_at=record.shown_at,
    )


def _outcome(value: str) -> Outcome | None:
    try:
        return Outcome(value) if value else None
    except ValueError as error:
        raise RecordTooNew(f"A conversation ended in a way this Redial does not know: {value!r}.") from error


def _where(value: str) -> Where:
    try:
        return Where(value)
    except ValueError as error:
        raise RecordTooNew(f"A conversation is held in a way this Redial does not know: {value!r}.") from error


@frozen
class Confirmation:
    """What a confirmation keeps of an answer: whose, of which revision, and where it was shown.

    moved: its person's index may not know the thread yet.
    """

    user: str
    revision: int
    thread: str
    shown: str
    moved: bool = True

    @classmethod
    def of(cls, conversation: Conversation, *, moved: bool) -> Confirmation:
        """Return what is kept of a conversation as posted."""
        origin = conversation.origin
        return cls(origin.user, conversation.revision, origin.thread, conversation.shown, moved)

    def told_by(self, later: Conversation) -> bool:
        """Say whether the next revision's record says all of this."""
        place = (later.origin.thread, later.shown)
        return self.revision == later.revision - 1 and (self.thread, self.shown) == place

    @property
    def posted(self) -> str:
        """The text stored beside a record, `revision thread shown`; the revision alone where nothing is to be kept."""
        names = [quote(name, safe="", errors="surrogatepass") for name in (self.thread, self.shown)]
        return f"{self.revision} {' '.join(names)}" if any(names) else str(self.revision)


def placed(conversation: Conversation, posted: bytes | None) -> Conversation:
    """Return a conversation of a record with what is stored beside it of where it was shown.

    The record's writer may not have known it, and may know better where it is older than the record.
    """
    if not posted or b" " not in posted:
        return conversation
    revision, thread, shown = posted.decode().split(" ")
    newer, origin = int(revision) >= conversation.revision, conversation.origin
    if thread and (newer or not origin.thread):
        origin = replace(origin, thread=unquote(thread, errors="surrogatepass"))
    if shown and (newer or not conversation.shown):
        name = unquote(shown, errors="surrogatepass")
        conversation = replace(conversation, shown=name, shown_at=int(revision))
    return replace(conversation, origin=origin)
