"""The failure cases of a vendor who changes its mind, of who hears of it, and of what it looks like.

Numbered as in test_failure_cases.py.
"""

from __future__ import annotations

from bot.adapters.console.plain import as_text
from bot.core.bounds import BOUNDS
from bot.core.status.announcement_view import Tone
from bot.core.status.incident import Incident
from bot.core.status.official import reading
from bot.core.status.statuspage import parse_incidents, parse_summary
from bot.core.status.watch import Page, Standing
from bot.core.text import Text
from handlers.channel import menu_of
from handlers.status import status_view
from tests.core.test_statuspage import board
from tests.scenarios.announcing import (
    API,
    CLAUDE,
    CLAUDE_AI,
    CODE,
    CONSOLE,
    DAY,
    HOUR,
    MINUTE,
    OLD,
    START,
    Town,
    at,
    content,
    document,
    made,
    page_of,
    said,
    stamp,
    text,
)
from tests.scenarios.cases import LIFE, life, lived, town

__all__ = ["town"]


class TestTheVendorChangesItsMind:
    async def test_04_a_deleted_incident_is_withdrawn_after_two_readings(self, town: Town) -> None:
        await lived(town, LIFE[0])
        await town.tells(page_of(*OLD))
        assert town.posts()[0].shows.tone is Tone.MAJOR, "once is no proof"
        await town.tells(page_of(*OLD))
        (post,) = town.posts()
        assert post.shows.tone is Tone.GONE
        assert "Withdrawn" in text(post)
        assert "withdrew" in town.replies(post)[-1]
        await lived(town, LIFE[0])
        assert town.posts()[0].shows.tone is Tone.MAJOR, "and back"

    async def test_05_words_of_the_end_rewritten_days_later_are_edited_silently(self, town: Town) -> None:
        await lived(town, LIFE[0], "life_6_resolved.json")
        count = len(town.paper.messages)
        changed = life("life_6_resolved.json")
        changed["incidents"][0]["incident_updates"][0]["body"] = "Between 14:00 and 15:20 something else was wrong."
        await town.tells(changed, after=4 * DAY)
        assert len(town.paper.messages) == count
        assert "something else was wrong" in town.replies(town.posts()[0])[-1]

    async def test_06_a_new_title_or_impact_is_edited_and_said_once(self, town: Town) -> None:
        await lived(town, LIFE[0])
        changed = life(LIFE[0])
        changed["incidents"][0].update(name="Errors everywhere", impact="critical")
        for _ in range(3):
            await town.tells(changed)
        (post,) = town.posts()
        assert "Errors everywhere" in text(post)
        assert post.shows.tone is Tone.CRITICAL
        (reply,) = town.replies(post)
        assert "title" in reply
        assert "major → critical" in reply

    async def test_32_a_step_back_reopens_the_message(self, town: Town) -> None:
        await lived(town, *LIFE, "life_4_identified.json")
        (post,) = town.posts()
        assert "Latest, 14:44 UTC" in text(post)
        over = life("life_6_resolved.json")
        await town.tells(over)
        assert town.posts()[0].shows.tone is Tone.OVER
        over["incidents"][0]["status"] = "investigating"
        over["incidents"][0]["incident_updates"].insert(
            0, said("again", "investigating", "It is back.", START + 2 * HOUR)
        )
        await town.tells(over)
        assert post.shows.tone is Tone.MAJOR
        assert "It is back." in town.replies(post)[-1]

    async def test_37_an_advisory_of_eighteen_days_is_one_post_and_few_edits(self, town: Town) -> None:
        advisory = made("advisory", "monitoring")
        await town.tells(page_of(advisory, *OLD))
        for n in range(18 * 24):
            advisory["impact"] = ("minor", "major")[n // 24 % 2]
            advisory["updated_at"] = stamp(START + n * HOUR)
            await town.tells(page_of(advisory, *OLD), after=HOUR)
        (post,) = town.posts()
        assert len(post.history) == 18
        advisory["impact"] = "none"
        for n in range(60):
            advisory["name"] = f"Name {n}"
            await town.tells(page_of(advisory, *OLD), after=1)
        assert len(post.history) + len(town.replies(post)) < 18 + 17 + 2 * BOUNDS.edits, "a flapping title is damped"
        await town.tells(page_of(advisory, *OLD), after=HOUR)
        assert "Name 59" in text(post)

    async def test_37_a_channel_that_wants_to_hears_once_a_day_that_it_is_still_open(self, town: Town) -> None:
        """Rule 16: quiet, off by default, once a day and incident, however long the page says nothing."""
        await town.listen("DAILY", daily=True)
        advisory = made("advisory", "monitoring", START + MINUTE)
        for _ in range(2 * 24 + 12):
            await town.tells(page_of(advisory, *OLD), after=HOUR)
        (post,) = town.posts("DAILY")
        assert town.replies(post) == [
            "Still open. The page has said nothing new for a day, since 2026-11-03 14:01 UTC.",
            "Still open. The page has said nothing new for 2 days, since 2026-11-03 14:01 UTC.",
        ]
        assert len(post.history) == 1, "the message itself did not change"
        assert town.replies(town.posts()[0]) == [], "nobody hears it who did not ask for it"
        await town.tells(page_of(advisory, *OLD), after=4 * DAY)
        assert "for 6 days" in town.replies(post)[-1], "what nobody could say in time is said once"
        assert len(town.replies(post)) == 3
        more = said("more", "monitoring", "We are still at it.", town.clock.now)
        advisory["incident_updates"].insert(0, more)
        await town.tells(page_of(advisory, *OLD), after=HOUR)
        for _ in range(25):
            await town.tells(page_of(advisory, *OLD), after=HOUR)
        assert ["Still open" in reply for reply in town.replies(post)[3:]] == [False, True]
        advisory.update(status="resolved", resolved_at=stamp(town.clock.now))
        await town.tells(page_of(advisory, *OLD), after=10 * DAY)
        await town.tells(page_of(advisory, *OLD), after=10 * DAY)
        assert "Still open" not in town.replies(post)[-1]

    async def test_30_a_maintenance_is_announced_moved_reminded_begun_and_done_in_one_thread(self, town: Town) -> None:
        async def says(name: str, when: str) -> None:
            town.clock.now = at(when)
            await town.tells(page_of(*OLD), maintenances=f"maintenance_{name}.json")

        await says("1_scheduled", "2026-11-02T14:01:00Z")
        (post,) = town.posts()
        assert "Planned maintenance: Console upgrade" in text(post)
        await says("1_scheduled", "2026-11-03T13:05:00Z")
        assert "Begins soon" in town.replies(post)[-1]
        await says("1b_rescheduled_no_update", "2026-11-03T13:06:00Z")
        assert "Moved: from 2026-11-03 14:00 UTC to 2026-11-04 14:00 UTC" in town.replies(post)[-1]
        assert "2026-11-04 14:00 UTC" in text(post)
        await says("2_in_progress", "2026-11-04T14:01:00Z")
        assert "under way" in text(post)
        await says("3_verifying", "2026-11-04T14:51:00Z")
        await says("4_completed", "2026-11-04T15:01:00Z")
        assert post.shows.tone is Tone.OVER
        assert "Maintenance done" in text(post)
        assert len(town.posts()) == 1


class TestWhoHearsOfIt:
    async def test_08_parts_unlinked_at_the_end_do_not_cost_the_end(self, town: Town) -> None:
        await town.listen("CODE", components=frozenset({CODE}))
        await town.listen("CONSOLE", components=frozenset({CONSOLE}))
        await lived(town, LIFE[0])
        end = life("life_6_resolved.json")
        end["incidents"][0]["components"] = []
        for update in end["incidents"][0]["incident_updates"]:
            update["affected_components"] = None
        await town.tells(end)
        (post,) = town.posts("CODE")
        assert post.shows.tone is Tone.OVER
        assert town.posts("CONSOLE") == []

    async def test_09_an_incident_of_no_impact_that_names_no_part_goes_to_everybody(self, town: Town) -> None:
        await town.listen("CODE", components=frozenset({CODE}))
        await town.listen("NOT", components=frozenset({CODE}), general=False)
        await town.tells(page_of(made("general", impact="none"), *OLD))
        assert [len(town.posts(c)) for c in ("C1", "CODE", "NOT")] == [1, 1, 0]

    async def test_28_parts_that_are_no_parts_are_not_offered(self) -> None:
        groups = document("summary_groups_other_timezone.json")
        listed = parse_summary(groups, page_id="exampleexamp").components
        names = {c["id"] for c in groups["components"] if c.get("group")}
        assert names
        assert names.isdisjoint(c.id for c in listed)
        assert [c.name for c in listed] == ["Fast", "Large"], "nor what only says where the page is"
        offered = menu_of(content().library.services, Page("p", components={c.id: c for c in listed}), "Example")
        assert [part.label for part in offered.parts] == ["Fast"], "nor what the page shows only while it is broken"

    async def test_29_a_renamed_part_keeps_its_subscribers(self, town: Town) -> None:
        await town.listen("API", components=frozenset({API}))
        new = life(LIFE[0])
        for part in new["incidents"][0]["components"]:
            part["name"] = f"New {part['name']}"
        await town.tells(new)
        assert len(town.posts("API")) == 1

    async def test_34_a_deleted_message_or_channel_hurts_no_other_and_is_told_once(self, town: Town) -> None:
        await town.listen("C2")
        await lived(town, LIFE[0])
        (mine,) = town.posts()
        del town.paper.messages[mine.ref]
        await lived(town, LIFE[1], "life_6_resolved.json")
        assert "14:09" in text(town.posts()[0]), "news after the deletion begin a new message"
        (theirs,) = town.posts("C2")
        assert theirs.shows.tone is Tone.OVER
        town.paper.closed.add("C1")
        for n in range(3):
            await town.tells(page_of(made(f"later{n}"), *OLD))
        assert len(town.paper.told) == 1
        assert len(town.posts("C2")) == 4


class TestWhatItLooksLike:
    async def test_10_a_headline_that_says_all_is_well_hides_no_open_incident(self) -> None:
        listed = parse_incidents(document("incidents_three_open.json"), page_id=CLAUDE)
        fine = parse_summary(document("summary_all_operational.json"), page_id=CLAUDE).components
        found = reading(content().library, None, {"surface": "web"}, board(*listed, components=fine), 1010.0)
        assert found.answer == "incident"
        told = as_text(status_view(content().library, board(*listed, components=fine), 1010.0), grades={}, width=0)
        assert told.startswith("3 open incidents on the official page.")
        assert "No incident is posted" not in told

    async def test_14_a_part_that_recovers_does_not_end_the_incident(self, town: Town) -> None:
        await lived(town, LIFE[0])
        update = said("better", "monitoring", "Code is fine again.", START + 5 * MINUTE)
        update["affected_components"] = [
            {"code": CODE, "name": "Claude Code", "old_status": "partial_outage", "new_status": "operational"}
        ]
        better = life(LIFE[0])
        better["incidents"][0]["incident_updates"].insert(0, update)
        await town.tells(better)
        (post,) = town.posts()
        assert post.shows.tone is Tone.MAJOR
        assert "Claude Code: working" in text(post)
        assert "Claude Code: partial outage → working" in town.replies(post)[0]

    async def test_17_words_nobody_knows_are_shown_as_they_are_and_are_not_over(self, town: Town) -> None:
        odd = made("odd", "contemplating", impact="apocalyptic")
        await town.listen("GRAVE", least="critical")
        await town.tells(page_of(odd, *OLD))
        (post,) = town.posts("GRAVE")
        assert "apocalyptic" in text(post)
        assert post.shows.tone is Tone.UNKNOWN

    async def test_18_hostile_words_stay_words_and_are_cut(self, town: Town) -> None:
        town.clock.now = at("2026-11-03T19:01:00Z")
        await town.tells(page_of(*document("hostile_text.json")["incidents"], *OLD))
        (post,) = town.posts()
        view = post.shows.view
        assert len(text(post)) < 3000
        assert all(cite.url.startswith("https://") for cite in view.sources)
        spans = [span for block in (Text(view.lead), *view.blocks) if isinstance(block, Text) for span in block.inline]
        assert any("@everyone" in span.text for span in spans), "foreign text is plain: escaping is the adapter's"
        assert not any(span.href or span.code for span in spans)
        assert post.shows.mention == ""

    async def test_27_times_that_make_no_sense_are_shown_without_a_duration(self, town: Town) -> None:
        town.clock.now = at("2026-11-03T09:10:00Z")
        backfilled = document("backfilled_single_resolved.json")["incidents"][2]
        await town.tells(page_of(backfilled, *OLD))
        (post,) = town.posts()
        assert "lasted" not in text(post)
        future = made("future", at=START + 400 * DAY, resolved_at=None)
        future["incident_updates"][0]["display_at"] = None
        await town.tells(page_of(future, made("timeless", started_at=None, created_at=None), *OLD))
        assert len(town.posts()) == 3

    async def test_31_missing_keys_are_read_with_defaults(self) -> None:
        raw = document("compat_missing_keys.json")
        (odd,) = parse_incidents(raw, page_id=raw["page"]["id"])
        assert isinstance(odd, Incident)
        assert odd.open
        town = await Town.build()
        await town.listen()
        await town.tells(page_of(*OLD))
        await town.tells(page_of(*raw["incidents"], *OLD))
        (post,) = town.posts()
        assert odd.name in text(post)
        page = (await town.pages.page(CLAUDE)).page
        assert page.incidents[odd.id].standing is Standing.LISTED
        assert CLAUDE_AI not in text(post)
