"""Views as Slack is given them: every one of them within its limits, and nothing foreign read as markup."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.slack.mrkdwn import from_mrkdwn, to_mrkdwn
from bot.adapters.slack.press import Mark, from_block_id, to_block_id
from bot.adapters.slack.render import Message, Renderer
from bot.core.text import Bullets, Code, Evidence, Note, Span, Steps, Text, words
from bot.core.triage.folding import Folded
from bot.core.view import Offer, View
from handlers.commands import open_view
from handlers.status import status_view
from tests.adapters.slack.kit import faults
from tests.scenarios.announcing import Town
from tests.scenarios.playing import NOW, Player, library, page

RENDERER = Renderer(library().messages)


def rich(message: Message) -> list[dict[str, Any]]:
    first = cast("dict[str, Any]", message.blocks[0])
    return cast("list[dict[str, Any]]", first["elements"])


def buttons(message: Message) -> list[dict[str, Any]]:
    blocks = [cast("dict[str, Any]", block) for block in message.blocks]
    return [element for block in blocks if block["type"] == "actions" for element in block["elements"]]


def test_the_largest_hand_off_is_within_limits_and_cut_only_at_its_end() -> None:
    player = Player(page("clear"))
    player.report("API Error: Connection closed mid-response. " + "lorem ipsum " * 2000)
    for n in range(30):
        player.say(f"{n} " + "and then I looked at this other thing " * 40)
    message = RENDERER.message(player.press("@human"))
    assert not faults(message)


def test_lists_help_and_status_are_within_limits() -> None:
    say = library().messages
    player = Player(page("clear"))
    player.report("API Error: 529 overloaded")
    assert player.conversation
    many = [replace(player.conversation, id=f"c{n}") for n in range(300)]
    views = [open_view(library(), many, NOW), View(lead=say.inline("trouble.busy"))]
    for board in (page("clear"), page("incident")):
        assert board
        views.append(status_view(library(), board, NOW))
    assert not [fault for view in views for fault in faults(RENDERER.message(view))]


def test_a_step_has_its_choices_as_buttons_that_say_where_they_stand() -> None:
    player = Player(page("clear"))
    view = player.start("response-cut-off")
    message = RENDERER.message(view)
    blocks = [cast("dict[str, Any]", block) for block in message.blocks]
    picks = next(block for block in blocks if block.get("block_id", "").startswith("pick:"))
    assert from_block_id(picks["block_id"]) == Mark("pick", "c1", view.revision, view.step)
    assert [element["action_id"] for element in picks["elements"]] == [offer.id for offer in view.offers]
    assert message.body()["metadata"] == {"event_type": "redial_view", "event_payload": {"key": view.key}}
    assert message.body()["unfurl_links"] is False


def test_more_than_five_choices_are_a_select() -> None:
    offers = tuple(Offer(n, f"o{n}", f"Choice {n}") for n in range(1, 8))
    (select,) = buttons(RENDERER.message(View(words("Which?"), offers=offers, conversation="c1", step="s")))
    assert select["type"] == "static_select"
    assert [option["value"] for option in select["options"]] == [offer.id for offer in offers]


def test_labels_too_long_for_a_button_are_listed_in_full() -> None:
    offers = (Offer(1, "a", "long " * 30), Offer(2, "b", "short"))
    message = RENDERER.message(View(words("Which?"), offers=offers, conversation="c1", step="s"))
    assert not faults(message)
    assert [element["text"]["text"][:2] for element in buttons(message)] == ["1.", "2."]
    assert "long " * 30 in json.dumps(rich(message))


def test_items_after_code_go_on_counting() -> None:
    steps = Steps(((Text(words("one")), Code("git status")), (Text(words("two")),), (Text(words("three")),)))
    kinds = [(e["type"], e.get("offset", 0), len(e["elements"])) for e in rich(RENDERER.message(View(blocks=(steps,))))]
    assert kinds == [("rich_text_list", 0, 1), ("rich_text_preformatted", 0, 1), ("rich_text_list", 1, 2)]


def test_an_aside_is_quoted_with_its_grade() -> None:
    note = Note("n", Evidence.REPORTED, (Text(words("It helps")), Bullets(((Text(words("sometimes")),),))))
    quotes = [e for e in rich(RENDERER.message(View(words("x"), blocks=(note,)))) if e["type"] == "rich_text_quote"]
    assert "".join(e["text"] for e in quotes[0]["elements"]) == "people report: It helps"
    assert len(quotes) == 1 or quotes[1]["elements"][0]["text"] == "• "


def test_a_folded_question_is_struck_through_and_says_who_answered() -> None:
    message = RENDERER.folded(Folded(words("What ran?"), "Only text", "U1", words("Cut off.")))
    assert not faults(message)
    (section,) = rich(message)
    assert {"type": "text", "text": "What ran?", "style": {"strike": True}} in section["elements"]
    assert {"type": "user", "user_id": "U1"} in section["elements"]
    assert not buttons(message)


def test_moments_are_shown_in_each_readers_own_time() -> None:
    board = page("incident")
    assert board
    dates = [e for part in rich(RENDERER.message(status_view(library(), board, NOW))) for e in part["elements"]]
    (date,) = [element for element in dates if element["type"] == "date"]
    assert date == {"type": "date", "timestamp": int(NOW - 1080), "format": "{time}", "fallback": "13:55 UTC"}
    assert to_mrkdwn((Span("14:00 UTC", at=5.0),)) == "<!date^5^{time}|14:00 UTC>"


HOSTILE = st.text(alphabet=st.sampled_from("<>!@#&|*_~`: \nabUchannel"), min_size=1, max_size=40)


@given(HOSTILE)
def test_nothing_foreign_is_markup_or_a_mention(text: str) -> None:
    foreign = words(text)
    blocks = (Text(foreign), Code(text), Note("n", Evidence.REPORTED, (Text(foreign),)))
    view = View(foreign, blocks=blocks, offers=(Offer(1, "a", text),), read_as=foreign, conversation="c1", step="s")
    message = RENDERER.message(view)
    context = [cast("dict[str, Any]", block) for block in message.blocks if block["type"] == "context"]
    for readable in (message.text, *(element["text"] for block in context for element in block["elements"])):
        assert "<" not in readable
        assert ">" not in readable
    kinds = {e["type"] for part in rich(message) for e in part["elements"]}
    assert kinds <= {"text", "rich_text_section"}


@given(st.text(max_size=60))
def test_what_is_written_out_reads_back_as_it_was(text: str) -> None:
    assert from_mrkdwn(to_mrkdwn(words(text))).replace("\u2060", "") == text.replace("\u2060", "").strip()


def test_a_link_is_one_whatever_its_words_hold() -> None:
    assert to_mrkdwn((Span("a|b>", href="https://x.test/?a=1&b=2|3"),)) == "<https://x.test/?a=1&amp;b=2%7C3|a¦b&gt;>"


@given(st.text("abc@#-", min_size=1, max_size=20), st.integers(0, 10**6), st.text("ab:@#?-", max_size=40))
def test_a_mark_survives_its_block_id(conversation: str, revision: int, step: str) -> None:
    mark = Mark("pick", conversation, revision, step)
    assert from_block_id(to_block_id(mark)) == mark


def test_foreign_block_ids_are_not_ours() -> None:
    assert from_block_id("") is None
    assert from_block_id("aBcD3") is None
    assert from_block_id("x:y:z:w") is None


LIVES = {
    "a life": [f"life_{n}_{s}.json" for n, s in enumerate(
        ("investigating", "identified", "monitoring", "identified", "monitoring", "resolved", "postmortem"), 1
    )],
    "edited": ["edited_title_impact_resolved_body.json"],
    "hostile": ["hostile_text.json"],
    "three open": ["incidents_three_open.json"],
    "windows": ["window_1_before.json", "window_2_duplicate.json", "window_3_duplicate_deleted.json"],
    "between": ["appears_resolved_between_polls.json"],
}  # fmt: skip


@pytest.mark.parametrize("life", LIVES)
async def test_every_announcement_is_within_limits(life: str) -> None:
    town = await Town.build()
    await town.tells("incidents_empty_list.json")
    await town.listen(mention="<!here>", mention_from="none")
    for name in LIVES[life]:
        await town.tells(name)
    shown = [notice for message in town.paper.messages.values() for notice in message.history]
    assert shown
    assert {fault for notice in shown for fault in faults(RENDERER.message(notice.view))} == set()


async def test_so_is_every_stage_of_a_maintenance() -> None:
    town = await Town.build()
    await town.tells("incidents_empty_list.json")
    await town.listen()
    stages = ("1_scheduled", "1b_rescheduled_no_update", "2_in_progress", "3_verifying", "4_completed")
    for stage in stages:
        await town.tells("incidents_empty_list.json", maintenances=f"maintenance_{stage}.json")
    shown = [notice for message in town.paper.messages.values() for notice in message.history]
    assert len(shown) >= len(stages)
    assert {fault for notice in shown for fault in faults(RENDERER.message(notice.view))} == set()
