"""Choosing what a channel hears: the same on every platform that has channels."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.status.announcement_view import Names
from bot.core.status.incident import Component
from bot.core.status.statuspage import parse_incidents
from bot.core.status.subscription import Choice
from bot.core.status.watch import Page, Reading, merge
from handlers.announce import Announcer, Office
from handlers.subscriptions import Declared, declare
from tests.contract.choosing import CHOOSERS, Chooser
from tests.scenarios.announcing import API, CLAUDE, CODE, HOSTS, MINUTE, OLD, START, made, page_of

MAY_NOT = "Only people who may manage this channel"


@pytest.fixture(params=CHOOSERS)
async def there(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Chooser]:
    async with CHOOSERS[request.param](tmp_path / "data") as one:
        yield one


async def chosen(there: Chooser, page: str = CLAUDE) -> Choice | None:
    assert there.desk.pages
    found = await there.desk.pages.subscription(page, there.place)
    return found.choice if found else None


def office(there: Chooser) -> Office:
    assert there.desk.pages
    names = Names(there.desk.library.messages, there.desk.library.services.components)
    return Office(there.desk.pages, {there.place.platform: there.channels}, lambda _: names)


async def reads(there: Chooser, *incidents: dict[str, object]) -> None:
    """The page lists this now."""
    assert there.desk.pages
    listed = parse_incidents(page_of(*incidents), page_id=CLAUDE, hosts=HOSTS)
    before = await there.desk.pages.page(CLAUDE)
    assert await there.desk.pages.put(before, merge(before.page, Reading(START + MINUTE, listed)))


async def test_words_choose_all_there_is(there: Chooser) -> None:
    words = "subscribe minor claude-code, api no-maintenance no-general edits-only mention @on-call from major"
    answer = await there.types("ann", words)
    assert "hears of Claude: incidents of Claude API, Claude Code" in answer.text
    assert "mentioning @on-call from “major” on" in answer.text
    assert await chosen(there) == Choice(
        components=frozenset({CODE, API}), general=False, least="minor", maintenance=False, replies=False,
        mention=there.group, mention_from="major",
    )  # fmt: skip


async def test_a_form_asks_and_shows_what_is_chosen_when_it_is_opened_again(there: Chooser) -> None:
    form = await there.asks("ann")
    answers = {"parts": (CODE,), "least": ("minor",), "also": ("replies",), "mention": (there.group,)}
    assert "hears of Claude: incidents of Claude Code" in (await there.sends("ann", form, **answers)).text
    wished = Choice(components=frozenset({CODE}), least="minor", general=False, maintenance=False, mention=there.group)
    assert await chosen(there) == wished
    await there.types("ann", "subscriptions")
    again = await there.presses("ann", "Change: Claude")
    await there.sends("ann", again, also=("general", "maintenance", "replies"), mention=("nobody",))
    changed = replace(wished, general=True, maintenance=True, mention="")
    assert await chosen(there) == changed, "what is left as it was stays"
    await there.sends("ann", await there.asks("ann"))
    assert await chosen(there) == changed, "a form that is sent as it opens changes nothing"
    await there.types("ann", "subscriptions")
    await there.presses("ann", "Stop: Claude")
    assert "hears no more" in (await there.told("ann")).text


async def test_who_may_not_gets_a_word_and_nothing_to_press(there: Chooser) -> None:
    assert await there.asks("bob") is None
    assert MAY_NOT in (await there.told("bob")).text
    assert MAY_NOT in (await there.types("bob", "subscribe major")).text
    assert (await there.types("bob", "subscriptions")).buttons == ()
    await there.types("ann", "subscribe major")
    assert MAY_NOT in (await there.types("bob", "unsubscribe")).text
    listed = await there.types("bob", "subscriptions")
    assert "from “major” on" in listed.text
    assert listed.buttons == ()
    assert await chosen(there) == Choice(least="major")


async def test_an_empty_list_offers_to_begin(there: Chooser) -> None:
    listed = await there.types("ann", "subscriptions")
    assert "does not listen to any page" in listed.text
    form = await there.presses("ann", "Announce incidents here")
    assert "hears of Claude: everything" in (await there.sends("ann", form)).text


async def test_words_that_are_not_understood_change_nothing_and_say_what_can_be_said(there: Chooser) -> None:
    answer = await there.types("ann", "subscribe major cluade-code @here-and-there")
    assert "I don't know “cluade" in answer.text
    assert "Claude Code" in answer.text
    assert "@on-call" in answer.text
    assert await chosen(there) is None


async def test_what_the_settings_file_says_stays(there: Chooser) -> None:
    await declare(office(there), [Declared(there.place, CLAUDE, Choice(least="major"))], [CLAUDE])
    for words in ("subscribe everything", "subscribe", "unsubscribe"):
        assert "stands in the settings file" in (await there.types("ann", words)).text
    listed = await there.types("ann", "subscriptions")
    assert "set in the settings file" in listed.text
    assert listed.buttons == ()


async def test_of_several_pages_one_is_chosen_first(there: Chooser) -> None:
    there.desk.watched = {CLAUDE: "Claude", "p2": "GitHub"}
    assert "Of which page?" in (await there.types("ann", "subscribe")).text
    form = await there.presses("ann", "GitHub")
    assert "hears of GitHub: everything" in (await there.sends("ann", form)).text
    assert "hears of Claude: everything" in (await there.types("ann", "subscribe everything")).text
    assert {"Stop: Claude", "Stop: GitHub"} <= set((await there.types("ann", "unsubscribe")).buttons)
    await there.presses("ann", "Stop: GitHub")
    assert "hears no more of GitHub" in (await there.told("ann")).text
    assert "GitHub" not in (await there.types("ann", "subscriptions")).text


async def test_parts_are_those_the_page_lists_now_and_of_another_page_its_own(there: Chooser) -> None:
    assert there.desk.pages
    there.desk.watched = {CLAUDE: "Claude", "p2": "GitHub"}
    before = await there.desk.pages.page("p2")
    actions = Component("gh1", "Actions", "operational")
    await there.desk.pages.put(before, Page("p2", components={"gh1": actions}, read_at=START))
    assert "incidents of Actions" in (await there.types("ann", "subscribe github actions")).text
    assert await chosen(there, "p2") == Choice(components=frozenset({"gh1"}))


async def test_a_new_channel_gets_what_is_open_as_one_message(there: Chooser) -> None:
    await reads(there, made("small"), made("big", impact="critical"), *OLD)
    await there.types("ann", "subscribe everything")
    await Announcer(office(there)).walk(CLAUDE, there.place.platform)
    (post,) = await there.posts()
    assert "2 incidents are open" in post
