"""Reading the page over HTTP: what people may be told after whatever the server does."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from bot.adapters.statuspage.settings import PageSettings
from bot.core.status.incident import Health, age
from tests.adapters.statuspage.pageserver import INCIDENTS, SUMMARY, Answer, document

if TYPE_CHECKING:
    from tests.adapters.statuspage.pageserver import Clocks, Page, PageServer, Serve

DEADLINE = 10
CODE = frozenset({"yyzkbfz2thpt", "k8w3r06qmzrp"})


# -- a good reading -----------------------------------------------------------------------------------------


async def test_a_reading_tells_incidents_components_and_when_it_was_made(
    server: PageServer, page: Page, clocks: Clocks
) -> None:
    board = await page(server).board()
    assert board.health is Health.OK
    assert board.read_at == clocks.wall
    assert [i.name for i in board.open] == [
        "Trouble reaching the status page",
        "claude.ai responses are slow",
        "Notice about one model",
    ]
    assert [c.name for c in board.degraded(frozenset({"rwppv331jlwc"}))] == ["claude.ai"]
    assert board.link == server.address


async def test_one_reading_serves_a_minute_and_ages(server: PageServer, page: Page, clocks: Clocks) -> None:
    reader = page(server)
    first = await reader.board()
    clocks.forward(59)
    second = await reader.board()
    assert second == first
    assert age(second, clocks.wall) == 59
    assert server.asked() == 1
    clocks.forward(1)
    assert (await reader.board()).read_at == clocks.wall
    assert server.asked() == 2


@pytest.mark.parametrize("clock", ["wall", "monotonic"])
async def test_either_clock_makes_a_reading_old(server: PageServer, page: Page, clocks: Clocks, clock: str) -> None:
    # A laptop that slept: on Linux only the wall clock knows. A wall clock set back: only the other one does.
    reader = page(server)
    await reader.board()
    setattr(clocks, clock, getattr(clocks, clock) + 3600)
    server.answers_all(Answer(503))
    assert (await reader.board()).health is Health.UNREADABLE


async def test_fifty_people_at_once_are_one_reading(server: PageServer, page: Page) -> None:
    reader = page(server)
    boards = await asyncio.gather(*(reader.board() for _ in range(50)))
    assert {b.health for b in boards} == {Health.OK}
    assert server.asked() == server.asked(SUMMARY) == 1


async def test_an_unchanged_page_is_not_sent_again(server: PageServer, page: Page, clocks: Clocks) -> None:
    server.says("incidents_three_open.json", "summary_three_open.json", ETag='W/"abc"')
    reader = page(server)
    before = await reader.board()
    clocks.forward(60)
    server.answers_all(Answer(304, headers={"ETag": 'W/"abc"'}))
    after = await reader.board()
    assert [r.headers.get("if-none-match") for r in server.requests] == [None, None, 'w/"abc"', 'w/"abc"']
    assert after.health is Health.OK
    assert after.incidents == before.incidents
    assert after.read_at == clocks.wall


async def test_not_modified_without_having_asked_is_no_answer(server: PageServer, page: Page) -> None:
    server.answers_all(Answer(304))
    assert (await page(server).board()).health is Health.UNREADABLE


async def test_a_mark_nobody_can_send_back_is_not_sent_back(server: PageServer, page: Page, clocks: Clocks) -> None:
    server.says("incidents_three_open.json", ETag='"' + "é" * 8 + '"')
    reader = page(server)
    await reader.board()
    clocks.forward(60)
    assert (await reader.board()).health is Health.OK
    assert all("if-none-match" not in r.headers for r in server.requests)


async def test_ages_go_by_the_pages_clock(server: PageServer, page: Page, clocks: Clocks) -> None:
    # Its answer says 17:30:00 and lay five minutes in a cache; ours says 14:00:00.
    server.says("incidents_three_open.json", Date="Tue, 03 Nov 2026 17:30:00 GMT", Age="300")
    board = await page(server).board()
    assert board.skew == pytest.approx(3.5 * 3600 + 300)
    slow = board.incident("dddd4444eeee")
    assert slow is not None
    assert slow.lasted(board.clock(clocks.wall)) == pytest.approx(15 * 60, abs=1)


@pytest.mark.parametrize("date", ["yesterday", "", "Tue, 99 Nov 2026 17:30:00 GMT", "9" * 400])
async def test_a_date_nobody_can_read_changes_nothing(server: PageServer, page: Page, date: str) -> None:
    server.says("incidents_three_open.json", Date=date, Age="-1")
    board = await page(server).board()
    assert (board.health, board.skew) == (Health.OK, 0.0)


# -- how long a person waits --------------------------------------------------------------------------------


async def test_a_slow_page_keeps_nobody_waiting_and_its_answer_serves_the_next(
    server: PageServer, page: Page, clocks: Clocks
) -> None:
    held = asyncio.Event()
    for answer in server.answers.values():
        answer.hold = held
    reader = page(server, patience=1.0)
    first = await reader.board()
    assert (first.health, first.read_at) == (Health.UNREADABLE, None)
    started = asyncio.get_running_loop().time()
    assert (await reader.board()).health is Health.UNREADABLE
    assert asyncio.get_running_loop().time() - started < 0.5, "whoever comes later does not wait once more"
    held.set()
    async with asyncio.timeout(DEADLINE):
        while (await reader.board()).health is not Health.OK:  # noqa: ASYNC110 - nothing else tells that it ended
            await asyncio.sleep(0.01)
    assert server.asked() == 1
    held.clear()
    clocks.forward(300)
    old = await reader.board()
    assert old.health is Health.STALE
    assert age(old, clocks.wall) == 300
    assert old.open, "what was last known stays readable"


async def test_the_default_is_two_seconds(server: PageServer, page: Page) -> None:
    server.answers_all(Answer(hold=asyncio.Event()))
    started = asyncio.get_running_loop().time()
    assert (await page(server, patience=PageSettings().patience).board()).health is Health.UNREADABLE
    assert 1.9 < asyncio.get_running_loop().time() - started < 4


async def test_a_page_that_never_answers_is_given_up(server: PageServer, page: Page) -> None:
    server.answers_all(Answer(hold=asyncio.Event()))
    reader = page(server, timeout=0.2)
    assert (await reader.board()).health is Health.UNREADABLE
    assert reader.last_error == f"{server.address}: did not answer in time"


@pytest.mark.parametrize("answer", [Answer(hold=asyncio.Event()), Answer(body=b" " * 999, drip=0.05)])
async def test_a_first_host_that_hangs_or_drips_leaves_time_for_the_second(
    serve: Serve, server: PageServer, page: Page, answer: Answer
) -> None:
    slow = await serve()
    slow.answers_all(answer)
    reader = page(slow, server, timeout=3)
    assert (await reader.board()).health is Health.OK
    assert reader.last_error == f"{slow.address}: did not answer in time"


async def test_closing_ends_a_reading_under_way(server: PageServer, page: Page) -> None:
    server.answers_all(Answer(hold=asyncio.Event()))
    reader = page(server)
    asking = asyncio.create_task(reader.board())
    async with asyncio.timeout(DEADLINE):
        await server.was_asked.wait()
        await reader.close()
        await reader.close()
        assert (await asking).health is Health.UNREADABLE
        assert (await reader.board()).health is Health.UNREADABLE
    assert len(server.requests) == 1
    assert reader.last_error == "", "nothing was tried after the end"


async def test_a_caller_who_leaves_does_not_end_the_reading_of_the_others(server: PageServer, page: Page) -> None:
    held = asyncio.Event()
    server.answers[SUMMARY].hold = held
    reader = page(server)
    leaving, staying = asyncio.create_task(reader.board()), asyncio.create_task(reader.board())
    await asyncio.sleep(0)
    leaving.cancel()
    held.set()
    assert (await staying).health is Health.OK
    assert leaving.cancelled()


# -- an empty page ------------------------------------------------------------------------------------------


async def test_a_page_that_never_listed_anything_is_fine(server: PageServer, page: Page) -> None:
    server.says("incidents_empty_list.json", "summary_all_operational.json")
    board = await page(server).board()
    assert board.health is Health.OK
    assert board.clear(CODE)


async def test_a_list_that_is_suddenly_empty_is_no_all_clear_until_it_stays_so(
    server: PageServer, page: Page, clocks: Clocks
) -> None:
    reader = page(server)
    await reader.board()
    server.says("incidents_empty_list.json", "summary_all_operational.json")
    clocks.forward(60)
    board = await reader.board()
    assert board.health is Health.UNREADABLE
    assert len(board.open) == 3
    assert "lists no incident at all" in reader.last_error
    clocks.forward(899)
    assert (await reader.board()).health is Health.UNREADABLE
    clocks.forward(900)
    assert (await reader.board()).health is Health.OK


# -- a whole incident ------------------------------------------------------------------------------------------


async def test_every_reading_of_a_life_is_told_as_it_is(server: PageServer, page: Page, clocks: Clocks) -> None:
    reader = page(server)
    states = ["investigating", "identified", "monitoring", "identified", "monitoring", "resolved", "postmortem"]
    fine = json.loads(server.answers[SUMMARY].body) | {"incidents": []}
    for number, state in enumerate(states, start=1):
        server.says(f"life_{number}_{state}.json", fine)
        board = await reader.board()
        assert board.health is Health.OK
        assert bool(board.touching(CODE)) is (number < 6)
        assert board.clear(CODE) is (number >= 6)
        clocks.forward(60)
    assert document("life_7_postmortem.json")["incidents"][0]["id"] == board.incidents[0].id
    assert server.asked(INCIDENTS) == 7
