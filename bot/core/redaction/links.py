"""Secrets in addresses: sign-in links, codes to paste, passwords before a host."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.redaction.finders import Judge, drawn_from, matching
from bot.core.redaction.jumble import drawn
from bot.core.redaction.kinds import Kind, Rule, Span
from bot.core.redaction.projection import BARRIER, Projection

_CODES = r"code|device_code|user_code|otp|ticket|assertion|id_token_hint|saml\w{0,12}|code_verifier|magic|passcode"
_TOKENS = (
    r"(?:access_|refresh_|id_|auth_|api_|session_|csrf_|xsrf_|oauth_|bearer_)?token|oauth_token_secret|client_secret|"
    r"api[_-]?key|apikey|key|sig|signature|x-amz-(?:signature|credential|security-token)|auth|jwt|secret|hmac|t|sid|"
    r"session(?:_?key)?"
)
_STATES = (
    r"state|code_challenge|nonce|login_hint|prompt_id|request_uri|flow|session_state|login_challenge|challenge|"
    r"relaystate"
)
_PARAMETER = r"[?&#;](?:{names})=(?P<x>[^\s&#\"'<>`|│)\]{barrier}]+)"
_SIGN_IN = re.compile(
    r"oauth|authori[sz]e|callback|login|signin|sign-in|/sso|/auth|/device|/activate|verify|magic|redirect_uri"
)
_SHORTEST = 4  # no code is shorter
_NEAR = 700  # how far back in a link its path may be
_HARMLESS = re.compile(r"true|false|[0-9]{1,4}|[A-Z]+_?[A-Z]{2,}|null|none|open|closed|all|merged", re.ASCII)


def _parameter(names: str, least: int) -> tuple[str, Judge]:
    def judge(found: re.Match[str], value: str) -> bool:
        if _HARMLESS.fullmatch(value):
            return False
        if drawn(value, least):
            return True
        before = found.string[max(0, found.start() - _NEAR) : found.start() + 1]
        return len(value) >= _SHORTEST and _SIGN_IN.search(before.rsplit(maxsplit=1)[-1]) is not None

    return _PARAMETER.format(names=names, barrier=BARRIER), judge


def _pasted(view: Projection) -> Iterator[Span]:
    """Find `code#state`, which the sign-in page shows for pasting."""
    for found in _STATE_PART.finditer(view.text):
        slab = view.text[max(0, found.start() - 200) : found.start()]
        code = slab[len(slab.rstrip(_CODE_CHARS)) :]
        if len(code) >= 16 and drawn(code) and drawn(found[0]):  # noqa: PLR2004 - anchors in links are shorter or words
            yield found.start() - len(code), found.end()


_STATE_PART = re.compile(r"#[\w-]{16,}", re.ASCII)
_CODE_CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_FIELD = r"[\"'](?:{names})[\"'][ \t]{{0,3}}:[ \t]{{0,3}}[\"'](?P<x>[\w.~+/=#-]{{12,}})"
_ASKED = (
    r"code\b[\"'\]]?"
    r"(?:[ \t]*(?:\b(?:here|if|prompted|is|below|now|on|at|in|your|browser|the|into|this|terminal|when|and|press|enter)"
    r"\b|[:=>?\"',(])){0,10}[\s│|>]{0,40}(?P<x>[a-z0-9][a-z0-9#_-]{3,})"
)
_ASKING = re.compile(
    r"(?:paste|authori[sz]ation|auth|verification|device|user|one[ -]time|log-?in|sign-?in|pairing|security|2fa|otp|"
    r"confirmation|enter|copy|type)[ _-](?:(?:the|your|this|following|one-time|first copy your) ){0,3}\Z"
)
_PAIRED = re.compile(r"[A-Z]{4}-[A-Z]{4}|(?=.*[0-9])(?=.*[A-Z])[A-Z0-9]{4}-[A-Z0-9]{4}", re.ASCII)
_REPORTING = re.compile(r"(?:error|status|exit|return|reason|close|result|http|response|failure|vs|source)[ _-]?\Z")
_DEVICE = re.compile(r"[0-9]{4,8}|[A-Z0-9]{4}-?[A-Z0-9]{4}|[A-Z0-9]{3}-[A-Z0-9]{3}(?:-[A-Z0-9]{3})?", re.ASCII)


def _code(found: re.Match[str], value: str) -> bool:
    before = found.string[max(0, found.start() - 60) : found.start()]
    if not _ASKING.search(before):
        return _PAIRED.fullmatch(value) is not None and not _REPORTING.search(before)
    return drawn(value) or (_DEVICE.fullmatch(value) is not None and not re.fullmatch(r"[A-Z]{8}", value))


def _userinfo(_: re.Match[str], value: str) -> bool:
    # `ssh://git@github.com` names a service, not a person.
    return value not in {"git", "hg", "svn"} and not value.startswith(BARRIER)


_CODE_FIELD = _FIELD.format(names="code|auth_?code|authorization_?code|code_?verifier|device_?code")
_STATE_FIELD = _FIELD.format(names="state|nonce|code_?challenge")
_USERINFO = rf"://(?P<x>[^\s/?#\"'<>{BARRIER}]{{1,256}})@"
_PATH = r"(?:magic-link|verify|invite|reset-password|confirm)[/#](?P<x>[\w:=.-]{12,})"
_CODE_HINTS = ("code", "otp", "ticket", "saml", "assertion", "magic")
_TOKEN_HINTS = ("token", "key", "sig", "secret", "auth", "jwt", "hmac", "session", "sid", "t=")
_STATE_HINTS = ("state", "challenge", "nonce", "hint", "flow", "request_uri")

LINKS = (
    Rule("sign-in code", Kind.OAUTH_CODE, matching(*_parameter(_CODES, 10)), _CODE_HINTS),
    Rule("token parameter", Kind.TOKEN, matching(*_parameter(_TOKENS, 8)), _TOKEN_HINTS),
    Rule("sign-in state", Kind.OAUTH_URL, matching(*_parameter(_STATES, 6)), _STATE_HINTS),
    Rule("code field", Kind.OAUTH_CODE, matching(_CODE_FIELD, drawn_from(12), low=True), ("code",)),
    Rule("state field", Kind.OAUTH_URL, matching(_STATE_FIELD, drawn_from(12), low=True), _STATE_HINTS),
    Rule("pasted code", Kind.OAUTH_CODE, _pasted, ("#",)),
    Rule("asked code", Kind.OAUTH_CODE, matching(_ASKED, _code, low=True), ("code",)),
    Rule("password in a link", Kind.PASSWORD, matching(_USERINFO, _userinfo), ("://",)),
    Rule(
        "sign-in path",
        Kind.OAUTH_CODE,
        matching(_PATH, drawn_from(12)),
        ("magic", "verify", "invite", "reset", "confirm"),
    ),
)
"""Rules for what links carry."""
