"""Facts are what the text says, not what it is likely to mean."""

from __future__ import annotations

import pytest

from bot.core.recogniser.clues import details
from tests.core.reports import recogniser


@pytest.mark.parametrize(
    ("text", "fact", "value"),
    [
        ("Claude Code on WSL2 under Windows: Request timed out", "os", "wsl"),
        ("claude code, windows 11, Request timed out", "os", "windows"),
        ("- Platform: darwin, claude code hangs", "os", "macos"),
        ("claude code on ubuntu hangs", "os", "linux"),
        ("claude.ai in firefox does not load", "browser", "firefox"),
        ("claude.ai in the browser does not load", "surface", "web"),
        ("Claude Code hangs", "surface", "claude-code"),
        ("Claude Desktop cannot connect", "surface", "desktop"),
        ("claude android app: no connection", "surface", "phone"),
        ("claude code with bedrock: 503", "provider", "bedrock"),
        ("claude via our litellm gateway: 502", "provider", "gateway"),
        ("claude code behind our company proxy cannot connect", "proxy", "yes"),
        ("Connection closed mid-response while editing files", "tool_ran", "yes"),
        ("Connection closed mid-response before any tool ran", "tool_ran", "no"),
        ("claude is down for everyone here", "others", "yes"),
        ("claude errors, only me it seems", "others", "no"),
    ],
)
def test_a_stated_fact_is_read(text: str, fact: str, value: str) -> None:
    assert recogniser().recognise(text).facts.get(fact) == value


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Claude cannot connect, OS: [e.g. Windows 11]", "os"),
        ("claude cannot connect, no vpn here", "vpn"),
        ("claude cannot connect, without a proxy", "proxy"),
        ("Request timed out", "surface"),
        ("claude is down", "others"),
    ],
)
def test_what_is_not_said_is_not_a_fact(text: str, fact: str) -> None:
    assert fact not in recogniser().recognise(text).facts


@pytest.mark.parametrize(
    ("text", "surface"),
    [
        ("claude code gives ECONNRESET, works fine in claude.ai", "claude-code"),
        ("claude.ai does not load, claude code works fine", "web"),
        ("the claude desktop app fails with ECONNRESET, zero issues with the Claude Code CLI", "desktop"),
    ],
)
def test_where_it_works_is_not_where_it_fails(text: str, surface: str) -> None:
    assert recogniser().recognise(text).facts.get("surface") == surface


def test_details_are_what_support_asks_for() -> None:
    text = (
        "2026-11-30T10:15:00Z claude-opus-4-8, Claude Code v2.1.220\n"
        "API Error (502) · Retrying in 3 seconds… (attempt 4/10) request_id req_011CAbCd"
    )
    assert details(text) == {
        "request_id": "req_011CAbCd",
        "attempt": "4/10",
        "version": "2.1.220",
        "model": "claude-opus-4-8",
        "time": "2026-11-30T10:15:00Z",
    }


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("npm i -g @anthropic-ai/claude-code", None),
        ("die Claude-App, Claude-Modelle und claude-code-router v2", None),
        ("claude-code with claude-opus-4-8.", "claude-opus-4-8"),
        ("claude-sonnet is temporarily unavailable", "claude-sonnet"),
        ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet-20241022-v2"),
        ("Opus 4.8 hangs", "Opus 4.8"),
        ("a magnum opus", "opus"),
        ("opuscule", None),
    ],
)
def test_a_model_has_a_number_or_a_family(text: str, model: str | None) -> None:
    assert details(text).get("model") == model


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("### Version\n2.1.219", "2.1.219"),
        ("claude-code 2.0.14 on Ubuntu 24.04.3", "2.0.14"),
        ("node v22.11.0", "22.11.0"),
        ("version 1234.5.6 of 10.96.0.10", None),
    ],
)
def test_a_version_stands_behind_what_it_is_of(text: str, version: str | None) -> None:
    assert details(text).get("version") == version


def test_the_exact_line_and_the_status_are_kept() -> None:
    found = recogniser().recognise("hi all\nAPI Error: 529 Overloaded, again\nany idea?").details
    assert found["line"] == "API Error: 529 Overloaded, again"
    assert found["status"] == "529"


SINCE = {
    "claude broken since this morning": "now",
    "claude not working since this morning": "now",
    "claude broke after the latest update": "change",
    "the connection comes and goes all day": "sometimes",
    "claude code never worked on this laptop": "always",
    "claude code geht seit heute morgen nicht mehr": "now",
    "claude n'ouvre plus rien depuis la mise à jour": "change",
    "claude se cae a veces": "sometimes",
    "claude не отвечает сегодня": "now",
    "claude 今天连不上": "now",
    "claudeがたまに落ちる": "sometimes",
    "클로드 업데이트 이후 안 돼요": "change",
    "o claude caiu de repente": "now",
}


@pytest.mark.parametrize("text", sorted(SINCE))
def test_since_when_is_read_in_nine_languages(text: str) -> None:
    assert recogniser().recognise(text).facts.get("since") == SINCE[text]


@pytest.mark.parametrize(
    "text",
    ["claude code geht nicht mehr", "claude code ne marche plus", "claude code marche pas", "claude code не работает"],
)
def test_a_word_for_works_that_is_turned_round_says_where_it_fails(text: str) -> None:
    assert recogniser().recognise(text).facts["surface"] == "claude-code"


@pytest.mark.parametrize(
    ("text", "provider"),
    [
        ("API Error: 529 Overloaded. If it persists, check status.claude.com", "anthropic"),
        ("claude code, Max plan: API Error: 500 Internal server error", "anthropic"),
        ("API Error: 529 overloaded_error via bedrock, status.claude.com is green", "bedrock"),
        ("API Error: 500 with litellm in between, I have a pro plan", "gateway"),
        ("API Error: 529 overloaded_error", None),
    ],
)
def test_who_goes_to_anthropic_directly_says_so_by_what_is_printed(text: str, provider: str | None) -> None:
    assert recogniser().recognise(text).facts.get("provider") == provider


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("claude code died at 14:05: API Error", "14:05"),
        ("claude code died at 2:05 pm CET", "2:05 pm cet"),
        ("claude code: connect ECONNREFUSED 127.0.0.1:7891", None),
        ("claude code: lookup api.anthropic.com on 10.96.0.10:53: server misbehaving", None),
        ("claude code: app.ts:12:30 Request timed out", None),
        ("claude code: ratio 3:75, Request timed out", None),
    ],
)
def test_a_port_or_a_line_is_no_time(text: str, told: str | None) -> None:
    time = recogniser().recognise(text).details.get("time")
    assert (time and time.lower()) == told
