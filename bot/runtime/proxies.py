"""The proxy the environment names. slack_sdk and httpx read it by themselves; Discord's library has to be told."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from bot.core.errors import SettingsError

_NAMES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")
"""In the order in which slack_sdk looks."""
_OTHERS = ("ALL_PROXY", "all_proxy")


def named() -> tuple[str, str]:
    """Return the proxy's variable and its address, both empty without one; raises SettingsError for an unusable one."""
    for name in _NAMES:
        if address := os.environ.get(name, "").strip():
            if not _usable(address):
                raise SettingsError(f"{name} is no address of an HTTP proxy, such as http://proxy.example.com:3128")
            return name, address
    return "", ""


def socks() -> str:
    """Return the variable that names a proxy nobody here can talk to; empty without one."""
    names = (name for name in _OTHERS if os.environ.get(name, "").startswith("socks"))
    return "" if named()[0] else next(names, "")


def shown(address: str) -> str:
    """Return the address without who logs in there."""
    return address.rpartition("@")[2].removeprefix("http://").removeprefix("https://")


def _usable(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
