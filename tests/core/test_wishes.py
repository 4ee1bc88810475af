from __future__ import annotations

import pytest

from bot.core.form import Option
from bot.core.status.subscription import Choice
from bot.core.status.wishes import Menu, Part, page_named, to_choice, to_form, understood
from tests.scenarios.playing import content

SAY = content().library.messages
PARTS = (
    Part("ai", "claude.ai", "claude.ai"),
    Part("api", "Claude API", "Claude API (api.anthropic.com)"),
    Part("code", "Claude Code", "Claude Code"),
    Part("gov", "Claude for Government", "Claude for Government"),
)
MENU = Menu("p1", "Claude", PARTS, (Option("<!here>", "@here"), Option("<!subteam^S1>", "@on-call")), ("en",))


def wished(text: str) -> Choice | None:
    words = understood(SAY, text, MENU)
    assert not words.unknown, words
    return to_choice(words.answers, MENU, Choice())


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("everything", Choice()),
        ("major", Choice(least="major")),
        ("from critical on", Choice(least="critical")),
        ("claude code", Choice(components=frozenset({"code"}))),
        ("claude-code, api no-maintenance", Choice(components=frozenset({"code", "api"}), maintenance=False)),
        ("Claude_Code and the claude.ai".replace("the ", ""), Choice(components=frozenset({"code", "ai"}))),
        ("government without general", Choice(components=frozenset({"gov"}), general=False)),
        ("api.anthropic.com", None),
        ("code", Choice(components=frozenset({"code"}))),
        ("edits-only @here", Choice(replies=False, mention="<!here>")),
        ("minor mention @on-call from major", Choice(least="minor", mention="<!subteam^S1>", mention_from="major")),
        ("claude any language en", Choice()),
        ("daily", Choice(daily=True)),
        ("still open, no-general daily", Choice(general=False, daily=True)),
    ],
)
def test_words_are_a_choice(text: str, choice: Choice | None) -> None:
    if choice is None:
        assert understood(SAY, text, MENU).unknown
    else:
        assert wished(text) == choice


def test_what_is_not_understood_is_named_and_nothing_else_is_lost() -> None:
    words = understood(SAY, "major cluade @nobody-here", MENU)
    assert words.unknown == ("cluade", "@nobody", "here")
    assert words.answers == {"least": ("major",)}


@pytest.mark.parametrize(
    "text", ["button shows 500", "button on claude.ai shows a 500 page", "page is blank since noon"]
)
def test_trouble_that_begins_with_the_word_is_a_report(text: str) -> None:
    assert understood(SAY, text, MENU).a_report


@pytest.mark.parametrize("text", ["", "claude", "code api", "fails", "major button shows 500", "cluade-code"])
def test_what_may_be_a_wish_is_none(text: str) -> None:
    assert not understood(SAY, text, MENU).a_report


def test_a_page_is_named_by_id_or_name_and_the_longer_name_wins() -> None:
    pages = {"p1": "Claude", "p2": "GitHub", "p3": "GitHub Enterprise"}
    assert page_named("major github-enterprise", pages) == "p3"
    assert page_named("p2", pages) == "p2"
    assert page_named("major", pages) == ""


def test_a_page_alone_is_no_wish_yet() -> None:
    assert understood(SAY, "p1", MENU).nothing
    assert not understood(SAY, "everything", MENU).nothing


def test_a_form_shows_what_is_chosen_and_its_answers_are_that_choice() -> None:
    choice = Choice(
        components=frozenset({"code", "gone"}), general=False, least="major", mention="<@U1>", mention_from="minor"
    )
    form = to_form(SAY, MENU, choice)
    chosen = {question.id: question.chosen for question in form.questions}
    assert chosen["parts"] == ("code", "gone"), "also a part the page no longer lists"
    assert to_choice(chosen, MENU, choice) == choice
    assert [question.id for question in form.questions] == ["parts", "least", "also", "mention", "mention-from"]
    assert to_form(SAY, MENU, Choice(mention_from="none")).questions[4].chosen == ("minor",)


def test_nobody_is_asked_what_has_one_answer() -> None:
    form = to_form(SAY, Menu("p1", "Claude"), Choice())
    assert [question.id for question in form.questions] == ["least", "also"]
    several = to_form(SAY, Menu("p1", "Claude", languages=("en", "de")), Choice())
    assert several.questions[-1].id == "language"
    assert to_choice({"language": ("de",)}, Menu("p1", "Claude", languages=("en", "de")), Choice()) == Choice(
        locale="de"
    )


@pytest.mark.parametrize(
    "answers",
    [
        {"parts": ("nope",)},
        {"mention": ("<!channel>",)},
        {"least": ("huge",)},
        {"mention-from": ("",)},
        {"language": ("xx",)},
    ],
)
def test_what_is_not_on_the_menu_cannot_be_chosen(answers: dict[str, tuple[str, ...]]) -> None:
    assert to_choice(answers, MENU, Choice()) is None


def test_nothing_ticked_is_nothing_besides() -> None:
    assert to_choice({"also": ()}, MENU, Choice()) == Choice(general=False, maintenance=False, replies=False)
