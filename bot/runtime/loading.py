"""Content to work with: read, or kept from an earlier reading of the same files."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bot.runtime.content import Content, check_folders, sources
from bot.runtime.kept import Kept
from content import ROOT


def load(dirs: Sequence[Path] = (), *, locale: str = "en", built_in: Path = ROOT) -> Content:
    """Return the content to work with; raises ContentError with the first problem, SettingsError for a folder."""
    roots = (built_in, *dirs)
    check_folders(roots)
    kept = None
    with suppress(OSError):  # what cannot be read is said by the reading itself
        kept = Kept(repr((locale, *map(str, roots))), list(sources(roots, locale)))
    if kept and (found := kept.read(tuple)) is not None:
        library, products, files = found
        return Content(library, products, files=files)
    content = _read(dirs, locale, built_in)
    if kept:
        kept.write((content.library, content.products, content.files))
    return content


def _read(dirs: Sequence[Path], locale: str, built_in: Path) -> Content:
    from bot.core.lint.rules import problems as lint  # noqa: PLC0415 - what was read before is not read again
    from bot.runtime.reading import read  # noqa: PLC0415 - the same

    content = read(dirs, locale=locale, built_in=built_in)
    # What comes with Redial was checked before it was released; a company's own was perhaps never.
    problems = content.problems or (lint(content.library) if dirs else ())
    if problems:
        raise min(problems).error()
    return content
