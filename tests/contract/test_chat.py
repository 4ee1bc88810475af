"""What every chat platform promises, tried as the people there would."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import cache
from heapq import nlargest
from itertools import pairwise
from pathlib import Path

import pytest

from bot.core.lint.rules import CHOICES, CODE, LABEL, TEXT, TITLE
from bot.core.text import Block, Bullets, Code, Evidence, Heading, Note, Span, Steps, Text, Undo, plain, words
from bot.core.triage import flow
from bot.core.triage.conversation import Conversation
from bot.core.triage.flow import Begin
from bot.core.triage.placement import Where
from bot.core.view import Cite, Control, Offer, View
from handlers.triage import show_owed
from tests.contract.bench import ANN, BOB, Bench, Seen
from tests.contract.benches import BENCHES, Opening
from tests.scenarios.playing import everything, recogniser

CUT_OFF = "API Error: Connection closed mid-response. The response above may be incomplete."
OVERLOADED = "API Error: Repeated 529 Overloaded errors"
QUESTION = "What was Claude doing when it stopped?"
TOOLS = "Editing files, running commands or using tools"
HOSTILE = (
    "<!channel> <@U0BOB> @everyone @here <@&1> <#C1> *bold* _it_ `tick [x](https://evil.example) ||spoiler|| &lt;b&gt;"
)
SECRET = "sk-ant-" + "api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrs-AA"


@pytest.fixture(params=list(BENCHES.values()), ids=list(BENCHES))
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    """Every platform, with nothing said yet."""
    opening: Opening = request.param
    wants = {mark.args[0] for mark in request.node.iter_markers("has")}
    async with opening(tmp_path / "data") as one:
        if missing := sorted(wants & one.lacks):
            pytest.skip(f"this platform has no {', '.join(missing)}")
        yield one


async def last(bench: Bench) -> Seen:
    return (await bench.seen())[-1]


async def counted(bench: Bench) -> int:
    return len(await bench.seen())


class TestAReport:
    @pytest.mark.parametrize("way", ["mention", "command"])
    async def test_it_is_answered_with_what_matters_first(self, bench: Bench, way: str) -> None:
        await getattr(bench, way)(ANN, CUT_OFF)
        opening = await last(bench)
        parts = ["Don't repeat the request yet", "Official status: no open incident", QUESTION]
        places = [opening.text.index(part) for part in parts]
        assert all(before < after for before, after in pairwise(places))
        assert TOOLS in opening.buttons
        assert {"Get a human", "Not this problem", "That's all, thanks"} <= set(opening.buttons)
        assert "Read as “Claude Code lost its connection mid-response” because of" in opening.text

    async def test_a_resent_event_is_answered_once(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        count = await counted(bench)
        await bench.resend()
        assert await counted(bench) == count

    async def test_what_is_not_ours_is_said_once_and_short(self, bench: Bench) -> None:
        await bench.mention(ANN, "my postgres keeps saying connection lost")
        assert "isn't one of mine" in (await last(bench)).text
        count = await counted(bench)
        await bench.resend()
        assert await counted(bench) == count

    async def test_the_same_trouble_again_leads_to_the_conversation_that_is_open(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        await bench.command(ANN, CUT_OFF)
        again = await last(bench)
        assert "already have this one open" in again.text
        assert TOOLS in again.buttons
        assert len(await bench.desk.store.of(bench.origin(ANN))) == 1

    async def test_a_secret_is_pointed_out_where_only_its_owner_sees_it(self, bench: Bench) -> None:
        await bench.mention(ANN, f"{CUT_OFF} my key is {SECRET}")
        assert any("I took out a secret" in told.text for told in await bench.private(ANN))
        everything_said = " ".join(one.text for one in (*await bench.seen(), *await bench.private(ANN)))
        assert SECRET not in everything_said
        if "threads" not in bench.lacks:
            assert not any("I took out a secret" in one.text for one in await bench.seen())

    @pytest.mark.has("channels")
    async def test_elsewhere_a_command_is_answered_privately(self, bench: Bench) -> None:
        await bench.command(ANN, CUT_OFF, channel="other")
        assert await bench.seen() == []
        assert any(TOOLS in told.buttons for told in await bench.private(ANN))

    @pytest.mark.has("channels")
    async def test_elsewhere_a_mention_is_answered_in_a_thread(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF, channel="other")
        assert TOOLS in (await last(bench)).buttons


class TestAnAnswer:
    async def test_a_press_leads_on(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        await bench.press(ANN, TOOLS)
        assert "git diff" in (await last(bench)).text

    @pytest.mark.has("threads")
    async def test_what_was_answered_is_folded_to_its_answer(self, bench: Bench) -> None:
        await bench.command(ANN, CUT_OFF)
        at = await counted(bench) - 1
        await bench.press(ANN, TOOLS)
        folded = (await bench.seen())[at]
        assert folded.buttons == ()
        assert QUESTION in folded.text
        assert TOOLS in folded.text
        assert "Don't repeat the request yet" in folded.text, "the quick answer stays"

    @pytest.mark.has("threads")
    async def test_words_fold_the_question_too(self, bench: Bench) -> None:
        await bench.command(ANN, CUT_OFF)
        at = await counted(bench) - 1
        await bench.say(ANN, "1")
        assert (await bench.seen())[at].buttons == ()

    @pytest.mark.has("threads")
    @pytest.mark.parametrize("words", ["7", "?", "note: only on the office wifi"])
    async def test_a_question_that_is_asked_again_can_be_pressed_once(self, bench: Bench, words: str) -> None:
        await bench.command(ANN, CUT_OFF)
        at = await counted(bench) - 1
        await bench.say(ANN, words)
        first, again = (await bench.seen())[at], await last(bench)
        assert first.buttons == ()
        assert "Don't repeat the request yet" in first.text, "the quick answer stays"
        assert TOOLS in again.buttons
        assert QUESTION in again.text

    async def test_pressing_twice_answers_once(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        at = await counted(bench) - 1
        await bench.press(ANN, TOOLS, message=at)
        history = (await bench.desk.store.of(bench.origin(ANN)))[0].history
        after = await counted(bench)
        await bench.press(ANN, TOOLS, message=at)
        assert (await bench.desk.store.of(bench.origin(ANN)))[0].history == history
        assert "answered already" in (await bench.private(ANN))[-1].text
        if "threads" not in bench.lacks:
            assert await counted(bench) == after

    async def test_an_old_button_shows_the_question_that_is_open_and_changes_nothing(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        at = await counted(bench) - 1
        await bench.press(ANN, TOOLS)
        open_now = (await last(bench)).buttons
        await bench.press(ANN, "Only writing text", message=at)
        told = (await bench.private(ANN))[-1]
        assert "answered already" in told.text
        assert told.buttons == open_now

    @pytest.mark.has("others")
    async def test_somebody_elses_press_is_told_to_them_alone(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        before = await bench.seen()
        await bench.press(BOB, TOOLS)
        assert await bench.seen() == before
        assert "belongs to somebody else" in (await bench.private(BOB))[-1].text
        assert not any("belongs to somebody else" in told.text for told in await bench.private(ANN))

    @pytest.mark.parametrize("words", ["1", "option 1", TOOLS, "it was running a bash command"])
    async def test_words_answer_like_a_press(self, bench: Bench, words: str) -> None:
        await bench.command(ANN, CUT_OFF)
        await bench.say(ANN, words)
        assert "git diff" in (await last(bench)).text


class TestTalk:
    @pytest.mark.parametrize("way", ["press", "say"])
    async def test_back_and_start_over(self, bench: Bench, way: str) -> None:
        act: Callable[..., object] = getattr(bench, way)
        for label, answers in (("Back", [TOOLS]), ("Start over", [TOOLS, "Nothing changed"])):
            await bench.mention(ANN, CUT_OFF)
            for answer in answers:
                await bench.press(ANN, answer)
            await act(ANN, label)  # type: ignore[misc]
            assert QUESTION in (await last(bench)).text

    async def test_that_it_works_is_one_press_at_every_question(self, bench: Bench) -> None:
        for answers in ([], [TOOLS], [TOOLS, "Nothing changed"]):
            await bench.mention(ANN, CUT_OFF)
            for answer in answers:
                await bench.press(ANN, answer)
            works = [label for label in (await last(bench)).buttons if label.startswith(("It works", "All is there"))]
            assert len(works) == 1, "once, and not again beside a choice that says it"
            await bench.press(ANN, works[0])
            assert "Fixed" in (await last(bench)).text

    async def test_what_was_that_again(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        await bench.say(ANN, "what was that again?")
        assert QUESTION in (await last(bench)).text
        assert TOOLS in (await last(bench)).buttons

    async def test_a_human_gets_the_whole_story(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        await bench.press(ANN, TOOLS)
        await bench.press(ANN, "Get a human")
        record = (await last(bench)).text
        assert "Redial hand-off" in record
        assert TOOLS in record

    async def test_fixed_asks_once_what_helped_and_can_be_reopened(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        await bench.press(ANN, TOOLS)
        await bench.press(ANN, "Nothing changed")
        await bench.say(ANN, "it works again")
        end = await last(bench)
        assert "What helped?" in end.text
        assert {"Look at what already happened", "It went away by itself", "It's back"} <= set(end.buttons)
        await bench.press(ANN, "Look at what already happened")
        thanks = await last(bench)
        assert "Thanks" in thanks.text
        assert thanks.buttons == ("It's back",), "once is enough"
        await bench.press(ANN, "It's back")
        assert "back where it stood" in (await last(bench)).text
        assert len(await bench.desk.store.of(bench.origin(ANN))) == 1

    async def test_insights_are_told_to_who_asks(self, bench: Bench) -> None:
        await bench.command(ANN, "insights")
        assert "How conversations went" in (await bench.private(ANN))[-1].text

    @pytest.mark.parametrize("way", ["press", "say"])
    async def test_leaving(self, bench: Bench, way: str) -> None:
        await bench.mention(ANN, CUT_OFF)
        await getattr(bench, way)(ANN, "That's all, thanks")
        assert await bench.desk.store.of(bench.origin(ANN)) == ()
        count = await counted(bench)
        await bench.say(ANN, "have a nice day")
        if "threads" not in bench.lacks:
            assert await counted(bench) == count

    @pytest.mark.has("others")
    async def test_other_peoples_talk_is_left_alone(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        before = await bench.seen()
        await bench.say(BOB, "1")
        await bench.say(BOB, "did you try the other wifi?")
        assert await bench.seen() == before
        await bench.say(ANN, "yes, same there")
        assert await bench.seen() == before, "that was meant for bob"
        await bench.say(ANN, "1")
        assert "git diff" in (await last(bench)).text

    async def test_two_troubles_at_once(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        await bench.mention(ANN, OVERLOADED)
        await bench.command(ANN, "resume")
        assert "2 open conversations" in (await bench.private(ANN))[-1].text

    @pytest.mark.has("threads")
    async def test_a_command_for_what_is_open_in_a_thread_leads_there(self, bench: Bench) -> None:
        await bench.mention(ANN, CUT_OFF)
        before = len(await bench.private(ANN))
        await bench.command(ANN, "resume")
        (told,) = (await bench.private(ANN))[before:]
        assert "open elsewhere" in told.text
        assert QUESTION in (await last(bench)).text


@pytest.mark.has("offers")
class TestAWatchedChannel:
    async def test_a_known_line_is_offered_help_privately_and_only_there(self, bench: Bench) -> None:
        await bench.post(ANN, CUT_OFF, channel="other")
        assert await bench.private(ANN) == []
        await bench.post(ANN, CUT_OFF)
        assert await bench.seen() == []
        (offer,) = await bench.private(ANN)
        assert "I can lead you through it" in offer.text
        await bench.resend()
        assert len(await bench.private(ANN)) == 1
        await bench.press_private(ANN, "Yes, start")
        assert any(TOOLS in told.buttons for told in await bench.private(ANN))

    async def test_a_guess_is_no_reason_to_speak(self, bench: Bench) -> None:
        await bench.post(ANN, "claude stopped in the middle of its answer again")
        assert await bench.private(ANN) == []
        assert await bench.seen() == []


class TestMessages:
    async def test_what_people_paste_stays_words(self, bench: Bench) -> None:
        await bench.mention(ANN, f"{CUT_OFF}\n{HOSTILE}")
        await bench.say(ANN, f"note {HOSTILE}")
        await bench.say(ANN, "get a human")
        assert await bench.pinged() == ()
        shown = await bench.show(View(lead=words(HOSTILE), blocks=(Text(words(HOSTILE)), Code(HOSTILE))))
        assert await bench.pinged() == ()
        for piece in ("@everyone", "*bold*", "[x](https://evil.example)", "<!channel>", "&lt;b&gt;", "||spoiler||"):
            assert shown.text.count(piece) >= 3, piece

    async def test_every_kind_of_block(self, bench: Bench) -> None:
        shown = await bench.show(every_block())
        for piece in ("bold words", "a link", "step one", "inside", "point", "git status", "as told", "undone", "odd"):
            assert piece in shown.text
        assert shown.text.index("step one") < shown.text.index("inside") < shown.text.index("step two")
        assert shown.buttons == ("Choose me", "Back")

    async def test_the_longest_that_content_may_say(self, bench: Bench) -> None:
        shown = await bench.show(longest())
        assert {f"{n} {'l' * (LABEL - 2)}" for n in range(CHOICES)} <= set(shown.buttons)
        assert "end of it" in shown.text, "nothing that matters is cut off"

    async def test_the_longest_there_is(self, bench: Bench) -> None:
        for view in longest_of_guides():
            shown = await bench.show(view)
            assert [offer.label for offer in view.offers] == list(shown.buttons[: len(view.offers)])
            assert plain(view.lead)[:40] in shown.text


class TestAfterACrash:
    async def test_an_answer_that_was_stored_and_not_shown_is_shown_once(self, bench: Bench) -> None:
        here = await stored(bench)
        for _ in range(2):
            await show_owed(bench.desk, here.origin, bench.chat, older_than=0)
        assert [QUESTION in one.text for one in await bench.seen()].count(True) == 1
        (known,) = await bench.desk.store.of(here.origin)
        if "threads" not in bench.lacks:
            assert known.origin.thread
            assert known.shown

    @pytest.mark.has("look")
    async def test_one_that_was_shown_and_not_confirmed_is_found(self, bench: Bench) -> None:
        here = await stored(bench)
        view = flow.show(bench.desk.library, here, await bench.desk.around()).view
        posted = await bench.chat.show(here.origin, view, here.where)
        before = await bench.seen()
        assert await show_owed(bench.desk, here.origin, bench.chat, older_than=0) == 0
        assert await bench.seen() == before
        (known,) = await bench.desk.store.of(here.origin)
        assert (known.origin.thread, known.shown) == (posted.thread, posted.message)


async def stored(bench: Bench) -> Conversation:
    """A turn as a process leaves it that dies before it shows anything."""
    desk, origin = bench.desk, bench.origin(ANN)
    begin = Begin(CUT_OFF, recogniser().recognise(CUT_OFF))
    opened = flow.begin(desk.library, "crashed1", origin, begin, await desk.around()).conversation
    opened = replace(opened, where=Where.DIRECT if "threads" in bench.lacks else Where.THREAD)
    await desk.store.commit("e1", opened)
    return opened


def every_block() -> View:
    code = Code("git status\ngit diff", "sh")
    listed: tuple[tuple[Block, ...], ...] = (
        (Text(words("step one")), code, Bullets(((Text(words("inside")),),))),
        (Text(words("step two")), Note("n", Evidence.REPORTED, (Text(words("as told")),))),
    )
    return View(
        lead=(Span("bold words", bold=True), Span(" and "), Span("odd `tick", code=True)),
        preface=(Text((Span("a link", href="https://code.claude.com/docs/en/errors"), Span(" it", italic=True))),),
        blocks=(
            Heading(words("A heading"), Evidence.OFFICIAL),
            Steps(listed),
            Bullets(((Text(words("point")),), (code,))),
            code,
            Note("m", Evidence.UNCONFIRMED, (Text(words("as told")), code)),
            Undo(words("undone so")),
        ),
        offers=(Offer(1, "choose", "Choose me"),),
        controls=(Control("@back", "Back"),),
        evidence=Evidence.OFFICIAL,
        sources=(Cite("errors", "https://code.claude.com/docs/en/errors"),),
        read_as=words("Read as “x” because of y"),
        key="c1:1",
        conversation="c1",
        revision=1,
        guide="response-cut-off",
        step="doing",
    )


def longest() -> View:
    """The longest view the linter lets through, with what an opening adds."""
    text = "w " * (TEXT // 2 - 8)
    controls = tuple(
        Control(f"@{name}", name) for name in ("back", "start-over", "human", "not-this", "fixed", "stop", "switch")
    )
    return View(
        lead=words("t" * TITLE),
        preface=tuple(Text(words("p" * 200)) for _ in range(3)),
        blocks=(Heading(words("q" * TITLE)), Code("c" * CODE), Text(words(f"{text}end of it"))),
        offers=tuple(Offer(n, f"choice-{n}", f"{n} {'l' * (LABEL - 2)}") for n in range(CHOICES)),
        controls=controls,
        evidence=Evidence.OFFICIAL,
        sources=tuple(Cite(f"s{n}", f"https://code.claude.com/docs/en/{'x' * 60}{n}") for n in range(3)),
        read_as=words("r" * 200),
        key="c1:1",
        conversation="c1",
        revision=1,
        guide="response-cut-off",
        step="s" * 40,
    )


@cache
def longest_of_guides() -> list[View]:
    """The longest views two guides come to."""
    guides = ("response-cut-off", "sign-in")
    views = (player.view for guide in guides for _, player, _ in everything(guide, answer="incident"))
    return nlargest(5, views, key=lambda view: len(repr(view)))
