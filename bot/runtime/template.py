"""`redial init`: a commented settings file, generated from the settings themselves so that it cannot go stale."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from bot.core.errors import SettingsError
from bot.runtime.settings import Settings, groups, secret_names
from bot.runtime.sources import FILE

_HEAD = """\
# Settings of Redial. Everything here is optional; what is commented out shows its default.
# The environment wins over this file: REDIAL_DEVICES, REDIAL_STATUS__PAGE_ID…
# Tokens and addresses with passwords come from the environment only, or from files it names (DISCORD_TOKEN_FILE…):
# {secrets}
"""

_EXAMPLES = {
    "content_dirs": '["/etc/redial/content"]',
    "data_dir": '"~/.local/share/redial"',
    "status.page_id": '"tymt9n04zgry"',
    "status.hosts": '["https://status.claude.com", "https://anthropic.statuspage.io"]',
    "status.pages": '[{ id = "abc123", name = "Example", hosts = ["https://status.example.com"] }]',
    "subscriptions": '[{ platform = "slack", workspace = "T0123456789", channel = "C0123456789", least = "major" }]',
    "operators": '[{ platform = "slack", workspace = "T0123456789", channel = "C0123456789" }]',
    "slack.triage_channels": '["C0123456789"]',
    "slack.watched_channels": '["C0123456789"]',
    "slack.room_channels": '["C0123456789"]',
    "discord.room_channels": '["1234567890123456789"]',
    "slack.admins": '["U0123456789"]',
    "slack.handoff_channel": '"C0123456789"',
    "slack.handoff_person": '"U0123456789"',
    "slack.helpers": '["S0123456789"]',
    "discord.handoff_channel": '"1234567890123456789"',
    "discord.handoff_person": '"1234567890123456789"',
    "discord.helpers": '["1234567890123456789"]',
    "discord.triage_channels": '["1234567890123456789"]',
    "discord.watched_channels": '["1234567890123456789"]',
    "discord.admins": '["1234567890123456789"]',
}


def write(folder: Path, *, force: bool) -> str:
    """Write the file and return what to tell the person; raises SettingsError rather than overwrite."""
    path = folder / FILE
    if path.exists() and not force:
        raise SettingsError(f"{path} is there already; --force overwrites it")
    try:
        path.write_text(template(), encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {error.strerror}") from error
    return f"wrote {path}"


def template() -> str:
    """Return the file."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield _HEAD.format(secrets=", ".join(name.upper() for name in sorted(secret_names())))
    for name, info in Settings.model_fields.items():
        if name not in groups() and name not in secret_names():
            yield from _entry(name, info.description or "", info.default)
    for group, model in groups().items():
        yield f"[{group}]"
        for name, info in model.model_fields.items():
            yield from _entry(name, info.description or "", info.default, _EXAMPLES.get(f"{group}.{name}"))


def _entry(name: str, description: str, default: object, example: str | None = None) -> Iterator[str]:
    yield from (f"# {line}" for line in textwrap.wrap(description, 96))
    yield f"# {name} = {example or _EXAMPLES.get(name) or _toml(default)}\n"


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value).lower()
