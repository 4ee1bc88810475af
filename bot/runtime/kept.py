"""Content that was read before, kept in the user's cache folder: reading it again takes a tenth of the time.

A file is used only when everything it was made of is as it was: every content file byte for byte, and the code that
read it. Whatever is wrong with the folder or the file, the content is read as if there were none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import platformdirs

import bot.core
from bot.runtime.packing import SHAPE, pack, unpack

T = TypeVar("T")
_SIZE = 32
"""Bytes of a digest: of what a file was made of, then of what it holds."""


class Kept:
    """One place for one thing that is made of files. name: tells places apart."""

    def __init__(self, name: str, sources: Iterable[tuple[str, bytes]]) -> None:
        """Take what the thing is made of: names and contents."""
        self._path = _folder() / f"content-{_digest(name.encode())[:8].hex()}.bin"
        made_of = blake2b(repr((SHAPE, code())).encode(), digest_size=_SIZE)
        for source, data in sources:
            made_of.update(b"%d %d %b%b" % (len(source.encode()), len(data), source.encode(), data))
        self._made_of = made_of.digest()

    def read(self, kind: type[T]) -> T | None:
        """Return what is kept, if it was made of the same."""
        try:
            data = self._path.read_bytes()
        except OSError:
            return None
        made_of, sealed, packed = data[:_SIZE], data[_SIZE : 2 * _SIZE], data[2 * _SIZE :]
        if made_of != self._made_of or sealed != _digest(packed):
            return None
        try:
            return unpack(packed, kind)
        except ValueError:
            return None

    def write(self, thing: object) -> None:
        """Keep a thing, where the folder can be written."""
        packed = pack(thing)
        draft = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft.write_bytes(self._made_of + _digest(packed) + packed)
            draft.replace(self._path)


def _folder() -> Path:
    return Path(platformdirs.user_cache_dir("redial", appauthor=False))


def code() -> list[tuple[str, int, int]]:
    """Return what tells whether the code that reads content has changed; nothing where it is not made of files."""
    found = list[tuple[str, int, int]]()
    folders = [*bot.core.__path__, str(Path(__file__).parent)]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as files:
            for file in files:
                if file.name.endswith(".py"):
                    stat = file.stat()
                    found.append((file.path, stat.st_mtime_ns, stat.st_size))
                elif not file.name.startswith("_") and file.is_dir():
                    folders.append(file.path)
    return sorted(found)


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_SIZE).digest()
