"""Channels begin to listen, change their minds and leave, as people do it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from bot.adapters.console.plain import as_text
from bot.adapters.rehearsal.channels import PaperChannels
from bot.core.status.announcement_view import Notice, Tone
from bot.core.status.subscription import Choice, Place, Standing
from bot.core.status.wishes import Menu
from bot.core.view import View
from bot.ports.announcing import Delivery
from handlers.announce import AT_ONCE, BATCH, tidy
from handlers.subscriptions import Asking, Declared, declare, listed, subscribe, unsubscribe
from tests.scenarios.announcing import CLAUDE, CODE, DAY, OLD, START, Town, made, page_of, said, text

PLACE = Place("paper", "W", "C1")
MENU = Menu(CLAUDE, "Claude")
ADMIN = Asking(PLACE, "U1", may_manage=True)


def words(view: View) -> str:
    return as_text(view, grades={}, width=0)


def ended(incident: dict[str, object], at: float = START) -> dict[str, object]:
    """The same, with its end."""
    updates = [said(f"{incident['id']}end", "resolved", "It is over.", at), *incident["incident_updates"]]  # type: ignore[misc]
    return {**incident, "status": "resolved", "resolved_at": incident["started_at"], "incident_updates": updates}


@pytest.fixture
async def town() -> Town:
    """A page with two open incidents; nobody listens yet."""
    town = await Town.build()
    await town.tells(page_of(*OLD))
    await town.tells(page_of(made("small"), made("big", impact="critical"), *OLD))
    return town


async def test_a_new_channel_gets_what_is_open_as_one_message_and_no_history(town: Town) -> None:
    said_to_them = words(await subscribe(town.office, ADMIN, MENU, Choice()))
    assert "hears of Claude: everything" in said_to_them
    await town.announces()
    (post,) = town.posts()
    assert "2 incidents are open" in text(post)
    await town.tells(page_of(ended(made("small")), made("big", impact="critical"), *OLD))
    assert "small" in town.replies(post)[0]
    await town.tells(page_of(ended(made("small")), ended(made("big", impact="critical")), made("next"), *OLD))
    assert post.shows.tone is Tone.OVER
    assert len(town.posts()) == 2, "what comes next is a message of its own"


async def test_only_who_may_manage_the_channel_may_choose(town: Town) -> None:
    guest = replace(ADMIN, may_manage=False)
    assert "may manage" in words(await subscribe(town.office, guest, MENU, Choice()))
    await subscribe(town.office, ADMIN, MENU, Choice())
    assert "may manage" in words(await unsubscribe(town.office, guest, MENU))
    assert len(await town.pages.subscriptions(CLAUDE)) == 1


async def test_the_same_again_changes_nothing(town: Town) -> None:
    await subscribe(town.office, ADMIN, MENU, Choice())
    before = await town.pages.page(CLAUDE)
    assert "already" in words(await subscribe(town.office, ADMIN, MENU, Choice()))
    assert await town.pages.page(CLAUDE) == before


async def test_a_wider_choice_brings_what_is_open_and_nothing_twice(town: Town) -> None:
    await subscribe(town.office, ADMIN, MENU, Choice(least="critical"))
    await town.announces()
    await subscribe(town.office, ADMIN, MENU, Choice())
    await town.announces()
    first, second = town.posts()
    assert "big" in text(first)
    assert "small" in text(second)
    assert "big" not in text(second)
    await town.tells(page_of(ended(made("small")), ended(made("big", impact="critical")), *OLD))
    assert [p.shows.tone for p in town.posts()] == [Tone.OVER, Tone.OVER]
    assert [len(town.replies(p)) for p in town.posts()] == [1, 1]


async def test_a_change_while_news_is_on_its_way_loses_and_repeats_none(town: Town) -> None:
    await subscribe(town.office, ADMIN, MENU, Choice())
    await town.announces()
    await town.reads(page_of(made("fresh"), made("small"), made("big", impact="critical"), *OLD))
    await subscribe(town.office, ADMIN, MENU, Choice(replies=False))
    await town.announces()
    told = " ".join(text(p) for p in town.posts())
    assert told.count("Trouble fresh") == 1
    assert told.count("Trouble small") == 1


@pytest.mark.parametrize("settles", [False, True])
async def test_a_narrower_choice_follows_to_its_end_what_was_begun(town: Town, *, settles: bool) -> None:
    await subscribe(town.office, ADMIN, MENU, Choice())
    await town.announces()
    await subscribe(town.office, ADMIN, MENU, Choice(components=frozenset({CODE}), general=False))
    if settles:
        await town.announces()
    await town.tells(page_of(ended(made("small")), ended(made("big", impact="critical")), made("general"), *OLD))
    (post,) = town.posts()
    assert post.shows.tone is Tone.OVER


async def test_who_leaves_hears_nothing_new_but_no_message_stays_red(town: Town) -> None:
    await subscribe(town.office, ADMIN, MENU, Choice())
    await town.announces()
    assert "hears no more" in words(await unsubscribe(town.office, ADMIN, MENU))
    assert "does not listen" in words(await listed(town.office, ADMIN, [MENU]))
    await tidy(town.office, CLAUDE)
    await town.tells(page_of(made("new"), made("small"), ended(made("big")), *OLD))
    await tidy(town.office, CLAUDE)
    assert len(await town.pages.subscriptions(CLAUDE)) == 1
    await town.tells(page_of(ended(made("new")), ended(made("small")), ended(made("big")), *OLD))
    (post,) = town.posts()
    assert post.shows.tone is Tone.OVER
    assert town.replies(post) == []
    await tidy(town.office, CLAUDE)
    assert await town.pages.subscriptions(CLAUDE) == ()


async def test_a_paused_channel_goes_on_when_somebody_subscribes_again(town: Town) -> None:
    await subscribe(town.office, ADMIN, MENU, Choice())
    await town.announces()
    town.paper.closed.add("C1")
    await town.tells(page_of(made("lost"), made("small"), made("big", impact="critical"), *OLD))
    assert "paused" in words(await listed(town.office, ADMIN, [MENU]))
    town.paper.closed.clear()
    await subscribe(town.office, ADMIN, MENU, Choice())
    await town.announces()
    assert [("lost" in text(p)) for p in town.posts()] == [False, True]
    assert (await town.pages.subscriptions(CLAUDE))[0].standing is Standing.ACTIVE


async def test_mentions_are_off_and_only_for_new_grave_incidents(town: Town) -> None:
    await subscribe(town.office, ADMIN, MENU, Choice(mention="<!subteam^S1>", mention_from="major"))
    listened = (made("small"), made("big", impact="critical"), *OLD)
    await town.tells(page_of(made("minor"), made("major", impact="major"), *listened))
    await town.tells(page_of(ended(made("quick", impact="critical")), *listened))
    assert [bool(p.shows.mention) for p in town.posts()].count(True) == 1
    mentioned = next(p for p in town.posts() if p.shows.mention)
    assert "Trouble major" in text(mentioned)
    assert mentioned.history[0].mention
    assert not any(n.mention for n in mentioned.history[1:])


async def test_the_settings_file_holds_however_often_it_is_read(town: Town) -> None:
    other = Place("paper", "W", "C2")
    for _ in range(2):
        await declare(town.office, [Declared(PLACE, CLAUDE), Declared(other, CLAUDE, Choice(least="major"))], [CLAUDE])
    await town.announces()
    assert [len(town.posts(c)) for c in ("C1", "C2")] == [1, 1]
    await declare(town.office, [Declared(PLACE, CLAUDE)], [CLAUDE])
    standing = {s.place.channel: s.standing for s in await town.pages.subscriptions(CLAUDE)}
    assert standing == {"C1": Standing.ACTIVE, "C2": Standing.ENDING}


async def test_what_is_forgotten_after_ninety_days_is_dropped_from_the_channels_too(town: Town) -> None:
    await subscribe(town.office, ADMIN, MENU, Choice())
    new = ended(made("new"))
    await town.tells(page_of(new, *OLD))
    there = (await town.pages.subscriptions(CLAUDE))[0].id
    assert "new" in await town.pages.topics(CLAUDE, there)
    for _ in range(95):
        await town.tells(page_of(made("small"), made("big", impact="critical"), *OLD), after=DAY)
    await tidy(town.office, CLAUDE)
    assert "new" not in await town.pages.topics(CLAUDE, there)


async def test_what_ended_before_a_channel_listened_is_news_when_it_opens_again_or_gets_grave_enough(
    town: Town,
) -> None:
    listed = (made("small"), made("big", impact="critical"), *OLD)
    await town.tells(page_of(ended(made("back")), *listed))
    await subscribe(town.office, ADMIN, MENU, Choice(least="major"))
    await town.announces()
    assert [("back" in text(p)) for p in town.posts()] == [False]
    again = ended(made("back", impact="major"))
    again["status"] = "investigating"
    again["incident_updates"] = [said("again", "investigating", "Again.", START), *again["incident_updates"]]  # type: ignore[misc]
    await town.tells(page_of(again, *listed))
    assert [("back" in text(p)) for p in town.posts()] == [False, True]
    await town.tells(page_of(again, made("small", impact="major"), *listed[1:]))
    assert [("small" in text(p)) for p in town.posts()] == [False, False, True]


class Interrupted(PaperChannels):
    """A platform where something happens while the first message is sent."""

    then: Callable[[], Awaitable[None]] | None = None

    async def post(self, place: Place, key: str, notice: Notice) -> Delivery:
        then, self.then = self.then, None
        if then:
            await then()
        return await super().post(place, key, notice)


async def test_who_is_gone_before_their_turn_is_not_waited_for() -> None:
    paper = Interrupted()
    town = await Town.build({"paper": paper})
    listening = [await town.listen(f"C{n:03}") for n in range(AT_ONCE + BATCH + 1)]
    await town.tells(page_of(*OLD))

    async def leaves() -> None:
        there = await town.pages.subscription(CLAUDE, listening[-1].place)
        assert there
        assert await town.pages.change(there, None)

    paper.then = leaves
    walked = await town.tells(page_of(made("new"), *OLD))
    assert (walked.acts, walked.left) == (len(listening) - 1, 0)
    assert await town.pages.settled(CLAUDE, "paper") == await town.pages.revision(CLAUDE)


async def test_who_chooses_anew_while_others_are_told_first_hears_of_all_that_is_open_then() -> None:
    paper = Interrupted()
    town = await Town.build({"paper": paper})
    names = [f"C{n:03}" for n in range(AT_ONCE + BATCH + 1)]
    for name in names:
        await town.listen(name, least="major")
    small, grave, new = made("small"), made("grave", impact="major"), made("new")
    await town.tells(page_of(small, *OLD))

    async def chooses() -> None:
        await town.reads(page_of(new, grave, small, *OLD))
        await subscribe(town.office, replace(ADMIN, place=Place("paper", "W", names[-1])), MENU, Choice())

    paper.then = chooses
    await town.tells(page_of(grave, small, *OLD))
    posts = [message for message in paper.messages.values() if message.place.channel == names[-1]]
    shown = [[as_text(notice.view, grades={"official": ""}, width=0) for notice in post.history] for post in posts]
    assert [len(versions) for versions in shown] == [1, 1], shown
    (alone,), (together,) = sorted(shown, key=lambda versions: "Trouble small" in versions[0])
    assert "Trouble grave" in alone
    assert "Trouble small" in together
    assert "Trouble new" in together
