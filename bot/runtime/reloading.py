"""Changed content, read again while the bot runs: on SIGHUP, or when a file of the company's own folders changes."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path

import structlog

from bot.core.errors import ContentError, SettingsError
from bot.core.recogniser.engine import Recogniser
from bot.runtime.content import Content
from bot.runtime.loading import load
from handlers.desk import Desk

_FILES = ("guides/*/*.md", "messages/*.toml", "products/*.toml", "links.txt")

_log = structlog.get_logger(__name__)

Signature = frozenset[tuple[str, int, int]]
"""Path, time and size of every file: what changes when somebody edits, adds or takes away."""


class Reloader:
    """Exchanges the content of a desk as a whole, or not at all where the linter objects.

    Turns that run go on with what they began with. Addresses of status pages are settings of the start.
    """

    def __init__(self, desk: Desk, titles: MutableMapping[str, str], dirs: Sequence[Path], locale: str) -> None:
        """Take the desk, and the titles that platforms suggest guides by."""
        self._desk, self._titles, self._dirs, self._locale = desk, titles, tuple(dirs), locale
        self._seen = _signature(self._dirs)
        self._one = asyncio.Lock()

    async def look(self) -> None:
        """Read the content again if a file has changed since it was read."""
        seen = await asyncio.to_thread(_signature, self._dirs)
        if seen != self._seen:
            await self.reload()

    async def reload(self) -> bool:
        """Read the content again; False, with the first problem in the log, where it cannot be used."""
        async with self._one:
            # Noted before the reading: what is saved meanwhile is read the next time.
            self._seen = await asyncio.to_thread(_signature, self._dirs)
            try:
                content, recogniser = await asyncio.to_thread(self._read)
            except (ContentError, SettingsError) as error:
                _log.error("content refused", error=str(error), kept=len(self._desk.library.guides))
                self._desk.meters.reloaded("refused")
                return False
            self._exchange(content, recogniser)
            _log.info("content reloaded", guides=len(content.library.guides))
            self._desk.meters.reloaded("taken")
            return True

    def _read(self) -> tuple[Content, Recogniser]:
        content = load(self._dirs, locale=self._locale)
        return content, content.recogniser()

    def _exchange(self, content: Content, recogniser: Recogniser) -> None:
        # Adapters hold on to the messages they were given: those say from now on what the new ones say.
        said = self._desk.library.messages
        said.adopt(content.library.messages)
        self._desk.library = replace(content.library, messages=said)
        self._desk.recogniser = recogniser
        self._titles.clear()
        self._titles.update({guide.id: guide.title for guide in content.library.guides.values()})


def _signature(dirs: Sequence[Path]) -> Signature:
    found = set[tuple[str, int, int]]()
    # Links are followed: a mounted ConfigMap is made of them.
    for root, pattern in product(dirs, _FILES):
        paths: list[Path] = []
        with suppress(OSError):  # what cannot be read is said by the reading
            paths += root.glob(pattern)
        for path in paths:
            with suppress(OSError):
                stat = path.stat()
                found.add((str(path), stat.st_mtime_ns, stat.st_size))
    return frozenset(found)
