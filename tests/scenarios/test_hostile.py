"""Pastes that are too long, hidden, turned round or endless: the answer is short, soon, and about what is in them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bot.adapters.console.plain import as_text
from bot.core.triage.handoff import packet
from tests.scenarios.desk import person
from tests.scenarios.test_people import GRADES

LINE = "API Error: Connection closed mid-response. The response above may be incomplete."
RETRIES = "\n".join(f"API Error (Connection error.) · Retrying in {n} seconds… (attempt {n}/10)" for n in range(10_000))
PASTES = {
    "a megabyte of one word": "a" * 1_000_000,
    "a megabyte of words": "claude error timeout " * 50_000,
    "a megabyte of one line": f"{LINE}\n" * 12_000,
    "ten thousand retries": RETRIES,
    "a ladder with its cause last": f"{RETRIES}\nAPI Error: 401 OAuth token has expired",
    "the line behind a long one": f"{'x' * 100_000}\n{LINE}",
    "brackets without an end": f"{'[{' * 100_000}{LINE}",
    "backquotes": f"{'`' * 100_000} {LINE}",
    "quotes and colons": "\"':" * 200_000,
    "addresses": "https://x.example/" * 50_000,
    "nothing but signs": "\N{POUTING FACE}" * 50_000,
    "letters parted by what nobody sees": "\u200b".join(LINE),
    "a line turned round": f"\u202e{LINE}\u202c\u2066 claude",
    "wide letters": "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in LINE),
    "colours": f"\x1b[31m{LINE}\x1b[0m\x00",
    "mentions": f"@everyone <!channel> <@U1> {LINE}",
}
LEADS = {
    "a megabyte of one line": "response-cut-off",
    "a ladder with its cause last": "sign-in",
    "the line behind a long one": "response-cut-off",
    "brackets without an end": "response-cut-off",
    "backquotes": "response-cut-off",
    "letters parted by what nobody sees": "response-cut-off",
    "a line turned round": "response-cut-off",
    "wide letters": "response-cut-off",
    "colours": "response-cut-off",
    "mentions": "response-cut-off",
}
LONGEST, SECONDS = 1500, 5.0
HIDDEN = frozenset("\u200b\u202e\u202c\u2066\x1b\x00")


@pytest.mark.parametrize("paste", sorted(PASTES))
async def test_the_answer_is_short_and_about_what_is_in_it(tmp_path: Path, paste: str) -> None:
    async with person(tmp_path) as somebody:
        began = time.process_time()
        view = await somebody.say(PASTES[paste])
        assert time.process_time() - began < SECONDS
        conversation = await somebody.store.get(somebody.origin, view.conversation) if view.conversation else None
    text = as_text(view, grades=GRADES)
    assert len(text) < LONGEST
    assert max(map(len, text.splitlines())) <= 120
    assert HIDDEN.isdisjoint(text)
    if paste in LEADS:
        assert view.guide == LEADS[paste]
    if conversation:
        assert len(conversation.report) <= 2000
        assert HIDDEN.isdisjoint(packet(somebody.desk.library, conversation, None))
