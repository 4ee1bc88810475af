"""What terminals, chats, logs and JSON do to a line no longer shows after normalising."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.core.recogniser.normalise import LIMIT, WHY, normalise, words


@pytest.mark.parametrize(
    ("pasted", "plain"),
    [
        ("\x1b[31mAPI Error\x1b[0m: Overloaded", " api error overloaded "),
        ("│ Request   timed\n│   out │", " request timed out "),
        ("Can\u2019t reach Claude", " cant reach claude "),
        ("<p>502 <b>Bad Gateway</b></p>", " 502 bad gateway "),
        ("[SSL: X] <urlopen error>", " ssl x urlopen error "),
        (r"{\"type\":\"overloaded_error\"}", " type overloaded error "),
        ("\uff25rror \uff15\uff12\uff19", " error 529 "),
        ("connexion coupée", " connexion coupee "),
        ("claude凭证失效", " claude 凭证失效 "),
        ("Windows [e.g. Windows 11] here", " windows here "),
        ("### Steps to reproduce\nit fails", " it fails "),
        ("Claude Code hangs", " claudecode hangs "),
        ("claude-code Claude\nCode, preclaude code", " claudecode claudecode preclaude code "),
        ("", "  "),
    ],
)
def test_one_form(pasted: str, plain: str) -> None:
    assert normalise(pasted).spaced == plain


def test_words_broken_by_a_narrow_pane_are_whole_again() -> None:
    text = normalise("⎿ API Error: Connec\n  tion closed mid-re\n  sponse.")
    assert "connectionclosedmidresponse" in text.squeezed


def test_attached_errors_are_kept_apart_from_what_somebody_wrote() -> None:
    text = normalise('it forgets my login\n[{"error":"Error: 529 overloaded"}]\nplease help')
    assert text.spaced == " it forgets my login please help "
    assert "overloaded" in text.dump


def test_a_piece_is_quoted_as_it_was_written() -> None:
    text = normalise("hello there\n⎿ API Error: Connec\ntion closed mid-response. Sigh")
    start = text.squeezed.find("connectionclosed")
    why, line = text.quote(*text.unsqueeze(start, len("connectionclosed")))
    assert why == "Connec tion closed"
    assert line == "⎿ API Error: Connec tion closed mid-response. Sigh"


def test_names_of_two_words_do_not_shift_a_quotation() -> None:
    text = normalise("Claude Code in it\u2019s box, claude_code too: ECONNRESET here")
    start = text.spaced.find("econnreset")
    assert text.quote(start, len("econnreset"))[0] == "ECONNRESET"


@pytest.mark.parametrize(
    ("text", "piece", "quoted"),
    [
        ("\u5176\u4e2d\u4e00\u53f0Claude Code\u542f\u7528\u6ca1\u6bdb\u75c5 403 Forbidden", "403", "403"),
        ("Claude\u3067ECONNRESET, Claude Code\u3067ECONNREFUSED", "econnrefused", "ECONNREFUSED"),
        ("it prints, I think, l'API: d'abord Claude Code says (input_schema): EPIPE", "epipe", "EPIPE"),
        (f"{'as long as a line may be ' * 40}and Claude Code: EPIPE", "epipe", "EPIPE"),
    ],
)
def test_a_quotation_is_where_its_words_are_whatever_stands_before_them(text: str, piece: str, quoted: str) -> None:
    normal = normalise(text)
    assert normal.quote(normal.spaced.find(piece), len(piece))[0] == quoted


def test_long_texts_keep_the_beginning_the_end_and_what_sounds_like_an_error() -> None:
    text = normalise(
        "first words\n" + "nothing to see\n" * 50_000 + "Error: E77 failed\n" + "quiet\n" * 50_000 + "last words"
    )
    assert len(text.clean) <= LIMIT + 10
    assert text.spaced.startswith(" first words ")
    assert text.spaced.endswith(" last words ")
    assert " e77 failed " in text.spaced


ANY = st.characters(exclude_categories=[])
"""Halves of letters as well: clients that cut a text in the middle of an emoji send them."""


@example("claude \ud83d 529")
@given(st.text(ANY, max_size=300))
def test_any_text_has_a_form_that_is_its_own_form(text: str) -> None:
    spaced = normalise(text).spaced
    assert "  " not in spaced.strip()
    assert words(spaced) == spaced or not spaced.strip()


@given(st.text(ANY, max_size=200), st.integers(0, 300), st.integers(0, 50))
def test_quoting_any_place_is_short_and_never_fails(text: str, start: int, length: int) -> None:
    why, line = normalise(text).quote(start, length)
    assert len(why) <= WHY
    assert "\n" not in why + line
