"""No surrounding, disguise or width saves a secret; no input takes long, or leaves something for a second look."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.core.redaction import Redacted, redact
from tests.core.redaction_samples import DISGUISES, JOINTS, NAMED, VENDORS, chance, drawn, survives, wrapped

SURROUND = """
the API Error connection lost claude token key password is · 529 (ECONNRESET) attempt 3/10 req_011CSHoE, → 用户
https://claude.ai/code session: output_tokens=12 | │ ⎿ - [] {} " ' \\ é %20 &amp; code state=
"""
WORDS = st.lists(st.sampled_from([*SURROUND.split(), "\t", "\r\n", "\x1b[2m"]), max_size=12).map(" ".join)
WRAPS = st.tuples(st.integers(17, 120), st.sampled_from(JOINTS))
SETTINGS = settings(max_examples=400, deadline=None)


@SETTINGS
@given(st.sampled_from(sorted(VENDORS)), st.sampled_from(sorted(DISGUISES)), WORDS, WORDS, st.integers(0, 2**32))
def test_no_surrounding_saves_a_vendors_token(vendor: str, disguise: str, before: str, after: str, seed: int) -> None:
    prefix, alphabet, length = VENDORS[vendor]
    body = drawn(seed, alphabet, length)
    result = redact(f"{before} {DISGUISES[disguise](prefix + body, chance(seed))} {after}")
    assert not survives(body, result), result.text
    assert result.secret
    assert redact(result.text) == Redacted(result.text)


@SETTINGS
@given(st.sampled_from(sorted(NAMED)), st.sampled_from(sorted(DISGUISES)), WORDS, WORDS, st.integers(0, 2**32))
def test_no_surrounding_saves_a_named_secret(name: str, disguise: str, before: str, after: str, seed: int) -> None:
    form, alphabet, length, kind = NAMED[name]
    body = drawn(seed, alphabet, length)
    result = redact(f"{before} {DISGUISES[disguise](form.format(body), chance(seed))} {after}")
    assert not survives(body, result), result.text
    assert result.secret or kind in result.removed
    assert redact(result.text) == Redacted(result.text)


@SETTINGS
@example("openrouter", (65, "\n"), "", "\n", 194)  # its last line reads as a quantity: 0226232c
@example("anthropic session", (95, "\n    "), "", "\n\n", 338781942)  # and here as a code: D_7U6G25J_7GU
@example("google oauth", (46, "\n"), "", "\n\n", 1475557735)  # in its middle stands by chance what begins another
@given(st.sampled_from(sorted(VENDORS)), WRAPS, WORDS, st.sampled_from(["\n", "\n\n", " │\n"]), st.integers(0, 2**32))
def test_no_width_of_a_terminal_saves_a_token(
    vendor: str, wrap: tuple[int, str], before: str, after: str, seed: int
) -> None:
    prefix, alphabet, length = VENDORS[vendor]
    body = drawn(seed, alphabet, length)
    result = redact(f"{before}\n{wrapped(prefix + body, *wrap)}{after}connection lost")
    assert not survives(body, result), result.text
    assert "connection lost" in result.text
    assert redact(result.text) == Redacted(result.text)


@SETTINGS
@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_any_text_is_taken_and_nothing_is_left_for_a_second_look(text: str) -> None:
    result = redact(text)
    assert redact(result.text) == Redacted(result.text)
    assert result.removed or result.text == text


PIECES = [
    "token",
    "key",
    "password",
    "=",
    ":",
    '"',
    "'",
    "&",
    "?",
    "://",
    "@",
    "a.b",
    ".local",
    "/home/",
    "x",
    "C:\\Users\\",
    "sk-",
    "ghp_",
    "eyJ",
    "Bearer",
    "a=b",
    "…",
    "...",
    "code",
    "#",
    "%",
    "%40",
    "\\n",
    "-----",
    "10.0.0.1",
    "::",
    "[token]",
    "[host]",
    "[",
    "]",
    "aB3dE5fG7h",
    "user@host",
    "│",
    "--",
    "http",
    "gateway.acme.com",
    "(",
    ")",
    ";",
    ",",
    "<",
    ">",
    "é",
    "ANTHROPIC_BASE_URL=",
]
SPACED = [
    " ",
    "\n",
    "Cookie: ",
    "BEGIN PRIVATE KEY-----",
    "[api key]",
    "ssh ",
    "org: ",
    "\u200b",
    "\x1b[1m",
    "-u a:b",
    "login ",
]
SPACED += ["enter the code ", "+1 555", "4111 1111 1111 1111"]


@settings(max_examples=1500, deadline=None)
@given(st.lists(st.sampled_from(PIECES + SPACED), max_size=30).map("".join))
def test_a_second_look_finds_nothing_more(text: str) -> None:
    result = redact(text)
    assert redact(result.text) == Redacted(result.text)


HOSTILE = [
    "a", "=", "-", " ", "[", "\\", ".", ":", "\n", "0", "@", "%25", "a\n", "a1\n", "a1b2\n ", "token=", "token:",
    "key: ", "password ", "sk-" + "ant-", "sk-", "BEGIN ", "-----BEGIN PRIVATE KEY-----", "eyJ.", "://", "a.b ",
    "1.2.3.4 ", "1:", "a@b.", "&code=a", "#", "/home/", "Users\\a b ", "cookie: a=", "cookie: a=b;\n", "session=",
    "bearer ", "enter code ", "ssh a ", '"name":"', "\\n", "\\na1", "\u200b", "\x1b[", "1 ", "4111 ", "url=",
    "connect to ", "org ", "…", ".local", "[token]", "│\n", "{", ".abcdef.", "-u a:b ", "é", "dns:a.b.", "aa:",
    "+1 2", "gateway.a.", "aB3+/",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_time_grows_with_the_length_and_no_faster(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        started = time.process_time()
        redact(text)
        return time.process_time() - started

    small = min(seconds(50_000) for _ in range(2))
    assert seconds(400_000) < 8 * 2.5 * small + 0.1
