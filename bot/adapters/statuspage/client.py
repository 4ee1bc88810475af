"""Reads the official status page over HTTP when somebody asks, at most once a minute, and never in anybody's way.

Beside fetching.py the only module that knows httpx; import it late.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import httpx

from bot.adapters.statuspage.fetching import Document, Fetcher, MissingError
from bot.adapters.statuspage.settings import PageSettings
from bot.core.errors import StatusChallenged, StatusError
from bot.core.frozen import frozen
from bot.core.status.incident import Board, Component, Health, Incident
from bot.core.status.statuspage import Hosts, Summary, combine, parse_incidents, parse_summary, published
from bot.core.status.watch import Reading
from bot.ports.feed import Unread

_INCIDENTS = "/api/v2/incidents.json"
_SUMMARY = "/api/v2/summary.json"
_MAINTENANCES = "/api/v2/scheduled-maintenances.json"
_BACKOFF, _BACKOFF_LIMIT = 15.0, 900.0
"""Seconds a host is left alone after a failure, twice as many after each further one, and the most of them."""
_EMPTY_BELIEVED_AFTER = 900.0
"""Seconds after which a page is believed that it suddenly lists no incident at all: it is more likely broken."""

Clock = Callable[[], float]


_Listing = tuple[tuple[Incident, ...], float | None]
"""The incidents a page lists, and when it says it last changed."""


@dataclass(slots=True)
class _Host:
    """One address of the page, and when it may be asked again (monotonic)."""

    base: str
    summary: Document[Summary]
    incidents: Document[_Listing]
    maintenances: Document[tuple[Incident, ...]]
    failures: int = 0
    not_before: float = float("-inf")


@frozen
class _Reading:
    """One good reading; `at` by the wall clock, `monotonic` by the other one, both from before it was asked for."""

    at: float
    monotonic: float
    skew: float
    incidents: tuple[Incident, ...]
    components: tuple[Component, ...]
    listed: int
    whole: Reading


class StatusPage:
    """The `StatusSource` and the `Feed` of a Statuspage v2 page.

    Nothing is read until somebody asks. A reading serves everybody for a minute; those who ask while one is under way
    share it, wait for it up to `settings.patience`, and then get what was known before. Two clocks decide about
    freshness, since the monotonic one may stand still while a laptop sleeps and the other one may be set back.

    last_error: what went wrong in the last reading, for operators; also filled when a second host saved it.
    """

    def __init__(
        self, settings: PageSettings | None = None, *, wall: Clock = time.time, monotonic: Clock = time.monotonic
    ) -> None:
        self._settings = settings or PageSettings()
        self._wall, self._monotonic = wall, monotonic
        self._hosts = tuple(_host(base, self._settings) for base in self._settings.hosts)
        self._fetcher = Fetcher(self._settings, wall)
        self._task: asyncio.Task[None] | None = None
        self._patient_until = 0.0
        self._closed = False
        self._last: _Reading | None = None
        self._failed = False
        self._challenged = False
        self._empty_since: float | None = None
        self.last_error = ""

    async def board(self) -> Board:
        """Return the page as `StatusSource.board` says; waits for a first or a due reading, but not for long."""
        if not self._fresh():
            self._start()
            if self._task is not None:
                patience = self._patient_until - asyncio.get_running_loop().time()
                await asyncio.wait({self._task}, timeout=max(0.0, patience))
        return self._board()

    async def read(self) -> Reading | Unread:
        """Read the page as `Feed.read` says; not while it asked to be left alone."""
        if self._task is not None:
            # It was begun before anybody asked for this one.
            await asyncio.wait({self._task})
        self._start()
        task, before = self._task, self._last
        if task is None:
            return Unread(self.last_error or "the page is not asked again so soon", self._challenged)
        await asyncio.wait({task})
        if self._last is None or self._last is before:
            return Unread(self.last_error or "the reading was given up", self._challenged)
        return self._last.whole

    async def close(self) -> None:
        """Stop a reading under way and let go of the connections; what is known stays readable, and ages."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self._fetcher.close()

    def _board(self) -> Board:
        last, page, link = self._last, self._settings.page_id, self._settings.hosts[0]
        if last is None:
            return Board(page, Health.UNREADABLE, None, link=link)
        health = Health.OK if self._fresh() else Health.UNREADABLE if self._failed else Health.STALE
        return Board(page, health, last.at, last.incidents, last.components, link, last.skew)

    def _fresh(self) -> bool:
        if self._last is None:
            return False
        elapsed = max(self._wall() - self._last.at, self._monotonic() - self._last.monotonic)
        return elapsed < self._settings.fresh_for

    def _start(self) -> None:
        now = self._monotonic()
        if self._task is not None or self._closed or all(host.not_before > now for host in self._hosts):
            return
        self._patient_until = asyncio.get_running_loop().time() + self._settings.patience
        self._task = asyncio.create_task(self._read(), name="status page reading")
        self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if not task.cancelled() and (error := task.exception()) is not None:
            # Not foreseen, so a mistake of ours; still nobody's triage may fail over it, nor be told that all is fine.
            self._failed = True
            self.last_error = f"the page could not be read for a reason not foreseen: {error!r}"
            for host in self._hosts:
                self._put_off(host)

    async def _read(self) -> None:
        """Ask the hosts that may be asked, one after the other, until one gives a good reading."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._settings.timeout
        now = self._monotonic()
        due = [host for host in self._hosts if host.not_before <= now]
        problems: list[str] = []
        self._challenged = False
        for left, host in zip(range(len(due), 0, -1), due, strict=True):
            # Each gets its share, so that a first host that hangs leaves time for the second.
            share = (deadline - loop.time()) / left
            try:
                async with asyncio.timeout(share):
                    self._last = await self._ask(host)
            except (StatusError, httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
                problems.append(f"{host.base}: {_sentence(error)}")
                self._challenged |= isinstance(error, StatusChallenged)
                self._put_off(host, self._fetcher.asked)
            else:
                host.failures = 0
                self._failed, self.last_error = False, "; ".join(problems)
                return
        self._failed, self.last_error = True, "; ".join(problems)

    def _put_off(self, host: _Host, asked: float = 0.0) -> None:
        wait = min(_BACKOFF * 2.0 ** min(host.failures, 10), _BACKOFF_LIMIT)
        host.failures += 1
        host.not_before = self._monotonic() + max(wait, asked)

    async def _ask(self, host: _Host) -> _Reading:
        at, monotonic, get = self._wall(), self._monotonic(), self._fetcher.get
        # The incidents come last: they are the source of truth where the two differ by a moment.
        summary = await get(host.summary)
        planned = await self._maintenances(host) if self._settings.maintenances else None
        incidents, changed = await get(host.incidents)
        self._believe(incidents, monotonic)
        known = combine(incidents, summary)
        unresolved = (*summary.unresolved, *summary.maintenances)
        link = self._settings.hosts[0]
        whole = Reading(at + self._fetcher.ahead, incidents, unresolved, planned, summary.components, link, changed)
        return _Reading(at, monotonic, self._fetcher.ahead, known, summary.components, len(incidents), whole)

    async def _maintenances(self, host: _Host) -> tuple[Incident, ...] | None:
        """Return the page's list of maintenances; None where there is no such list, as on compatible pages."""
        try:
            return await self._fetcher.get(host.maintenances)
        except MissingError:
            return None

    def _believe(self, incidents: tuple[Incident, ...], now: float) -> None:
        if incidents or self._last is None or not self._last.listed:
            self._empty_since = None
            return
        self._empty_since = now if self._empty_since is None else self._empty_since
        if now - self._empty_since < _EMPTY_BELIEVED_AFTER:
            raise StatusError(f"the page lists no incident at all, but {self._last.listed} before: not believed yet")


def _listing(document: object, *, page_id: str, hosts: Hosts) -> _Listing:
    return parse_incidents(document, page_id=page_id, hosts=hosts), published(document)


def _host(base: str, settings: PageSettings) -> _Host:
    base = base.rstrip("/")
    links = frozenset(httpx.URL(host).host for host in settings.hosts)
    return _Host(
        base,
        Document(base + _SUMMARY, partial(parse_summary, page_id=settings.page_id, hosts=links)),
        Document(base + _INCIDENTS, partial(_listing, page_id=settings.page_id, hosts=links)),
        Document(
            base + _MAINTENANCES,
            partial(parse_incidents, page_id=settings.page_id, hosts=links, key="scheduled_maintenances"),
        ),
    )


def _sentence(error: Exception) -> str:
    if isinstance(error, StatusError):
        return str(error)
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return "did not answer in time"
    return f"could not be read ({type(error).__name__}: {str(error)[:200]})"
