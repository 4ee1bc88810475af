"""What hostile people paste: mentions, markup, masked links, marks stacked on marks, and far too much of all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import discord
import pytest

from tests.adapters.discord.openapi import FILE, faults
from tests.adapters.discord.town import Town, parts, said, town
from tests.contract.test_chat import CUT_OFF, TOOLS

ZALGO = "C" + "".join(chr(mark) for mark in range(0x300, 0x340)) + "laude"
ATTACKS = {
    "mentions": "@everyone @here <@1> <@!1> <@&1> <#1> </redial:1> <id:guide>",
    "masked link": "[official status](https://evil.example/login) [x](<https://evil.example>) <https://evil.example>",
    "titles": "# BIG\n## Big\n### big\n-# small\n> quote\n>>> all of it",
    "fences": "``` ```` ````` ```ansi\n\u001b[31mred```",
    "spoilers": "||hidden|| ~~gone~~ __under__ ***loud*** `code`",
    "times and emoji": "<t:0:R> <:a:1> <a:b:2> :smile:",
    "zalgo": ZALGO * 20,
    "right to left": "\u202egnirts\u202c \u2066x\u2069 \ufeff\u200b\u200d",
    "wide": "\U0001f525" * 300 + "\u6f22\u5b57" * 200,
    "one long word": "x" * 1500,
    "many lines": "\n" * 400 + "end",
    "a button's id": "r1:c1:1:doing:tools::",
}


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Town]:
    async with town(tmp_path / "data") as one:
        yield one


@pytest.mark.parametrize("attack", ATTACKS)
async def test_what_is_pasted_stays_words_from_the_report_to_the_hand_off(there: Town, attack: str) -> None:
    ann, text = there.people["ann"], ATTACKS[attack]
    await ann.send(there.channels["triage"], f"{there.me} {CUT_OFF} {text}"[:2000])
    (thread,) = there.channels["triage"].threads
    await there.press("ann", there.ours(thread)[-1], TOOLS)
    await ann.send(thread, f"note: {text}"[:2000])
    await ann.send(thread, "get a human")
    assert len(there.ours(thread)) >= 4
    for request in there.env.http_requests:
        if request.method in {"POST", "PATCH"} and isinstance(request.json, dict) and "components" in request.json:
            assert allowed(request.json) <= {str(ann.id)}
            if FILE.is_file():
                assert faults(request.method, request.path, request.json) == []
    for message in there.ours(thread):
        harmless(message, str(ann.id))


async def test_far_too_much_in_one_command(there: Town) -> None:
    text = (f"{CUT_OFF} " + "\n".join(ATTACKS.values()) * 5)[:6000]
    await there.people["ann"].slash(there.channels["triage"], "redial triage", text=text)
    (thread,) = there.channels["triage"].threads
    assert len(there.ours(thread)) == 1
    harmless(there.ours(thread)[0], str(there.people["ann"].id))


def allowed(body: Mapping[str, Any]) -> set[str]:
    """Whom a message may notify."""
    mentions = body.get("allowed_mentions") or {"parse": []}
    assert mentions["parse"] == []
    return {str(one) for one in mentions.get("users", ())} | {str(one) for one in mentions.get("roles", ())}


def harmless(message: discord.Message, owner: str) -> None:
    """Nothing in it is a mention, a link of somebody's or a title that is not Redial's, outside of blocks of code."""
    assert {str(user.id) for user in message.mentions} <= {owner}
    assert not message.role_mentions
    assert not message.mention_everyone
    for part in parts(message):
        content = str(part.get("content", ""))
        prose = "".join(content.split("```")[::2])
        assert "](<https://evil" not in prose
        assert "](https://evil" not in prose
        assert "\n# " not in prose
        assert content.count("```") % 2 == 0
    assert len(said(message)) <= 4000
