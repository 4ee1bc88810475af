"""A life: people talk, the page has its bad days, processes die; then it comes to rest and is judged."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.machine import until
from tests.soak.world import PATIENCE, World, world


@dataclass
class Outcome:
    """What a run came to."""

    seconds: float
    deaths: int
    rounds: Mapping[str, int]
    incidents: int
    updates: int
    faults: list[str]
    stops: list[float]

    def __str__(self) -> str:
        told = f"{self.rounds['slack']} conversations in Slack, {self.rounds['discord']} in Discord"
        unheard = f"{self.rounds['unheard']} mentions that nobody heard" if self.rounds["unheard"] else "all heard"
        head = (
            f"{self.seconds:.0f} s, {self.deaths} kills, {told} ({unheard}), {self.incidents} incidents with"
            f" {self.updates} updates, orderly ends in {', '.join(f'{one:.1f}' for one in self.stops)} s"
        )
        return "\n".join([head, *(self.faults or ["everything once"])])


async def live(folder: Path, seconds: float, *, seed: int = 7, apart: tuple[float, float] = (3.0, 9.0)) -> Outcome:
    """Let it live for so long with people, incidents and deaths, then let it come to rest, and judge."""
    async with world(folder, seed) as here:
        busy = [here.talk_in_slack(), here.talk_in_discord(), here.incidents(), here.troubles()]
        tasks = [asyncio.create_task(one) for one in busy]
        killing = asyncio.create_task(here.deaths(apart))
        try:
            done, _ = await asyncio.wait({*tasks, killing}, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()
            here.over = True
            await asyncio.gather(*tasks, killing)
        except AssertionError as error:
            raise AssertionError(f"{error}: {await here.state()}") from error
        finally:
            for task in (*tasks, killing):
                task.cancel()
        for incident in here.open():
            here.vendor.says(incident, "resolved")
        here.publish()
        return await _rested(here, seconds)


async def _rested(here: World, seconds: float) -> Outcome:
    deadline = time.monotonic() + PATIENCE
    while faults := await here.judged():
        if time.monotonic() > deadline:
            break
        await asyncio.sleep(0.5)
    # What is still starting has nothing yet to end in an orderly way.
    await until(here.ready, "both are ready to end")
    ends = await asyncio.gather(*(replica.stop() for replica in here.replicas))
    faults += [f"a replica ended with {code}" for code, _ in ends if code]
    faults += [f"an orderly end took {took:.1f} s" for _, took in ends if took > 10.0]
    faults += [*await here.conversations(), *here.leaks()]
    updates = sum(len(one["incident_updates"]) for one in here.vendor.incidents.values())
    deaths = sum(replica.deaths for replica in here.replicas)
    took = [took for _, took in ends]
    return Outcome(seconds, deaths, defaultdict(int, here.rounds), len(here.vendor.incidents), updates, faults, took)
