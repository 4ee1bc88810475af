"""How much one person and one channel may ask of a process, and what a flood gets."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from bot.core.event import InboundEvent, Origin, Said
from bot.ports.chat import Chat
from bot.ports.meters import Meters
from bot.runtime.dispatcher import RUNNING, Dispatcher
from bot.runtime.limits import REMEMBERED, Limits, Verdict
from tests.runtime.line import ALICE, Line

BOB = replace(ALICE, user="U2")
TAKE, TELL, DROP = Verdict.TAKE, Verdict.TELL, Verdict.DROP


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def verdicts(limits: Limits, origin: Origin, count: int) -> list[Verdict]:
    return [limits.judge(origin)[0] for _ in range(count)]


def test_a_minutes_allowance_may_come_at_once_and_then_comes_back_bit_by_bit(clock: Clock) -> None:
    limits = Limits(6, 100, clock)
    assert verdicts(limits, ALICE, 8) == [*[TAKE] * 6, TELL, DROP]
    assert verdicts(limits, BOB, 1) == [TAKE]
    clock.now += 10
    assert verdicts(limits, ALICE, 3) == [TAKE, TELL, DROP], "told anew after each time they got through"
    clock.now += 3600
    assert verdicts(limits, ALICE, 7) == [*[TAKE] * 6, TELL]


def test_a_full_channel_tells_each_person_once(clock: Clock) -> None:
    limits = Limits(100, 2, clock)
    assert [limits.judge(who) for who in (ALICE, BOB, ALICE, ALICE, BOB, BOB)] == [
        (TAKE, ""), (TAKE, ""), (TELL, "channel"), (DROP, "channel"), (TELL, "channel"), (DROP, "channel"),
    ]  # fmt: skip
    assert limits.judge(replace(ALICE, channel="D2"))[0] is TAKE
    assert limits.judge(replace(ALICE, workspace="T2"))[0] is TAKE


def test_who_asked_longest_ago_is_forgotten_first(clock: Clock) -> None:
    limits = Limits(1, 10**6, clock)
    for n in range(REMEMBERED):
        assert limits.judge(replace(ALICE, user=f"U{n}"))[0] is TAKE
    assert limits.judge(replace(ALICE, user=f"U{REMEMBERED - 1}"))[0] is TELL, "who came last is known"
    assert limits.judge(replace(ALICE, user="U0"))[0] is TAKE, "who came first is not"


class Counting(Meters):
    def __init__(self) -> None:
        self.reasons: Counter[str] = Counter()

    def refused(self, reason: str) -> None:
        self.reasons[reason] += 1


async def test_a_flood_is_told_once_and_let_go_and_others_are_served() -> None:
    played: list[str] = []

    async def play(event: InboundEvent, _: Chat) -> None:
        played.append(event.origin.user)

    counting, done = Counting(), []
    dispatcher = Dispatcher(play, Limits(5, 1000), counting)
    line = Line()
    taken = []
    for n in range(50):
        taken.append(dispatcher.submit(InboundEvent(f"e{n}", ALICE, Said("x", "direct")), line, lambda: done.append(1)))
        await dispatcher.idle()
    assert dispatcher.submit(InboundEvent("e", BOB, Said("x", "direct")), line)
    await dispatcher.idle()
    assert Counter(played) == {"U1": 5, "U2": 1}
    assert taken.count(False) == 1, "the adapter says it once"
    assert counting.reasons == {"person": 45}
    assert len(done) == 49, "whatever was let go is acknowledged, or a platform would send it again"


async def test_a_thousand_events_in_a_second_are_answered_or_told() -> None:
    """Nothing is dropped in silence: each is played, or its adapter is told at once that there is too much."""
    played, gate = [], asyncio.Event()

    async def play(event: InboundEvent, _: Chat) -> None:
        await gate.wait()
        played.append(event.id)

    counting = Counting()
    dispatcher = Dispatcher(play, Limits(40, 10_000), counting)
    line = Line()
    taken = [
        dispatcher.submit(InboundEvent(f"e{n}", replace(ALICE, user=f"U{n}"), Said("x", "direct")), line)
        for n in range(1000)
    ]
    gate.set()
    await dispatcher.idle()
    assert sum(taken) == len(played) == RUNNING
    assert counting.reasons == {"full": 1000 - RUNNING}
    assert dispatcher.submit(InboundEvent("after", ALICE, Said("x", "direct")), line), "and it goes on"
    await dispatcher.idle()
