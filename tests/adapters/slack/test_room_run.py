"""The room as `redial run` hears it: two processes, one store, one message, whichever of them was told what."""

from __future__ import annotations

import json
from pathlib import Path

from bot.adapters.store.embedded import stop_embedded
from tests.adapters.slack.office import seen
from tests.adapters.slack.test_run import CUT_OFF, configured, running, typed
from tests.adapters.slack.web import Slack, slack
from tests.machine import free_ports, until


async def report(port: int, channel: str, user: str) -> None:
    assert await typed(port, channel, user, CUT_OFF, trigger=f"1.{user}") == 200


async def notes(one: Slack, channel: str) -> list[str]:
    return [text for message in await one.messages(channel) if "people here report" in (text := seen(message).text)]


async def test_two_processes_tell_a_channel_once_and_count_on(tmp_path: Path) -> None:
    async with slack() as one:
        triage, ports = await one.channel("triage"), free_ports(2)
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
                await until(lambda: notes(one, triage))
                (note,) = await notes(one, triage)
                assert note.startswith("⚪ 4 people here report “Claude Code lost its connection mid-response” since ")
                assert "cannot be read, which says neither that Claude works nor that it is down" in note
                await report(ports[0], triage, "U9")
                await until(lambda: "U9" in str([c.body for c in one.calls if c.method == "chat.postEphemeral"]))
                assert len(await notes(one, triage)) == 1
        finally:
            stop_embedded(both[0].data)
