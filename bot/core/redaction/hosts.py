"""Machines and networks of one's own: addresses, company names, gateways. What is public stays: it may be the cause."""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_network

from bot.core.redaction.finders import listed, matching
from bot.core.redaction.kinds import Kind, Rule
from bot.core.redaction.projection import BARRIER

_PUBLIC = tuple(
    f".{host}"
    for host in listed("""
    anthropic.com claude.ai claude.com claude.site claudeusercontent.com claudemcpclient.com statuspage.io
    github.com github.io githubusercontent.com githubstatus.com githubcopilot.com gitlab.com bitbucket.org
    nodejs.org yarnpkg.com bun.sh deno.land python.org crates.io
    rust-lang.org golang.org brew.sh google.com googleapis.com gstatic.com goog withgoogle.com openai.com
    chatgpt.com openrouter.ai deepseek.com moonshot.cn moonshot.ai bigmodel.cn z.ai siliconflow.cn groq.com
    mistral.ai x.ai perplexity.ai ollama.com huggingface.co vercel.com vercel.sh vercel.app cloudflare.com
    cloudflarestatus.com amazon.com aws.amazon.com azure.com microsoft.com microsoftonline.com live.com
    visualstudio.com windows.net apple.com icloud.com mozilla.org docker.com docker.io debian.org ubuntu.com
    sentry.io statsig.com slack.com discord.com discord.gg telegram.org stackoverflow.com reddit.com x.com
    twitter.com youtube.com wikipedia.org w3.org ietf.org letsencrypt.org digicert.com jetbrains.com cursor.com
    cursor.sh zscaler.com zscaler.net netskope.com example.org 1password.com
    """)
)
"""Services everybody knows, with everything under them; the tenants of some have rules of their own."""
_PUBLIC_REGIONAL = re.compile(
    r"(?:.*\.)?(?:bedrock[\w-]*|sts|s3|oidc|aiplatform)[\w.-]*\.(?:amazonaws\.com|googleapis\.com)"
)
_OWN = frozenset(
    listed("localhost example.com www.example.com")
    + tuple(f"{part}.docker.internal" for part in ("host", "gateway", "kubernetes"))
)
_INNER_TOPS = frozenset(listed("local corp lan internal intranet localdomain intra office"))
_INNER = re.compile(
    r"corp|corporate|intra|intranet|internal|gw[0-9]*|[\w-]*gateway[\w-]*|[\w-]+-gw|proxy[0-9]*|[\w-]+-proxy|"
    r"proxy-[\w-]+|vpn[0-9]*|llm[0-9]*|litellm[\w-]*|llm-[\w-]+|[\w-]+-llm|bastion|jump(?:host|box)?|dc[0-9]+|"
    r"ldap|adfs|sso|idp|jenkins|relay[0-9]*|one-?api|new-?api|ai-[\w-]+|ip(?:-[0-9]{1,3}){4}|ec2(?:-[0-9]{1,3}){4}"
)
_TOPS = frozenset(
    listed(
        "com org net io dev app ai info biz cloud tech xyz online site example gov edu mil eu systems network company "
        "group global digital software solutions works tools team services space top pro vip club live store test"
    )
)
_NOT_COUNTRIES = frozenset(listed("js ts py go rs md sh cc rb cs kt ps so pl ml vb db do id is"))
_REVERSED = ("com.", "org.", "net.", "io.", "java.", "javax.", "jdk.", "sun.", "kotlin.", "android.")
_CODE_WORDS = frozenset(listed("this self window process env config settings git module exports node global"))
_HOST = r"[a-z0-9_](?<![\w.@-].)[a-z0-9_-]{0,62}(?:\.[a-z0-9_-]{1,63}){1,8}"


def _public(host: str) -> bool:
    return f".{host}".endswith(_PUBLIC) or host in _OWN or _PUBLIC_REGIONAL.fullmatch(host) is not None


def _top(host: str) -> bool:
    """Say whether `host` ends as names in the Internet do, and not as a file or a piece of code."""
    top = host.rpartition(".")[2]
    return top in _TOPS or top in _INNER_TOPS or (len(top) == 2 and top.isalpha() and top not in _NOT_COUNTRIES)  # noqa: PLR2004 - countries


def _company(found: re.Match[str], host: str) -> bool:
    *labels, top = host.lower().split(".")
    host = host.lower()
    if _public(host) or found.string.startswith("(", found.end()) or host.startswith(_REVERSED):
        return False
    if top in _INNER_TOPS or host.endswith((".home.arpa", ".fritz.box")):
        return _CODE_WORDS.isdisjoint(labels)
    return _top(host) and any(_INNER.fullmatch(label) for label in labels)


def _configured(found: re.Match[str], host: str) -> bool:
    host = host.lower().rstrip(".")
    if _public(host) or re.fullmatch(r"[0-9.]+", host):
        return False
    return _top(host) if "." in host else bool(found["scheme"])


def _unreachable(_: re.Match[str], host: str) -> bool:
    return not _public(host.lower()) and _top(host.lower())


_KEPT = tuple(
    (net.version, int(net.network_address), int(net.broadcast_address))
    for net in map(ip_network, (
        "127.0.0.0/8", "0.0.0.0/32", "1.0.0.0/32", "2.0.0.0/32", "255.0.0.0/8", "::1/128", "::/128",
        "160.79.104.0/23", "2607:6bc0::/48",  # Anthropic's own
        # resolvers people test with
        "1.1.1.1/32", "1.0.0.1/32", "8.8.8.8/32", "8.8.4.4/32", "9.9.9.9/32", "2606:4700:4700::/48",
        "2001:4860:4860::/48",
    ))
)  # fmt: skip
_VERSION = re.compile(
    r"(?:\bv|version\W{1,4}|\bver\.?\W{1,2}|release\W{1,2}|build\W{1,2}|[a-z0-9]@|"
    r"\b(?:claude|code|cli|git|desktop|chrome|edge|edg|firefox|safari|electron|sdk|opr|version|headlesschrome)"
    r"[ /(:]{1,3})\Z"
)


def _own_address(found: re.Match[str], value: str) -> bool:
    if found.re.groups and _VERSION.search(found.string[max(0, found.start() - 24) : found.start()]):
        return False
    try:
        address = ip_address(value.partition("%")[0])
    except ValueError:
        return False
    if mapped := getattr(address, "ipv4_mapped", None):
        address = mapped
    version, number = address.version, int(address)
    return not any(version == kept and low <= number <= high for kept, low, high in _KEPT)


def _own_v6(found: re.Match[str], value: str) -> bool:
    if re.fullmatch(r"[0-9]{0,3}::?:?[0-9]{0,3}", value):
        return False  # a slice of a list
    digits = any(char.isdigit() for char in value) or value.count(":") > 3  # noqa: PLR2004 - `a::b` is code, not a host
    return digits and _own_address(found, value)


_SETTING = (
    r"(?:base[_-]?url|api[_-]?(?:base|host|url)|endpoint|(?:https?|all|socks|ftp)[_-]proxy|"
    r"proxy[_-]?(?:url|host|server)?|no_proxy|gateway|host|hostname|server(?:name)?|relay|upstream)"
    r"[\"']?[ \t]{0,3}(?:=>|:=|[:=(])[ \t]{0,3}[\"']?(?P<scheme>[a-z][a-z0-9+.-]{1,10}://)?"
    rf"(?:[^\s/@\"'{BARRIER}]{{1,128}}@)?(?P<x>[a-z0-9_][a-z0-9._-]{{1,252}})"
)
_FAILED = (
    r"(?:enotfound|eai_again|getaddrinfo|econnrefused|resolve host:?|lookup|no such host:?|certificate for|"
    r"connect(?:ed|ing|ion)? (?:to|with)(?: host| server)?|hostname|gateway|altnames?:|dns:|cn ?=|connect tunnel to|"
    rf"ping|traceroute|nslookup|dig|curl)[ \t:('\"=]{{1,4}}(?:[a-z]{{2,10}}://)?(?:\*\.)?(?P<x>{_HOST})"
)
_TENANTS = listed("""
    openai.azure.com services.ai.azure.com cognitiveservices.azure.com azure-api.net azurewebsites.net
    onmicrosoft.com  sharepoint.com goskope.com okta.com oktapreview.com auth0.com atlassian.net ts.net ngrok.io
    ngrok.app ngrok-free.app  trycloudflare.com cloudflareaccess.com workers.dev elb.amazonaws.com
    compute.amazonaws.com compute-1.amazonaws.com  execute-api.amazonaws.com duckdns.org gateway.zscaler.net
    slack.com visualstudio.com
""")
_TENANT = (
    r"(?<![\w.-])(?P<x>[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,4}?)\.(?:"
    + "|".join(map(re.escape, _TENANTS))
    + r")(?![\w-])"
)
_NO_TENANT = frozenset(
    {"www", "api", "app", "hooks", "files", "status", "marketplace", "docs", "help", "my", "edgeapi", "wss-primary"}
)

_MAC = r"[0-9A-Fa-f](?<![\w:-].)[0-9A-Fa-f]([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w]|[:-]\w)"
_DOTTED_MAC = r"\b[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}\b"
# The group marks that a version may look the same.
_V4 = r"([0-9](?<![\w.].)[0-9]{0,2}(?:\.[0-9]{1,3}){3})(?![\w]|\.[0-9]|-[a-z])"
_V6 = (
    r"[0-9A-Fa-f:](?<![\w:.].)(?:(?<=:):|[0-9A-Fa-f]{0,3}:)(?:[0-9A-Fa-f]{0,4}:){0,7}"
    r"(?:[0-9A-Fa-f]{1,4}|(?:[0-9]{1,3}\.){3}[0-9]{1,3}|(?<=::))(?:%\w{1,16})?(?![\w:])"
)
_FILE_SERVER = r"(?:(?m:^)|(?<=[\s\"'(=]))\\\\(?P<x>(?!wsl)[A-Za-z0-9][\w.-]{1,62})\\(?=[\w$])"
_SETTINGS = ("url", "base", "endpoint", "proxy", "gateway", "host", "server", "relay", "upstream")


def _lettered(_: re.Match[str], value: str) -> bool:
    return not value.replace(".", "").isdigit()


def _tenant(_: re.Match[str], value: str) -> bool:
    return value.lower() not in _NO_TENANT


HOSTS = (
    Rule("mac", Kind.MAC, matching(_MAC), (":", "-")),
    Rule("mac with dots", Kind.MAC, matching(_DOTTED_MAC, _lettered), (".",)),
    Rule("address in a name", Kind.HOST, matching(r"\b(?:ip|ec2)(?:-[0-9]{1,3}){4}\b"), ("ip-", "ec2-")),
    Rule("ipv4", Kind.IP, matching(_V4, _own_address, low=True), (".",)),
    Rule("ipv6", Kind.IP, matching(_V6, _own_v6), (":",)),
    Rule("company host", Kind.HOST, matching(rf"{_HOST}(?![\w-])", _company, low=True), (".",)),
    Rule("configured host", Kind.HOST, matching(_SETTING, _configured, low=True), _SETTINGS, learns=True),
    Rule("unreachable host", Kind.HOST, matching(_FAILED, _unreachable, low=True), (".",), learns=True),
    Rule("tenant", Kind.HOST, matching(_TENANT, _tenant, low=True), tuple(f".{tenant}" for tenant in _TENANTS)),
    Rule("file server", Kind.HOST, matching(_FILE_SERVER), ("\\\\",), wrapped=False),
)
"""Rules for what tells where somebody's machines are."""
