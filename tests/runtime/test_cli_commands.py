"""Every other sub-command: what it prints, in a pipe and as JSON, and the exit codes scripts rely on."""

from __future__ import annotations

import json
import resource
import subprocess
import tomllib
from pathlib import Path

import pytest

from bot.cli import main
from content import ROOT
from tests.runtime.redial import SCRIPT, Redial

BROKEN = """\
---
title: Broken
reviewed: 2026-11-30
---
Look.

## First {#first evidence=reported}
Do this.

- [On](#nowhere){#on}
"""


def test_help_answers_at_once_and_names_every_command() -> None:
    took = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([SCRIPT, "--help"], capture_output=True, text=True, check=True)  # noqa: S603
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        # Processor time: a machine that is busy with other tests must not decide this one.
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(took) < 0.150
    assert all(f"  {name} " in done.stdout for name in main.commands)


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_says_what_it_does(redial: Redial, name: str) -> None:
    assert "Usage: " in redial.run(name, "--help").stdout


def test_guides_as_a_list_and_as_json(redial: Redial) -> None:
    lines = redial.run("guides").stdout.splitlines()
    rows = json.loads(redial.run("guides", "--json").stdout)
    assert len(lines) == len(rows)
    assert {"response-cut-off", "web-connection-lost", "overloaded", "sign-in", "server-error", "cannot-connect"} <= {
        row["id"] for row in rows
    }


def test_a_guide_can_be_read_and_drawn(redial: Redial) -> None:
    assert "git diff" in redial.run("guide", "response-cut-off").stdout
    read = redial.run("guide", "web-connection-lost").stdout
    assert all(f"\n({grade}) " in read for grade in ("people report", "unconfirmed")), "a note keeps its grade"
    chart = redial.run("graph", "response-cut-off").stdout
    assert chart.startswith("flowchart TD\n")
    assert "fixed((fixed))" in chart


def test_an_unknown_guide_is_named_with_those_there_are(redial: Redial) -> None:
    done = redial.run("graph", "nonsense", code=2)
    assert done.stderr.startswith("redial: there is no guide `nonsense`")
    assert "response-cut-off" in done.stderr


def test_check_names_file_line_and_rule(redial: Redial) -> None:
    redial.run("check")
    folder = redial.home / "own" / "guides" / "en"
    folder.mkdir(parents=True)
    (folder / "broken.md").write_text(BROKEN)
    done = redial.run("check", "own", code=1)
    assert "own/guides/en/broken.md:10: no step `broken#nowhere` [unknown-target]" in done.stdout.splitlines()
    rows = [json.loads(line) for line in redial.run("check", "own", "--json", code=1).stdout.splitlines()]
    assert {"path": "own/guides/en/broken.md", "line": 10, "rule": "unknown-target"}.items() <= rows[-1].items()


def test_the_first_guide_of_the_authors_page_is_whole(redial: Redial) -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    folder = redial.home / "own" / "guides" / "en"
    folder.mkdir(parents=True)
    (folder / "zork-bridge.md").write_text(page.split("```md\n")[1].split("```\n")[0], "utf-8")
    redial.run("check", "own")
    redial.env["REDIAL_CONTENT_DIRS"] = '["own"]'
    row = json.loads(redial.run("recognise", "my editor says ZORK-17: bridge collapsed, what now").stdout)
    assert (row["guide"], row["sign"], row["why"]) == ("zork-bridge", True, "ZORK-17: bridge collapsed")
    views = redial.chat("ZORK-17: bridge collapsed", "2", "1")
    assert [view["step"] for view in views[:2]] == ["status", "start"]
    assert views[2]["outcome"] == "fixed"


def test_check_refuses_ids_that_were_lost(redial: Redial) -> None:
    ids = redial.run("check", "--ids").stdout
    (redial.home / "ids.txt").write_text(ids)
    redial.run("check", "--released", "ids.txt")
    (redial.home / "ids.txt").write_text(f"{ids}overloaded#was-there\n")
    assert "[lost-id]" in redial.run("check", "--released", "ids.txt", code=1).stdout


def test_recognise_takes_a_text_a_pipe_or_a_file(redial: Redial) -> None:
    text = "API Error: Repeated 529 Overloaded errors"
    row = json.loads(redial.run("recognise", text).stdout)
    assert (row["decision"], row["guide"]) == ("guide", "overloaded")
    assert row["candidates"][0]["guide"] == "overloaded"
    assert json.loads(redial.run("recognise", "-", input=text).stdout) == row
    (redial.home / "rows.jsonl").write_text(
        json.dumps({"id": "a", "said": text}) + "\n\n" + json.dumps({"id": "b", "said": "copilot is down"})
    )
    rows = [
        json.loads(line)
        for line in redial.run("recognise", "--jsonl", "rows.jsonl", "--field", "said").stdout.splitlines()
    ]
    assert [(r["id"], r["decision"]) for r in rows] == [("a", "guide"), ("b", "none")]


def test_recognise_reports_how_often_it_is_right_and_shows_no_secret(redial: Redial) -> None:
    text = "ANTHROPIC_API_KEY=sk-ant-api03-" + "x1Y2" * 23 + " and then API Error: Repeated 529 Overloaded errors"
    rows = [
        {"id": "a", "guide": "overloaded", "long": text, "chat": text},
        {"id": "b", "guide": "sign-in", "long": text, "chat": text, "lang": "de"},
    ]
    (redial.home / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    shown = redial.run("recognise", "--report", "rows.jsonl").stdout
    assert "# long" in shown
    assert "# chat" in shown
    assert "not en" in shown
    assert "b: sign-in read as overloaded" in shown
    assert "x1Y2" not in shown


def test_recognise_says_which_line_is_wrong(redial: Redial) -> None:
    (redial.home / "rows.jsonl").write_text('{"text": "x"}\nnonsense\n')
    assert "line 2 is not JSON" in redial.run("recognise", "--jsonl", "rows.jsonl", code=2).stderr
    (redial.home / "rows.jsonl").write_text('{"other": "x"}\n')
    assert "line 1 has no field `text`" in redial.run("recognise", "--jsonl", "rows.jsonl", code=2).stderr
    redial.run("recognise", code=2)


def test_status_of_an_unreadable_page_is_unknown(redial: Redial) -> None:
    done = redial.run("status", code=3)
    assert "unknown" in done.stdout
    assert json.loads(redial.run("status", "--json", code=3).stdout)["health"] == "unreadable"


def test_init_writes_settings_that_can_be_read_and_never_overwrites(redial: Redial) -> None:
    redial.run("init")
    path = redial.home / "redial.toml"
    uncommented = "\n".join(
        line.removeprefix("# ") if " = " in line else line for line in path.read_text().splitlines()
    )
    tomllib.loads(uncommented)
    redial.run("guides")
    path.write_text('devices = "personal"\n')
    assert "--force" in redial.run("init", code=2).stderr
    assert path.read_text() == 'devices = "personal"\n'
    redial.run("init", "--force")


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('devices = "borrowed"', "`devices` must be"),
        ('colour = "red"', "`colour` is no setting"),
        ("devices = ", "is not TOML"),
        ('content_dirs = ["/nowhere"]', "content folder /nowhere is not there"),
        ('redis_url = "redis://:hunter2@host"', "REDIS_URL"),
    ],
)
def test_a_wrong_setting_is_named_without_its_value(redial: Redial, toml: str, said: str) -> None:
    (redial.home / "redial.toml").write_text(toml)
    done = redial.run("guides", code=2)
    assert said in done.stderr
    assert "hunter2" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_redis_that_is_not_there_is_said_with_what_to_do(redial: Redial) -> None:
    redial.env["REDIS_URL"] = "redis://:hunter2@127.0.0.1:9/0"
    done = redial.run("chat", input="hello\n", code=2)
    assert done.stderr.startswith("redial: ")
    assert "hunter2" not in done.stderr


def test_the_store_can_be_asked_and_stopped(redial: Redial) -> None:
    assert "does not run" in redial.run("store", "status", code=1).stdout
    process = redial.start("chat", "--json")
    assert process.stdin
    assert process.stdout
    process.stdin.write("API Error: 529\n")
    process.stdin.flush()
    process.stdout.readline()
    redial.run("store", "status")
    redial.run("store", "stop")
    redial.run("store", "stop", code=1)
    process.stdin.write("1\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["guide"], "the store is started again when it is needed"
    process.communicate(timeout=30)


def test_a_data_directory_that_cannot_be_used_is_named(redial: Redial) -> None:
    (redial.home / "file").write_text("")
    redial.env["REDIAL_DATA_DIR"] = str(redial.home / "file")
    done = redial.run("chat", input="hello\n", code=2)
    assert str(redial.home / "file") in done.stderr
    redial.env["REDIAL_DATA_DIR"] = str(Path(redial.home) / "data")
