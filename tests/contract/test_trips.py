"""What a report that many share costs: one awaited trip to the store, as every other; counting rides along later."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest

from bot.adapters.store.rooms import RedisRooms
from bot.core.event import InboundEvent, Origin, Pressed, Said
from bot.core.triage.gathering import Doing, of_incident
from bot.core.triage.placement import Rooms
from bot.core.triage.room import Sensor
from handlers.desk import Desk
from handlers.room import Lookout
from handlers.turns import handle
from tests.contract.conftest import Proxied, Proxy
from tests.scenarios.desk import Page, Screen
from tests.scenarios.playing import content, page

CUT_OFF = "API Error: Connection closed mid-response. The response above may be incomplete."


@dataclass
class Office:
    """A desk behind a proxy, and the shared thread that is there already."""

    desk: Desk
    screen: Screen
    proxy: Proxy
    place: Origin

    async def reports(self, user: str) -> None:
        origin = replace(self.place, user=user, thread="")
        event = InboundEvent(f"e-{user}", origin, Said(CUT_OFF, "command"), room="threads")
        await handle(self.desk, event, self.screen)

    async def presses(self, user: str, choice: str) -> None:
        last = self.screen.views[-1]
        what = Pressed(last.conversation, last.revision, last.step, choice)
        await handle(self.desk, InboundEvent(f"p-{user}", replace(self.place, user=user), what), self.screen)


@pytest.fixture
async def office(proxied: Proxied, place: Origin) -> AsyncIterator[Office]:
    made_up = Page()
    lookout = Lookout(RedisRooms(proxied.store.server, 1800.0), Sensor())
    rooms = {"slack": Rooms(triage=frozenset({place.channel}))}
    desk = Desk(
        content().library, content().recogniser(), proxied.store, made_up, time.time, rooms=rooms, lookout=lookout
    )
    there = Office(desk, Screen(), proxied.proxy, place)
    await there.reports("U-first")
    shared = of_incident(place.channel, "i1", "Elevated errors", time.time())
    lookout.learn(place, replace(shared, messages={Doing.POST: "1.1"}, link="https://slack.example/1"))
    made_up.read = page("incident")
    await desk.store.flush()
    await lookout.rooms.flush()
    there.proxy.reset()
    yield there
    await desk.store.flush()


async def test_the_short_answer_and_waiting_take_a_trip_each(office: Office) -> None:
    await office.reports("U-second")
    assert [offer.id for offer in office.screen.views[-1].offers] == ["wait", "different"]
    assert office.proxy.trips == 1
    await office.presses("U-second", "wait")
    assert office.screen.views[-1].outcome == "waiting"
    assert office.proxy.trips == 2


async def test_counting_a_report_takes_no_trip_of_its_own(office: Office) -> None:
    office.desk.status = Page()
    await office.reports("U-third")
    assert office.proxy.trips == 1
    assert office.desk.lookout
    await office.desk.lookout.rooms.flush()
    assert office.proxy.trips == 2
    assert len((await office.desk.lookout.rooms.heard(office.place)).signals) == 2
