"""The failure cases of the wire, over HTTP from a page on this machine; numbered as in test_failure_cases.py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from bot.adapters.statuspage.client import StatusPage
from bot.adapters.statuspage.settings import PageSettings
from bot.core.status.announcement_view import Tone
from bot.core.status.incident import Health
from bot.core.status.watch import FeedHealth
from handlers.board import StoredStatus
from handlers.watch import INTERVAL, STALE_AFTER, Watcher
from tests.adapters.statuspage.pageserver import FIXTURES, Answer, Clocks, PageServer, document
from tests.scenarios import announcing, test_failure_cases, test_failure_cases_changes
from tests.scenarios.announcing import CLAUDE, CODE, OLD, START, Town, made, page_of, said, stamp, text


class Watched:
    """A town whose page is read over HTTP."""

    def __init__(self, town: Town, server: PageServer, page: StatusPage, clocks: Clocks) -> None:
        self.town, self.server, self.clocks, self.page = town, server, clocks, page
        self.watcher = Watcher(town.office, {CLAUDE: page}, monotonic=lambda: clocks.monotonic)

    async def tick(self, seconds: float = INTERVAL[1]) -> None:
        """Some time passes; what is due is read and announced."""
        self.town.clock.now += seconds
        self.clocks.forward(seconds)
        await self.watcher.tick()
        await self.town.announces()

    def recovers(self, incidents: str = "incidents_three_open.json", summary: str = "summary_three_open.json") -> None:
        """The page says this; it has no list of maintenances."""
        self.server.otherwise = Answer(404)
        self.server.says(incidents, summary)


async def server_on(stack: AsyncExitStack) -> PageServer:
    server = PageServer()
    await server.start()
    stack.push_async_callback(server.stop)
    return server


async def watched(stack: AsyncExitStack, server: PageServer, *more: PageServer, redirects: str = "") -> Watched:
    """Watch these hosts of one page; one channel listens."""
    town, clocks = await Town.build(), Clocks()
    await town.listen()
    settings = PageSettings(
        page_id=CLAUDE,
        hosts=tuple(s.address for s in (server, *more)),
        redirect_hosts=(redirects,) if redirects else (),
        timeout=5.0,
        maintenances=True,
    )
    page = StatusPage(settings, wall=lambda: clocks.wall, monotonic=lambda: clocks.monotonic)
    stack.push_async_callback(page.close)
    return Watched(town, server, page, clocks)


@pytest.fixture
async def here(stack: AsyncExitStack) -> Watched:
    """A page that was read once, with an incident that was announced."""
    here = await watched(stack, await server_on(stack))
    here.server.says("backfilled_single_resolved.json")
    await here.tick()
    here.server.says("incidents_three_open.json", "summary_three_open.json")
    await here.tick()
    assert len(here.town.posts()) == 3
    return here


@pytest.fixture
def log() -> Iterator[list[EventDict]]:
    """The lines of the log."""
    with capture_logs() as lines:
        yield lines


def warned(log: list[EventDict]) -> list[str]:
    """What operators are told of the page."""
    return [str(line["event"]) for line in log if line["event"] in {"watch.lost", "watch.back"}]


def what_people_see(here: Watched) -> list[str]:
    return [text(m) for m in here.town.paper.messages.values()]


@pytest.mark.parametrize("case", document("http_cases.json"), ids=lambda case: str(case.get("name") or case)[:40])
async def test_19_what_is_no_document_is_no_news(here: Watched, case: dict[str, object]) -> None:
    seen, before = what_people_see(here), await here.town.pages.revision(CLAUDE)
    here.server.answers_all(as_answer(case))
    for _ in range(3):
        await here.tick()
    assert what_people_see(here) == seen
    assert await here.town.pages.revision(CLAUDE) == before
    page = (await here.town.pages.page(CLAUDE)).page
    assert page.trouble is not None
    here.recovers()
    await here.tick(40_000)
    assert (await here.town.pages.page(CLAUDE)).page.trouble is None


def as_answer(case: dict[str, object]) -> Answer:
    """A case of `http_cases.json` as this server says it."""
    status, headers, body = (case.get(key) for key in ("status", "headers", "body"))
    named = {str(k): str(v) for k, v in headers.items()} if isinstance(headers, dict) else {}
    words = body.encode() if isinstance(body, str) else (FIXTURES / str(case["body_file"])).read_bytes()
    return Answer(status if isinstance(status, int) else 200, words, named)


async def test_19_a_challenged_page_says_so_and_its_other_host_saves_the_reading(
    stack: AsyncExitStack, log: list[EventDict]
) -> None:
    first, second = await server_on(stack), await server_on(stack)
    challenged = await watched(stack, first)
    first.answers_all(Answer(405, b"<html>prove it</html>"))
    await challenged.tick()
    page = (await challenged.town.pages.page(CLAUDE)).page
    assert page.health(challenged.town.clock.now, STALE_AFTER) is FeedHealth.CHALLENGED
    assert warned(log) == ["watch.lost"]
    saved = await watched(stack, first, second)
    second.says("incidents_three_open.json", "summary_three_open.json")
    await saved.tick()
    assert (await saved.town.pages.page(CLAUDE)).page.health(saved.town.clock.now, STALE_AFTER) is FeedHealth.OK


async def test_20_hours_without_a_page_are_warned_of_once_and_never_called_over(
    here: Watched, log: list[EventDict]
) -> None:
    seen = what_people_see(here)
    here.server.answers_all(Answer(503))
    for _ in range(100):
        await here.tick()
    assert what_people_see(here) == seen
    assert warned(log) == ["watch.lost"]
    page = (await here.town.pages.page(CLAUDE)).page
    assert page.health(here.town.clock.now, STALE_AFTER) is FeedHealth.STALE
    here.recovers()
    for _ in range(10):
        await here.tick()
    assert warned(log) == ["watch.lost", "watch.back"]
    assert here.server.asked() < 40, "it was left alone for longer and longer"


async def test_21_a_move_to_another_host_of_the_page_is_followed_and_no_other(stack: AsyncExitStack) -> None:
    old, new = await server_on(stack), await server_on(stack)
    new.says("life_1_investigating.json", "summary_all_operational.json")
    moved = await watched(stack, old, redirects=new.address)
    for path in ("summary", "incidents", "scheduled-maintenances"):
        old.answers[f"/api/v2/{path}.json"] = Answer(302, b"", {"Location": f"{new.address}/api/v2/{path}.json"})
    await moved.tick()
    assert len(moved.town.posts()) == 1
    strayed = await watched(stack, old)
    await strayed.tick()
    page = (await strayed.town.pages.page(CLAUDE)).page
    assert page.read_at is None
    assert page.trouble is not None
    assert "not a host of this page" in page.trouble.why


async def test_25_a_first_reading_that_fails_is_waited_out_without_a_hot_loop(stack: AsyncExitStack) -> None:
    here = await watched(stack, await server_on(stack))
    here.server.answers_all(Answer(500))
    await here.tick()
    asked = len(here.server.requests)
    for _ in range(50):
        await here.tick(0.1)
    assert len(here.server.requests) == asked
    here.recovers("life_1_investigating.json")
    await here.tick()
    assert len(here.town.posts()) == 1


async def test_29_a_part_the_page_replaces_is_no_longer_called_fine_and_operators_hear_of_it_once(
    here: Watched, log: list[EventDict]
) -> None:
    await here.town.listen("CODE", components=frozenset({CODE}))
    summary = document("summary_all_operational.json")
    summary["incidents"] = []
    here.server.says(page_of(*OLD), summary)
    await here.tick()
    status = StoredStatus(here.town.pages, CLAUDE, here.page, lambda: here.town.clock.now)
    await status.refresh()
    assert (await status.board()).clear(frozenset({CODE}))
    (code,) = (part for part in summary["components"] if part["id"] == CODE)
    code["id"] = "anotherid000"
    here.server.says(page_of(*OLD), summary)
    for _ in range(3):
        await here.tick()
    await status.refresh()
    board = await status.board()
    assert board.health is Health.OK
    assert not board.clear(frozenset({CODE})), "its last word of a part it no longer lists is no word about now"
    (told,) = [line for line in log if line["event"] == "watch.parts-gone"]
    assert (told["parts"], told["channels"], told["log_level"]) == ("Claude Code", 1, "error")


async def test_an_older_copy_out_of_a_cache_takes_nothing_back_until_it_stays(here: Watched) -> None:
    def page(minute: int, *incidents: dict[str, Any]) -> dict[str, Any]:
        changed = page_of(*incidents, *OLD)
        changed["page"]["updated_at"] = stamp(began + 86400 + minute * 60)
        return changed

    began = here.clocks.wall
    new = made("cached", at=began)
    over = made("cached", "resolved", at=began)
    over["incident_updates"] = [said("end", "resolved", "All good.", began), *new["incident_updates"]]
    older, newer = page(-2, new), page(-1, over)
    for copy in (older, newer, older, newer, older):
        here.server.says(copy, "summary_all_operational.json")
        await here.tick()
    post = next(p for p in here.town.posts() if "Trouble cached" in text(p))
    shown = post.shows
    assert shown.tone is Tone.OVER
    assert len(here.town.replies(post)) == 1, "nobody hears of it back and forth"
    for _ in range(10):
        await here.tick()
    assert post.shows.tone is Tone.MINOR, "what stays is believed, whatever its time"


async def test_33_a_nudge_is_never_data(here: Watched) -> None:
    """There is no webhook: nothing but a reading of the page can make news, and a second one of the same makes none."""
    seen = what_people_see(here)
    for _ in range(5):
        await here.watcher.poll(CLAUDE, here.page)
        await here.town.announces()
    assert what_people_see(here) == seen


@pytest.mark.parametrize("name", ["other_page_id.json", "incidents_empty_list.json"])
async def test_38_another_page_or_an_empty_list_withdraws_nothing(here: Watched, name: str) -> None:
    seen = what_people_see(here)
    here.server.says(name)
    for _ in range(5):
        await here.tick()
    assert what_people_see(here) == seen


async def test_how_late_what_came_and_went_is_told_can_be_set(stack: AsyncExitStack) -> None:
    for hours, posts in ((24, 0), (48, 1)):
        here = await watched(stack, await server_on(stack))
        here.watcher.fresh = hours * 3600.0
        here.town.clock.now = here.clocks.wall = START
        here.server.says(page_of(*OLD))
        await here.tick()
        here.server.says(page_of(made("quick", "resolved", here.clocks.wall - 30 * 3600.0), *OLD))
        await here.tick()
        assert len(here.town.posts()) == posts, hours


def test_every_case_of_the_list_has_its_test() -> None:
    files = (test_failure_cases.__file__, test_failure_cases_changes.__file__, __file__)
    found = re.findall(r"def test_(\d\d)_", "".join(Path(f).read_text(encoding="utf-8") for f in files if f))
    assert {int(n) for n in found} == set(range(1, 40))
    assert announcing.START == START
