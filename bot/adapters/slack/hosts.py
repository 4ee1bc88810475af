"""Where requests may go: what a payload names is asked only if it is Slack's."""

from __future__ import annotations

from urllib.parse import urlsplit

ANSWERS = frozenset({"hooks.slack.com", "hooks.slack-gov.com"})
"""Hosts of response_urls."""
FILES = frozenset({"files.slack.com", "files.slack-gov.com"})


def trusted(url: str, hosts: frozenset[str]) -> bool:
    """Say whether an address is one of Slack's, over HTTPS or on this machine."""
    try:
        parts = urlsplit(url)
        local = parts.hostname in {"127.0.0.1", "localhost", "::1"}
    except ValueError:
        return False
    return parts.netloc in hosts and (parts.scheme == "https" or (parts.scheme == "http" and local))
