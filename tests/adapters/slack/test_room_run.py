"""The room as `redial run` hears it: two processes, one store, one message, whichever of them was told what."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from bot.adapters.store.embedded import stop_embedded
from tests.adapters.slack.office import seen
from tests.adapters.slack.test_run import CUT_OFF, DEADLINE, configured, free, running, typed
from tests.adapters.slack.web import Slack, slack


async def report(port: int, channel: str, user: str) -> None:
    assert await typed(port, channel, user, CUT_OFF, trigger=f"1.{user}") == 200


async def notes(one: Slack, channel: str) -> list[str]:
    return [text for message in await one.messages(channel) if "people here report" in (text := seen(message).text)]


async def test_two_processes_tell_a_channel_once_and_count_on(tmp_path: Path) -> None:
    async with slack() as one:
        triage, ports = await one.channel("triage"), (free(), free())
        both = [configured(tmp_path, one, triage, port) for port in ports]
        for redial in both:
            redial.env |= {
                "REDIAL_SLACK__ROOM_CHANNELS": json.dumps([triage]),
            }
        try:
            async with running(both[0], one), running(both[1], one):
                for n in range(4):
                    assert await notes(one, triage) == []
                    await report(ports[n % 2], triage, f"U{n}")
                async with asyncio.timeout(DEADLINE):
                    while not await notes(one, triage):  # noqa: ASYNC110 - it happens in other processes
                        await asyncio.sleep(0.1)
                (note,) = await notes(one, triage)
                assert note.startswith("⚪ 4 people here report “Claude Code lost its connection mid-response” since ")
                assert "cannot be read, which says neither that Claude works nor that it is down" in note
                await report(ports[0], triage, "U9")
                async with asyncio.timeout(DEADLINE):
                    while "U9" not in str([call.body for call in one.calls if call.method == "chat.postEphemeral"]):  # noqa: ASYNC110 - the same
                        await asyncio.sleep(0.1)
                assert len(await notes(one, triage)) == 1
        finally:
            stop_embedded(both[0].data)
