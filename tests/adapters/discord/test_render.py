from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.adapters.discord import press
from bot.adapters.discord.limits import CUSTOM_ID, TEXT
from bot.adapters.discord.markup import cut_lines, escaped, from_markdown, to_line, to_lines, to_markdown
from bot.adapters.discord.press import Mark
from bot.adapters.discord.render import Renderer, Setting
from bot.core.moments import clock, moment
from bot.core.status.incident import Board
from bot.core.text import Bullets, Code, Heading, Span, Steps, Text, words
from bot.core.triage.folding import Folded
from bot.core.view import Control, Offer, View
from handlers.commands import open_view
from handlers.status import status_view
from tests.adapters.discord.kit import PRIVATE, faults
from tests.adapters.discord.openapi import message_faults, needs_openapi
from tests.adapters.discord.town import plain, walked
from tests.contract.test_chat import HOSTILE, every_block, longest
from tests.scenarios import announcing
from tests.scenarios.playing import NOW, Player, everything, library, page

RENDERER = Renderer(library().messages)
MARKS = [
    *("# title", "-# small", "> quote", "- item", "1. one", "12) twelve", "**b**", "__u__", "~~s~~", "`c`", ":smile:"),
    *("<:e:1>", "<t:1>", "<@1>", "<#1>", "</a:1>", "[a](http://x)", "https://x.y"),
]


@needs_openapi
def test_discords_own_description_accepts_every_shape_of_message() -> None:
    views = [every_block(), longest(), status_view(library(), incident(), NOW)]
    views += [player.view for _, player, _ in everything("response-cut-off", answer="incident")][:40]
    for view in views:
        for setting in (Setting(), PRIVATE, Setting(asker="1" * 19)):
            assert message_faults(RENDERER.message(view, setting)) == []
    folded = Folded(words("What?"), "That", "2" * 19, words("Do not repeat it."))
    assert message_faults(RENDERER.folded(folded, owner="1")) == []


@needs_openapi
@pytest.mark.parametrize("wrong", [[{"type": 10}], [{"type": 99}], [{"type": 2, "style": 1, "label": "a"}]])
def test_the_judge_refuses_what_is_wrong(wrong: list[dict[str, object]]) -> None:
    assert message_faults(wrong)


def incident() -> Board:
    board = page("incident")
    assert board
    return board


def test_lists_status_and_the_longest_fit() -> None:
    player = Player(page("clear"))
    player.start("response-cut-off")
    assert player.conversation
    mine = [player.conversation] * 30
    views = (longest(), every_block(), open_view(library(), mine, NOW), status_view(library(), incident(), NOW))
    for view in views:
        assert faults(RENDERER.message(view, PRIVATE)) == []


async def test_every_announcement_fits() -> None:
    there = await announcing.Town.build()
    await there.listen(mention="<@&1>", mention_from="minor")
    huge = announcing.made("huge", name="N" * 900, components=[{"id": f"c{n}", "name": "P" * 90} for n in range(60)])
    huge["incident_updates"] = [announcing.said(f"u{n}", "investigating", "long words " * 900, NOW) for n in range(5)]
    await there.tells(announcing.page_of(*announcing.OLD), after=60)
    for document in ("hostile_text.json", "incidents_three_open.json", "life_7_postmortem.json"):
        await there.tells(document)
    await there.tells(announcing.page_of(huge, *announcing.OLD))
    assert len(there.paper.log) > 4
    for one in there.paper.log:
        shown = RENDERER.framed(one.shows.view, 0xE67E22, one.message.key, Setting(mention=one.shows.mention))
        assert faults(shown) == []


def test_more_than_five_choices_are_a_select_and_the_last_way_out_is_there() -> None:
    offers = tuple(Offer(n, f"choice-{n}", f"Choice {n}") for n in range(1, 8))
    ways = tuple(Control(f"@{n}", f"Way {n}") for n in range(7))
    parts = list(
        walked(RENDERER.message(View(lead=words("?"), offers=offers, controls=ways, conversation="c", step="s")))
    )
    (select,) = [part for part in parts if part["type"] == 3]
    assert [option["label"] for option in select["options"]] == [offer.label for offer in offers]  # type: ignore[attr-defined]
    assert [part["label"] for part in parts if part["type"] == 2] == [way.label for way in ways]


def test_a_text_too_long_is_cut_at_a_line_and_its_block_is_closed() -> None:
    view = View(lead=words("Lead"), blocks=(Code("\n".join(["x" * 90] * 100)), Text(words("after"))))
    (text,) = [str(part["content"]) for part in RENDERER.message(view)]
    assert len(text) <= TEXT
    assert text.endswith("…\n```")
    assert cut_lines(["short"], 100) == "short"


def test_the_key_is_in_the_message_and_differs_for_each_revision() -> None:
    keys = {press.key_mark(f"c{n}:{m}") for n in range(300) for m in range(10)}
    assert len(keys) == 3000
    assert all(0 < key < 2**31 for key in keys)
    first = RENDERER.message(View(lead=words("x"), key="c1:2"))[0]
    assert first["id"] == press.key_mark("c1:2")


@given(
    st.text("abc-_@é", min_size=1, max_size=70),
    st.text("abc-_@é", max_size=70),
    st.integers(0, 9999),
    st.sampled_from(["", "123456789012345678"]),
)
def test_a_mark_is_read_back_or_known_not_to_be(choice: str, step: str, revision: int, user: str) -> None:
    mark = Mark(choice, "abcdefghijklmnop", revision, step, user, user)
    custom_id = press.to_custom_id(mark)
    assert len(custom_id) <= CUSTOM_ID
    back = press.from_custom_id(custom_id)
    assert back
    assert (back == mark) is press.Ids(mark).fits(choice)
    assert (back.conversation, back.revision, back.for_user) == ("abcdefghijklmnop", revision, user)


@pytest.mark.parametrize("foreign", ["", "other", "r1:a:b", "r1:c:x:s:c::", "r0:c:1:s:c::", "a:b:c:d:e:f:g"])
def test_what_is_not_redials_is_no_mark(foreign: str) -> None:
    assert press.from_custom_id(foreign) is None


def test_a_text_that_is_kept_is_never_taken_for_anothers() -> None:
    """What a view was made of is gone by the next one, which then stands where that stood."""
    renderer = Renderer(library().messages)
    for n in range(1200):
        view = View(words(f"Title {n}"), blocks=(Text(words(f"words {n}")),), conversation="c", step="s")
        shown = [part["content"] for part in walked(renderer.message(view)) if "content" in part]
        assert shown == [f"### Title {n}\nwords {n}"]


class TestForeignText:
    def test_nothing_is_markup(self) -> None:
        shown = escaped(HOSTILE)
        assert "@everyone" not in shown
        assert "@here" not in shown
        assert "\\<@U0BOB>" in shown
        assert plain(shown) == HOSTILE

    @pytest.mark.parametrize("text", [*MARKS, "||s||", "```\nblock\n```", "\\"])
    def test_marks_are_taken_for_themselves(self, text: str) -> None:
        assert escaped(text) != text
        assert plain(escaped(text)) == text

    @given(st.text(max_size=60))
    def test_any_text_reads_as_it_is(self, text: str) -> None:
        clean = text.replace("\x00", "").replace("\u200b", "")
        assert plain(escaped(clean)) == clean

    @given(st.text("`ab \n", max_size=30))
    @example("`````")
    def test_code_stays_code(self, text: str) -> None:
        line = to_line((Span(text, code=True),))
        assert "\n" not in line
        block = "\n".join(to_lines([Code(text)], RENDERER.grades))
        assert block.count("```") == 2

    @pytest.mark.parametrize("href", ["javascript:alert(1)", "#step", "file:///etc", ""])
    def test_only_web_addresses_become_links(self, href: str) -> None:
        assert "(" not in to_markdown((Span("here", href=href or None),))

    def test_an_address_cannot_leave_its_link(self) -> None:
        link = to_markdown((Span("a](http://evil)", href="https://x.example/a) [b](https://evil.example"),))
        assert link.count("](<") == 1
        assert link.endswith(">)")
        assert " " not in link.split("](<")[1]


def test_moments_are_shown_in_each_readers_own_time() -> None:
    shown = to_markdown((Span("since "), *moment(NOW)))
    assert shown == f"since <t:{int(NOW)}:t>"
    assert plain(shown) == f"since {clock(NOW)}"


def test_styles_side_by_side_stay_apart() -> None:
    inline = (Span("a ", bold=True), Span("b", italic=True), Span("c", bold=True), Span(" d"))
    assert to_markdown(inline) == "**a** *b*\u200b**c** d"


def test_code_in_a_list_stands_at_the_margin() -> None:
    block = Steps(((Text(words("one")), Code("x", "sh"), Bullets(((Text(words("in")),),))), (Text(words("two")),)))
    assert list(to_lines([block], RENDERER.grades)) == ["1. one", "```sh", "x", "```", "   - in", "2. two"]


def test_a_folded_question_names_a_helper_and_not_the_owner() -> None:
    folded = Folded(words("What ran?"), "Nothing*", "123456789012345678")
    (helper,) = RENDERER.folded(folded, owner="9")
    assert helper["content"] == "-# ~~What ran?~~ → Nothing\\* · <@123456789012345678>"
    (owner,) = RENDERER.folded(folded, owner="123456789012345678")
    assert owner["content"] == "-# ~~What ran?~~ → Nothing\\*"


def test_what_people_wrote_is_read_without_discords_marks() -> None:
    text = "<@1> <@!2> <@&3> <#4> <:wave:5> <https://x.example> hi"
    names = {"2": "bob", "3": "helpers"}
    assert from_markdown(text, names, me="1") == "@bob @helpers #… :wave: https://x.example hi"


def test_a_sentence_alone_is_no_title() -> None:
    offer = View(lead=words("I can help."), offers=(Offer(1, "sign-in", "Yes, start"),), step="@offer")
    assert RENDERER.message(offer)[0]["content"] == "I can help."


def test_headings_begin_a_text_of_their_own() -> None:
    view = View(lead=words("Lead"), blocks=(Text(words("a")), Heading(words("Question?"))))
    assert [part["content"] for part in RENDERER.message(view)] == ["### Lead\na", "### Question?"]
