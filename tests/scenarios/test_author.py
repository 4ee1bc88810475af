"""An author adds a kind of failure: one file, and it is recognised, asked back for, played, and checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.core.guides.guide import Outcome
from bot.core.lint.knowledge import unknown
from bot.core.lint.rules import problems
from bot.core.triage import flow
from bot.core.triage.flow import Begin, Press
from bot.core.triage.turn import Around
from bot.runtime.content import Content
from bot.runtime.reading import product_texts, read
from content import ROOT
from tests.scenarios.playing import NOW, ORIGIN, library

GUIDE = """---
title: Our vault refuses Claude
surfaces: [claude-code, api]
often: 8
fits: shows=error since=change
local: true
signs:
  - "vault-proxy: lease expired"
  - "vault-proxy: Leihfrist abgelaufen"
phrases: ["vault lease|expired"]
reviewed: 2026-11-30
sources:
  wiki: https://wiki.example.com/vault
---
Renew the lease first. Claude itself is fine.

## Does the lease show as expired? {#lease evidence=reported}
1. Run `vault token lookup`.

- [It is expired](#renew){#expired says="expired"}
- [It is valid](outcomes.md#handed_off){#valid says="valid"}

## The lease ran out {#renew cause=lease evidence=official source=wiki}
1. Run `vault token renew`.

- [It works](outcomes.md#fixed){#works says="works"}
- [Still refused](outcomes.md#handed_off){#still says="still"}
"""


def written(folder: Path, text: str = GUIDE, **products: str) -> Content:
    """A company's folder with one guide, over the built-in ones."""
    for name, body in {"guides/en/vault.md": text, "links.txt": "wiki.example.com\n", **products}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(body, "utf-8")
    return read([folder])


def complaints(content: Content) -> list[str]:
    return [str(one) for one in sorted({*content.problems, *problems(content.library)})]


@pytest.mark.parametrize("text", ["vault-proxy: lease expired", "claude: vault-proxy: Leihfrist abgelaufen seit heute"])
def test_a_new_guide_is_recognised_and_played(tmp_path: Path, text: str) -> None:
    content = written(tmp_path)
    assert complaints(content) == []
    found, around = content.recogniser().recognise(text), Around(NOW)
    turn = flow.begin(content.library, "c1", ORIGIN, Begin(text, found), around)
    assert (turn.view.guide, turn.view.step) == ("vault", "lease")
    for choice in ("expired", "works"):
        press = Press(choice, turn.view.step, turn.view.revision)
        turn = flow.play(content.library, turn.conversation, press, around, by=ORIGIN.user)
    assert turn.view.outcome is Outcome.FIXED


def test_a_new_guide_is_among_those_that_are_asked_back_for(tmp_path: Path) -> None:
    content, around = written(tmp_path), Around(NOW)
    found = content.recogniser().recognise("claude is broken")
    turn = flow.begin(content.library, "c1", ORIGIN, Begin("claude is broken", found), around)
    for answer in ("error", "claude-code", "change"):
        press = Press(answer, turn.view.step, turn.view.revision)
        turn = flow.play(content.library, turn.conversation, press, around, by=ORIGIN.user)
    assert "vault" in [offer.id for offer in turn.view.offers]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("vault-proxy: lease expired", "Connection closed mid-response", "vault.md:8: the sign"),
        ("shows=error", "shows=eror", "vault.md:5: the fact `shows` has no value `eror` [unknown-fact]"),
        ("since=change", "colour=red", "vault.md:5: no fact `colour` in facts.md [unknown-fact]"),
        ("claude-code, api", "terminal", "vault.md:3: no surface `terminal`"),
        ("#renew", "#gone", "vault.md:20: no step `vault#gone` [unknown-target]"),
        ("wiki.example.com", "elsewhere.example.com", "vault.md:13: links lead to hosts"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    found = complaints(written(tmp_path, GUIDE.replace(old, new, 1)))
    assert any(complaint in one for one in found), found


def test_two_guides_that_fight_over_a_sign_are_both_named(tmp_path: Path) -> None:
    fights = [
        one
        for one in complaints(written(tmp_path, GUIDE.replace("vault-proxy: lease", "Connection closed mid-response")))
        if one.endswith("[fight]")
    ]
    assert any("vault.md:8" in one and "`response-cut-off`" in one for one in fights)


def test_what_the_product_files_say_of_nothing_is_told() -> None:
    text = """
[[clue]]
fact = "vault"
value = "x"
phrases = ["zork"]

[[clue]]
fact = "os"
value = "beos"
phrases = ["beos"]

[[output]]
guide = "gone"
rank = 3
texts = ["zorkout"]

[statuses]
418 = "teapot"

[weights]
"zork" = "vault-prx 40, none -3"
"""
    assert [str(one) for one in unknown(library(), {"own.toml": text})] == [
        "own.toml:3: no fact `vault` in facts.md [unknown-fact]",
        "own.toml:9: the fact `os` has no value `beos` [unknown-fact]",
        "own.toml:13: no guide `gone` [unknown-target]",
        "own.toml:18: no guide `teapot` [unknown-target]",
        "own.toml:21: no guide `vault-prx` [unknown-target]",
    ]


def test_the_built_in_product_files_name_nothing_that_is_not_there() -> None:
    assert list(unknown(library(), product_texts([ROOT]))) == []
