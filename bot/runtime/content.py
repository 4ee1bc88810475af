"""Content, and the folders it comes from: the built-in one, and a company's own laid over it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path

from bot.core.errors import SettingsError
from bot.core.frozen import frozen
from bot.core.guides.library import Library
from bot.core.guides.problem import Problem
from bot.core.recogniser.engine import Recogniser
from bot.core.recogniser.products import Products

LINKS = "links.txt"
"""The file of a content folder that says where guides may link to."""

_PARTS = ("guides", "messages", "products")


@frozen
class Content:
    """Everything read, and everything that is wrong with it."""

    library: Library
    products: Products
    problems: tuple[Problem, ...] = ()
    files: int = field(default=0)

    def recogniser(self) -> Recogniser:
        """Return a recogniser over these guides."""
        return Recogniser(tuple(self.library.guides.values()), self.products)


@contextmanager
def readable() -> Iterator[None]:
    """Turn what the disk refuses into a `SettingsError` that names it."""
    try:
        yield
    except OSError as error:
        raise SettingsError(f"content cannot be read: {error.strerror}: {error.filename}") from error


@readable()
def check_folders(roots: Sequence[Path]) -> None:
    """Refuse a folder from which nothing would be read: nobody would notice that their guides are not used."""
    for root in roots:
        _check_folder(root)


def sources(roots: Sequence[Path], locale: str) -> Iterator[tuple[str, bytes]]:
    """Yield every file content is made of, as people would name it."""
    for root in roots:
        for pattern in (f"guides/{locale}/*.md", f"messages/{locale}.toml", "products/*.toml", LINKS):
            for path in sorted(root.glob(pattern)):
                yield shown(path), path.read_bytes()


def _check_folder(root: Path) -> None:
    if not root.is_dir():
        raise SettingsError(f"content folder {root} is not there (setting `content_dirs`)")
    if any(root.iterdir()) and not any((root / name).is_dir() for name in _PARTS):
        raise SettingsError(f"content folder {root} holds none of {', '.join(f'{name}/' for name in _PARTS)}")
    if stray := next((root / "guides").glob("*.md"), None):
        raise SettingsError(f"{stray} is not read: guides stand in a folder of their language, guides/en/")


def shown(path: Path) -> str:
    """Return a path as people would type it: below the current folder if it is there."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
