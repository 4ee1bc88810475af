"""Secrets, disguises and surroundings for the tests of redaction. Nothing here is real, or looks it to a scanner."""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Callable
from urllib.parse import quote

from bot.core.redaction import Kind, Redacted

ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "_-"
HEX = "0123456789abcdef"
SECRET = {Kind.API_KEY, Kind.TOKEN, Kind.PASSWORD, Kind.COOKIE, Kind.PRIVATE_KEY, Kind.OAUTH_CODE}


def chance(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - has to be repeatable, not safe


def drawn(seed: int, alphabet: str, length: int) -> str:
    """A secret part. A digit in every eight characters: a wrapped line of pure letters may pass for a word."""
    rnd = chance(seed)
    chars = [rnd.choice(alphabet) for _ in range(length)]
    for at in range(rnd.randrange(4), length, 4):
        chars[at] = rnd.choice(string.digits)
    return "".join(chars)


# Prefixes are written in two parts, so that nothing in this file looks like a key to those who scan pushes.
VENDORS: dict[str, tuple[str, str, int]] = {
    "anthropic api": ("sk-" + "ant-api03-", URLSAFE, 95),
    "anthropic admin": ("sk-" + "ant-admin01-", URLSAFE, 95),
    "anthropic oauth": ("sk-" + "ant-oat01-", URLSAFE, 95),
    "anthropic refresh": ("sk-" + "ant-ort01-", URLSAFE, 95),
    "anthropic session": ("sk-" + "ant-sid01-", URLSAFE, 95),
    "openai": ("sk" + "-", ALNUM, 48),
    "openai project": ("sk-" + "proj-", URLSAFE, 120),
    "openrouter": ("sk-" + "or-v1-", HEX, 64),
    "github classic": ("gh" + "p_", ALNUM, 36),
    "github oauth": ("gh" + "o_", ALNUM, 36),
    "github server": ("gh" + "s_", ALNUM, 36),
    "github fine": ("github" + "_pat_", ALNUM + "_", 82),
    "gitlab": ("gl" + "pat-", URLSAFE, 20),
    "slack bot": ("xox" + "b-", string.digits + "-" + ALNUM, 50),
    "slack user": ("xox" + "p-", string.digits + "-" + ALNUM, 60),
    "slack app": ("xa" + "pp-1-", ALNUM + "-", 90),
    "aws id": ("AK" + "IA", string.ascii_uppercase + string.digits, 16),
    "aws temporary": ("AS" + "IA", string.ascii_uppercase + string.digits, 16),
    "google api": ("AI" + "za", URLSAFE, 35),
    "google oauth": ("ya" + "29.", URLSAFE, 120),
    "npm": ("np" + "m_", ALNUM, 36),
    "hugging face": ("h" + "f_", ALNUM, 34),
    "stripe": ("sk" + "_live_", ALNUM, 24),
    "stripe restricted": ("rk" + "_test_", ALNUM, 24),
    "jwt": ("ey" + "JhbGciOiJIUzI1NiJ9.", URLSAFE, 120),
    "groq": ("gs" + "k_", ALNUM, 52),
    "xai": ("xa" + "i-", ALNUM, 80),
    "vault": ("hv" + "s.", URLSAFE, 90),
    "sendgrid": ("S" + "G.", URLSAFE, 66),
    "digitalocean": ("dop" + "_v1_", HEX, 64),
}

# Secrets without a prefix of their own are known by what stands before them: `{}` is the secret.
NAMED: dict[str, tuple[str, str, int, Kind]] = {
    "env key": ("ANTHROPIC_API_KEY={}", ALNUM, 40, Kind.API_KEY),
    "env export": ("export MY_SERVICE_TOKEN='{}'", ALNUM, 32, Kind.TOKEN),
    "env hex": ("LITELLM_MASTER_KEY={}", HEX, 32, Kind.API_KEY),
    "env password": ("DB_PASSWORD={}", ALNUM, 12, Kind.PASSWORD),
    "powershell": ('$env:ANTHROPIC_AUTH_TOKEN = "{}"', ALNUM, 40, Kind.TOKEN),
    "yaml": ("api_key: {}", ALNUM, 32, Kind.API_KEY),
    "json access": ('"access_token": "{}"', URLSAFE, 64, Kind.TOKEN),
    "json refresh": ('"refresh_token":"{}"', URLSAFE, 64, Kind.TOKEN),
    "json camel": ('"accessToken":"{}"', URLSAFE, 64, Kind.TOKEN),
    "json client": ("\"client_secret\" : '{}'", ALNUM, 40, Kind.TOKEN),
    "python": ("client = Anthropic(api_key='{}')", ALNUM, 40, Kind.API_KEY),
    "aws secret": ("aws_secret_access_key = {}", ALNUM + "/+", 40, Kind.TOKEN),
    "bearer": ("Authorization: Bearer {}", URLSAFE, 40, Kind.TOKEN),
    "basic": ("Authorization: Basic {}", ALNUM + "+/", 24, Kind.TOKEN),
    "bare bearer": ("-H 'authorization: bearer {}'", URLSAFE, 40, Kind.TOKEN),
    "proxy auth": ("Proxy-Authorization: Basic {}", ALNUM, 24, Kind.TOKEN),
    "api header": ("x-api-key: {}", URLSAFE, 40, Kind.API_KEY),
    "flag": ("claude --api-key {}", URLSAFE, 40, Kind.API_KEY),
    "flag with sign": ("tool --token={}", URLSAFE, 40, Kind.TOKEN),
    "url parameter": ("https://gw.example.com/v1?key={}", ALNUM, 39, Kind.TOKEN),
    "sentence": ("my key is {}", ALNUM, 32, Kind.API_KEY),
    "said password": ("Password: {}", ALNUM, 14, Kind.PASSWORD),
    "cookie": ("Cookie: sessionKey={}; lang=en", URLSAFE, 80, Kind.COOKIE),
    "set-cookie": ("set-cookie: __cf_bm={}; path=/; HttpOnly", URLSAFE, 60, Kind.COOKIE),
    "cookie alone": ("sessionKey={}", URLSAFE, 80, Kind.COOKIE),
    "userinfo": ("https://alice:{}@proxy.example.com:8080", ALNUM, 16, Kind.PASSWORD),
    "git token": ("https://{}@github.com/acme/shop.git", ALNUM, 40, Kind.PASSWORD),
    "curl -u": ("curl -u alice:{} https://example.com", ALNUM, 16, Kind.PASSWORD),
    "oauth code": ("http://localhost:54545/callback?code={}&x=1", URLSAFE, 43, Kind.OAUTH_CODE),
    "oauth state": ("https://claude.ai/oauth/authorize?code=true&state={}", URLSAFE, 43, Kind.OAUTH_URL),
    "oauth challenge": ("https://claude.ai/oauth/authorize?code_challenge={}&x=S256", URLSAFE, 43, Kind.OAUTH_URL),
    "fragment": ("https://app.example.com/#access_token={}", URLSAFE, 60, Kind.TOKEN),
    "slack hook": ("https://hooks.slack.com/services/T0{}", ALNUM + "/", 42, Kind.TOKEN),
    "discord hook": ("https://discord.com/api/webhooks/123456789012345678/{}", URLSAFE, 68, Kind.TOKEN),
    "telegram": ("1234567890:AA{}", URLSAFE, 33, Kind.TOKEN),
    "table": ("│ ANTHROPIC_API_KEY │ {} │", ALNUM, 24, Kind.API_KEY),
    "arrow": ("api key → {}", ALNUM, 24, Kind.API_KEY),
    "call": ("settings.setApiKey({})", ALNUM, 24, Kind.API_KEY),
    "typed": ("const TOKEN: string = '{}'", ALNUM, 24, Kind.TOKEN),
    "kubernetes": ("name: ANTHROPIC_API_KEY, value: {}", ALNUM, 24, Kind.API_KEY),
    "xml": ("<add key='ApiKey' value='{}' />", ALNUM, 24, Kind.API_KEY),
    "markdown": ("**api key**: {}", HEX, 32, Kind.API_KEY),
    "piped": ("echo '{}' | docker login --password-stdin", ALNUM, 24, Kind.PASSWORD),
    "har": ('{{"name": "sessionKey", "value": "{}"}}', URLSAFE, 60, Kind.TOKEN),
}


def plain(text: str, _: random.Random) -> str:
    return text


def zero_width(text: str, rnd: random.Random) -> str:
    return "".join(char + rnd.choice(["", "", "\u200b", "\u00ad", "\u2060", "\ufeff", "\x00"]) for char in text)


def full_width(text: str, rnd: random.Random) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" and rnd.random() < 0.4 else c for c in text)


def coloured(text: str, rnd: random.Random) -> str:
    at = sorted(rnd.sample(range(len(text)), 3))
    return text[: at[0]] + "\x1b[1;32m" + text[at[0] : at[1]] + "\x1b[0m" + text[at[1] : at[2]] + "[2m" + text[at[2] :]


def url_encoded(text: str, rnd: random.Random) -> str:
    return "".join(f"%{ord(c):02X}" if rnd.random() < 0.3 or c in "-=&?/:" else quote(c, safe="") for c in text)


def json_escaped(text: str, _: random.Random) -> str:
    return json.dumps(json.dumps(text))


def unicode_escaped(text: str, _: random.Random) -> str:
    return "".join(f"\\u{ord(c):04x}" if c in "=&<>-'" else c for c in text)


DISGUISES: dict[str, Callable[[str, random.Random], str]] = {
    f.__name__: f for f in (plain, zero_width, full_width, coloured, url_encoded, json_escaped, unicode_escaped)
}


def wrapped(secret: str, width: int, joint: str) -> str:
    return joint.join(secret[at : at + width] for at in range(0, len(secret), width))


JOINTS = ["\n", "\r\n", "\n    ", " │\n│ ", "  ┃\n  ┃  ", "\x1b[0m\n\x1b[2m  ", "\\n    ", "\n> ", "\\\n", "\n\t"]

SURROUNDINGS = {
    "alone": "{}",
    "prose": "hi all, claude says connection lost since this morning. I ran {} and it still fails, any idea?",
    "lines": "API Error: Connection closed mid-response.\n{}\nThe response above may be incomplete.",
    "log": "2026-02-05 08:26:45 [error] request req_011CSHoEeqs5C35K2UUqR7Fy failed {} status=401 after 3021 ms",
    "ladder": "⎿ API Error (Connection error.) · Retrying… (attempt 1/10)\n  ⎿ {}\n⎿ API Error 529 (attempt 2/10)",
    "quoted": "> {}\n> why?",
    "fenced": "```\n$ {}\n```",
    "box": "╭──────╮\n│ {} │\n╰──────╯",
}


def survives(secret: str, result: Redacted) -> list[str]:
    """The slices of eight characters that can still be read."""
    shown = re.sub(r"[^A-Za-z0-9_/+-]", "", result.text)
    return [secret[at : at + 8] for at in range(len(secret) - 7) if secret[at : at + 8] in shown]


def hash_of(*words: str) -> int:
    return sum(ord(char) * (at + 7) for at, char in enumerate("|".join(words)))


PERSONAL: list[tuple[str, str, Kind]] = [
    ("mail me at alice.smith@acme-corp.de please", "mail me at [e-mail] please", Kind.EMAIL),
    ("login_hint%3Dalice%40acme.com", "login_hint%3D[e-mail]", Kind.EMAIL),
    ("用户 张三@例子.com 登录", "用户 [e-mail] 登录", Kind.EMAIL),
    ("at /Users/alice/shop/app.ts:10", "at /Users/[user]/shop/app.ts:10", Kind.USER),
    ("ENOENT /home/al.smith/.claude.json", "ENOENT /home/[user]/.claude.json", Kind.USER),
    (r"C:\Users\Alice Smith\AppData\Roaming\Claude", r"C:\Users\[user]\AppData\Roaming\Claude", Kind.USER),
    (r"C:\\Users\\asmith\\AppData", r"C:\\Users\\[user]\\AppData", Kind.USER),
    ("file:///C:/Users/asmith/x.js", "file:///C:/Users/[user]/x.js", Kind.USER),
    ("/mnt/c/Users/asmith/src", "/mnt/c/Users/[user]/src", Kind.USER),
    (r"\\wsl$\Ubuntu\home\asmith\src", r"\\wsl$\Ubuntu\home\[user]\src", Kind.USER),
    (r"\\wsl.localhost\Ubuntu\home\asmith", r"\\wsl.localhost\Ubuntu\home\[user]", Kind.USER),
    ("~/.claude/projects/-Users-asmith-shop/1.jsonl", "~/.claude/projects/-Users-[user]-shop/1.jsonl", Kind.USER),
    ("%2FUsers%2Fasmith%2Fshop", "%2FUsers%2F[user]%2Fshop", Kind.USER),
    ("Welcome back Alice!", "Welcome back [user]!", Kind.USER),
    ("USERNAME=asmith", "USERNAME=[user]", Kind.USER),
    ("asmith@MacBook-Pro ~ % claude", "[user]@[host] ~ % claude", Kind.USER),
    ("(venv) asmith@web-01:~/shop$ claude", "(venv) [user]@[host]:~/shop$ claude", Kind.USER),
    ("[root@web-01 ~]# claude", "[[user]@[host] ~]# claude", Kind.USER),
    ("ssh -p 22 deploy@web-01", "ssh -p 22 [user]@[host]", Kind.USER),
    ("connect ECONNREFUSED 10.1.2.3:443", "connect ECONNREFUSED [ip]:443", Kind.IP),
    ("Connection reset by 192.168.0.20 port 22", "Connection reset by [ip] port 22", Kind.IP),
    ("Remote Address 203.0.113.10:443", "Remote Address [ip]:443", Kind.IP),
    ("api.acme/203.0.113.10:443", "api.acme/[ip]:443", Kind.IP),
    ("from 2a01:4f8:c0c:1::2 to", "from [ip] to", Kind.IP),
    ("[fe80::1ff:fe23:4567:890a%eth0]:80", "[[ip]]:80", Kind.IP),
    ("::ffff:10.0.0.5", "[ip]", Kind.IP),
    ("ether 3c:22:fb:01:02:03", "ether [mac]", Kind.MAC),
    ("check your inference gateway (llm.acme.dev:8443)", "check your inference gateway ([host]:8443)", Kind.HOST),
    ("ANTHROPIC_BASE_URL=https://claude.acme.io/v1", "ANTHROPIC_BASE_URL=https://[host]/v1", Kind.HOST),
    ("ANTHROPIC_BASE_URL=http://llmbox:4000", "ANTHROPIC_BASE_URL=http://[host]:4000", Kind.HOST),
    ('"HTTPS_PROXY": "http://web.acme.com:3128"', '"HTTPS_PROXY": "http://[host]:3128"', Kind.HOST),
    ("getaddrinfo ENOTFOUND api.acme.io", "getaddrinfo ENOTFOUND [host]", Kind.HOST),
    ("via gateway.corp.example.internal", "via [host]", Kind.HOST),
    ("curl https://build7.acme.lan/x", "curl https://[host]/x", Kind.HOST),
    ("on nas.local now", "on [host] now", Kind.HOST),
    ("proxy.acme.com said 502", "[host] said 502", Kind.HOST),
    ("ip-10-1-2-3.eu-west-1.compute.internal", "[host]", Kind.HOST),
    ("acme.goskope.com blocked it", "[host].goskope.com blocked it", Kind.HOST),
    (r"copy \\fileserv\share\x", r"copy \\[host]\share\x", Kind.HOST),
    ("org: 01234567-89ab-cdef-0123-456789abcdef", "org: [organisation]", Kind.ORGANISATION),
    (
        '"organization_uuid":"01234567-89ab-cdef-0123-456789abcdef"',
        '"organization_uuid":"[organisation]"',
        Kind.ORGANISATION,
    ),
    (
        "anthropic-organization-id: 01234567-89ab-cdef-0123-456789abcdef",
        "anthropic-organization-id: [organisation]",
        Kind.ORGANISATION,
    ),
    ("account 01234567-89ab-cdef-0123-456789abcdef", "account [organisation]", Kind.ORGANISATION),
    ("call +49 (30) 1234-5678 now", "call [phone number] now", Kind.PHONE),
    ("call (555) 123-4567 now", "call [phone number] now", Kind.PHONE),
    ("card 4111 1111 1111 1111 declined", "card [card number] declined", Kind.CARD),
    ("card 378282246310005 declined", "card [card number] declined", Kind.CARD),
]


SHORT: list[tuple[str, str]] = [
    ("your key sk-" + "ant-...abcd is invalid", "your key [masked key] is invalid"),
    ("sk-" + "ant-api03-AbC…", "[masked key]"),
    ("sk-" + "ant-api03-AbC***xyz", "[masked key]"),
    ('"api_key": "sk-' + 'or-v1-XXXX"', '"api_key": "[masked key]"'),
    ("ghp" + "_ab12…", "[masked key]"),
]


CODES: list[tuple[str, str, Kind]] = [
    ("Paste code here if prompted > {}", "aB3" * 12, Kind.OAUTH_CODE),
    ("Paste code here if prompted > {}", "aB3x" * 10 + "#" + "Zy9w" * 10, Kind.OAUTH_CODE),
    ("{}", "aB3x" * 10 + "#" + "Zy9w" * 10, Kind.OAUTH_CODE),
    ("First copy your one-time code: {}", "WDJB-MJ2T", Kind.OAUTH_CODE),
    ("enter the code {} in the browser", "ABCD-1234", Kind.OAUTH_CODE),
    ('"user_code": "{}"', "WDJB-MJHT", Kind.OAUTH_CODE),
    ("verification code is {}", "482913", Kind.OAUTH_CODE),
    ("https://claude.ai/magic-link#{}", "a1b2c3d4e5f6:YWxpY2VAYWNtZS5jb20", Kind.OAUTH_CODE),
    ("https://auth.example.com/oauth/callback?code={}", "shortcode", Kind.OAUTH_CODE),
    ("password: {}", "hunter2", Kind.PASSWORD),
    ("我的密钥是 {}", "aB3dE5fG7hI9jK1lM3nO5pQ7", Kind.API_KEY),
    ("password is {}", "hunter2!", Kind.PASSWORD),
    ("Passwort: {}", "Sommer2024", Kind.PASSWORD),
    ("пароль: {}", "qwerty12", Kind.PASSWORD),
    ("密码\uff1a{}", "abc12345", Kind.PASSWORD),
    ("DB_PASS={}", "correct-horse", Kind.PASSWORD),
    ("mysql --password {}", "swordfish9", Kind.PASSWORD),
    ("postgres://app:{}@db.acme.com/x", "p@ss:word", Kind.PASSWORD),
    ("Server=db;User Id=sa;Password={};Timeout=3", "letmein", Kind.PASSWORD),
    ("<password>{}</password>", "letmein", Kind.PASSWORD),
    ("machine h login alice password {}", "letmein9", Kind.PASSWORD),
    ("token 1b4e28ba{}", "-2fa1-11d2-883f-0016d3cca427", Kind.TOKEN),
    ("session_token: {}", "1b4e28ba-2fa1-11d2-883f-0016d3cca427", Kind.TOKEN),
    ("x-api-key: {}", "plainwordsecret", Kind.API_KEY),
    ("['x-api-key', '{}']", "a8f5f167f44f4964e6c998dee827110c", Kind.API_KEY),
    ("key={}", "a8f5f167f44f4964e6c998dee827110c", Kind.API_KEY),
    ("discord: {}", "MTIzNDU2Nzg5MDEyMzQ1Njc4." + "GhIjKl." + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA", Kind.TOKEN),
    ("unknown vendor acme_{}", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9", Kind.OPAQUE),
]
