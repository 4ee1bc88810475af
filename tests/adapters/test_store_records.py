"""A conversation comes back as it was stored, also by a Redial of last month."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.store.records import decode, encode, schema_of
from bot.core.errors import RecordTooNew, StoreError
from bot.core.event import Origin
from bot.core.guides.guide import Outcome
from bot.core.triage.conversation import SCHEMA, Conversation, Remark, Visit

PLAIN = Conversation(id="c1", origin=Origin("slack", "T1", "C1", "U1"), revision=1, opened=1.0, touched=2.0)

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
times = st.floats(allow_nan=False, allow_infinity=False)
facts = st.dictionaries(text, text, max_size=4)
conversations = st.builds(
    Conversation,
    id=text,
    origin=st.builds(Origin, text, text, text, text, text),
    revision=st.integers(1, 2**53),
    opened=times,
    touched=times,
    schema=st.just(SCHEMA),
    locale=text,
    report=text,
    because=text,
    guide=text,
    step=text,
    asking=text,
    candidates=st.lists(text, max_size=3).map(tuple),
    facts=facts,
    details=facts,
    stated=facts,
    history=st.lists(st.builds(Visit, text, text, text, text, times), max_size=5).map(tuple),
    notes=st.lists(st.builds(Remark, times, text), max_size=3).map(tuple),
    cause=text,
    incident=text,
    outcome=st.none() | st.sampled_from(Outcome),
)


@given(conversations)
def test_it_comes_back_as_it_was(conversation: Conversation) -> None:
    assert decode(encode(conversation)) == conversation


@pytest.mark.parametrize("fields", range(10, 26))
def test_a_record_from_before_a_field_was_added_still_decodes(fields: int) -> None:
    record = msgspec.msgpack.decode(encode(PLAIN))
    assert decode(msgspec.msgpack.encode(record[:fields])) == PLAIN


def test_a_field_added_later_under_the_same_schema_is_passed_over() -> None:
    record = [*msgspec.msgpack.decode(encode(PLAIN)), {"later": True}]
    assert decode(msgspec.msgpack.encode(record)) == PLAIN


def test_the_schema_is_read_without_the_rest() -> None:
    newer = msgspec.msgpack.encode([SCHEMA + 1, {"nothing": "like"}, "before"])
    assert schema_of(newer) == SCHEMA + 1
    with pytest.raises(RecordTooNew, match=f"schema {SCHEMA + 1}; this Redial knows {SCHEMA}"):
        decode(newer)


def test_an_older_schema_is_written_as_the_present_one() -> None:
    assert decode(encode(replace(PLAIN, schema=SCHEMA - 1))).schema == SCHEMA


def test_an_unknown_outcome_is_of_a_newer_redial() -> None:
    record = msgspec.msgpack.decode(encode(PLAIN))
    record[25] = "abducted"
    with pytest.raises(RecordTooNew, match="abducted"):
        decode(msgspec.msgpack.encode(record))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"{}",
        b"\x90",
        encode(PLAIN)[:20],
        encode(PLAIN) + b"x",
        b"\x92\x01\x02",
        msgspec.msgpack.encode({}),
    ],
)
def test_other_bytes_are_said_to_be_no_record_and_not_repeated(data: bytes) -> None:
    with pytest.raises(StoreError, match=rf"{len(data)} bytes that are no record"):
        decode(data)


@pytest.mark.parametrize("number", [7, -1])
def test_a_name_that_is_not_there_makes_no_record(number: int) -> None:
    record = msgspec.msgpack.decode(encode(replace(PLAIN, history=(Visit("g", "s", "c", "U1", 1.0),))))
    record[21][0][0] = number
    with pytest.raises(StoreError, match="no record"):
        decode(msgspec.msgpack.encode(record))


def test_text_that_is_not_unicode_is_refused_with_its_conversation() -> None:
    with pytest.raises(StoreError, match="'c1' holds text that is not valid Unicode"):
        encode(replace(PLAIN, report="\ud800"))
