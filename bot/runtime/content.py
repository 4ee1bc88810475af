"""Content to work with: the built-in one, and a company's own laid over it, read or kept from an earlier reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bot.core.errors import SettingsError
from bot.core.guides.library import Library
from bot.core.guides.problem import Problem
from bot.core.recogniser.engine import Recogniser
from bot.core.recogniser.products import Products
from bot.runtime.kept import Kept
from content import ROOT

LINKS = "links.txt"
"""The file of a content folder that says where guides may link to."""

_PARTS = ("guides", "messages", "products")


@dataclass(frozen=True, slots=True)
class Content:
    """Everything read, and everything that is wrong with it."""

    library: Library
    products: Products
    problems: tuple[Problem, ...] = ()
    files: int = field(default=0)

    def recogniser(self) -> Recogniser:
        """Return a recogniser over these guides."""
        return Recogniser(tuple(self.library.guides.values()), self.products)


def load(dirs: Sequence[Path] = (), *, locale: str = "en") -> Content:
    """Return the content to work with; raises ContentError with the first problem, SettingsError for a folder."""
    check_folders(dirs)
    kept = None
    with suppress(OSError):  # what cannot be read is said by the reading itself
        kept = Kept(repr((locale, *map(str, roots(dirs)))), list(_sources(dirs, locale)))
    if kept and (found := kept.read(tuple)) is not None:
        library, products, files = found
        return Content(library, products, files=files)
    content = _read(dirs, locale)
    if kept:
        kept.write((content.library, content.products, content.files))
    return content


def _read(dirs: Sequence[Path], locale: str) -> Content:
    from bot.core.lint.rules import problems as lint  # noqa: PLC0415 - what was read before is not read again
    from bot.runtime.reading import read  # noqa: PLC0415 - the same

    content = read(dirs, locale=locale)
    # What comes with Redial was checked before it was released; a company's own was perhaps never.
    problems = content.problems or (lint(content.library) if dirs else ())
    if problems:
        raise min(problems).error()
    return content


def roots(dirs: Sequence[Path]) -> tuple[Path, ...]:
    """Return every folder content comes from, the built-in one first."""
    return (ROOT, *dirs)


def check_folders(dirs: Sequence[Path]) -> None:
    """Refuse a folder from which nothing would be read: nobody would notice that their guides are not used."""
    for root in roots(dirs):
        _check_folder(root)


def _sources(dirs: Sequence[Path], locale: str) -> Iterator[tuple[str, bytes]]:
    """Yield every file content is made of, as people would name it."""
    for root in roots(dirs):
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
