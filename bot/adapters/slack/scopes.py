"""The rights Redial asks for in Slack, each with its reason, for the manifests, the install page and doctor."""

from __future__ import annotations

SCOPES = {
    "app_mentions:read": "to hear a mention",
    "channels:history": "to hear answers in threads of public channels, and find its own posts after a crash",
    "channels:read": "to know which channels it is in, and who made them: they may change what is announced there",
    "chat:write": "to answer",
    "commands": "for /redial and “Triage this message”",
    "files:read": "to read pasted snippets and text files",
    "files:write": "to show what `/redial insights` says as a picture",
    "groups:history": "to hear answers in threads of private channels, and find its own posts there",
    "groups:read": "to know which private channels it is in",
    "im:history": "to hear direct messages",
    "im:write": "to begin a direct message, where the answer is private",
    "usergroups:read": "to offer user groups where an announcement may mention one, and to know who helps",
    "users:read": "to know a workspace's admins, who may change what is announced in a channel",
}
"""Every scope the manifest asks for, and what it is for."""

OPTIONAL = frozenset({"files:write"})
"""Whoever installs it may leave these out."""

NEEDED = frozenset({"app_mentions:read", "chat:write", "commands", "im:history", "im:write"})
"""Without these a way in does not work; without the others less is heard."""
