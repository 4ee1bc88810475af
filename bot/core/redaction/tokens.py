"""Secrets that are known by their own shape, wherever they stand."""

from __future__ import annotations

import re
import string
from bisect import bisect_left
from collections.abc import Iterator

from bot.core.redaction.finders import MASKED, matching, prefixed
from bot.core.redaction.jumble import drawn
from bot.core.redaction.kinds import Kind, Rule, Span
from bot.core.redaction.projection import Projection

# Between the letters of a header a narrow terminal may have broken it.
_GAP = r"[\s│┃|]{0,20}"
_PRIVATE_KEY = _GAP.join("PRIVATE") + r"[\s│┃|]{1,20}" + _GAP.join("KEY")
_BEGIN = re.compile(rf"BEGIN[\s\w│┃|]{{1,60}}?{_PRIVATE_KEY}[ A-Z]{{0,8}}-{{0,5}}")
_END = re.compile(rf"END[\s\w│┃|]{{1,60}}?{_PRIVATE_KEY}[ A-Z]{{0,8}}-{{0,5}}")
_LONGEST_PEM = 20_000
_BODY = re.compile(
    r"(?:(?:[\s│┃|⎿>\"',+-]|\\{1,8}[nrt]){0,80}"
    r"(?:[A-Za-z0-9+/=]{16,}|(?:Proc-Type|DEK-Info|Comment|Version): ?[^\n\\]{1,80}))+"
    r"(?:(?:[\s│┃|>]|\\{1,8}[nrt]){0,40}[A-Za-z0-9+/]{0,15}=)?"
)
_DASHED = 5
_LETTERS = string.ascii_letters + string.digits + "_-"
_RUNS_OF_DIGITS = 4


def _pem(view: Projection) -> Iterator[Span]:
    """Find private keys: to their end line, or as far as the lines of a cut-off one look like its body."""
    text = view.text
    ends = [found.span() for found in _END.finditer(text)]
    upto = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < upto:
            continue
        start = begin.start() - (_DASHED if text.endswith("-" * _DASHED, 0, begin.start()) else 0)
        after = bisect_left(ends, (begin.end(), 0))
        if after < len(ends) and ends[after][0] - begin.end() < _LONGEST_PEM:
            upto = ends[after][1]
        elif body := _BODY.match(text, begin.end()):
            upto = body.end()
        else:
            continue
        yield start, upto


def _backwards(name: str, expression: str, chars: str, least: int, most: int) -> Rule:
    """Find `expression` after `least` to `most` of `chars`: the punctuation in the middle is quick to look for."""
    pattern = re.compile(expression, re.ASCII)

    def find(view: Projection) -> Iterator[Span]:
        for found in pattern.finditer(view.text):
            slab = view.text[max(0, found.start() - most) : found.start()]
            length = len(slab) - len(slab.rstrip(chars))
            if length >= least and drawn(view.text[found.start() - length : found.end()], 0):
                yield found.start() - length, found.end()

    return Rule(name, Kind.TOKEN, find)


def _opaque(_: re.Match[str], value: str) -> bool:
    """Say whether a long value is as mixed as only an encoded one is: a net for the tokens of vendors nobody listed."""
    head = value[:200]
    longest = max(re.split(r"[/_+=-]", head), key=len)
    digits = len(re.findall(r"[0-9]+", head))
    mixed = re.search(r"[a-z]", longest) and re.search(r"[A-Z]", longest) and digits >= _RUNS_OF_DIGITS
    return bool(mixed) and len(longest) >= 12 and drawn(head)  # noqa: PLR2004 - shorter pieces are names in a path


_ANTHROPIC = (
    ("sk-ant-sid", Kind.COOKIE),
    ("sk-ant-oat", Kind.TOKEN),
    ("sk-ant-ort", Kind.TOKEN),
    ("sk-ant-", Kind.API_KEY),
)
# The words between prefix and secret are shown in error texts on their own ("keys begin with sk-ant-api03-").
_ANTHROPIC_BODY = (
    rf"(?>(?:[a-z]{{2,6}}[0-9]{{2}}(?:-|(?![\w-])))?|[0-9]{{0,2}}-?)(?:[\w-]+|(?={MASKED}))(?:{MASKED}[\w-]*){{0,4}}"
)

ANTHROPIC = tuple(
    Rule(prefix, kind, matching(re.escape(prefix) + _ANTHROPIC_BODY), hints=(prefix,)) for prefix, kind in _ANTHROPIC
)

_K, _T = Kind.API_KEY, Kind.TOKEN
_CAPITALS = rf"(?:[A-Z0-9]{{8,}}|[A-Z0-9]*(?={MASKED}))(?:{MASKED}[A-Z0-9]*)?"
_TELLING = 3  # characters of a prefix that chance does not make


def _mixed(_: re.Match[str], value: str) -> bool:
    # Next to a key's id; forty characters in lower case are more often a commit.
    return not value.islower() and drawn(value)


VENDORS = (
    # OpenAI and those who took over its prefix; a plain "sk-" also begins ordinary words, so it must look drawn.
    *(prefixed(f"sk-{part}", _K) for part in ("proj-", "svcacct-", "admin-", "or-v1-", "live-", "lf-")),
    prefixed("sk-", _K, 12),
    # Gateways are shipped with such a key, and it stays.
    Rule("sk- with a number", _K, matching(r"sk-(?<![A-Za-z0-9]sk-)[0-9]{4,}(?![\w-])"), ("sk-",)),
    *(prefixed(p, _K) for p in ("pplx-", "gsk_", "xai-", "nvapi-", "csk-", "jina_", "tvly-", "fw_", "tgp_v1_", "r8_")),
    *(prefixed(p, _K, 12) for p in ("fc-", "key-", "vck_", "ctx7sk-", "lsv2_", "phx_", "SK")),
    # Code hosts
    *(prefixed(p, _T) for p in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_")),
    *(prefixed(f"gl{p}-", _T, more=".") for p in ("pat", "ptt", "rt", "dt", "ft", "oas", "cbt", "imt", "agent")),
    *(prefixed(p, _T, more="=") for p in ("ATATT3", "ATCTT3", "ATBB")),
    # Chat
    *(prefixed(f"xox{letter}-", _T, more=".") for letter in "abeoprscd"),
    *(prefixed(p, _T, more=".") for p in ("xoxe.", "xapp-")),
    _backwards("discord", r"\.[\w-]{6,7}\.[\w-]{20,45}", _LETTERS, 18, 40),
    _backwards("telegram", r":AA[\w-]{28,40}", string.digits, 6, 12),
    Rule("slack webhook", _T, matching(r"hooks\.slack\.com/[a-z]{5,12}/(?P<x>[\w/…-]+)"), ("hooks.slack",)),
    Rule("webhook", _T, matching(r"/webhooks/(?P<x>[0-9]{5,}/[\w.…-]+)"), ("/webhooks/",)),
    Rule("teams webhook", _T, matching(r"webhook\.office\.com/(?P<x>\S+)"), ("webhook.office",)),
    # Clouds
    *(Rule(p, _K, matching(rf"{p}(?<![A-Za-z0-9]{p}){_CAPITALS}"), (p.lower(),))
      for p in ("AKIA", "ASIA", "ABIA", "ACCA", "LTAI")),
    *(prefixed(p, _K, more="+/=") for p in ("ABSK", "bedrock-api-key-")),
    Rule("aws secret", _K, matching(r"(?<![\w/+=.-])[A-Za-z0-9/+]{40}(?![\w/+=-])", _mixed), ("akia", "asia")),
    prefixed("AIza", _K),
    *(prefixed(p, _T, more="./") for p in ("ya29.", "1//0")),
    prefixed("GOCSPX-", _T),
    *(prefixed(p, _T) for p in ("dop_v1_", "doo_v1_", "dor_v1_", "pscale_tkn_", "pscale_pw_", "sbp_", "sb_secret_")),
    *(prefixed(p, _T, more=".") for p in ("hvs.", "hvb.", "tskey-", "dp.pt.", "dp.st.", "glsa_", "vercel_blob_rw_")),
    # Registries and services
    *(prefixed(p, _T) for p in ("npm_", "hf_", "api_org_", "pypi-AgE", "rubygems_", "dckr_pat_", "shpat_", "shpss_")),
    *(prefixed(f"{a}_{b}_", _K) for a in ("sk", "rk", "pk") for b in ("live", "test")),
    *(prefixed(p, _T, more=".=+/") for p in ("whsec_", "SG.", "sntrys_", "sntryu_", "ops_eyJ")),
    *(prefixed(p, _T) for p in ("lin_api_", "ntn_", "figd_", "PMAK-")),
    *(prefixed(p, _T) for p in ("sq0atp-", "sq0csp-", "AGE-SECRET-KEY-1", "EAACEdEose0cBA")),
)  # fmt: skip

BEGINNINGS = ("eyJ", *(rule.name for rule in VENDORS if len(rule.name) >= _TELLING and " " not in rule.name))
"""First characters that chance does not put at the beginning of the rest of a wrapped token."""

SHAPES = (
    Rule("private key", Kind.PRIVATE_KEY, _pem, ("begin",)),
    *ANTHROPIC,
    *VENDORS,
    prefixed("eyJ", Kind.TOKEN, 8, more="."),
    Rule("long value", Kind.OPAQUE, matching(r"[A-Za-z0-9+/_-](?<![\w+/=.-].)[A-Za-z0-9+/_-]{39,}={0,2}", _opaque)),
)
"""Rules for what gives itself away by its first characters or its form; the first kind wins where two overlap."""
