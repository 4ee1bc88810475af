"""`redial init`: a commented settings file, generated from the settings themselves so that it cannot go stale."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from bot.core.errors import SettingsError
from bot.runtime.settings import FILE, Settings, StatusSettings

_HEAD = """\
# Settings of Redial. Everything here is optional; what is commented out shows its default.
# The environment wins over this file: REDIAL_DEVICES, REDIAL_STATUS__PAGE_ID…
# Tokens and addresses with passwords (REDIS_URL) come from the environment only and never stand here.
"""

_EXAMPLES = {
    "content_dirs": '["/etc/redial/content"]',
    "data_dir": '"~/.local/share/redial"',
    "page_id": '"tymt9n04zgry"',
    "hosts": '["https://status.claude.com", "https://anthropic.statuspage.io"]',
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
    yield _HEAD
    for name, info in Settings.model_fields.items():
        if name not in {"status", "redis_url"}:
            yield from _entry(name, info.description or "", info.default)
    yield "[status]"
    for name, info in StatusSettings.model_fields.items():
        yield from _entry(name, info.description or "", info.default)


def _entry(name: str, description: str, default: object) -> Iterator[str]:
    yield from (f"# {line}" for line in textwrap.wrap(description, 96))
    yield f"# {name} = {_EXAMPLES.get(name) or _toml(default)}\n"


def _toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()
