"""What a log may say of an error nobody foresaw."""

from __future__ import annotations

from pathlib import Path

from bot.core.unforeseen import unforeseen


def test_kind_and_place_are_told_and_no_word_of_what_was_pasted() -> None:
    try:
        int("my password is hunter2")
    except ValueError as error:
        told = unforeseen(error)
    assert (told["error"], Path(str(told["file"])).name) == ("ValueError", Path(__file__).name)
    assert "hunter2" not in str(told)


def test_one_that_was_never_raised_has_no_place() -> None:
    assert unforeseen(KeyError("hunter2")) == {"error": "KeyError"}
