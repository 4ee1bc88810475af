"""Conversations in Redis or Valkey.

`connect` is the one entry point; `REDIS_URL` names a server, and without it Redial keeps one of its own in the data
directory (embedded.py). What is stored under which key: keys.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.adapters.store.redis_store import RedisConversations
    from bot.adapters.store.vault import RedisVault

__all__ = ["connect", "open_vault"]


async def connect(url: str | None, data_dir: Path, *, days: int = 14) -> RedisConversations:
    """Open the store at `url`, or Redial's own in `data_dir`; close it when done. days: how long conversations stay.

    Raises `SettingsError` for a URL, directory or platform of no use, `StoreUnavailable` when nothing answers.
    """
    # Imported late: most sub-commands need no store, and redis-py takes a while to load.
    from bot.adapters.store.clients import open_server  # noqa: PLC0415
    from bot.adapters.store.redis_store import RedisConversations  # noqa: PLC0415
    from bot.adapters.store.registry import DAY  # noqa: PLC0415

    return RedisConversations(await open_server(url, data_dir), kept_for=days * DAY)


async def open_vault(url: str | None, data_dir: Path) -> RedisVault:
    """Open the place of what is kept sealed, in the same store; raises as `connect`."""
    from bot.adapters.store.clients import open_server  # noqa: PLC0415 - as above
    from bot.adapters.store.vault import RedisVault  # noqa: PLC0415 - as above

    return RedisVault(await open_server(url, data_dir))
