"""Which guide a pasted text calls for: figures over many reports, one case for every way texts mislead, and limits."""

from __future__ import annotations

import time
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.core.errors import ContentError
from bot.core.guides.guide import Guide, Sign
from bot.core.recogniser.engine import Decision, Recogniser, Recognition, parse_products
from handlers.recognition_report import Labelled, Report, evaluate, render
from tests.core.reports import NEAR_MISSES, blind_reports, chatter, official_strings, own_reports, recogniser


def say(text: str) -> Recognition:
    return recogniser().recognise(text)


@cache
def own_figures() -> Report:
    return evaluate(own_reports(), {row.id: say(row.text) for row in own_reports()})


def test_reports_that_were_learnt_from_are_recognised() -> None:
    figures = own_figures().figures
    shown = render(own_figures())
    assert figures.right >= 97.5, shown
    assert figures.wrong <= 1, shown
    assert figures.offered <= 10, shown
    assert figures.false_claims <= 1.5, shown


def unseen(*, near_misses: bool) -> Report:
    rows = [row for row in own_reports(unseen=True) if row.id.startswith(NEAR_MISSES) is near_misses]
    return evaluate(rows, {row.id: say(row.text) for row in rows})


def test_reports_that_were_not_learnt_from_are_recognised() -> None:
    report = unseen(near_misses=False)
    assert report.figures.n > 400
    assert report.figures.right >= 90, render(report)
    assert report.figures.first >= 88, render(report)
    assert report.figures.wrong <= 3, render(report)
    assert report.figures.offered <= 15, render(report)
    # Of about seventy that are not ours: two.
    assert report.figures.false_claims <= 3.5, render(report)


@pytest.mark.parametrize("form", ["long", "chat"])
def test_reports_of_an_author_nothing_was_learnt_from_are_recognised(form: str) -> None:
    """These are the goals; whoever misses one learns from other reports, never from these."""
    rows = [row for row in blind_reports() if row.id.endswith(form)]
    report = evaluate(rows, {row.id: say(row.text) for row in rows})
    assert report.figures.n == 180
    assert report.figures.right >= 92, render(report)
    assert report.figures.first >= 88, render(report)
    assert report.figures.wrong <= 3.5, render(report)
    assert report.figures.offered <= 20, render(report)
    assert report.figures.traps >= 85, render(report)


def test_what_is_not_ours_is_not_claimed_from_an_author_nothing_was_learnt_from() -> None:
    # In both forms together: eighteen are not ours, and one of eighteen is more than the goal.
    report = evaluate(blind_reports(), {row.id: say(row.text) for row in blind_reports()})
    assert report.figures.false_claims <= 3.5, render(report)


def test_what_only_looks_like_ours_is_seldom_claimed() -> None:
    report = unseen(near_misses=True)
    assert report.figures.n > 100
    assert report.figures.right >= 80, render(report)
    # Of sixty that are not ours: seven.
    assert report.figures.false_claims <= 12, render(report)


def test_reports_with_literal_output_need_no_question() -> None:
    found = {row.id: say(row.text) for row in own_reports()}
    literal = [row for row in own_reports() if found[row.id].sign]
    assert len(literal) >= 200
    figures = evaluate(literal, found).figures
    assert figures.right >= 99
    assert figures.asked <= 1


def test_other_languages_are_not_far_behind() -> None:
    english = [row for row in own_reports() if row.language == "en"]
    other = [row for row in own_reports() if row.language != "en"]
    shares = [sum(helped(row) for row in rows) / len(rows) for rows in (english, other)]
    assert shares[1] >= shares[0] - 0.1, shares
    wrong = [figures.wrong * figures.n for code, figures in own_figures().languages.items() if code != "en"]
    assert sum(wrong) / len(other) <= 3.5


def helped(row: Labelled) -> bool:
    """Say whether the right guide is named: as the guide, on offer, or with the question that is asked back."""
    found = say(row.text)
    named = {found.guide, *(candidate.guide for candidate in found.candidates), found.decision.value}
    return bool(named & row.acceptable)


def test_the_right_guide_is_nearly_always_in_sight() -> None:
    assert sum(map(helped, own_reports())) / len(own_reports()) >= 0.95


def test_a_guess_from_a_hint_is_asked_about_and_goes_with_the_question() -> None:
    found = say("claude hangs")
    assert found.decision is Decision.ASK
    assert found.candidates[0].guide == "timeout"
    assert not found.guide


def test_one_phrase_is_offered_with_what_it_is_confused_with() -> None:
    found = say("claude code can't get out through our new firewall")
    assert found.decision in {Decision.GUIDE, Decision.CHOOSE}
    assert found.candidates[0].guide == "cannot-connect"


GUESSES = {Decision.GUIDE, Decision.CHOOSE}


def test_ordinary_chatter_is_left_alone() -> None:
    said = {line: say(line) for line in chatter()}
    assert len(said) >= 400
    assert [line for line, found in said.items() if found.sign and found.decision is not Decision.NONE] == []
    guessed = [(line, found.candidates[0]) for line, found in said.items() if found.decision in GUESSES]
    assert len(guessed) <= len(said) * 0.025, guessed


def test_half_an_official_sentence_means_little_in_another() -> None:
    assert not say("did you mean the other repo? I ran /security-review there and /context is fine").link


@pytest.mark.parametrize(("message", "expected"), official_strings())
def test_every_official_string_leads_somewhere(message: str, expected: str) -> None:
    found = say(message)
    if not message.strip():  # one of them is a blank: there is nothing to read, so it is asked what is seen
        assert found.decision is Decision.ASK
    elif expected == "section":
        assert found.decision is Decision.NONE
        assert found.product
        assert found.link.startswith("https://code.claude.com/docs/en/")
    elif message == "403":  # it may be more than one thing
        assert (found.decision in GUESSES, found.candidates[0].guide) == (True, expected)
    else:
        assert (found.decision, found.guide) == (Decision.GUIDE, expected)


TRAPS = [
    ("API Error: 401 OAuth authentication is currently not allowed for this organization.", "permission"),
    (
        '403 {"error":{"type":"permission_error","message":"OAuth token has been revoked."}} · Please run /login',
        "sign-in",
    ),
    ("Login successful\nOAuth token revoked · Please run /login", "sign-in"),
    ('400 {"error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}', "usage-limit"),
    ("cc kicked me out until 6pm, I am at my limit", "usage-limit"),
    ("API Error (Connection error.)\n ⎿ Error (self signed certificate in certificate chain)", "tls-inspection"),
    ("Unable to connect to API due to poor internet connection (UNABLE_TO_VERIFY_LEAF_SIGNATURE)", "tls-inspection"),
    ("Unable to connect to API (ECONNREFUSED). curl: Enable JavaScript and cookies to continue", "permission"),
    ("Failed to connect to api.anthropic.com: ERR_BAD_REQUEST", "permission"),
    ('HTTP 200, then data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', "overloaded"),
    ('500 {"type":"error","error":{"type":"api_error","message":"Overloaded"}}', "overloaded"),
    ("MCP error -32000: Connection closed", "mcp-server"),
    ("MCP error -32001: Request timed out", "mcp-server"),
    ("Can't reach your computer — It may be asleep or offline.", "remote-control"),
    ("Please run /login · API Error: 403 Forbidden", "permission"),
    ("Login failed: timeout of 15000ms exceeded (claude auth login)", "sign-in"),
    ("✘ Installation failed\nAxiosError: timeout of 30000ms exceeded (claude.ai/install.sh)", "install-update"),
    ('API Error: 429 {"type":"rate_limit_error","message":"Extra usage is required for long context"}', "usage-limit"),
    ("API Error (Request timed out.) (attempt 1/10)\nAPI Error (529 overloaded_error) (attempt 7/10)", "overloaded"),
    ("API Error (fetch failed) (attempt 1/10)\nAPI Error (503 upstream connect error) (attempt 4/10)", "server-error"),
    (
        "API Error (Connection error.) (attempt 9/10)\nAPI Error: 401 authentication_error OAuth token has expired",
        "sign-in",
    ),
    ("400 messages.4: `tool_use` ids were found without `tool_result` blocks", "bad-request"),
    ("Connection problem. Check your internet connection, VPN, or proxy (API Error: ECONNRESET)", "cannot-connect"),
]


@pytest.mark.parametrize(("text", "guide"), TRAPS)
def test_the_first_error_named_does_not_mislead(text: str, guide: str) -> None:
    found = say(text)
    assert (found.decision, found.guide) == (Decision.GUIDE, guide)


@pytest.mark.parametrize(
    ("text", "guide"),
    [
        ("claude code mcp: jira needs authentication", "mcp-server"),
        ("claude code makes me log in again every single morning", "sign-in"),
        ("claude\nAbort trap: 6", "local-tool-failure"),
        ("dispatch on phone: Offline / Can't reach your desktop", "remote-control"),
        ("ModuleNotFoundError: Claude Code not found at: /usr/bin/claude", "local-tool-failure"),
        ("l'api de claude : je n'arrive plus à joindre l'api", "cannot-connect"),
    ],
)
def test_where_it_failed_counts_more_than_how(text: str, guide: str) -> None:
    assert say(text).candidates[0].guide == guide


def test_a_connection_lost_in_the_middle_of_work_is_read_both_ways() -> None:
    found = say("Connection lost while claude was sending a mail via gmail connector")
    assert found.decision is Decision.CHOOSE
    assert {one.guide for one in found.candidates[:2]} == {"response-cut-off", "web-connection-lost"}


@pytest.mark.parametrize(
    "text",
    ["Rate exceeded. all of us see it on claude.ai", "API Error: 403 you are no longer a member of the organization"],
)
def test_what_an_outage_also_says_is_offered_as_one(text: str) -> None:
    found = say(text)
    assert "server-error" in {found.guide, *(candidate.guide for candidate in found.candidates)}


@pytest.mark.parametrize(
    ("text", "product"),
    [
        ("codex: stream disconnected before completion, Reconnecting... 2/5", "Codex"),
        ("SQLSTATE[HY000] server closed the connection unexpectedly", "PostgreSQL"),
        ("ERROR 2013 (HY000): Lost connection to MySQL server during query", "MySQL"),
        ("Connection reset by 10.0.0.3 port 22", "SSH"),
        ("copilot: Sorry, your request failed. Please try again.", "GitHub Copilot"),
        ("chatgpt says network error", "ChatGPT"),
        ("챗gpt 연결 오류", "ChatGPT"),
    ],
)
def test_other_products_are_named_and_left_alone(text: str, product: str) -> None:
    found = say(text)
    assert (found.decision, found.product, found.candidates) == (Decision.NONE, product, ())


@pytest.mark.parametrize(
    ("text", "guide"),
    [
        ("Login expired · Please run /login, but no browser opens, it is an ssh box", "sign-in"),
        ('our jenkins step dies: API Error: 504 {"type":"error","error":{"type":"api_error"}}', "server-error"),
        ("/remote-control on the build box goes grey and says Reconnecting on my phone, ssh is fine", "remote-control"),
    ],
)
def test_another_product_named_does_not_hide_what_is_ours(text: str, guide: str) -> None:
    assert say(text).guide == guide


@pytest.mark.parametrize(
    "text",
    [
        "copilot keeps spinning, the claude next to it works",
        "postgres says too many connections, claude wrote the pool",
        "our wiki answers 504 since the backup, claude is fine",
        "is there a way to make claude answer in shorter sentences?",
        "who else finds opus lazier this week? no errors, just three bullets",
        "how many tokens does a long pdf cost in claude?",
    ],
)
def test_what_is_not_a_failure_of_ours_is_not_claimed(text: str) -> None:
    assert say(text).decision in {Decision.NONE, Decision.ASK}


def test_claude_inside_another_product_is_still_claude() -> None:
    assert say("cursor with claude: 529 overloaded_error").guide == "overloaded"


@pytest.mark.parametrize(
    "text",
    [
        "asked claude to fix the ECONNRESET in our worker",
        "claude fixed the overloaded constructor warning",
        "how do I switch the model in claude code?",
    ],
)
def test_work_done_with_claude_is_no_trouble_with_claude(text: str) -> None:
    assert say(text).decision is Decision.NONE


@pytest.mark.parametrize(
    "text",
    [
        *("claude is broken again", "API Error", "help, claude error", "claude code not working"),
        *("it's broken", "help", "doesn't work", "not working again", "error", "geht nicht mehr", "又不行了"),
    ],
)
def test_too_little_is_asked_about(text: str) -> None:
    assert say(text).decision is Decision.ASK


def test_attached_errors_do_not_outweigh_what_somebody_wrote() -> None:
    dump = '[{"error":"Error: 529 overloaded_error"},{"error":"certificate has expired"}]'
    text = f"claude forgets my login every morning\n{dump}"
    assert say(text).guide == "sign-in"


def test_attached_errors_are_used_when_nothing_else_says_more() -> None:
    assert say('claude problem\n[{"error":"Error: 529 {\\"type\\":\\"overloaded_error\\"}"}]').guide == "overloaded"


@pytest.mark.parametrize(
    ("text", "guide"),
    [
        ("claude code conection closd mid respose", "response-cut-off"),
        ("claude is overlaoded", "overloaded"),
        ("claude autentication keeps failing", "sign-in"),
    ],
)
def test_misspelt_words_are_understood(text: str, guide: str) -> None:
    found = say(text)
    assert [candidate.guide for candidate in found.candidates][:1] == [guide]
    assert not found.sign


def test_the_reason_is_a_quotation() -> None:
    found = say("morning!\n⏺ API Error: Connection closed mid-response. The response above may be incomplete.")
    assert found.why in {"Connection closed mid-response", "The response above may be incomplete"}
    assert found.sign


def test_outranking_is_decided_by_the_content() -> None:
    weak = Guide("weak", "weak", (), (), signs=(Sign("flux capacitor stalled"),))
    strong = Guide("strong", "strong", (), (), signs=(Sign("plasma leak detected", outranks=("weak",)),))
    found = Recogniser([weak, strong], parse_products({})).recognise("flux capacitor stalled: plasma leak detected")
    assert (found.decision, found.guide) == (Decision.GUIDE, "strong")


def test_signs_that_do_not_outrank_each_other_are_offered() -> None:
    guides = [Guide(name, name, (), (), signs=(Sign(f"{name} valve is stuck open"),)) for name in ("red", "blue")]
    found = Recogniser(guides, parse_products({})).recognise("red valve is stuck open, blue valve is stuck open")
    assert found.decision is Decision.CHOOSE
    assert {candidate.guide for candidate in found.candidates} == {"red", "blue"}


def test_content_that_lacks_something_is_refused_with_its_file() -> None:
    with pytest.raises(ContentError, match=r"products/x\.toml:1: a \[\[section\]\] lacks `link`"):
        parse_products({"products/x.toml": '[[section]]\ntitle = "t"\nsigns = []\n'})
    with pytest.raises(ContentError, match="products/y"):
        parse_products({"products/y.toml": "= nonsense"})


@settings(max_examples=150, deadline=None)
@example("claude \ud83d 529 overloaded")
@given(st.text(st.characters(exclude_categories=[]), max_size=400))
def test_any_text_gets_an_answer_and_always_the_same(text: str) -> None:
    found = say(text)
    assert found == say(text)
    assert (found.decision is Decision.GUIDE) == bool(found.guide)
    assert len(found.candidates) <= 3
    assert found.decision is not Decision.CHOOSE or len(found.candidates) >= 2
    assert all(0 <= candidate.score <= 1 for candidate in found.candidates)


PIECES = [
    "claude ",
    "API Error: ",
    '[{"error":"',
    "529 ",
    "\x1b[3",
    "<img ",
    "\\n",
    "\n",
    "连不上",
    "mid-response",
    "'",
    "attempt 1/10 ",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_any_mix_of_real_pieces_gets_an_answer(text: str) -> None:
    assert say(text).decision in Decision


@pytest.mark.parametrize(
    "piece", ["x", "<a ", '[{"error":', "claude error ", "\\n", "é", "连", "' ", "\x1b[", "5 ", "[e.g. "]
)
def test_a_megabyte_takes_no_longer_than_a_moment(piece: str) -> None:
    text = (piece * (1_000_000 // len(piece) + 1))[:1_000_000]
    started = time.process_time()
    say(text)
    assert time.process_time() - started < 2.0
