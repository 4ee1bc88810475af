"""fan-out: news to ten thousand channels, beside the time the platforms' limits leave.

The clock is virtual (tests/bench/test_fan_out.py says why): seconds here are those of the plan, CPU is real.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter

from tests.bench import meanwhile
from tests.bench.measuring import Figure, Tick, scaled
from tests.bench.test_fan_out import EACH, Country, lived
from tests.scenarios.announcing import START, made

CHANNELS = 10_000


def run(tick: Tick) -> list[Figure]:
    """Announce once on both platforms."""
    found: list[Figure] = []
    each = scaled(CHANNELS, 200) // 2

    async def living() -> None:
        tick(f"subscribing {2 * each} channels")
        country = await Country.build(each)
        await country.reads(made("new", impact="major", at=START))
        tick("announcing")
        began = time.process_time()
        took = dict(zip(country.announcers, await asyncio.gather(*map(country.walks, country.announcers)), strict=True))
        cpu = (time.process_time() - began) / (2 * each) * 1e6
        floors = {"discord": each / 40, "slack": EACH / 300 * 60}
        for platform, strict in (("discord", country.discord), ("slack", country.slack)):
            heard = Counter(message.place.channel for message in strict.messages.values())
            counts = {"channels": each, "heard": len(heard), "refused": sum(strict.refused.values())}
            assert counts == {"channels": each, "heard": each, "refused": 0}, counts
            assert set(heard.values()) == {1}, "nobody hears it twice"
            ratio = round(took[platform] / floors[platform], 3)
            name, floor = f"{each} channels on {platform}", "channels divided by the budget"
            found.append(
                Figure("fan-out", name, round(took[platform], 1), "s, planned", floor, ratio, goal=1.1, counts=counts)
            )
        found.append(Figure("fan-out", "one channel of them, store and platform on paper", round(cpu, 1), "µs CPU"))

    lived(living())
    return [*found, *meanwhile.run(tick)]
