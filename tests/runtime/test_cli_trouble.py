"""A terminal, a pipe or a disk that is not as it should be: one sentence and an exit code, never a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping

import pytest

from tests.runtime.redial import Redial

LINE = "API Error: Repeated 529 Overloaded errors"


def shell(
    redial: Redial, command: str, said: bytes = b"", *, env: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    """Run a line of a shell in which `$R` is our command; return exit code, output and errors."""
    done = subprocess.run(  # noqa: S603 - our own command
        ["/bin/sh", "-c", command],
        input=said,
        capture_output=True,
        env={**redial.environment, **(env or {}), "R": f"{sys.executable} -m bot"},
        cwd=redial.home,
        timeout=60,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode()


def test_who_reads_no_more_ends_the_chat_and_is_still_owed_the_answer(redial: Redial) -> None:
    code, _, told = shell(redial, "{ $R chat --user ann; echo code $? >&2; } | true", f"{LINE}\n".encode())
    assert code == 0
    assert "code 130" in told
    assert "Claude is at capacity" in redial.run("chat", "--user", "ann").stdout


def test_ctrl_c_ends_without_a_word(redial: Redial) -> None:
    process = redial.start("drill", "--pause", "60")
    assert process.stdout
    assert process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (130, "")


@pytest.mark.parametrize("command", ["guides", "check --ids", "guide overloaded", "drill --pause 0", "status"])
def test_a_full_disk_is_said(redial: Redial, command: str) -> None:
    assert shell(redial, f"$R {command} > /dev/full")[::2] == (2, "redial: No space left on device\n")


def test_a_chat_onto_a_full_disk_says_so_too(redial: Redial) -> None:
    code, _, told = shell(redial, "$R chat > /dev/full", f"{LINE}\n".encode())
    assert code == 2
    assert told.endswith("redial: No space left on device\n")


@pytest.mark.parametrize("command", ["guides", "check --ids", "chat", "recognise -", "doctor"])
def test_closed_ends_are_no_trouble(redial: Redial, command: str) -> None:
    assert shell(redial, f"$R {command} <&- >&- 2>&-")[0] == 0


@pytest.mark.parametrize(
    "locale",
    [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "utf-8"}],
)
def test_letters_the_locale_does_not_know_are_replaced(redial: Redial, locale: dict[str, str]) -> None:
    code, out, told = shell(redial, "$R chat", f"Erreur réseau: {LINE}\n".encode("latin-1"), env=locale)
    assert (code, told) == (0, "")
    assert "Claude is at capacity" in out
    code, out, told = shell(redial, "$R recognise -", f"Erreur réseau: {LINE}\n".encode("latin-1"), env=locale)
    assert (code, told) == (0, "")
    assert '"guide":"overloaded"' in out
    assert shell(redial, "$R guide overloaded && $R drill --pause 0", env=locale)[0] == 0


def test_words_of_the_command_line_may_be_in_another_encoding(redial: Redial) -> None:
    code, out, _ = shell(redial, f"$R recognise \"$(printf 'caf\\351') {LINE}\"")
    assert code == 0
    assert '"guide":"overloaded"' in out
    code, out, told = shell(redial, "$R chat --user \"$(printf 'Ren\\351')\"", f"{LINE}\n".encode())
    assert (code, told) == (0, "")
    assert "Claude is at capacity" in out


def test_reports_that_are_no_utf8_or_no_objects_are_named_by_their_line(redial: Redial) -> None:
    (redial.home / "rows.jsonl").write_bytes(b'{"text": "caf\xe9 529 overloaded"}\n[1]\n')
    done = redial.run("recognise", "--jsonl", "rows.jsonl", code=2)
    assert '"guide":"overloaded"' in done.stdout
    assert done.stderr == "redial: line 2 is no JSON object\n"
