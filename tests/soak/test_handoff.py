"""Somebody asks for a human, and both processes are killed while the hand-off is on its way: it is there once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.slack.office import seen
from tests.adapters.slack.web import Fault
from tests.machine import until
from tests.soak.world import CUT_OFF, KEY, World, world


@pytest.mark.parametrize("carried", [True, False], ids=["it arrives", "it does not arrive"])
async def test_a_hand_off_is_posted_once_although_both_processes_are_killed_in_it(
    tmp_path: Path,
    carried: bool,  # noqa: FBT001 - pytest's way
) -> None:
    async with world(tmp_path, seed=3, channels=1) as here:
        (helpers,) = here.slack_channels
        for replica in here.replicas:
            replica.redial.env["REDIAL_SLACK__HANDOFF_CHANNEL"] = helpers
            await asyncio.to_thread(replica.again)
        await until(here.ready, "both are ready")
        thread = await says(here, f"<@{here.slack.users['redial']}> {CUT_OFF}", kind="app_mention")
        await until(lambda: told(here, thread, "Don't repeat the request yet"), "the first answer")
        # What comes next is the packet: it is carried out a second later, or refused then.
        here.slack.plan("chat.postMessage", Fault(status=200 if carried else 503, carried=carried, after=1.0))
        asking = asyncio.create_task(says(here, "get a human", thread=thread))
        await until(lambda: posting(here, helpers), "the packet on its way")
        for replica in here.replicas:
            await asyncio.to_thread(replica.kill)
        for replica in here.replicas:
            replica.again()
        await asking
        await until(lambda: told(here, thread, "with the helpers"), "word of it in the thread")
        (packet,) = await packets(here, helpers)
        assert "Redial hand-off" in seen(packet).text
        assert KEY not in str(packet)
        texts = [seen(one).text for one in await here.slack_thread(here.triage[0], thread)]
        assert sum("with the helpers" in text for text in texts) == 1


async def says(here: World, text: str, *, kind: str = "message", thread: str = "") -> str:
    channel = here.triage[0]
    body = {"channel": channel, "text": text} | ({"thread_ts": thread} if thread else {})
    ts = str((await here.slack.ask("ann", "chat.postMessage", **body))["ts"])
    event = {"type": kind, "user": here.slack.users["ann"], "text": text, "ts": ts, "channel": channel}
    await here.event(**event | ({"thread_ts": thread} if thread else {}))
    return ts


async def told(here: World, thread: str, words: str) -> bool:
    return any(words in seen(one).text for one in await here.slack_thread(here.triage[0], thread))


async def posting(here: World, channel: str) -> bool:
    return any(call.method == "chat.postMessage" and call.body["channel"] == channel for call in here.slack.calls)


async def packets(here: World, channel: str) -> list[dict[str, Any]]:
    ours = [one for one in await here.slack.messages(channel) if one["user"] == here.slack.users["redial"]]
    return [one for one in ours if "needs a human" in seen(one).text]
