"""How a conversation goes: what people press and write, and what they are then asked. On the guides of the fixtures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.guides.guide import Outcome
from bot.core.recogniser.engine import Decision, Recognition
from bot.core.status.incident import Board, Health
from bot.core.text import Code
from bot.core.triage import flow, life
from bot.core.triage.conversation import Remark
from tests.core.small import small, text_of, with_texts
from tests.core.talking import Talk, between
from tests.scenarios.playing import NOW, library, page, sure_of

SAY = library().messages


DIRECT = {"provider": "anthropic"}


def asleep() -> Talk:
    """A conversation that waits for an incident."""
    return Talk(page="incident").starts("cut-off", DIRECT).presses("text", "wait")


# --- opening ---------------------------------------------------------------------------------------------------


def test_the_first_answer_is_the_quick_answer_the_status_and_the_first_question() -> None:
    talk = Talk().reports("API Error: Connection closed mid-response")
    assert talk.text.splitlines() == [
        "Don't repeat the request yet. Part of it may already have happened.",
        "Two looks tell what ran; then you go on from there.",
        "Official status: no open incident for Claude (read 35 s ago).",
        "",
        "What was Claude doing when it stopped?",
        "",
        "Read as “The reply was cut off” because of `Connection closed mid-response`",
        "",
        "  1  Editing files or running commands",
        "  2  Only writing text",
        "  3  I can't tell",
        "",
        "  Get a human · Not this problem · It works now · That's all, thanks",
    ]
    assert (talk.here.revision, talk.view.key) == (1, "c1:1")


def test_a_guess_is_called_one() -> None:
    guess = replace(sure_of("cut-off"), sign=False, why="it stopped")
    assert "My guess: “The reply was cut off”, because of `it stopped`" in Talk().reports("it stopped", guess).text
    line = replace(guess, details={"line": "it stopped"})
    assert "Read as “The reply was cut off” because of `it stopped`" in Talk().reports("it stopped", line).text
    assert "My guess from your words: “The reply" in Talk().reports("it stopped", replace(guess, why="")).text


def test_a_guide_begun_by_name_says_nothing_of_a_guess() -> None:
    talk = Talk().reports("", replace(sure_of("cut-off"), sign=False))
    assert "guess" not in talk.text
    assert talk.lead.startswith("Don't repeat")


def test_a_guide_begun_by_its_name_alone_is_begun() -> None:
    assert Talk().reports("", Recognition(Decision.GUIDE, "cut-off")).place == "cut-off#doing"


def test_a_guide_chosen_from_an_offer_begins_with_its_quick_answer() -> None:
    talk = Talk().reports("died", between("cut-off", "page-lost"))
    assert talk.offers == ["cut-off", "page-lost", "@none"]
    talk.presses("cut-off")
    assert talk.lead.startswith("Don't repeat the request yet")
    assert "Official status: no open incident" in talk.text
    assert "guess" not in talk.text


def test_during_an_incident_the_first_answer_says_that_it_is_probably_not_them() -> None:
    talk = Talk(page="incident").starts("cut-off")
    assert talk.lead == SAY.text("opening.incident")
    assert "Don't repeat the request yet" in talk.text
    assert "Elevated errors" in talk.text
    assert talk.says("I'll wait").here.incident == "i1"


def test_a_guide_that_is_not_known_here_is_asked_about() -> None:
    assert Talk().reports("x", sure_of("nobody")).place == "#@what"


# --- facts -----------------------------------------------------------------------------------------------------


def test_a_fact_in_the_report_answers_its_question_and_is_told() -> None:
    talk = Talk().starts("cut-off", {"tool_ran": "yes"})
    assert talk.place == "cut-off#look"
    assert talk.answers == ["(doing:tools)"]
    assert "From your message: Editing files or running commands. (Say “back” if that is wrong.)" in talk.text


def test_back_corrects_a_fact_from_the_report() -> None:
    talk = Talk().starts("cut-off", {"tool_ran": "yes"}).says("back")
    assert talk.place == "cut-off#doing"
    assert (talk.here.facts, talk.here.stated, talk.answers) == ({}, {}, [])
    assert talk.presses("text").here.facts == {"tool_ran": "no"}


def test_a_fact_once_told_is_not_told_again() -> None:
    talk = Talk().starts("cut-off", {"tool_ran": "no"}).presses("browser", "cut")
    assert talk.place == "cut-off#short"
    assert "From your message" not in talk.text


def test_a_fact_nobody_stated_is_asked_for_where_it_matters() -> None:
    talk = Talk().starts("page-lost").presses("holds")
    assert talk.place == "page-lost#@browser"
    assert talk.lead == "Which browser is it?"
    talk.presses("firefox")
    assert talk.place == "page-lost#extension"
    assert "about:addons" in talk.text
    assert "chrome://" not in talk.text
    assert talk.here.facts == {"browser": "firefox"}


@pytest.mark.parametrize("answer", ["other", "unsure"])
def test_for_all_others_and_for_not_sure_there_is_a_short_form(answer: str) -> None:
    talk = Talk().starts("page-lost").presses("holds", answer)
    assert "Its menu has a page for extensions." in talk.text
    assert "about:addons" not in talk.text


def test_a_known_fact_is_not_asked_for() -> None:
    talk = Talk().starts("page-lost", {"browser": "chrome"}).presses("holds")
    assert talk.place == "page-lost#extension"
    assert "chrome://extensions" in talk.text


def test_words_answer_the_question_for_a_fact() -> None:
    talk = Talk().starts("page-lost").presses("holds").says("it's firefox")
    assert talk.here.facts == {"browser": "firefox"}


# --- back, again, start over -----------------------------------------------------------------------------------


def test_back_passes_what_redial_answered_itself() -> None:
    talk = Talk().starts("cut-off").presses("text")
    assert talk.answers == ["doing:text", "(status:clear)"]
    assert talk.says("go back").place == "cut-off#doing"
    assert (talk.here.facts, talk.answers) == ({}, [])


def test_back_goes_through_the_question_for_a_fact() -> None:
    talk = Talk().starts("page-lost").presses("holds", "firefox")
    assert talk.says("back").place == "page-lost#@browser"
    assert talk.here.facts == {}
    assert talk.says("back").place == "page-lost#private"


def test_back_at_the_first_question_says_so() -> None:
    talk = Talk().starts("cut-off").says("back")
    assert not talk.changed
    assert talk.preface == SAY.text("step.first")


def test_back_goes_to_the_guide_one_came_from() -> None:
    talk = Talk().starts("cut-off").presses("text", "browser")
    assert talk.place == "page-lost#private"
    assert talk.says("back").place == "cut-off#short"


def test_again_repeats_the_question_and_changes_nothing() -> None:
    talk = Talk().starts("cut-off").presses("tools")
    before = talk.text
    assert talk.says("what was that again?").text == before
    assert not talk.changed


def test_start_over_forgets_answers_and_keeps_what_the_report_said() -> None:
    talk = Talk().starts("cut-off", {"browser": "firefox"}).presses("tools", "known").says("start over")
    assert talk.place == "cut-off#doing"
    assert (talk.here.facts, talk.answers, talk.here.cause) == ({"browser": "firefox"}, [], "")


def test_back_and_start_over_are_offered_once_something_was_answered() -> None:
    talk = Talk().starts("cut-off")
    assert {"@back", "@start-over"}.isdisjoint(talk.controls)
    talk.presses("tools")
    assert talk.controls == ["@back", "@human", "@not-this", "@fixed", "@stop"], "back leads to the start as well"
    talk.presses("known")
    assert talk.controls[:2] == ["@back", "@start-over"]


# --- words -----------------------------------------------------------------------------------------------------


def test_words_that_say_a_choice_pick_it_and_are_kept() -> None:
    talk = Talk().starts("cut-off").says("it was in the middle of an edit to two files")
    assert talk.place == "cut-off#look"
    assert [note.text for note in talk.here.notes] == ["it was in the middle of an edit to two files"]


def test_words_in_passing_are_not_kept() -> None:
    talk = Talk().starts("cut-off").presses("text").says("it cut again")
    assert (talk.place, talk.here.notes) == ("cut-off#network", ())


def test_a_long_sentence_does_not_end_it_by_a_word_in_passing() -> None:
    talk = Talk().starts("cut-off").presses("text").says("it answered half of the question and then stopped")
    assert talk.place == "cut-off#short"
    assert len(talk.here.notes) == 1
    assert talk.says("it answered now").place == "=fixed"


def test_a_label_or_a_number_is_not_kept() -> None:
    talk = Talk().starts("cut-off").says("only writing text")
    assert talk.says("2").place == "cut-off#network"
    assert talk.here.notes == ()


def test_no_tool_ran_does_not_pick_the_choice_that_says_tool_ran() -> None:
    talk = Talk().starts("cut-off").says("no tool ran")
    assert talk.place == "cut-off#doing"
    assert talk.preface == SAY.text("step.noted")


def test_words_that_fit_several_choices_pick_none() -> None:
    talk = Talk().starts("cut-off").says("text and an edit")
    assert talk.place == "cut-off#doing"


@pytest.mark.parametrize("number", ["0", "4", "17"])
def test_a_number_out_of_range_is_told_and_changes_nothing(number: str) -> None:
    talk = Talk().starts("cut-off").says(number)
    assert not talk.changed
    assert talk.preface == SAY.text("step.no-match")
    assert talk.offers == ["tools", "text", "unsure"]


def test_anything_else_is_kept_as_a_note_and_the_question_repeated() -> None:
    talk = Talk().starts("cut-off").presses("tools").says("the cat walked over   the\nkeyboard")
    assert talk.changed
    assert talk.text.splitlines()[:3] == ["Noted, and kept for the hand-off.", "", "Look at what already happened"]
    assert talk.here.notes == (Remark(NOW + 2, "the cat walked over the keyboard"),)


def test_notes_are_few_and_short() -> None:
    talk = Talk().starts("cut-off")
    for n in range(25):
        talk.says(f"note {n} " + "x" * 600)
    assert len(talk.here.notes) == 20
    assert talk.here.notes[-1].text.startswith("note 24")
    assert max(len(note.text) for note in talk.here.notes) <= 500


def test_what_was_said_since_the_question_what_ran_goes_into_the_block_to_copy() -> None:
    talk = Talk().starts("cut-off").says("the cat sat there").presses("tools")
    talk.says("two `files` done, tests not run").presses("known")
    code = [block.text for block in talk.view.blocks if isinstance(block, Code)]
    assert code == ["Already done, in my words: two 'files' done, tests not run\nContinue from there."]


def test_where_nothing_was_said_the_block_has_a_blank_to_fill() -> None:
    talk = Talk().starts("cut-off").presses("text")
    assert "in my words: (write here what is done)" in talk.text


# --- questions people ask --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["Will it resume by itself?", "will it resume by itself", "does it resume", "it goes on by itself?"],
)
def test_a_question_is_answered_with_its_grade_and_the_step_stays(text: str) -> None:
    talk = Talk().starts("cut-off").presses("tools").says(text)
    assert not talk.changed
    assert talk.text.splitlines()[:5] == [
        "Will it resume by itself? · official",
        "Not after a finished part of the answer was shown.",
        "https://code.claude.com/docs/en/sessions",
        "",
        "Look at what already happened",
    ]
    assert talk.offers == ["known", "twice"]


def test_the_questions_are_listed() -> None:
    talk = Talk().starts("cut-off").says("?")
    assert "- Will it resume by itself?" in talk.text
    assert Talk().starts("limit").says("faq").preface == SAY.text("step.no-questions")


# --- another guide's sign --------------------------------------------------------------------------------------


def test_another_guides_sign_offers_a_switch() -> None:
    talk = Talk().starts("cut-off").presses("tools").says("now it says Usage limit reached")
    assert talk.place == "cut-off#look"
    assert "That looks like another problem: “A limit was reached”, because of `Usage limit reached`" in talk.text
    assert talk.controls[-1] == "@switch"
    talk.says("switch")
    assert talk.place == "limit#time"
    assert talk.lead.startswith("Waiting does more than trying")
    assert talk.here.facts == {"tool_ran": "yes"}
    assert "@switch" not in talk.controls


def test_the_sign_of_the_same_guide_offers_no_switch() -> None:
    talk = Talk().starts("cut-off").presses("tools").says("Connection closed mid-response")
    assert "@switch" not in talk.controls
    assert talk.preface == SAY.text("step.noted")


def test_switch_without_an_offer_goes_nowhere() -> None:
    found = between("cut-off", "limit")
    talk = Talk().reports("x", replace(found, decision=Decision.GUIDE, guide="cut-off")).presses("tools").says("switch")
    assert talk.place == "cut-off#look"
    assert not talk.changed
    assert talk.preface == SAY.text("step.no-match")


# --- presses that do not count ---------------------------------------------------------------------------------


def test_a_press_on_an_older_message_shows_where_it_stands() -> None:
    talk = Talk().starts("cut-off").presses("tools")
    before = talk.here
    talk.presses_old("text", "doing", 1)
    assert (talk.here, talk.changed) == (before, False)
    assert talk.preface == SAY.text("step.answered")
    assert talk.lead == "Look at what already happened"


def test_a_press_on_an_older_message_of_the_same_question_changes_nothing() -> None:
    talk = Talk().starts("cut-off").presses("tools").says("the cat sat there")
    assert not talk.presses_old("known", "look", talk.here.revision - 1).changed
    assert talk.place == "cut-off#look"


def test_a_press_for_another_question_changes_nothing() -> None:
    talk = Talk().starts("cut-off").presses("tools")
    assert not talk.presses_old("tools", "doing", talk.here.revision).changed


@pytest.mark.parametrize("choice", ["gone", "", "@gone", "@none", "@switch", "incident"])
def test_a_press_of_an_unknown_choice_changes_nothing(choice: str) -> None:
    talk = Talk().starts("cut-off").presses("tools")
    before = talk.here
    talk.presses(choice)
    assert (talk.here, talk.changed) == (before, False)


def test_a_press_after_the_end_changes_nothing() -> None:
    talk = Talk().starts("cut-off").says("stop")
    assert not talk.presses("tools").changed


# --- ends ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "outcome"),
    [("it works again", Outcome.FIXED), ("get a human", Outcome.HANDED_OFF), ("that's all, thanks", Outcome.LEFT)],
)
def test_people_can_end_it_at_any_question(word: str, outcome: Outcome) -> None:
    after = {Outcome.HANDED_OFF: ["@fixed", "@reopen"]}.get(outcome, ["@reopen"])
    talks = [
        Talk().starts("cut-off"),
        Talk().starts("page-lost").presses("holds"),
        Talk().reports("x", between("cut-off", "limit")),
        Talk().reports("x", Recognition(Decision.ASK)),
    ]
    for talk in talks:
        assert talk.says(word).here.outcome is outcome
        assert [offer for offer in talk.offers if not offer.startswith("@helped")] == after
        assert talk.controls == []


def test_every_wording_of_every_way_out_is_understood() -> None:
    for name in ("again", "back", "start-over", "human", "stop", "fixed", "not-this", "questions"):
        for word in SAY.list(f"says.{name}"):
            talk = Talk().starts("cut-off").presses("tools").says(word.upper() + ".")
            assert talk.here.notes == (), word


def test_the_end_names_the_finding_and_how_sure_that_is() -> None:
    talk = Talk().starts("cut-off").presses("text", "dropped", "holds", "works")
    assert talk.here.outcome is Outcome.FIXED
    assert "What it was: Something on this network ends the connection" in talk.text
    assert talk.view.cause == "network"
    handed = Talk().starts("cut-off").presses("text", "dropped").says("human")
    assert "Found so far: Something on this network ends the connection" in handed.text


def test_a_finding_falls_when_it_is_refuted_and_stays_in_its_remedy() -> None:
    talk = Talk().starts("page-lost", {"browser": "chrome"}).presses("holds")
    assert talk.here.cause == "page-lost#extension"
    assert talk.presses("none").here.cause == ""
    remedy = Talk().starts("cut-off").presses("text", "dropped", "holds")
    assert (remedy.place, remedy.here.cause) == ("cut-off#exempt", "cut-off#network")


def test_after_the_end_only_a_wish_to_go_on_means_something() -> None:
    talk = Talk().starts("cut-off").presses("tools").says("stop")
    assert not talk.says("thanks a lot").changed
    assert talk.says("start over").place == "cut-off#doing"


def test_not_this_problem_asks_anew() -> None:
    talk = Talk().starts("cut-off", {"browser": "firefox"}).presses("tools").says("not this problem")
    assert talk.place == "#@what"
    assert talk.here.facts == {"browser": "firefox", "tool_ran": "yes"}, "what was answered stays known"


# --- which and what --------------------------------------------------------------------------------------------


def test_none_of_these_asks_for_the_line() -> None:
    talk = Talk().reports("x", between("cut-off", "limit")).says("3")
    assert talk.place == "#@what"
    assert "Paste it as text" in talk.text


@pytest.mark.parametrize("word", ["not this", "none of these", "that's not it", "neither", "no idea, sorry", "idk"])
def test_an_offer_can_be_refused_in_words(word: str) -> None:
    assert Talk().reports("x", between("cut-off", "limit")).says(word).place == "#@what"


def test_an_offer_is_chosen_by_its_title_too() -> None:
    assert Talk().reports("x", between("cut-off", "limit")).says("a limit was reached").place == "limit#time"


def test_more_words_place_the_report() -> None:
    talk = Talk().reports("it broke", Recognition(Decision.ASK)).says("Connection closed mid-response, in firefox")
    assert talk.place == "cut-off#doing"
    assert talk.lead.startswith("Don't repeat the request yet")
    assert talk.here.report == "it broke\nConnection closed mid-response, in firefox"
    assert talk.here.stated == {"browser": "firefox"}
    assert talk.here.because == "Connection closed mid-response"


def test_who_has_no_line_is_offered_what_is_likely() -> None:
    talk = Talk().reports("it broke", Recognition(Decision.ASK))
    assert talk.place == "#@what"
    talk.says("it just broke")
    assert (talk.place, talk.preface) == ("#@which", SAY.text("what.again"))
    assert talk.offers == ["cut-off", "limit", "page-lost", "@none"]


def test_the_one_guide_that_is_left_is_begun_as_a_guess() -> None:
    talk = Talk().reports("it broke", Recognition(Decision.ASK)).presses("stops")
    talk.says_as("in the terminal", Recognition(Decision.ASK, facts={"surface": "claude-code"}))
    assert talk.place == "cut-off#doing"
    assert "My guess from your words" in talk.text
    assert talk.says("back").place == "#@what"


def test_back_from_a_guide_that_was_chosen_leads_to_the_offer() -> None:
    talk = Talk().reports("x", between("cut-off", "limit")).presses("limit")
    assert talk.place == "limit#time"
    talk.says("back")
    assert (talk.place, talk.offers) == ("#@which", ["limit", "cut-off", "@none"])


def test_back_after_not_this_takes_the_refusal_back() -> None:
    talk = Talk().starts("cut-off").presses("tools").says("not this problem", "back")
    assert (talk.place, talk.here.refused) == ("cut-off#doing", ())


def test_start_over_without_a_guide_asks_anew() -> None:
    talk = Talk().reports("it broke", Recognition(Decision.ASK)).says("hm").presses("unsure", "@none")
    assert talk.here.refused
    talk.says("start over")
    assert (talk.place, talk.here.refused, talk.here.facts) == ("#@what", (), {})
    assert "stops" in talk.offers


def test_what_was_refused_is_not_offered_again() -> None:
    talk = Talk().starts("cut-off").says("not this problem", "it just broke")
    assert talk.offers == ["limit", "page-lost", "@none"]
    talk.presses("@none")
    assert (talk.place, talk.lead) == ("#@what", SAY.text("what.human"))
    assert talk.offers == []
    talk.says("it just broke")
    assert (talk.place, talk.lead, talk.preface) == ("#@what", SAY.text("what.human"), SAY.text("what.again"))
    assert talk.here.refused == ("cut-off", "limit", "page-lost")


def test_a_line_that_is_new_says_more_than_a_refusal() -> None:
    talk = Talk().reports("it broke", between("cut-off", "limit")).says("none of these")
    assert talk.says("it says: Usage limit reached").place == "limit#time"
    # The same line again does not bring back what was refused with it.
    again = Talk().reports("Usage limit reached").says("not this problem")
    assert again.says("Usage limit reached").place == "#@which"


def test_words_that_fit_no_offer_are_told_so() -> None:
    talk = Talk().reports("it broke", between("cut-off", "limit")).says("hm")
    assert talk.preface == SAY.text("step.no-match")


def test_what_the_words_speak_for_is_offered_first_once_there_is_no_line() -> None:
    found = replace(between("limit", "page-lost"), decision=Decision.ASK)
    talk = Talk().reports("it broke", found)
    assert (talk.place, talk.offers) == ("#@what", ["stops", "refused", "unsure"])
    assert talk.presses("unsure").offers == ["limit", "page-lost", "cut-off", "@none"]
    assert talk.presses("limit").place == "limit#time"


def test_a_line_says_more_than_a_word_of_a_choice_in_it() -> None:
    talk = Talk().reports("it broke", Recognition(Decision.ASK)).says("it stops: Usage limit reached")
    assert talk.place == "limit#time"


@pytest.mark.parametrize("word", ["again", "what?", "back", "?", "switch"])
def test_ways_out_that_lead_nowhere_yet_are_not_taken_for_a_report(word: str) -> None:
    talk = Talk().reports("it broke", Recognition(Decision.ASK)).says(word)
    assert (talk.place, talk.here.report, talk.changed) == ("#@what", "it broke", False)


# --- the official status ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "step"), [("clear", "short"), ("incident", "incident"), ("unknown", "short")])
def test_redial_answers_what_the_page_says(status: str, step: str) -> None:
    assert Talk(page=status).starts("cut-off", DIRECT).presses("text").place == f"cut-off#{step}"


def test_people_on_another_provider_are_led_past_the_page() -> None:
    talk = Talk(page="incident").starts("cut-off", {"provider": "bedrock"}).presses("text")
    assert talk.place == "cut-off#elsewhere"
    elsewhere = Talk(page="incident").starts("page-lost", {"provider": "bedrock"})
    assert elsewhere.answers == ["(status:unknown)"]


@pytest.mark.parametrize(("way", "step"), [("anthropic", "incident"), ("unsure", "incident"), ("bedrock", "elsewhere")])
def test_nobody_is_told_it_is_the_incident_before_it_is_asked_how_they_reach_claude(way: str, step: str) -> None:
    talk = Talk(page="incident").starts("cut-off").presses("text")
    assert talk.place == "cut-off#@provider"
    assert "explains" not in talk.text
    assert talk.presses(way).place == f"cut-off#{step}"


@pytest.mark.parametrize("status", ["clear", "unknown"])
def test_how_claude_is_reached_is_asked_only_where_it_matters(status: str) -> None:
    assert Talk(page=status).starts("cut-off").presses("text").place == "cut-off#short"
    web = Talk(page="incident").starts("cut-off", {"surface": "web"}).presses("text")
    assert web.place == "cut-off#incident", "claude.ai comes from Anthropic alone"


# --- waiting ---------------------------------------------------------------------------------------------------


def test_waiting_names_what_for_and_promises() -> None:
    talk = asleep()
    assert (talk.place, talk.here.incident) == ("=waiting", "i1")
    assert "Waiting for: Elevated errors (open for 18 min)." in talk.text


def test_while_it_lasts_or_nobody_knows_nobody_is_told_it_is_over() -> None:
    talk = asleep()
    assert not talk.hears_it_is_over()
    talk.page = "unknown"
    assert not talk.hears_it_is_over()
    clear = page("clear")
    assert clear
    for health in (Health.STALE, Health.UNREADABLE):
        talk.board = replace(clear, health=health)
        assert not talk.hears_it_is_over()
    # The page is well again, and no longer lists the incident: it never said how that ended.
    talk.board = clear
    assert not talk.hears_it_is_over()


def over() -> Board:
    board = page("incident")
    assert board
    ended = replace(board.incidents[0], status="resolved", resolved_at=NOW + 600)
    return replace(board, incidents=(ended,))


def test_when_it_is_over_people_are_told_and_asked() -> None:
    talk = asleep()
    talk.board = over()
    assert talk.hears_it_is_over()
    assert "It's over: the official page says “Elevated errors” has ended (14:23 UTC)" in talk.preface
    assert "before you send anything again" in talk.text
    assert talk.offers == ["works", "still"]
    assert not talk.hears_it_is_over() or talk.here.open
    assert talk.fork().says("fine now").place == "=fixed"
    assert talk.says("still the same").place == "cut-off#short"
    assert talk.answers[-2:] == ["over:still", "(status:clear)"]


def test_where_no_incident_was_named_it_is_over_when_all_parts_work() -> None:
    talk = asleep()
    talk.here = replace(talk.here, incident="")
    clear = page("clear")
    assert clear
    talk.board = replace(clear, components=tuple(replace(part, status="major_outage") for part in clear.components))
    assert not talk.hears_it_is_over()
    talk.board = clear
    assert talk.hears_it_is_over()
    assert "it all works again" in talk.preface


def test_a_conversation_is_taken_up_where_it_stood() -> None:
    talk = asleep().takes_up()
    assert talk.place == "cut-off#incident"
    assert talk.here.incident == ""
    assert talk.preface == SAY.text("outcome.reopened")


def test_a_question_for_a_fact_is_asked_again_when_it_is_taken_up() -> None:
    talk = Talk().starts("page-lost").presses("holds")
    assert talk.place == "page-lost#@browser"
    assert talk.says("stop").takes_up().place == "page-lost#@browser"
    assert Talk().reports("x", between("cut-off", "limit")).says("stop").takes_up().place == "#@which"


# --- company devices -------------------------------------------------------------------------------------------


def test_on_managed_devices_a_way_around_controls_is_a_request_to_it() -> None:
    talk = Talk().starts("page-lost").presses("drops")
    assert talk.lead == SAY.text("bypass.lead")
    request = [block.text for block in talk.view.blocks if isinstance(block, Code)]
    assert "\n".join(request) == (
        "Request to IT\nWhat: Leave the VPN for a minute\nWhy: claude.ai says that the connection was lost\nHow:\n"
        "  Disconnect it, reload the page once, and watch.\nBack to normal: Connect again."
    )
    assert "Hand this to IT" in talk.text


def test_on_personal_devices_it_is_shown_with_its_undo() -> None:
    talk = Talk(managed=False).starts("page-lost").presses("drops")
    assert talk.lead == "Leave the VPN for a minute"
    assert "↩ Connect again." in talk.text
    assert "Request to IT" not in talk.text


# --- guides change under it ------------------------------------------------------------------------------------


def test_a_conversation_that_stands_at_a_former_id_goes_on() -> None:
    talk = Talk().starts("limit")
    talk.library = with_texts(
        limit=text_of("limit").replace("{#time}", '{#when was="time"}').replace("{#no ", '{#none was="no" ')
    )
    talk.looks()
    assert talk.offers == ["yes", "none"]
    assert talk.presses("no").place == "=handed_off"
    assert "Does the line name a time? → No" in talk.text


def test_an_answer_that_is_gone_is_shown_by_its_id() -> None:
    talk = Talk().starts("cut-off").presses("tools")
    talk.library = with_texts(cut_off=text_of("cut-off").replace("{#tools tool_ran=yes", "{#edits tool_ran=yes"))
    assert "What was Claude doing when it stopped? → tools" in talk.says("human").text


def test_going_round_in_circles_comes_to_a_stop() -> None:
    text = text_of("page-lost").replace("(#private){#clear}", "(#status){#clear}")
    talk = Talk(library=with_texts(page_lost=text)).starts("page-lost")
    assert talk.here.open
    assert talk.place == "page-lost#status"


def test_texts_that_only_answer_are_no_reports() -> None:
    for text in ("2", "#1", "back", "Start over!", "that's all, thanks", "?"):
        assert flow.answers_only(small(), text), text
    for text in ("Connection closed", "", "back to the start of the file", "no"):
        assert not flow.answers_only(small(), text), text


def test_closing_is_one_revision_on() -> None:
    here = Talk().starts("cut-off").here
    closed = life.closed(here, NOW + 9)
    assert (closed.outcome, closed.revision, closed.touched) == (Outcome.LEFT, here.revision + 1, NOW + 9)
