"""Secrets that are known by what stands before them: a name and a sign, a header, a flag, a cookie."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from bot.core.frozen import frozen
from bot.core.redaction.finders import drawn_from, listed, matching
from bot.core.redaction.jumble import drawn
from bot.core.redaction.kinds import Kind, Rule, Span
from bot.core.redaction.projection import BARRIER, Projection, clear

_STOP = frozenset(
    listed("""
    a an and are as at be been being but by can cannot can't could did do does doesn't don't error errors expired
    expires failed failure false fetch file for found from function had has have header hidden if in incorrect
    input invalid is it its just key kind limit lost malformed missing mismatch must my name nan needed never new
    nil no none str string bool int bytes optional option not null number object of off on or our password please
    rejected redacted refused removed required reset revoked secret set should since string that the then there
    they this to token true type undefined unexpected unknown unauthorized unset unsupported used user valid value
    was we were what when which while who will with would wrong yes you your bearer basic auth authentication
    authorization scheme login logout oauth keychain usage count falsch abgelaufen fehlt ungültig incorrecta
    incorrecto inválido inválida expirado caducado errado vencido invalide expiré incorrect manquant ist nicht
    wurde es una un est le la de неверный истёк 错误 无效 过期
    """)
)
"""Words that follow "password:" or "token:" in sentences and dumps and are no password."""
_STAND_IN = re.compile(
    r"\$\{?\w+(?:[:}].*)?|\$\(.*|%\w+%|<[^>]*>?|\{\{.*|[*•●.…_xX-]+|your[-_ ].*|"
    r"(?:process\.env|os\.environ)\b.*|env[.:]\S*|[\[({].*|https?://.*|(?:\w+ ){3,}.*|"
    r"(?:self|this|config|settings|args|opts|options|os|process|req|request|ctx|props)\.\S*|"
    r"[a-z]*_(?:password|passwd|token|secret|key)|(?:~|\.|/\.?[a-zA-Z]+)/\S*|[a-z]:[\\/].*",
    re.IGNORECASE | re.DOTALL,
)
"""Values that name where a secret comes from, hide it already, or are sentences, paths or addresses."""
_CALL = re.compile(r"[A-Za-z_.]{3,}[\[(]")
_PASSED = re.compile(r"pass[ \t]{0,3}[:=]")  # how many tests did
_SHORT, _DOUBTFUL, _LONG = 6, 12, 16  # least lengths of values: shorter ones are words
_NUMERIC = re.compile(
    r"[0-9]{1,9}|(?=.{1,20}$)[0-9][0-9.,:/%_ eE+-]*(?:[kKmMgG]b?|m?s|tokens?)?(?:[\s<>=].*)?", re.DOTALL
)
_QUALIFIERS = (
    "api", "access", "secret", "private", "auth", "signing", "encryption", "master", "account", "subscription",
    "anthropic", "openai", "gemini", "google", "openrouter", "deepseek", "session", "service", "admin", "deploy",
    "license", "client", "storage", "shared", "app", "provider", "gateway", "litellm", "router", "azure", "x",
)  # fmt: skip
"""What makes a `key` a secret one; a bare `key` is more often a name in a table."""
_UUID = re.compile(r"(?:\w+_)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_GIVEN = re.compile(r"passw\w*[ \t]+[\"'](?=\S*[0-9])\S+$")  # WITH PASSWORD 'letmein9'
_LONGEST = 64  # more is not needed to judge; a longer secret is followed to its end
_WHOLE = {"quoted": re.compile(rf"[^\n\"'`{BARRIER}]*"), "bare": re.compile(rf"[^\s\"'`<>{BARRIER}]*")}
_TAIL = (
    r"(?P<suffix>[\w.-]{0,24})(?P<quote>[\"'`]?\]?)[ \t]{0,3}"
    r"(?P<sign>:=|=>|==?|:|>|,(?=[ \t]{0,3}[\"'])|[ \t](?:is|was|ist|est|es|lautet)[ \t]|[ \t])[ \t]{0,3}"
    rf"(?:(?P<open>[\"'`])(?P<quoted>[^\n\"'`{BARRIER}]{{1,{_LONGEST}}})|(?P<bare>[^\s\"'`<>{BARRIER}]{{1,{_LONGEST}}}))"
)
_CUT = re.compile(r"[;,)\]}]+$|[&,;](?=[\w.-]+[=:])|;|\\[nrt]")
_WORD_NEXT = re.compile(r"[ \t]+[a-z|=]|[),]")


@frozen
class _Name:
    """A word before a sign. strict: it is also a part of ordinary words; weak: its values are often no secrets."""

    word: str
    kind: Kind
    ending: str = ""
    strict: bool = False
    weak: bool = False


_T, _P, _C = Kind.TOKEN, Kind.PASSWORD, Kind.COOKIE
_NAMES = (
    _Name("token", _T), _Name("secret", _T), _Name("key", Kind.API_KEY, strict=True), _Name("jwt", _T, strict=True),
    _Name("credential", _T, "s?", weak=True), _Name("auth", _T, "(?:orization)?", strict=True, weak=True),
    _Name("signature", _T, weak=True), _Name("hash", _T, strict=True, weak=True),
    _Name("pass", _P, "(?:w(?:or[dt])?d?|phrase|code)?", strict=True), _Name("pwd", _P, strict=True),
    _Name("pw", _P, strict=True), _Name("verifier", _T),
    *(_Name(clear(word, re.compile("(?!)")).low, _P) for word in (
        "contraseña", "mot de passe", "senha", "wachtwoord", "hasło", "kennwort", "пароль", "密码", "密碼",
        "パスワード", "비밀번호",
    )),
    *(_Name(word, _C) for word in (
        "sessionkey", "cf_clearance", "__cf_bm", "connect.sid", "phpsessid", "jsessionid", "session_cookie", "sessid",
    )),
    _Name("session", _C, strict=True, weak=True), _Name("cookie", _C, weak=True),
)  # fmt: skip


def _named(name: _Name) -> Rule:
    # As with `matching`: compiled when a text first holds the word.
    @cache
    def pattern() -> re.Pattern[str]:
        return re.compile(re.escape(name.word) + name.ending + _TAIL)

    def find(view: Projection) -> Iterator[Span]:
        at = 0
        while found := pattern().search(view.low, at):
            at = found.start() + len(name.word)
            if not (_stands(name, found, view) and (span := _value(name, found, view))):
                continue
            at = span[1]
            yield span

    return Rule(name.word, name.kind, find, (name.word,))


def _stands(name: _Name, found: re.Match[str], view: Projection) -> bool:
    """Say whether the word is the end of a name (`apiKey`, `API_KEY_2`) and not a piece of another word (`monkey`)."""
    start, suffix = found.start(), found["suffix"]
    first = view.text[found.start("suffix") : found.start("suffix") + 1]
    if suffix and not (first.isupper() or first in "_.-" or first.isdigit()) and not name.weak:
        return False
    if not name.strict or start == 0 or not view.low[start - 1].isalpha():
        return True
    camel = view.text[start].isupper() and view.text[start - 1].islower()
    return camel or view.low.endswith(_QUALIFIERS, max(0, start - 12), start)


def _value(name: _Name, found: re.Match[str], view: Projection) -> Span | None:
    """Return the span of the value if it is a secret one."""
    part = "quoted" if found["quoted"] else "bare"
    start, end = found.span(part)
    if part == "bare" and (cut := _CUT.search(view.text, start + 1, end)):
        end = cut.start()
    value = view.text[start:end]
    plain = value.rstrip(".,;:!?").lower()
    spaced = part == "quoted" and name.kind is Kind.PASSWORD and " " in value and "=" in found["sign"]
    stands_in = _STAND_IN.fullmatch(value) is not None and not (spaced and "$" not in value)
    stands_in = stands_in or (part == "bare" and _CALL.match(value) is not None)
    if not value or plain in _STOP or stands_in or not _secret(name, found, view, value):
        return None
    if end == start + _LONGEST and (rest := _WHOLE[part].match(view.text, end)):
        end = rest.end()
    return start, end


def _secret(name: _Name, found: re.Match[str], view: Projection, value: str) -> bool:
    before = view.low[max(0, found.start() - 40) : found.start()]
    word = before.rsplit(maxsplit=1)[-1] if before and not before[-1].isspace() else ""
    sign, quoted = found["sign"].strip(), found["open"] is not None
    if _counted(name, found, value, word):
        return False
    if sign in {"", ","} or sign.isalpha():
        return _spoken(name, found, value, flag=word.lstrip("\"'`").startswith("--"))
    if name.kind is Kind.PASSWORD:
        prose = sign == ":" and not quoted and value.isalpha() and _WORD_NEXT.match(view.low, found.end())
        return not prose and (sign != ">" or view.text[found.end() : found.end() + 2] == "</")
    qualified = not name.weak and (name.word != "key" or before.rstrip("_- .").endswith(_QUALIFIERS))
    if sign == ">" or found["suffix"] or not qualified:
        return drawn(value, _DOUBTFUL)
    if quoted or sign in {"=", ":=", "=="} or word.startswith(("x-", "-h")):
        return len(value) >= _SHORT and not re.search(r"\s", value)
    return drawn(value)


def _counted(name: _Name, found: re.Match[str], value: str, word: str) -> bool:
    """Say whether the value is a number of something, or the id of a session."""
    if name.word == "session" and _UUID.fullmatch(value):
        return True
    counts = name.kind is not Kind.PASSWORD or found["suffix"] or (_PASSED.match(found[0]) and not word.endswith("_"))
    return bool(counts) and _NUMERIC.fullmatch(value) is not None


def _spoken(name: _Name, found: re.Match[str], value: str, *, flag: bool) -> bool:
    """Judge a value that no sign sets apart: `--password VALUE`, "my key is VALUE"."""
    password = name.kind is Kind.PASSWORD
    if found["sign"].strip().isalpha():
        said = re.split(r"[\](){}<,;:!?]", value)[0].rstrip(".")
        return drawn(value, _SHORT) or (password and re.fullmatch(r"[A-Za-z-]+|.{0,3}", said) is None)
    if flag:
        return password or drawn(value, _SHORT)
    return drawn(value, _LONG) or (password and _GIVEN.match(found[0]) is not None)


def _scheme(found: re.Match[str], value: str) -> bool:
    if value.lower().rstrip(".,;:") in _STOP or _STAND_IN.fullmatch(value):
        return False
    return drawn(value, _SHORT) or (bool(found["scheme"]) and len(value) > _LONG)


def _pair(_: re.Match[str], value: str) -> bool:
    return (
        BARRIER not in value
        and value.lower() not in _STOP
        and not _STAND_IN.fullmatch(value)
        and not _NUMERIC.fullmatch(value)
    )


def _phrase(_: re.Match[str], value: str) -> bool:
    return value.split(maxsplit=1)[0].lower().rstrip(".,;:!") not in _STOP and not value.startswith(BARRIER)


def _login(found: re.Match[str], value: str) -> bool:
    # `docker run -u 1000:1000`, `-u root:root`
    return not _NUMERIC.fullmatch(value) and value != found["name"] and _pair(found, value)


_VALUE = r"(?P<x>[\w.~+/=:-]{6,})"
_COOKIES = (
    r"cookie2?[\"']?\]?[ \t]{0,3}[:=,][ \t]{0,3}[\"']?"
    r"(?P<x>[\w.$-]{1,80}=[^\n\"']{1,4096}(?:;[ \t]*\n[ \t│|]*[^\n\"']{1,4096}){0,40})"
)
_COOKIE_FLAG = r"(?:-b|--cookie)[ =][\"']?(?P<x>[\w.$-]{1,80}=[^\n\"']{4,})"
_AUTHORIZATION = (
    r"authorization[\"']?\]?[ \t]{0,3}[:=,][ \t]{0,3}[\"']?"
    r"(?P<scheme>(?:bearer|basic|token|digest|negotiate|apikey|key)[ =]+)?" + _VALUE
)
_FIELD = (
    r"\"(?:name|key)\"\s{0,4}:\s{0,4}\"[^\"\n]{0,40}(?:token|secret|key|passw|auth|cookie|sess|sid|clearance|__cf)"
    r"[^\"\n]{0,40}\"\s{0,4},\s{0,40}\"value\"\s{0,4}:\s{0,4}\"(?P<x>[^\"\n]{4,})"
)
_LOGIN = r"(?:-u|--user|--proxy-user)[ =][\"']?(?P<name>[^\s:\"']{1,64}):(?P<x>[^\s\"']+)"
_PIPED = (
    r"(?:echo|printf)[ \t]{1,3}(?:-n[ \t])?[\"']?(?P<x>[^\s\"'|]{4,200})[\"']?[ \t]{0,3}\|"
    r"[^\n|]{0,80}(?:--?\w*(?:password|token|key|secret)|passwd|sudo -S)"
)
_PHRASE = (
    r"(?:passphrase|(?:seed|recovery|secret|pass)[ _-]phrase|mnemonic)[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?"
    r"(?P<x>\S[^\n\"']{3,200})"
)
_NETRC = r"login[ \t]+\S{1,80}\s{1,20}password[ \t]+(?P<x>\S+)"
_IDENTIFIED = r"identified[ \t]+by[ \t]+[\"'](?P<x>[^\"'\n]+)"

ASSIGNED = (
    Rule("cookie header", _C, matching(_COOKIES, low=True), ("cookie",)),
    Rule("cookie flag", _C, matching(_COOKIE_FLAG), ("-b", "--cookie")),
    Rule("authorization", _T, matching(_AUTHORIZATION, _scheme, low=True), ("authorization",)),
    Rule("bearer", _T, matching(r"bearer(?P<scheme>)[ \t:=\"']{1,4}" + _VALUE, _scheme, low=True), ("bearer",)),
    Rule("basic", _T, matching(r"[Bb]asic[ \t]+(?P<x>[A-Za-z0-9+/]{8,}={0,2})", drawn_from(8)), ("basic",)),
    *(_named(name) for name in _NAMES),
    Rule("name and value", _T, matching(_FIELD, _pair, low=True), ('"value"',)),
    Rule("login flag", _P, matching(_LOGIN, _login), ("-u", "--user", "--proxy-user")),
    Rule("piped password", _P, matching(_PIPED, _pair), ("echo", "printf")),
    Rule("pass phrase", _P, matching(_PHRASE, _phrase, low=True), ("phrase", "mnemonic")),
    Rule("netrc", _P, matching(_NETRC, _pair, low=True), ("login",)),
    Rule("sshpass", _P, matching(r"sshpass -p ?[\"']?(?P<x>[^\s\"']+)", _pair), ("sshpass",)),
    Rule("sql", _P, matching(_IDENTIFIED, _pair, low=True), ("identified",)),
)
"""Rules for what a name gives away."""
