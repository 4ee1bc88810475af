"""What colleagues say beside what programs print: names, addresses and commands are no sign, nor decide alone."""

from __future__ import annotations

import pytest

from bot.core.recogniser.engine import Decision
from tests.core.reports import recogniser


@pytest.mark.parametrize(
    "text",
    [
        "to install it: curl -fsSL https://claude.ai/install.sh | bash",
        "on windows it is irm https://claude.ai/install.ps1 | iex",
        "brew install --cask claude-code works too",
        "you can see your usage at claude.ai/settings/usage",
        "use claude mcp add to add the jira server",
        "run claude mcp list to see what we have configured",
        "Claude for Chrome is out, neat",
        "has anyone tried the Claude in Chrome extension?",
        "claude --teleport moves a web session to your terminal, nice",
        "just type /extra-usage if you need more this week",
        "/rate-limit-options is a funny name for a command",
        "what is your version of Claude Code?",
        "A newer version of Claude Code is out, changelog looks good",
        "code review: this catches anthropic.RateLimitError and backs off",
        "the anthropic-ratelimit- headers are handy for our dashboard",
        "Remote Control requires a Max plan I think",
        "the link is claude.ai/code session 12, have a look",
        "gemini gives me overloaded errors all morning",
        "our PreToolUse hook blocks rm -rf, works great",
        "added a SessionStart hook that prints the branch",
        "put it into mcpServers in your settings",
        "we use mcp-remote for the linear server",
        "Claude's context window is 200k",
        "set CLAUDE_CODE_MAX_OUTPUT_TOKENS=64000 for the big migration",
        "for CI use claude setup-token",
        "claude auth login is the new way",
        "catch anthropic.BadRequestError and show a toast",
        "Opus requires a Claude Max plan",
        "IT sets disableBypassPermissionsMode on all laptops",
        "claude remote-control is great for long runs",
        "thinking.budget_tokens should be lower for the summariser",
        "Claude's sandbox is quite strict on linux",
        "the Claude settings file is checked in",
        "StreamableHTTP is the new transport, SSE is deprecated",
        "UserPromptSubmit hook adds the ticket number, neat",
    ],
)
def test_what_is_said_is_no_sign(text: str) -> None:
    found = recogniser().recognise(text)
    assert not (found.decision is Decision.GUIDE and found.sign), (found.guide, found.why)


@pytest.mark.parametrize(
    ("line", "guide"),
    [
        ("claude code: Error: connect ECONNREFUSED 10.0.0.1:443\n  at TCPConnectWrap", "cannot-connect"),
        ("API Error: 529 overloaded_error\n  at request", "overloaded"),
    ],
)
def test_where_claude_code_is_installed_does_not_hide_what_failed(line: str, guide: str) -> None:
    trace = f"{line} (file:///usr/lib/node_modules/@anthropic-ai/claude-code/cli.js:123:45)"
    assert recogniser().recognise(trace).candidates[0].guide == guide


@pytest.mark.parametrize(
    "text",
    [
        "npm install -g @anthropic-ai/claude-code fails with EACCES",
        "curl -fsSL https://claude.ai/install.sh | bash: syntax error near unexpected token",
        "O termo 'claude' não é reconhecido como nome de cmdlet",
        "claude : Le terme «claude» n'est pas reconnu comme nom d'applet de commande",
        'Der Befehl "claude" ist entweder falsch geschrieben oder konnte nicht gefunden werden.',
        "'claude' 不是内部或外部命令，也不是可运行的程序",  # noqa: RUF001 - as Windows prints it
        'Имя "claude" не распознано как имя командлета',
        "'claude' は、内部コマンドまたは外部コマンド、操作可能なプログラムとして認識されていません。",
    ],
)
def test_an_installation_that_fails_is_still_one(text: str) -> None:
    assert recogniser().recognise(text).candidates[0].guide == "install-update"


@pytest.mark.parametrize(
    "text",
    [
        "github is returning 500s on push",
        "datadog agent: connection reset by peer",
        "we ran out of credits on the sms gateway",
    ],
)
def test_the_trouble_of_others_is_not_claimed(text: str) -> None:
    found = recogniser().recognise(text)
    assert found.decision is Decision.NONE, found
    assert found.product
