"""What the page's documents come to, without any network."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.errors import StatusError
from bot.core.status.incident import Board, Component, Health, Incident, age
from bot.core.status.statuspage import (
    BODY_LIMIT,
    NAME_LIMIT,
    Seen,
    Summary,
    combine,
    parse_incidents,
    parse_summary,
    parse_time,
    plain_text,
)

FIXTURES = Path(__file__).parents[1] / "fixtures" / "statuspage"
CLAUDE = "tymt9n04zgry"
CLAUDE_AI, API, CODE = "rwppv331jlwc", "k8w3r06qmzrp", "yyzkbfz2thpt"
LIFE = ["investigating", "identified", "monitoring", "identified", "monitoring", "resolved", "postmortem"]
START = 1793714400.0 + 0.101  # 2026-11-03T14:00:00.101Z


def document(name: str) -> Any:  # noqa: ANN401 - decoded JSON
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


def incidents(name: str) -> tuple[Incident, ...]:
    return parse_incidents(document(name), page_id=CLAUDE, hosts=frozenset({"status.claude.com"}))


def board(*listed: Incident, components: tuple[Component, ...] = (), health: Health = Health.OK) -> Board:
    return Board(CLAUDE, health, 1000.0, listed, components)


# -- a life of an incident ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "status"), list(enumerate(LIFE, start=1)))
def test_an_incident_is_open_until_it_is_resolved(number: int, status: str) -> None:
    (incident,) = incidents(f"life_{number}_{status}.json")
    assert incident.status == status
    assert incident.open is (number < 6)
    assert [u.status for u in incident.updates] == LIFE[:number], "updates are in the order of time"
    assert incident.latest is incident.updates[-1]
    assert incident.components == (API, CODE), "also after the page has unlinked them at the end"
    assert incident.link == "https://stspg.io/aaaa1111bbbb"
    assert incident.started_at == pytest.approx(START)


def test_how_long_it_lasted_is_from_start_to_end_also_while_a_postmortem_follows() -> None:
    (ended,) = incidents("life_7_postmortem.json")
    assert ended.lasted(now=START + 1e7) == pytest.approx(80 * 60)
    (going_on,) = incidents("life_3_monitoring.json")
    assert going_on.lasted(now=START + 3600) == pytest.approx(3600)
    assert going_on.quiet(now=START + 3600) == pytest.approx(29 * 60)


def test_an_incident_that_came_and_went_between_two_readings_has_all_its_updates() -> None:
    quick = incidents("appears_resolved_between_polls.json")[0]
    assert not quick.open
    assert [u.status for u in quick.updates] == ["investigating", "monitoring", "resolved"]


def test_resolved_before_it_began_is_no_duration() -> None:
    entered_afterwards = incidents("backfilled_single_resolved.json")[2]
    assert not entered_afterwards.open
    assert entered_afterwards.lasted(now=START) is None


def test_times_in_the_future_are_no_duration() -> None:
    (incident,) = incidents("life_1_investigating.json")
    assert incident.lasted(now=START - 60) is None
    assert incident.quiet(now=START - 60) is None


# -- what the board says ------------------------------------------------------------------------------------


def test_open_incidents_come_newest_first_whatever_the_order_of_the_page() -> None:
    listed = incidents("incidents_three_open.json")
    for order in (listed, listed[::-1]):
        assert [i.id for i in board(*order).open] == ["ffff5555aaaa", "dddd4444eeee", "hhhh6666jjjj"]


def test_an_open_incident_without_a_time_is_not_hidden() -> None:
    raw = document("incidents_three_open.json")
    raw["incidents"][0].update(started_at=None, created_at="soon")
    assert board(*parse_incidents(raw, page_id=CLAUDE)).open[0].id == "dddd4444eeee"


def test_only_incidents_that_name_the_part_touch_it_and_impact_none_touches_nothing() -> None:
    page = board(*incidents("incidents_three_open.json"))
    assert [i.id for i in page.touching(frozenset({CLAUDE_AI}))] == ["dddd4444eeee"]
    assert [i.id for i in page.touching(frozenset({API, CODE}))] == ["hhhh6666jjjj"]
    assert page.touching(frozenset({"elsewhere"})) == ()


def test_an_incident_that_names_no_part_touches_everybody() -> None:
    (incident,) = incidents("hostile_text.json")
    assert incident.components == ()
    assert board(incident).touching(frozenset({CODE})) == (incident,)


def test_a_planned_maintenance_explains_no_failure_but_a_running_one_does() -> None:
    console = frozenset({"0qbwn08sd68x"})
    planned, running, done = (
        parse_incidents({**doc, "incidents": doc["scheduled_maintenances"]}, page_id=CLAUDE)[0]
        for doc in map(
            document, ("maintenance_1_scheduled.json", "maintenance_2_in_progress.json", "maintenance_4_completed.json")
        )
    )
    assert planned.maintenance
    assert planned.scheduled_until == pytest.approx((planned.scheduled_for or 0) + 3600)
    assert board(planned).touching(console) == ()
    assert board(running).touching(console) == (running,)
    assert not done.open


def test_clear_needs_a_fresh_reading_without_incident_and_without_a_degraded_part() -> None:
    fine = parse_summary(document("summary_all_operational.json"), page_id=CLAUDE).components
    code = frozenset({CODE})
    assert board(components=fine).clear(code)
    assert not board(components=fine, health=Health.STALE).clear(code)
    assert not board(components=fine, health=Health.UNREADABLE).clear(code)
    assert not board(*incidents("life_1_investigating.json"), components=fine).clear(code)
    assert not board(components=fine).clear(frozenset()), "of nothing, nothing can be said"
    assert not board(components=fine).clear(frozenset({CODE, "replaced"})), "nor of a part the page does not list"


def test_a_degraded_part_is_seen_without_any_incident() -> None:
    summary = parse_summary(document("summary_degraded_no_incident.json"), page_id=CLAUDE)
    page = board(components=summary.components)
    assert [c.name for c in page.degraded(frozenset({CODE, API}))] == ["Claude Code"]
    assert not page.clear(frozenset({CODE}))
    assert page.clear(frozenset({API}))


def test_the_age_is_that_of_the_reading() -> None:
    assert age(board(), 1040.0) == 40.0
    assert age(board(), 990.0) == 0.0, "our clock was set back"
    assert age(Board(CLAUDE, Health.UNREADABLE, None), 1040.0) is None
    assert Board(CLAUDE, Health.OK, 1000.0, skew=-30.0).clock(1000.0) == 970.0


# -- the summary --------------------------------------------------------------------------------------------


def test_an_open_incident_beyond_the_fifty_is_taken_from_the_summary() -> None:
    summary = parse_summary(document("summary_three_open.json"), page_id=CLAUDE)
    listed = tuple(i for i in incidents("incidents_three_open.json") if i.id != "hhhh6666jjjj")
    both = combine(listed, summary)
    assert [i.id for i in both] == [*(i.id for i in listed), "hhhh6666jjjj"]


def test_where_both_list_an_incident_the_list_of_incidents_is_right() -> None:
    still_open, over = incidents("life_5_monitoring.json"), incidents("life_6_resolved.json")
    assert combine(over, Summary((), unresolved=still_open)) == over


def test_maintenances_of_the_summary_are_on_the_board() -> None:
    summary = parse_summary(document("summary_maintenance_2_in_progress.json"), page_id=CLAUDE)
    (running,) = combine((), summary)
    assert running.maintenance
    assert running.begun
    assert running.open


def test_groups_and_signposts_are_left_out_and_offsets_are_understood() -> None:
    components = parse_summary(document("summary_groups_other_timezone.json"), page_id="exampleexamp").components
    assert [(c.name, c.hidden) for c in components] == [("Fast", False), ("Large", True)]
    assert parse_time("2026-11-03T07:00:00.120-07:00") == parse_time("2026-11-03T14:00:00.120Z")


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("Visit www.githubstatus.com for more information", True),
        ("see our page at status.example.com", True),
        ("platform.claude.com (formerly console.anthropic.com)", False),
        ("claude.ai", False),
        ("Visitor analytics", False),
        ("Seeds.io", False),
    ],
)
def test_a_signpost_among_the_parts_is_no_part(name: str, is_one: bool) -> None:  # noqa: FBT001 - a case
    part = {"id": "p1", "name": name, "status": "operational"}
    found = parse_summary({"page": {"id": "p"}, "components": [part]}, page_id="p").components
    assert (found == ()) is is_one


# -- other servers' forms -----------------------------------------------------------------------------------


def test_keys_may_be_missing_and_words_unknown() -> None:
    raw = document("compat_missing_keys.json")
    page_id = raw["page"]["id"]
    (incident,) = parse_incidents(raw, page_id=page_id)
    assert incident.open, "an unknown state is not over"
    assert (incident.status, incident.impact, incident.link) == ("maintenance_in_progress", "unexpected", "")
    assert incident.started_at == parse_time("2026-11-03T14:10:00Z"), "created_at stands in for a missing started_at"
    assert incident.lasted(now=START) is None
    (component,) = parse_summary(raw, page_id=page_id).components
    assert component.status == "full_outage"
    assert not component.operational


def test_a_word_that_only_looks_like_over_is_not_over() -> None:
    raw = document("life_6_resolved.json")
    raw["incidents"][0]["status"] = " Resolved?"
    (incident,) = parse_incidents(raw, page_id=CLAUDE)
    assert incident.open
    assert incident.status == "Resolved?"


def test_an_update_without_a_time_to_show_has_that_of_its_making() -> None:
    raw = document("life_2_identified.json")
    for update in raw["incidents"][0]["incident_updates"]:
        update["display_at"] = None
    (incident,) = parse_incidents(raw, page_id=CLAUDE)
    assert incident.updates[0].at == pytest.approx(START)


def test_a_summary_may_leave_out_what_it_has_none_of() -> None:
    raw = document("summary_all_operational.json")
    del raw["incidents"], raw["scheduled_maintenances"]
    summary = parse_summary(raw, page_id=CLAUDE)
    assert (len(summary.components), summary.unresolved, summary.maintenances) == (6, (), ())


@pytest.mark.parametrize(
    "value", [None, "", "soon", 0, "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+23:59", [], "9" * 99]
)
def test_a_time_nobody_can_read_is_none(value: object) -> None:
    assert parse_time(value) is None


def test_a_time_without_an_offset_is_utc() -> None:
    assert parse_time("2026-11-03T14:00:00.101") == pytest.approx(START)


@pytest.mark.parametrize(
    "key",
    [
        "name",
        "impact",
        "status",
        "started_at",
        "updated_at",
        "resolved_at",
        "shortlink",
        "components",
        "incident_updates",
    ],
)
@pytest.mark.parametrize("value", [None, 7, "x", [], {}, [None], [7], [{}], "missing"])
def test_any_other_key_may_be_of_any_kind(key: str, value: object) -> None:
    raw = document("life_2_identified.json")
    raw["incidents"][0][key] = value
    if value == "missing":
        del raw["incidents"][0][key]
    (incident,) = parse_incidents(raw, page_id=CLAUDE)
    assert incident.open


# -- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("parse", [parse_incidents, parse_summary])
@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        "fine",
        {},
        {"page": None, "incidents": [], "components": []},
        {"page": {"id": 7}, "incidents": [], "components": []},
        {"page": {"id": CLAUDE}},
        {"page": {"id": CLAUDE}, "incidents": None, "components": None},
        {"page": {"id": CLAUDE}, "incidents": {}, "components": {}},
        {"page": {"id": CLAUDE}, "incidents": ["x"], "components": []},
        {"page": {"id": CLAUDE}, "incidents": [{"status": "investigating"}], "components": []},
    ],
)
def test_what_is_no_document_of_the_page_is_refused_in_a_sentence(parse: Any, raw: object) -> None:  # noqa: ANN401
    with pytest.raises(StatusError, match=r"^(the answer|an incident|an entry) .{10,}"):
        parse(raw, page_id=CLAUDE)


def test_another_page_is_refused_and_named() -> None:
    with pytest.raises(StatusError, match="of page 'zzzzzzzzzzzz', not of 'tymt9n04zgry'"):
        incidents("other_page_id.json")


def test_an_empty_list_is_an_answer() -> None:
    assert incidents("incidents_empty_list.json") == ()


# -- foreign text -------------------------------------------------------------------------------------------


def test_hostile_text_is_plain_cut_and_without_link() -> None:
    (incident,) = incidents("hostile_text.json")
    assert incident.link == ""
    assert incident.name == "<script>alert(1)</script> @everyone <!channel> *bold* `x`", "a name is text, never markup"
    body = incident.updates[0].body
    assert body.startswith("Line one\nLine two link & <@U123> [x](javascript:alert(1)) long")
    assert len(body) == BODY_LIMIT
    assert body.endswith("…")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("plain", "plain"),
        ("use &lt;model&gt; or <model>, 1 < 2 > 0", "use <model> or <model>, 1 < 2 > 0"),
        ("<p>One</p><p>Two<br>Three</p>", "One\n\nTwo\nThree"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n\n- b"),
        ("a\r\nb\x0bc\u2028d\te\x00\x07\u202ef", "a\nb\nc\nd ef"),
        ("\ud800x", "x"),
        ("<a href='https://example.com'>link</a> <em class=x>now</em>", "link now"),
        ("<a title='<b>'>link</a>", "<a title=''>link"),  # odd markup is shown, nothing in it is hidden
        ("a\n\n\n\n\nb", "a\n\nb"),
    ],
)
def test_a_body_becomes_plain_text(body: str, text: str) -> None:
    assert plain_text(body) == text


def test_megabytes_of_markup_are_not_worked_through() -> None:
    assert "end" not in plain_text("<b></b>" * 100_000 + "end")


def test_names_are_one_line_and_cut() -> None:
    raw = document("life_1_investigating.json")
    raw["incidents"][0]["name"] = "a\n\tb\u202e" + "c" * 9999
    (incident,) = parse_incidents(raw, page_id=CLAUDE)
    assert incident.name.startswith("a bccc")
    assert len(incident.name) == NAME_LIMIT


@pytest.mark.parametrize(
    "link",
    [
        "http://stspg.io/x",
        "https://stspg.io.example.com/x",
        "https://example.com/stspg.io",
        "https://user@stspg.io/x",
        "https://stspg.io:8443/x",
        "https://stspg.io\\@example.com/x",
        "https://stspg.io/x|y> <@everyone>",
        "https://[::1",
        "https://stspg.io/" + "x" * 999,
        "//stspg.io/x",
        7,
    ],
)
def test_any_other_link_is_dropped(link: object) -> None:
    raw = document("life_1_investigating.json")
    raw["incidents"][0]["shortlink"] = link
    assert parse_incidents(raw, page_id=CLAUDE)[0].link == ""


def test_a_link_to_the_page_itself_is_kept() -> None:
    raw = document("life_1_investigating.json")
    raw["incidents"][0]["shortlink"] = link = "https://status.claude.com/incidents/aaaa1111bbbb"
    assert parse_incidents(raw, page_id=CLAUDE, hosts=frozenset({"status.claude.com"}))[0].link == link
    assert parse_incidents(raw, page_id=CLAUDE)[0].link == ""


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON = st.recursive(SCALARS, lambda kids: st.lists(kids) | st.dictionaries(st.text(), kids), max_leaves=8)


@given(st.text())
def test_text_stays_within_limits_and_shows_nothing_invisible(text: str) -> None:
    shown = plain_text(text, 40)
    assert len(shown) <= 40
    shown.encode()
    assert not set(shown) & {"\x00", "\r", "\x1b", "\u202e", "\u2066", "\u2028"}


@given(st.sampled_from(["id", "status", "name", "components", "incident_updates", "created_at"]), JSON)
def test_an_incident_of_any_shape_is_read_or_refused(key: str, value: object) -> None:
    raw = copy.deepcopy(LIFE_2)
    raw["incidents"][0][key] = value
    try:
        (incident,) = parse_incidents(raw, page_id=CLAUDE)
    except StatusError:
        return
    assert incident.open is (incident.status not in {"resolved", "postmortem", "completed"})


LIFE_2 = document("life_2_identified.json")


def test_what_is_as_it_was_is_not_read_again_and_what_changed_is() -> None:
    seen: Seen = {}
    first = parse_incidents(document("incidents_three_open.json"), page_id=CLAUDE, seen=seen)
    assert first == parse_incidents(document("incidents_three_open.json"), page_id=CLAUDE)
    changed = document("incidents_three_open.json")
    changed["incidents"][0]["name"] = "Another name"
    second = parse_incidents(changed, page_id=CLAUDE, seen=seen)
    assert second[0] == replace(first[0], name="Another name")
    assert all(one is other for one, other in zip(first[1:], second[1:], strict=True))
    with pytest.raises(StatusError):
        parse_incidents({"page": {"id": CLAUDE}, "incidents": [{"id": []}]}, page_id=CLAUDE, seen=seen)
