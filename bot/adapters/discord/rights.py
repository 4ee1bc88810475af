"""Every right and intent Redial asks for, and what it is for: the invite link asks for exactly these."""

from __future__ import annotations

import discord

PERMISSIONS = {
    "view_channel": "to see the channels it answers in",
    "send_messages": "to answer",
    "create_public_threads": "to hold each conversation in a thread of its own",
    "send_messages_in_threads": "to answer there",
    "attach_files": "to show what `/redial insights` says as a picture",
    "read_message_history": "to find its own messages after a crash, and what others said meanwhile",
}
"""Rights, as discord.py names them."""

NEEDED = frozenset({"view_channel", "send_messages"})
"""Without these it is silent; without the others it falls back to one message, or looks for nothing."""

WITHOUT_THREADS = "without it, `redial drill` leaves its empty thread behind, archived"
"""What becomes of not having Manage Threads, which the invite link does not ask for: it lets a bot close any thread."""

INTENTS = {
    "guilds": "to know channels, threads and its rights in them",
    "guild_messages": "to hear mentions and answers in threads",
    "dm_messages": "to hear direct messages",
    "message_content": "privileged: to read answers in threads without a mention, and channels it reads along in",
}
"""Intents, as discord.py names them."""

SCOPES = ("bot", "applications.commands")


def permissions() -> discord.Permissions:
    """Return the rights as one set."""
    return discord.Permissions(**dict.fromkeys(PERMISSIONS, True))


def invitation(application: int) -> str:
    """Return the address where an admin adds Redial to a server."""
    return discord.utils.oauth_url(application, permissions=permissions(), scopes=SCOPES)


def missing(granted: discord.Permissions) -> list[str]:
    """Return the names of the rights that are missing."""
    return [name for name in PERMISSIONS if not getattr(granted, name)]


def named(right: str) -> str:
    """Return a right as Discord's own pages call it, in English."""
    return right.replace("_", " ").title().replace(" In ", " in ")
