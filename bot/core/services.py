"""Which parts of the official page matter where, and which providers it says nothing about (`claude.toml`)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import field
from typing import TYPE_CHECKING, NoReturn

from bot.core.errors import ContentError
from bot.core.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping


@frozen
class Page:
    """The official page: its id, and the addresses that serve it, the first being the one people know."""

    id: str
    name: str
    hosts: tuple[str, ...]
    redirects: tuple[str, ...] = ()


@frozen
class Surface:
    """Where somebody works. `needs`: component ids it fails with; `parts`: those only a part of it needs."""

    id: str
    name: str
    needs: frozenset[str]
    parts: frozenset[str] = frozenset()


@frozen
class Provider:
    """Another way to Claude, with a status of its own; `status` is its page, empty where nobody but its owner knows."""

    id: str
    name: str
    status: str = ""


@frozen
class Services:
    """All of it. `components`: component id of the page -> its name in our words.

    also: what a kind of trouble (a guide's id) needs besides the parts of the surface it is seen on.
    """

    page: Page
    components: Mapping[str, str]
    surfaces: Mapping[str, Surface]
    providers: Mapping[str, Provider]
    also: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def needed(self, surface: str) -> frozenset[str]:
        """Return the component ids that matter on `surface`; for one we do not know, those of all surfaces together."""
        known = self.surfaces.get(surface)
        chosen = self.surfaces.values() if known is None else (known,)
        return frozenset().union(*(s.needs | s.parts for s in chosen))

    def provider(self, provider: str) -> Provider | None:
        """Return the provider the page says nothing about; None where the page is the right one to look at."""
        return self.providers.get(provider)


def parse_services(toml_text: str, path: str) -> Services:
    """Read `claude.toml`; raises `ContentError` with the line of whatever cannot be used."""
    try:
        data = tomllib.loads(toml_text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        raise ContentError(str(error), path=path, line=int(found[1]) if found else 1) from error
    return _Reader(toml_text, path).services(data)


class _Reader:
    """Reads decoded tables and finds the line of a bad one."""

    def __init__(self, text: str, path: str) -> None:
        self._lines = text.splitlines()
        self._path = path

    def services(self, data: Mapping[str, object]) -> Services:
        page = self._table(data, "page", where="page")
        components = self._tables(data, "components")
        ids = {key: self._text(table, "id", where=f"components.{key}") for key, table in components.items()}
        names = {ids[key]: self._text(table, "name", where=f"components.{key}") for key, table in components.items()}
        if len(names) != len(ids):
            self._refuse("two components have the same id", "components")
        surfaces, providers = self._tables(data, "surfaces"), self._tables(data, "providers")
        guides = self._tables(data, "guides") if "guides" in data else {}
        return Services(
            page=Page(
                self._text(page, "id", where="page"),
                self._text(page, "name", where="page"),
                self._texts(page, "hosts", where="page"),
                self._texts(page, "redirects", where="page", optional=True),
            ),
            components=names,
            surfaces={key: self._surface(key, table, ids) for key, table in surfaces.items()},
            providers={key: self._provider(key, table) for key, table in providers.items()},
            also={key: self._needs(f"guides.{key}", table, ids) for key, table in guides.items()},
        )

    def _surface(self, key: str, table: Mapping[str, object], ids: Mapping[str, str]) -> Surface:
        where = f"surfaces.{key}"
        needs, parts = self._needs(where, table, ids), self._needs(where, table, ids, "parts")
        return Surface(key, self._text(table, "name", where=where), needs, parts)

    def _needs(
        self, where: str, table: Mapping[str, object], ids: Mapping[str, str], key: str = "needs"
    ) -> frozenset[str]:
        names = self._texts(table, key, where=where, optional=key != "needs")
        for name in names:
            if name not in ids:
                self._refuse(f"{name!r} is not one of the components", where)
        return frozenset(ids[name] for name in names)

    def _provider(self, key: str, table: Mapping[str, object]) -> Provider:
        where = f"providers.{key}"
        status = table.get("status", "")
        if not isinstance(status, str) or (status and not status.startswith("https://")):
            self._refuse("`status` must be an https address", where)
        return Provider(key, self._text(table, "name", where=where), status)

    def _table(self, data: Mapping[str, object], key: str, *, where: str) -> Mapping[str, object]:
        value = data.get(key)
        if not isinstance(value, dict) or not value:
            self._refuse(f"`{key}` must be a table with something in it", where)
        return value

    def _tables(self, data: Mapping[str, object], key: str) -> dict[str, Mapping[str, object]]:
        table = self._table(data, key, where=key)
        return {name: self._table(table, name, where=f"{key}.{name}") for name in table}

    def _text(self, table: Mapping[str, object], key: str, *, where: str) -> str:
        value = table.get(key)
        if not isinstance(value, str) or not value.strip():
            self._refuse(f"`{key}` must be a text", where)
        return value

    def _texts(self, table: Mapping[str, object], key: str, *, where: str, optional: bool = False) -> tuple[str, ...]:
        value = table.get(key, [] if optional else None)
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value) or not (value or optional):
            self._refuse(f"`{key}` must be a list of texts", where)
        return tuple(value)

    def _refuse(self, message: str, where: str) -> NoReturn:
        """Point at the table `where`, or at the entry of that name within its table."""
        parent, _, name = where.rpartition(".")
        inside = False
        for number, line in enumerate(self._lines, start=1):
            text = line.strip()
            if text.startswith(f"[{where}]") or (inside and re.match(rf"{re.escape(name)}\s*=", text)):
                raise ContentError(f"[{where}] {message}", path=self._path, line=number)
            if text.startswith("["):
                inside = bool(parent) and text.startswith(f"[{parent}]")
        raise ContentError(f"[{where}] {message}", path=self._path, line=1)
