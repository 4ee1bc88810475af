"""What people paste by accident must not survive; what recognition and hand-off need must."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from bot.core.redaction import Kind, Redacted, redact
from tests.core.redaction_samples import (
    ALNUM,
    CODES,
    DISGUISES,
    JOINTS,
    NAMED,
    PERSONAL,
    SECRET,
    SHORT,
    SURROUNDINGS,
    VENDORS,
    chance,
    drawn,
    hash_of,
    survives,
    wrapped,
)


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("vendor", VENDORS)
def test_a_vendors_token_goes_in_every_disguise(vendor: str, disguise: str) -> None:
    prefix, alphabet, length = VENDORS[vendor]
    wrong = {}
    for surrounding, around in SURROUNDINGS.items():
        body = drawn(hash_of(vendor, disguise, surrounding), alphabet, length)
        result = redact(around.format(DISGUISES[disguise](prefix + body, chance(length))))
        if survives(body, result) or not result.secret or redact(result.text) != Redacted(result.text):
            wrong[surrounding] = result
    assert wrong == {}


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("name", NAMED)
def test_a_named_secret_goes_in_every_disguise(name: str, disguise: str) -> None:
    form, alphabet, length, kind = NAMED[name]
    wrong = {}
    for surrounding, around in SURROUNDINGS.items():
        body = drawn(hash_of(name, disguise, surrounding), alphabet, length)
        result = redact(around.format(DISGUISES[disguise](form.format(body), chance(length))))
        known = not SECRET.isdisjoint(result.removed) or kind in result.removed
        if survives(body, result) or not known or redact(result.text) != Redacted(result.text):
            wrong[surrounding] = result
    assert wrong == {}


@pytest.mark.parametrize("width", [17, 24, 40, 61])
@pytest.mark.parametrize("vendor", VENDORS)
def test_a_token_wrapped_by_a_narrow_terminal_goes(vendor: str, width: int) -> None:
    prefix, alphabet, length = VENDORS[vendor]
    wrong = {}
    for joint in JOINTS:
        body = drawn(hash_of(vendor, joint, str(width)), alphabet, length)
        broken = wrapped(prefix + body, width, joint)
        result = redact(f"API Error: 401 · Please run /login\nkey: {broken}\nconnection lost")
        left = "connection lost" in result.text and "Please run /login" in result.text
        if survives(body, result) or not left:
            wrong[joint] = result
    assert wrong == {}


def pem(seed: int, label: str = "RSA ") -> tuple[str, str]:
    body = drawn(seed, ALNUM + "+/", 64 * 12)
    dashes = "-" * 5
    lines = [f"{dashes}BEGIN {label}PRIVATE KEY{dashes}", *(body[i : i + 64] for i in range(0, len(body), 64))]
    return "\n".join([*lines, f"{dashes}END {label}PRIVATE KEY{dashes}"]), body


@pytest.mark.parametrize("label", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
@pytest.mark.parametrize(
    "shape",
    [
        lambda key: key,
        lambda key: key[: len(key) // 2],
        lambda key: key.replace("\n", "\\n"),
        lambda key: json.dumps({"private_key": key, "client_email": "x"}),
        lambda key: "\n".join(f"    {key[i : i + 30]}" for i in range(0, len(key), 30)),
        lambda key: "\n".join(f"│ {line} │" for line in key.split("\n")),
        lambda key: key.split("\n", 1)[1],
        lambda key: "> " + key.replace("\n", "\n> "),
    ],
    ids=["whole", "cut", "one line", "json", "wrapped", "box", "without its head", "quoted"],
)
def test_a_private_key_goes(label: str, shape: Callable[[str], str]) -> None:
    key, body = pem(len(label), label)
    result = redact(f"here is the log\n{shape(key)}\nconnection lost")
    assert not survives(body, result), result.text
    assert result.text.startswith("here is the log\n")
    assert "connection lost" in result.text


@pytest.mark.parametrize(("text", "expected", "kind"), PERSONAL, ids=[text for text, _, _ in PERSONAL])
def test_who_and_where_somebody_is_goes_and_the_rest_stays(text: str, expected: str, kind: Kind) -> None:
    result = redact(text)
    assert result.text == expected
    assert kind in result.removed
    assert not result.secret
    assert redact(result.text) == Redacted(result.text)


@pytest.mark.parametrize(("text", "expected"), SHORT)
def test_a_masked_key_goes_but_needs_no_revoking(text: str, expected: str) -> None:
    result = redact(text)
    assert (result.text, result.removed, result.secret) == (expected, (Kind.MASKED,), False)


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_token_cut_short_is_still_a_secret(vendor: str) -> None:
    prefix, alphabet, _ = VENDORS[vendor]
    body = drawn(3, alphabet, 20).replace("-", "7").replace("_", "8")
    result = redact(f"see {prefix}{body}… here")
    assert result.text.startswith("see [")
    assert result.text.endswith("] here")
    assert result.secret


@pytest.mark.parametrize(("form", "secret", "kind"), CODES, ids=[form for form, _, _ in CODES])
def test_codes_and_passwords_of_every_form_go(form: str, secret: str, kind: Kind) -> None:
    result = redact(form.format(secret))
    assert secret not in result.text
    assert not survives(secret, result)
    assert kind in result.removed
    assert redact(result.text) == Redacted(result.text)


KEPT_TEXTS = [
    "API Error: Connection closed mid-response. The response above may be incomplete.",
    '{"type":"error","error":{"type":"authentication_error","message":"OAuth token has expired. Please obtain new "}}',
    '"message": "token or refresh your existing token."},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}',
    "OAuth token revoked · Please run /login",
    "The socket connection was closed. For more information, pass `verbose: true` in the second argument to fetch()",
    "Invalid API key · Please run /login",
    "⚠Auth conflict: Using ANTHROPIC_API_KEY instead of Anthropic Console key.",
    "API Error: Claude's response exceeded the 32000 output token maximum.",
    "prompt is too long: 211539 tokens > 200000 maximum",
    '"usage":{"input_tokens":123456,"cache_creation_input_tokens":0,"output_tokens":55,"max_tokens":32000}',
    "max_tokens=64000 token_count: 200000 tokens: 31k/1000k token: 1234",
    "token limit reached, access token expired, Bearer token missing, password is wrong, secret not found",
    "Error: token: invalid\nPassword: incorrect\nsecret: none\napi key: missing\npassword: required",
    "SyntaxError: Unexpected token < in JSON at position 0",
    "Basic authentication failed; Authorization: Bearer <token>; Authorization header missing",
    "export ANTHROPIC_API_KEY=$MY_KEY ANTHROPIC_AUTH_TOKEN=${TOKEN} API_KEY=<your-key> API_KEY=YOUR_API_KEY",
    "a key begins with sk-" + "ant-api03- or with sk-" + "proj-",
    "Unable to connect to API (ECONNREFUSED) SELF_SIGNED_CERT_IN_CHAIN ERR_BAD_REQUEST",
    "Failed to connect to api.anthropic.com: ERR_BAD_REQUEST",
    "getaddrinfo ENOTFOUND api.anthropic.com api.anthropic.com:443",
    "connect ECONNREFUSED 127.0.0.1:7890, http://localhost:3001/, 0.0.0.0, [::1]:8080",
    "✅ DNS ok (160.79.104.10), 160.79.105.255, 2607:6bc0::10",
    "https://claude.ai/install.sh https://claude.com/pricing https://code.claude.com/docs/en/errors",
    "https://platform.claude.com/docs https://status.claude.com https://docs.anthropic.com/en/api/rate-limits",
    "https://github.com/anthropics/claude-code/issues/1234#issuecomment-3012345678",
    "git@github.com:anthropics/claude-code.git",
    "https://storage.googleapis.com/claude-code-dist-86c565f3-f756-42ad-8dfa-d59b1c096819/latest",
    "https://registry.yarnpkg.com/@anthropic-ai/claude-code npm i -g @anthropic-ai/claude-code@2.1.186",
    "irm https://claude.ai/install.ps1 | iex; curl -fsSL https://claude.ai/install.sh | bash",
    "ANTHROPIC_BASE_URL=https://api.anthropic.com HTTPS_PROXY=http://127.0.0.1:7890 NODE_TLS_REJECT_UNAUTHORIZED=0",
    "claude-sonnet-4-6 claude-opus-4-1-20250805 claude-haiku-4-5-20251001 claude-opus-4-6[1m]",
    "2026-02-05 08:26:45 [error] Session local_00000000-0000-4000-8000-000000000000 query error: exit code 3221225477",
    "session 01234567-89ab-4def-8123-456789abcdef session_id=01234567-89ab-4def-8123-456789abcdef",
    "commit 3f2504e04f8911d39a0c0305e82c3301a1b2c3d4 (HEAD -> main)",
    "version 2.1.186.1, Chrome/120.0.6099.109 Safari/537.36, Windows 10.0.22631, v1.2.3.4, claude 2.1.18.1",
    "    at Ej (file:///opt/node/lib/cli.js:24:1137)\n    at Ej ()",
    "    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
    "at com.acme.internal.Foo.bar(Foo.java:12) in settings.local.json and CLAUDE.local.md",
    "cf-ray: 8f3a2b1c4d5e6f70-FRA, x-request-id: req_011CSHoEeqs5C35K2UUqR7Fy, retry-after: 30",
    "Just a moment... Enable JavaScript and cookies to continue (cf-mitigated: challenge)",
    "check supported countries at https://anthropic.com/supported-countries or write to support@anthropic.com",
    "HTTP/1.1 503 Service Unavailable\nserver: cloudflare\ndate: Mon, 30 Nov 2026 14:59:11 GMT",
    "tests: pass: 12, fail: 3; keyboard shortcut: shift+tab; monkey: no; primary key: id; key: value; sort_key=name",
    "response_type=code exit code=1 code=ECONNRESET https://example.org/?code=404&state=open",
    "error code 529529 status code: 500 invalid code 12",
    "PWD=/opt/work docker run -u 1000:1000 -v /srv/demo/index.html.backup-20250903-092539",
    "install -b main; npm_config_registry=https://registry.yarnpkg.com/ npm_lifecycle_event=install",
    '[{"error":"Error: Lock acquisition failed for /opt/x ","timestamp":"2026-02-05T08:26:45.123Z"}]',
    "⏺ Bash(git diff)  ⎿  ⛁ ⛁ ⛀ ⛶ claude-sonnet-4-5-20250929 · 100k/200k tokens (50%)",
    "中途断了 代理 端口 7890 令牌过期 · Claude Code dejó de responder · ошибка соединения, токен истёк",
    "+02:00 1769000000000 1,234,567 12:34:56.789 10/10 3221225477 100%25 50% off",
    "logo@2x.png actions/checkout@v4 @anthropic-ai/sdk@0.71.2 user@ @here",
    "a\x00b \ud800 \u202eabc \u200b\u200d 👩\u200d💻 \x1b[31mred\x1b[0m",
    "",
]


@pytest.mark.parametrize("text", KEPT_TEXTS)
def test_what_recognition_needs_is_left_as_it_was_typed(text: str) -> None:
    assert redact(text) == Redacted(text)


@pytest.mark.parametrize("text", KEPT_TEXTS)
@pytest.mark.parametrize("vendor", ["anthropic api", "jwt", "openai"])
def test_a_secret_beside_it_takes_nothing_away_from_it(text: str, vendor: str) -> None:
    prefix, alphabet, length = VENDORS[vendor]
    secret = prefix + drawn(len(text), alphabet, length)
    result = redact(f"{secret}\n{text}\n{secret}")
    shown = (
        result.text.removeprefix("[api key]").removeprefix("[token]").removesuffix("[api key]").removesuffix("[token]")
    )
    assert shown == f"\n{text}\n"
