"""Content read from its folders, later ones laid over earlier ones, with everything that is wrong with it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.core.errors import ContentError
from bot.core.guides.guide import Guide
from bot.core.guides.library import FACTS, OUTCOMES, Library, with_ways
from bot.core.guides.markdown import read_guide
from bot.core.guides.overlay import lay_over
from bot.core.guides.problem import Problem
from bot.core.messages import Messages
from bot.core.recogniser.products import Products, parse_products
from bot.core.services import Services, parse_services
from bot.runtime.content import LINKS, Content, check_folders, readable, shown
from content import ROOT

SERVICES = "claude.toml"
"""The file of `products/` that says what the status page covers; all others are for the recogniser."""

_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_ADDRESS = re.compile(r"https?://([^/\s)>\]\"'?#]*)", re.IGNORECASE)


@readable()
def read(dirs: Sequence[Path] = (), *, locale: str = "en", built_in: Path = ROOT) -> Content:
    """Read all content folders, later ones over earlier ones; raises SettingsError for a folder that is not there."""
    roots = (built_in, *dirs)
    problems: list[Problem] = []
    guides: dict[str, Guide] = {}
    files = 0
    hosts = _hosts(roots)
    check_folders(roots)
    for root in roots:
        for path in sorted((root / "guides" / locale).glob("*.md")):
            files += 1
            try:
                text = _text(path)
            except ContentError as error:
                problems.append(_problem(error))
                continue
            patch, found = read_guide(text, guide_id=path.stem, locale=locale, path=shown(path))
            merged, complaints = lay_over(guides.get(path.stem), patch)
            guides[path.stem] = merged
            problems += [*found, *complaints, *_links(text, shown(path), hosts)]
    if not {FACTS, OUTCOMES} <= guides.keys():
        raise min(problems).error()
    library = Library(
        facts=guides.pop(FACTS),
        outcomes=guides.pop(OUTCOMES),
        guides=guides,
        messages=_messages(roots, locale, problems),
        services=_services(roots),
    )
    return Content(with_ways(library), _products(roots), tuple(problems), files)


def _hosts(roots: Sequence[Path]) -> frozenset[str]:
    """Return the hosts guides may link to: ours, and those each folder adds."""
    paths = [path for root in roots if (path := root / LINKS).is_file()]
    return frozenset(line.strip() for path in paths for line in _text(path).splitlines() if not line.startswith("#"))


def _links(text: str, path: str, hosts: frozenset[str]) -> Iterator[Problem]:
    """Complain of addresses people could press that lead elsewhere; code is for copying and says what it says."""
    pressed = _CODE.sub(lambda found: "\n" * found[0].count("\n"), text)
    for found in _ADDRESS.finditer(pressed):
        host = found[1].casefold()
        if not any(host == known or host.endswith(f".{known}") for known in hosts):
            line = pressed.count("\n", 0, found.start()) + 1
            yield Problem(path, line, "link", f"links lead to hosts that `{LINKS}` lists, and not to {host}")


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ContentError(f"cannot be read as UTF-8 text: {error}", path=shown(path), line=1) from error


def _layers(roots: Sequence[Path], name: str) -> Iterator[Path]:
    return (path for root in roots if (path := root / name).is_file())


def _messages(roots: Sequence[Path], locale: str, problems: list[Problem]) -> Messages:
    """Return the sentences; a file laid over them that has something wrong is left out, and says what."""
    first, *layers = _layers(roots, f"messages/{locale}.toml")
    table = _toml(first)
    messages = Messages(table, path=shown(first))
    for path in layers:
        try:
            over = _toml(path)
            found = [
                Problem(shown(path), _line(_text(path), key), "message", complaint)
                for key, complaint in messages.objections(over, path=shown(path))
            ]
        except ContentError as error:
            found = [_problem(error)]
        if found:
            problems += found
        else:
            _merge(table, over)
            messages = Messages(table, path=shown(path))
    return messages


def _line(text: str, key: str) -> int:
    """Return the line of a TOML key written in its table, 1 if it is written in another way."""
    table, _, name = key.rpartition(".")
    inside = not table
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        if words.startswith("["):
            inside = words.startswith(f"[{table}]")
        elif inside and re.match(rf'"?{re.escape(name)}"?\s*=', words):
            return number
    return 1


def _problem(error: ContentError) -> Problem:
    return Problem(error.path, error.line, "format", error.message)


def _toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        raise ContentError(str(error), path=shown(path), line=int(found[1]) if found else 1) from error


def _merge(below: dict[str, object], over: dict[str, object]) -> None:
    for key, value in over.items():
        under = below.get(key)
        if isinstance(under, dict) and isinstance(value, dict):
            _merge(under, value)
        else:
            below[key] = value


def _services(roots: Sequence[Path]) -> Services:
    *_, path = _layers(roots, f"products/{SERVICES}")
    return parse_services(_text(path), shown(path))


def _products(roots: Sequence[Path]) -> Products:
    return parse_products(product_texts(roots))


def product_texts(roots: Sequence[Path]) -> dict[str, str]:
    """Return what the recogniser is told besides the guides, by path."""
    paths = [p for root in roots for p in sorted((root / "products").glob("*.toml")) if p.name != SERVICES]
    return {shown(path): _text(path) for path in paths}
