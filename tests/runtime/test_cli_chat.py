"""`redial chat` as a newcomer, a script, and somebody whose machine dies in the middle of it."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time

import pexpect
import pytest

from tests.runtime.redial import SCRIPT, Redial, labels

CUT_OFF = "API Error: Connection closed mid-response. The response above may be incomplete."
OVERLOADED = "API Error: Repeated 529 Overloaded errors"


def test_a_pipe_reads_a_message_a_line_and_a_number_picks(redial: Redial) -> None:
    first, second = redial.chat(CUT_OFF, "1")
    assert (first["guide"], first["step"], first["outcome"]) == ("response-cut-off", "doing", None)
    assert [choice["n"] for choice in first["choices"]] == list(range(1, len(first["choices"]) + 1))
    assert second["step"] == "inspect"
    assert second["evidence"] == "official"
    assert "git diff" in second["text"]


def test_every_line_gets_exactly_one_answer(redial: Redial) -> None:
    lines = [
        CUT_OFF,
        "what was that again?",
        "99",
        "is this normal for a tuesday",
        "back",
        "get a human",
        "/redial help",
    ]
    assert len(redial.chat(*lines, "", "   ")) == len(lines)


def test_plain_text_for_people(redial: Redial) -> None:
    done = redial.run("chat", input=f"{CUT_OFF}\n")
    assert "Don't repeat the request yet" in done.stdout
    assert "  1  " in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_python_dash_m_and_the_script_are_one(redial: Redial) -> None:
    script = subprocess.run([SCRIPT, "--version"], capture_output=True, text=True, check=True)  # noqa: S603
    assert script.stdout.split()[-1] == redial.run("--version").stdout.split()[-1]


def test_a_conversation_goes_on_after_the_process_was_killed(redial: Redial) -> None:
    process = redial.start("chat", "--json", "--user", "ann")
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{CUT_OFF}\n1\n")
    process.stdin.flush()
    views = [json.loads(process.stdout.readline()) for _ in range(2)]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    resumed = redial.chat("/redial resume")[-1]
    assert (resumed["guide"], resumed["step"]) == (views[1]["guide"], views[1]["step"])
    assert labels(resumed) == labels(views[1])


def test_an_answer_that_a_crash_kept_from_being_shown_is_shown_at_the_next_start(redial: Redial) -> None:
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writing, b" " * 4096)  # a full pipe: the turn is stored, its answer cannot get out
    process = redial.start("chat", "--json", "--user", "ann", stdout=writing)
    os.close(writing)
    assert process.stdin
    process.stdin.write(f"{CUT_OFF}\n")
    process.stdin.flush()
    _until_stored(redial, b"mid-response")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    os.close(reading)
    owed, after = redial.chat("1")
    assert (owed["guide"], owed["step"]) == ("response-cut-off", "doing")
    assert after["step"] == "inspect"
    assert redial.chat("/redial status")[0]["guide"] is None, "owed once, shown once"


def _until_stored(redial: Redial, piece: bytes) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if any(piece in path.read_bytes() for path in redial.data.rglob("*.aof")):
            return
        time.sleep(0.02)
    pytest.fail("the turn was never stored")


def test_several_conversations_and_resume_by_number(redial: Redial) -> None:
    redial.chat(CUT_OFF, "1")
    redial.chat(OVERLOADED)
    (listed,) = redial.chat("/redial resume")
    assert "2 open conversations" in listed["text"]
    resumed = redial.chat("/redial resume 2", "what was that again?")
    assert [view["guide"] for view in resumed] == ["response-cut-off", "response-cut-off"]
    (missing,) = redial.chat("/redial resume 7")
    assert "no open conversation number 7" in missing["text"]
    (reset,) = redial.chat("/redial reset")
    assert "2 conversations closed" in reset["text"]
    assert "no open conversation" in redial.chat("/redial resume")[0]["text"]


def test_the_same_report_again_leads_to_the_conversation_that_is_open(redial: Redial) -> None:
    (first,) = redial.chat(CUT_OFF)
    (again,) = redial.chat(CUT_OFF)
    assert again["conversation"] == first["conversation"]
    assert "already" in again["text"]


def test_people_do_not_see_each_others_conversations(redial: Redial) -> None:
    redial.chat(CUT_OFF, user="ann")
    assert "no open conversation" in redial.chat("/redial resume", user="bob")[0]["text"]


def test_two_processes_on_one_data_directory(redial: Redial) -> None:
    starts = [redial.start("chat", "--json", "--user", user) for user in ("ann", "bob")]
    for process in starts:
        assert process.stdin
        process.stdin.write(f"{CUT_OFF}\n1\n")
        process.stdin.flush()
    outs = [process.communicate(timeout=60) for process in starts]
    for out, err in outs:
        assert err == ""
        assert [json.loads(line)["step"] for line in out.splitlines()] == ["doing", "inspect"]


def test_what_is_not_ours_is_said_in_a_line(redial: Redial) -> None:
    (view,) = redial.chat("my postgres keeps saying connection lost")
    assert view["guide"] is None
    assert "isn't one of mine" in view["text"]
    assert redial.chat("2")[0]["text"].startswith("There is no open conversation here")


def test_who_only_talks_of_claude_is_not_told_that_claude_is_known_here(redial: Redial) -> None:
    (view,) = redial.chat("what's the shortcut for plan mode in claude code?")
    assert view["guide"] is None
    assert view["text"].startswith("That isn't one of mine: I help when Claude, Claude Code or the Claude API fails.")


def test_forget_me_deletes_everything(redial: Redial) -> None:
    redial.chat(CUT_OFF, "1")
    assert "deleted" in redial.chat("/redial forget-me")[0]["text"]
    assert "no open conversation" in redial.chat("/redial resume")[0]["text"]


def test_no_library_is_loaded_that_a_pipe_does_not_use(redial: Redial) -> None:
    code = (
        "import sys; from bot.cli import main\n"
        "try: main(['chat', '--json'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('slack_bolt', 'slack_sdk', 'discord', 'prompt_toolkit', 'apscheduler')"
        " if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], input=f"{CUT_OFF}\n", capture_output=True, text=True, check=True,
        env=redial.environment, timeout=60,
    )  # fmt: skip
    assert done.stderr.strip() == "[]"


def test_a_terminal_shows_a_prompt_choices_and_a_way_out(redial: Redial) -> None:
    child = _terminal(redial)
    child.expect("Paste what Claude printed")
    child.expect("you >")
    child.sendline(CUT_OFF)
    child.expect("Don't repeat the request yet")
    child.expect("That's all, thanks")
    child.expect("you >")
    child.sendline("1")
    child.expect("git diff")
    child.expect("you >")
    child.sendeof()
    child.expect("Open conversations are kept")
    child.expect(pexpect.EOF)
    again = _terminal(redial)
    again.expect("1 open conversation")
    again.expect("you >")
    again.sendline("2")
    again.expect("That's all, thanks")
    again.expect("you >")
    again.sendintr()
    again.expect(pexpect.EOF)


def _terminal(redial: Redial) -> pexpect.spawn[str]:
    env = {**redial.environment, "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm-256color"}
    return pexpect.spawn(
        sys.executable, ["-m", "bot", "chat"], env=env, encoding="utf-8", timeout=30, dimensions=(50, 100)
    )


def test_what_one_person_is_owed_is_not_shown_to_another(redial: Redial) -> None:
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writing, b" " * 4096)
    process = redial.start("chat", "--json", "--user", "ann", stdout=writing)
    os.close(writing)
    assert process.stdin
    process.stdin.write(f"{CUT_OFF}\n")
    process.stdin.flush()
    _until_stored(redial, b"mid-response")
    (answer,) = redial.chat("/redial resume", user="bob")
    assert "no open conversation" in answer["text"]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    os.close(reading)
    assert redial.chat("1", user="ann")[0]["step"] == "doing"
