"""What status pages do to those who announce them: one test a case, numbered as in the list of failures we know of.

Those of the wire are in test_failure_cases_wire.py; what the vendor changes, who hears of it and what it looks like in
test_failure_cases_changes.py.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bot.adapters.rehearsal.channels import PaperChannels
from bot.core.status.announcement_view import Notice, Tone
from bot.core.status.subscription import Place
from bot.ports.announcing import Delivery
from handlers.announce import Announcer, Office
from tests.fakes.through import Through
from tests.scenarios.announcing import (
    CLAUDE,
    DAY,
    HOUR,
    MINUTE,
    OLD,
    START,
    Town,
    at,
    document,
    made,
    page_of,
    said,
    text,
)
from tests.scenarios.cases import LIFE, life, lived, town

__all__ = ["town"]


class TestNothingIsSaidTwiceOrForNothing:
    async def test_01_a_restart_announces_nothing_again_and_a_new_store_only_what_is_open(self, town: Town) -> None:
        await lived(town, *LIFE)
        before = dict(town.paper.messages)
        again = replace(town, office=Office(town.pages, {"paper": town.paper}, lambda _: town.names))
        await again.tells(life(LIFE[2]))
        assert town.paper.messages == before
        empty = await Town.build()
        await empty.listen()
        await empty.tells(life(LIFE[2]))
        (post,) = empty.posts()
        assert "1 incident is open" in text(post)
        assert "Trouble old0" not in text(post)

    async def test_03_an_old_one_that_comes_back_into_the_list_is_not_news(self, town: Town) -> None:
        town = await Town.build()
        await town.listen()
        for number, name in enumerate(("1_before", "2_duplicate", "3_duplicate_deleted", "4_old_reenters")):
            town.clock.now = at("2026-11-03T17:22:00Z") + number * MINUTE
            await town.tells(f"window_{name}.json")
        announced = " ".join(text(post) for post in town.posts())
        assert "old0000000" not in announced
        assert len(town.posts()) == 2, "what was open at first, and the duplicate"

    async def test_07_what_means_nothing_changes_nothing(self, town: Town) -> None:
        town.clock.now = at("2026-11-03T15:50:00Z")
        await town.tells("backfilled_single_resolved.json")
        shown = {ref: len(m.history) for ref, m in town.paper.messages.items()}
        before = await town.pages.revision(CLAUDE)
        await town.tells("cosmetic_changes_only.json")
        assert {ref: len(m.history) for ref, m in town.paper.messages.items()} == shown
        assert await town.pages.revision(CLAUDE) == before

    async def test_11_a_part_that_stays_degraded_after_the_incident_alarms_nobody(self, town: Town) -> None:
        await lived(town, LIFE[0], "life_6_resolved.json")
        count = len(town.paper.messages)
        degraded = document("summary_degraded_no_incident.json")
        await town.tells(life("life_6_resolved.json"), summary=degraded)
        assert len(town.paper.messages) == count

    async def test_12_a_part_that_changes_and_its_incident_are_one_message(self, town: Town) -> None:
        await town.tells(page_of(*OLD), summary="summary_degraded_no_incident.json")
        await town.tells(life(LIFE[0]), summary="summary_degraded_no_incident.json")
        (post,) = town.posts()
        assert "Elevated errors" in text(post)

    async def test_13_new_and_over_in_one_reading_is_one_message(self, town: Town) -> None:
        new = made("quick", "resolved", START)
        new["incident_updates"].append(said("quicku0", "investigating", "It began.", START - MINUTE))
        await town.tells(page_of(new, *OLD))
        (message,) = town.paper.messages.values()
        assert message.shows.tone is Tone.OVER

    async def test_35_the_same_title_twenty_times_is_twenty_incidents(self, town: Town) -> None:
        same = [made(f"same{n}", at=START + n, name="Elevated errors") for n in range(20)]
        for count in range(1, 21):
            await town.tells(page_of(*same[:count], *OLD))
        assert len(town.posts()) == 20

    async def test_36_two_replicas_at_once_post_once(self, town: Town) -> None:
        other = Announcer(Office(town.pages, {"paper": town.paper}, lambda _: town.names))
        await town.reads(life(LIFE[0]))
        await town.announces()
        await other.walk(CLAUDE, "paper")
        assert len(town.paper.messages) == 1
        before = await town.pages.page(CLAUDE)
        await town.reads(life(LIFE[1]))
        assert not await town.pages.put(before, before.page), "who read the page before writes nothing"

    async def test_36_a_replica_that_stood_still_takes_back_what_another_has_sent_meanwhile(self, town: Town) -> None:
        """Later than anything is assumed to land: the message was looked for, not found, and sent again."""
        there, goes_on = asyncio.Event(), asyncio.Event()

        class Still(PaperChannels):
            """Its request leaves only when it may go on."""

            async def post(self, place: Place, key: str, notice: Notice) -> Delivery:
                there.set()
                await goes_on.wait()
                return await town.paper.post(place, key, notice)

            async def delete(self, place: Place, ref: str) -> Delivery:
                return await town.paper.delete(place, ref)

        await town.reads(life(LIFE[0]))
        still = Announcer(Office(town.pages, {"paper": Still()}, lambda _: town.names))
        walking = asyncio.create_task(still.walk(CLAUDE, "paper"))
        await there.wait()
        town.clock.now += MINUTE
        await town.announces()
        (mine,) = town.paper.messages
        goes_on.set()
        await walking
        assert list(town.paper.messages) == [mine], "the one that is known stays"


class TestNothingIsLost:
    async def test_02_came_and_went_between_two_readings(self, town: Town) -> None:
        town.clock.now = at("2026-11-03T15:42:00Z")
        await town.tells("appears_resolved_between_polls.json")
        quick = next(p for p in town.posts() if "15:40" in text(p))
        assert quick.shows.tone is Tone.OVER
        assert text(quick).count("15:41 UTC") >= 2, "all its updates"
        assert town.replies(quick) == []

    async def test_15_an_incident_that_outlives_every_memory_still_gets_its_end(self, town: Town) -> None:
        await lived(town, LIFE[0])
        for _ in range(120):
            await town.tells(life(LIFE[0]), after=DAY)
        await lived(town, "life_6_resolved.json")
        (post,) = town.posts()
        assert post.shows.tone is Tone.OVER
        assert len(town.replies(post)) == 1

    async def test_16_closing_words_come_from_the_list_with_all_updates(self, town: Town) -> None:
        await town.tells(life(LIFE[0]), summary="summary_three_open.json")
        closing = document("life_6_resolved.json")["incidents"][0]["incident_updates"][0]["body"]
        await town.tells(life("life_6_resolved.json"), summary="summary_all_operational.json")
        post = next(p for p in town.posts() if "Elevated errors" in text(p))
        assert closing in town.replies(post)[-1]

    async def test_22_a_send_that_fails_after_the_state_was_stored_goes_out_later(self, town: Town) -> None:
        async def down(*_: object) -> Delivery:
            raise OSError("no route to host")

        await town.reads(life(LIFE[0]))
        broken = Announcer(Office(town.pages, {"paper": Through(town.paper, down)}, lambda _: town.names))
        assert (await broken.walk(CLAUDE, "paper")).left == 1
        town.clock.now += MINUTE
        await town.announces()
        assert len(town.posts()) == 1

    async def test_23_many_changes_in_one_reading_are_all_told(self, town: Town) -> None:
        many = [made(f"new{n}", at=START + n) for n in range(7)]
        await town.tells(page_of(*many, *OLD))
        assert len(town.posts()) == 7
        for new in many:
            new["incident_updates"] += [said(f"{new['id']}u{n}", "monitoring", f"More {n}.", START + n) for n in (2, 3)]
        await town.tells(page_of(*many, *OLD))
        assert all(
            "More 2." in " ".join(town.replies(p)) and "More 3." in " ".join(town.replies(p)) for p in town.posts()
        )

    async def test_26_several_updates_at_once_are_one_reply_in_order_of_time(self, town: Town) -> None:
        await lived(town, LIFE[0], "life_5_monitoring.json")
        (post,) = town.posts()
        (reply,) = town.replies(post)
        times = [reply.index(f"{t} UTC") for t in ("14:09", "14:31", "14:44", "14:58")]
        assert times == sorted(times)

    async def test_26_an_update_or_incident_the_page_lists_twice_is_told_once(self, town: Town) -> None:
        new = made("twice")
        await town.tells(page_of(new, new, *OLD))
        new["incident_updates"][0:0] = 2 * [said("again", "monitoring", "Second words.", START + MINUTE)]
        await town.tells(page_of(new, {**new, "name": "Another form"}, *OLD))
        (post,) = town.posts()
        assert "Trouble twice" in text(post)
        (reply,) = town.replies(post)
        assert reply.count("Second words.") == 1

    @pytest.mark.parametrize("wrong", [-9 * MINUTE, 9 * MINUTE])
    async def test_24_a_clock_that_is_wrong_by_minutes_loses_and_repeats_nothing(self, wrong: float) -> None:
        town = await Town.build()
        await town.listen()
        town.clock.now += wrong
        await town.tells(page_of(*OLD))
        await lived(town, *LIFE)
        town.clock.now -= 2 * wrong
        await lived(town, "life_5_monitoring.json", "life_6_resolved.json")
        (post,) = town.posts()
        told = " ".join(town.replies(post))
        assert [told.count(f"{t} UTC") for t in ("14:09", "14:31", "14:44", "14:58", "15:20")] == [1] * 5

    async def test_39_after_three_days_off_what_ended_is_one_digest_and_what_is_open_is_told(self, town: Town) -> None:
        await lived(town, LIFE[0])
        began = START + DAY
        ended = [made(f"gone{n}", "resolved", began + n * HOUR) for n in range(3)]
        still = made("still", at=began + 2 * DAY)
        await town.tells(page_of(still, *ended, *life("life_6_resolved.json")["incidents"]), after=3 * DAY)
        posts = town.posts()
        assert len(posts) == 3
        digest = next(p for p in posts if "3 incidents began and ended" in text(p))
        assert all(f"Trouble gone{n}" in text(digest) for n in range(3))
        assert posts[0].shows.tone is Tone.OVER, "what was announced before is brought to its end"
        assert len(town.replies(posts[0])) == 1
        assert any("Trouble still" in text(p) and p.shows.tone is Tone.MINOR for p in posts)
