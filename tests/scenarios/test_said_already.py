"""What the pasted line says is not asked: the first question is the one that its answer really needs."""

from __future__ import annotations

import pytest

from tests.scenarios.playing import Player, page

LINES = {
    "Prompt is too long · automatic compaction failed: 500": "context-limit#auto-failed",
    "Error during compaction: Conversation too long": "context-limit#compact-fails",
    "Context limit reached · /compact or /clear to continue": "context-limit#compact",
    "Prompt is too long": "context-limit#line",
    "Error: Settings file exceeds the 2MiB limit": "local-tool-failure#at-start",
    "The current directory no longer exists (it was deleted or moved)": "local-tool-failure#at-start",
    "Claude Code process exited with code 1": "local-tool-failure#at-start",
    "File is covered by a Read deny rule in your permission settings": "local-tool-failure#which-tool",
    "Transcript writes are failing (ENOSPC)": "local-tool-failure#saving",
    "Remote Control is only available when using Claude via api.anthropic.com": "remote-control#refusal",
    "Signed out of Claude — run /login, then /remote-control": "remote-control#account",
    "2 sessions ended while this machine was offline — the environment was removed": "remote-control#gone",
    "The remote session sent a reply this version can't display": "remote-control#cloud",
    "Not logged in · Please run /login": "sign-in#credential",
    "Your apiKeyHelper script is failing": "sign-in#credential",
    "PDF is password protected": "bad-request#pdf",
    "Image was too large": "bad-request#image",
    "There's an issue with the selected model (claude-x)": "bad-request#model",
    "Claude Opus is not available with the Claude Pro plan": "permission#model",
    "You've hit your weekly limit · resets Mon 9am": "usage-limit#weekly",
    "Credit balance is too low": "usage-limit#credit",
}


@pytest.mark.parametrize("line", sorted(LINES))
def test_a_line_leads_to_the_question_it_leaves_open(line: str) -> None:
    view = Player(page("clear")).report(line)
    assert f"{view.guide}#{view.step}" == LINES[line]


def test_a_question_people_come_back_to_is_asked_anew() -> None:
    """The line said what the installer met; "a different error now" says that it is something else."""
    player = Player(page("clear"))
    player.report("claude install: Download timed out: exceeded the total deadline")
    for choice in ("installer", "ok"):
        player.press(choice)
    assert (player.view.guide, player.view.step) == ("install-update", "again"), "the download was not asked about"
    player.press("different")
    assert player.view.step == "installer"
