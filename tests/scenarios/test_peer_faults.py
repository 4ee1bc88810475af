"""Faults seen in other bots, each a test that ours has none of them."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from bot.core.status.announcement_view import Notice, Tone
from bot.core.status.subscription import Place, Standing
from bot.ports.announcing import Delivery, Failed, Why
from handlers.announce import Announcer, Office
from tests.fakes.nasty import Nasty
from tests.scenarios.announcing import CLAUDE, DAY, HOUR, OLD, START, Town, made, page_of, said, text


class Picky(Nasty):
    """A platform on which one channel always fails in the same way."""

    def __init__(self, town: Town, channel: str, failure: Failed | Exception) -> None:
        super().__init__(town.clock, random.Random(1))  # noqa: S311 - to be repeated
        self.channel, self.failure = channel, failure

    async def post(self, place: Place, key: str, notice: Notice) -> Delivery:
        if place.channel != self.channel:
            return await super().post(place, key, notice)
        if isinstance(self.failure, Exception):
            raise self.failure
        return self.failure

    def seen(self, channel: str) -> list[Any]:
        return [m for m in self.messages.values() if m.place.channel == channel]


@pytest.mark.parametrize("failure", [OSError("cut"), Failed(Why.UNKNOWN), Failed(Why.WAIT), Failed(Why.REFUSED)])
async def test_vex_one_channels_error_costs_no_other_channel_an_update(failure: Failed | Exception) -> None:
    town = await Town.build()
    platform = Picky(town, "C1", failure)
    town.office = Office(town.pages, {"nasty": platform}, lambda _: town.names)
    for channel in ("C0", "C1", "C2"):
        await town.listen(channel, "nasty")
    await town.reads(page_of(*OLD))
    for count in range(1, 4):
        await town.reads(page_of(*(made(f"new{n}") for n in range(count)), *OLD))
        await Announcer(town.office).walk(CLAUDE, "nasty")
    assert [len(platform.seen(c)) for c in ("C0", "C1", "C2")] == [3, 0, 3]
    platform.channel = ""
    for _ in range(4):
        town.clock.now += 31
        await Announcer(town.office).walk(CLAUDE, "nasty")
    refused = isinstance(failure, Failed) and failure.why is Why.REFUSED
    assert len(platform.seen("C1")) == (0 if refused else 3)


async def test_cw_one_message_the_platform_refuses_unsubscribes_nobody() -> None:
    town = await Town.build()
    platform = Picky(town, "C1", Failed(Why.REFUSED, detail="invalid_blocks"))
    town.office = Office(town.pages, {"nasty": platform}, lambda _: town.names)
    await town.listen("C1", "nasty")
    await town.reads(page_of(*OLD))
    new = made("new")
    for _ in range(3):
        await town.reads(page_of(new, *OLD))
        await Announcer(town.office).walk(CLAUDE, "nasty")
    (there,) = await town.pages.subscriptions(CLAUDE)
    assert there.standing is Standing.ACTIVE
    platform.channel = ""
    new["incident_updates"].insert(0, said("more", "identified", "More words.", START))
    await town.reads(page_of(new, *OLD))
    await Announcer(town.office).walk(CLAUDE, "nasty")
    (post,) = platform.seen("C1")
    assert "First words" in post.shows[0].view.blocks[0].inline[-1].text or len(post.shows[0].view.blocks) > 1


async def test_aiwatch_a_long_outage_gets_its_end_and_no_pass_stops_at_five() -> None:
    town = await Town.build()
    await town.listen()
    await town.tells(page_of(*OLD))
    many = [made(f"new{n}", at=START + n) for n in range(9)]
    await town.tells(page_of(*many, *OLD))
    assert len(town.posts()) == 9
    for one in many:
        one["status"], one["resolved_at"] = "resolved", one["started_at"]
        one["incident_updates"].insert(0, said(f"{one['id']}end", "resolved", "Over.", START + 5 * DAY))
    await town.tells(page_of(*many, *OLD), after=5 * DAY)
    assert all(p.shows.tone is Tone.OVER and len(town.replies(p)) == 1 for p in town.posts())


async def test_benric_words_changed_while_it_was_off_are_mirrored() -> None:
    town = await Town.build()
    await town.listen()
    await town.tells(page_of(*OLD))
    new = made("new")
    await town.tells(page_of(new, *OLD))
    town.office = Office(town.pages, {"paper": town.paper}, lambda _: town.names)
    new["incident_updates"][0]["body"] = "Other words."
    await town.tells(page_of(new, *OLD), after=2 * HOUR)
    (post,) = town.posts()
    assert "Other words." in text(post)


async def test_squawk_one_incomplete_list_strikes_nothing_through() -> None:
    town = await Town.build()
    await town.listen()
    await town.tells(page_of(*OLD))
    new = made("new")
    await town.tells(page_of(new, *OLD))
    for listed in ([*OLD], [new, *OLD], [*OLD[:2]], [new, *OLD], [], [new, *OLD]):
        await town.tells(page_of(*listed))
    (post,) = town.posts()
    assert post.shows.tone is Tone.MINOR
    assert len(post.history) == 1


async def test_incident_bot_a_reminder_is_given_once_however_many_replicas_tick() -> None:
    town = await Town.build()
    await town.listen()
    await town.tells(page_of(*OLD), maintenances="maintenance_1_scheduled.json")
    (post,) = town.posts()
    town.clock.now = START - HOUR / 2
    await town.reads(page_of(*OLD), maintenances="maintenance_1_scheduled.json")
    replicas = [Announcer(Office(town.pages, {"paper": town.paper}, lambda _: town.names)) for _ in range(5)]
    for lease in town.pages._held(CLAUDE).leases.values():  # noqa: SLF001 - a lease only saves work
        lease.until = 0.0
    await asyncio.gather(*(replica.walk(CLAUDE, "paper") for replica in replicas))
    await town.announces()
    reminders = [reply for reply in town.replies(post) if "Begins soon" in reply]
    assert len(reminders) <= 1
