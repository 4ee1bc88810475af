"""Who somebody is: addresses, names in paths and prompts, numbers, organisations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.redaction.finders import listed, matching
from bot.core.redaction.kinds import Kind, Rule, Span
from bot.core.redaction.projection import BARRIER, Projection

_ROLES = frozenset(
    f"{role}@{host}"
    for role in ("support", "noreply", "no-reply", "privacy", "security", "usersafety", "sales", "help", "team")
    for host in ("anthropic.com", "claude.ai", "claude.com", "mail.anthropic.com")
) | {"git@github.com", "git@gitlab.com", "git@bitbucket.org", "noreply@github.com"}
_NOBODY = frozenset({"shared", "public", "default", "all users", "default user", "linuxbrew", "localhost"})
_FILES = frozenset(
    listed("png jpg jpeg gif svg webp js mjs ts tsx jsx py json md tgz gz zip html css txt log yml yaml lock")
)
_ENDS = rf"[^\s\\/:*?\"'<>|`,;()\[\]{{}}{BARRIER}…]"
_PERSON = rf"(?P<x>{_ENDS}{{1,64}})"
_LUHN = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{4,8}(?:-[0-9a-fA-F]{0,12}){0,4}(?=…|\.\.)"
_LOCAL = "._%+-'"
_LONGEST = 64
_DOMAIN = re.compile(r"@(?P<host>[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.(?P<top>[^\W\d_]{2,24}))(?![\w-])")


def _addresses(view: Projection) -> Iterator[Span]:
    text = view.text
    for found in _DOMAIN.finditer(text):
        start = found.start()
        while start > max(0, found.start() - _LONGEST) and (text[start - 1].isalnum() or text[start - 1] in _LOCAL):
            start -= 1
        named = text[start : found.end()].lower()
        if start < found.start() and named not in _ROLES and found["top"].lower() not in _FILES:
            yield start, found.end()


def _person(found: re.Match[str], value: str) -> bool:
    before = found.string[max(0, found.start() - 200) : found.start()]
    link = before.rsplit(maxsplit=1)[-1] if before and not before[-1].isspace() else ""
    return value.lower() not in _NOBODY and ("://" not in link or "file://" in link)


def _card(_: re.Match[str], value: str) -> bool:
    digits = [int(char) for char in value if char.isdigit()]
    if not 14 <= len(digits) <= 16 or len(set(digits)) < 2:  # noqa: PLR2004 - the lengths cards have
        return False
    return sum(_LUHN[d] if n % 2 else d for n, d in enumerate(reversed(digits))) % 10 == 0


def _phone(_: re.Match[str], value: str) -> bool:
    return 8 <= sum(char.isdigit() for char in value) <= 15  # noqa: PLR2004 - the lengths of E.164


def _login(found: re.Match[str], _: str) -> bool:
    return f"{found['user']}@{found['host']}".lower() not in _ROLES


_USER_AT_HOST = r"(?P<user>[A-Za-z_][\w.-]{0,31})@(?P<host>[A-Za-z0-9][\w.-]{0,63})"
_LOGINS = (
    # A shell's prompt: `alice@mac ~ %`, `[alice@web1 src]$`, `(venv) alice@wsl:~/src$`
    r"(?m:^)[ \t│┃|>]{0,20}(?:\([\w.-]{1,40}\)[ \t]?)?\[?" + _USER_AT_HOST
    + r"(?=:[~/\w]|[ \t]{1,4}[~/\w.-]{1,80}\]?[ \t]?[$#%>\u276f\u279c](?:\s|$)|\]?[ \t]?[$#%>\u276f](?:\s|$))",
    r"\b(?:ssh|scp|sftp|mosh|rsync|ssh-copy-id|autossh)[ \t](?:[^\n@]{0,80}[ \t])?" + _USER_AT_HOST,
    r"(?<![\w@/.-])" + _USER_AT_HOST + r"(?=:[~/])",
)  # fmt: skip
_PATH = ("users", "home")
# A name with spaces is only safe to tell from a sentence by the backslash behind it.
_WINDOWS = (
    r"[\\/](?i:users|documents and settings|home)\\{1,8}"
    rf"(?P<x>{_ENDS}{{1,40}}(?: {_ENDS}{{1,40}}){{0,3}}(?=\\)|{_ENDS}{{1,64}})"
)
# Claude Code keeps a project's records under its path with dashes: ~/.claude/projects/-Users-alice-shop
_PROJECT = r"(?:(?m:^)|[/\\\s\"']|\b[A-Za-z]-)-(?:[Uu]sers|home)-(?P<x>[^\s\\/\"'-]{1,64})"
_VARIABLE = r"\b(?:{names})(?:=[\"']?|[\"'][ \t]?:[ \t]?[\"'])(?P<x>[^\s\"';,]{{1,64}})"
_FIELD = (
    r"\"(?:user_?name|full_?name|display_?name|login|account_?name|given_?name|family_?name)\""
    r"\s{0,4}:\s{0,4}\"(?P<x>[^\"\n]{1,80})"
)
_OWNER = r"[d-][rwxsStT-]{9}[@+.]?[ \t]{1,8}[0-9]{1,6}[ \t]{1,8}(?P<x>(?!root)[A-Za-z_][\w.-]{1,31})[ \t]"
_GREETING = r"Welcome back,? (?P<x>[^\s!,.]{1,40}(?: [^\s!,.]{1,40})?)!"
_ORGANISATION = (
    r"(?:org(?:ani[sz]ation)?|account|workspace|tenant)s?[\"']?(?:[_ /-]?(?:uu)?id)?[\"']?"
    rf"\s{{0,3}}[:=(/ ]?\s{{0,3}}[\"'(]?(?P<x>{_UUID})"
)
_CARDS = (
    r"(?:2[2-7]|[45][0-9]|6[0245])(?<![\w.,-]..)[0-9]{2}([ -]?)[0-9]{4}\1[0-9]{4}\1[0-9]{2,4}(?![\w-]|\.[0-9])"
    r"|3[47](?<![\w.,-]..)[0-9]{2}([ -]?)[0-9]{6}\2[0-9]{5}(?![\w-]|\.[0-9])"
)
_ABROAD = r"\+(?<![\w+.].)[1-9][0-9](?:[ ().-]{0,2}[0-9]){6,13}(?![\w:])"
_AMERICAN = r"[(0-9](?<![\w.-].)(?:(?<=\()[0-9]{3}\) ?[0-9]{3}-|[0-9]{2}([-.])[0-9]{3}\1)[0-9]{4}(?![\w.-])"
_USERS = _VARIABLE.format(names="USER|USERNAME|LOGNAME|SUDO_USER")
_MACHINES = _VARIABLE.format(names="HOSTNAME|COMPUTERNAME|USERDOMAIN|LOGONSERVER")

PEOPLE = (
    Rule("e-mail", Kind.EMAIL, _addresses, ("@",)),
    *(
        Rule("login", kind, matching(expression, _login, part=part), ("@",), wrapped=False)
        for expression in _LOGINS
        for part, kind in (("user", Kind.USER), ("host", Kind.HOST))
    ),
    Rule("home", Kind.USER, matching(rf"/(?:[Uu]sers|home)/{_PERSON}", _person), _PATH),
    Rule("windows home", Kind.USER, matching(_WINDOWS, _person), (*_PATH, "settings")),
    Rule("project folder", Kind.USER, matching(_PROJECT), _PATH),
    Rule("user variable", Kind.USER, matching(_USERS), ("user", "logname")),
    Rule("user field", Kind.USER, matching(_FIELD, low=True), ("name", "login")),
    Rule("owner of a file", Kind.USER, matching(_OWNER), ("rw",)),
    Rule("greeting", Kind.USER, matching(_GREETING), ("welcome back",)),
    Rule("host variable", Kind.HOST, matching(_MACHINES), ("hostname", "computername", "userdomain", "logonserver")),
    Rule(
        "organisation", Kind.ORGANISATION, matching(_ORGANISATION, low=True), ("org", "account", "workspace", "tenant")
    ),
    Rule("openai organisation", Kind.ORGANISATION, matching(r"\borg-[A-Za-z0-9]{16,}"), ("org-",)),
    Rule("card", Kind.CARD, matching(_CARDS, _card)),
    Rule("phone", Kind.PHONE, matching(_ABROAD, _phone), ("+",)),
    Rule("phone", Kind.PHONE, matching(_AMERICAN), ("-", ".")),
)
"""Rules for what tells who somebody is."""
