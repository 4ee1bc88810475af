"""Which page is read, where, and how patiently."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from bot.core.errors import SettingsError
from bot.core.frozen import frozen


@frozen
class PageSettings:
    """One page; times in seconds. Raises `SettingsError` for an address that is not safe to read from.

    hosts: asked in this order, the next one when one fails or wants proof of a human. They serve the same page.
    redirect_hosts: where else a host may send us. fresh_for: how long one reading serves everybody.
    patience: how long a person waits for a reading at most. timeout: of a whole reading, over all hosts.
    size_limit: bytes of a document, before and after decompression. maintenances: also read the list of them.
    """

    page_id: str = "tymt9n04zgry"
    hosts: tuple[str, ...] = ("https://status.claude.com", "https://anthropic.statuspage.io")
    redirect_hosts: tuple[str, ...] = ()
    fresh_for: float = 60.0
    patience: float = 2.0
    timeout: float = 10.0
    size_limit: int = 2 * 1024 * 1024
    maintenances: bool = False

    def __post_init__(self) -> None:
        """Refuse addresses anybody on the way could answer for."""
        if not self.hosts:
            raise SettingsError("the status page needs at least one address, such as https://status.example.com")
        for address in (*self.hosts, *self.redirect_hosts):
            if not _safe(address):
                raise SettingsError(
                    f"the status page address {address!r} cannot be used: expected https://host with nothing after it"
                    " (http only for this machine itself)"
                )


def _safe(address: str) -> bool:
    try:
        parts = urlsplit(address)
        host, named = parts.hostname or "", parts.username is None and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
    bare = parts.path in {"", "/"} and not parts.query and not parts.fragment
    return bool(host) and named and bare and (parts.scheme == "https" or (parts.scheme == "http" and _loopback(host)))


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
