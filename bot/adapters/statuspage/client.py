"""Reads the official status page over HTTP when somebody asks, at most once a minute, and never in anybody's way.

This is the only module that knows httpx; import it late.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import partial
from http import HTTPStatus
from typing import Generic, TypeVar

import httpx
import msgspec

from bot.adapters.statuspage.body import Body
from bot.adapters.statuspage.settings import PageSettings
from bot.core.errors import StatusChallenged, StatusError
from bot.core.status.incident import Board, Component, Health, Incident
from bot.core.status.statuspage import Summary, combine, parse_incidents, parse_summary
from bot.core.status.watch import Reading
from bot.ports.feed import Unread

_INCIDENTS = "/api/v2/incidents.json"
_SUMMARY = "/api/v2/summary.json"
_MAINTENANCES = "/api/v2/scheduled-maintenances.json"
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "redial-status/1"}
_HOPS = 3
_BACKOFF = 15.0
_BACKOFF_LIMIT = 900.0
_RETRY_AFTER_LIMIT = 3600.0
# A page that suddenly lists no incident at all is more likely broken than cleaned; after this long it is believed.
_EMPTY_BELIEVED_AFTER = 900.0
_ETAG_LIMIT = 256
_NUMBER_LIMIT = 10
# What the vendor's bot wall answers with; 202 is its silent challenge.
_CHALLENGES = frozenset({HTTPStatus.ACCEPTED, HTTPStatus.FORBIDDEN, HTTPStatus.METHOD_NOT_ALLOWED})

Clock = Callable[[], float]


T = TypeVar("T")


@dataclass(slots=True)
class _Document(Generic[T]):
    """One document of one host: its last good content, and the mark by which its address tells that it has changed."""

    url: str
    parse: Callable[[object], T]
    parsed: T | None = None
    etag: str = ""
    etag_url: str = ""


@dataclass(slots=True)
class _Host:
    """One address of the page, and when it may be asked again (monotonic)."""

    base: str
    summary: _Document[Summary]
    incidents: _Document[tuple[Incident, ...]]
    maintenances: _Document[tuple[Incident, ...]]
    failures: int = 0
    not_before: float = float("-inf")
    retry_after: float = 0.0


@dataclass(frozen=True, slots=True)
class _Reading:
    """One good reading; `at` by the wall clock, `monotonic` by the other one, both from before it was asked for."""

    at: float
    monotonic: float
    skew: float
    incidents: tuple[Incident, ...]
    components: tuple[Component, ...]
    listed: int
    whole: Reading


class _MissingError(StatusError):
    """The host has no such document."""


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
        hosts, others = self._settings.hosts, self._settings.redirect_hosts
        self._allowed = {_origin(httpx.URL(host)) for host in (*hosts, *others)}
        self._hosts = tuple(_host(base, self._settings) for base in hosts)
        self._client: httpx.AsyncClient | None = None
        self._task: asyncio.Task[None] | None = None
        self._patient_until = 0.0
        self._closed = False
        self._last: _Reading | None = None
        self._failed = False
        self._challenged = False
        self._empty_since: float | None = None
        self._skew = 0.0
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
        if self._client is not None:
            await self._client.aclose()

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
                self._put_off(host)
            else:
                host.failures = 0
                self._failed, self.last_error = False, "; ".join(problems)
                return
        self._failed, self.last_error = True, "; ".join(problems)

    def _put_off(self, host: _Host) -> None:
        wait = min(_BACKOFF * 2.0 ** min(host.failures, 10), _BACKOFF_LIMIT)
        host.failures += 1
        host.not_before = self._monotonic() + max(wait, host.retry_after)
        host.retry_after = 0.0

    async def _ask(self, host: _Host) -> _Reading:
        at, monotonic = self._wall(), self._monotonic()
        host.retry_after = 0.0
        # The incidents come last: they are the source of truth where the two differ by a moment.
        summary = await self._get(host, host.summary)
        planned = await self._maintenances(host) if self._settings.maintenances else None
        incidents = await self._get(host, host.incidents)
        self._believe(incidents, monotonic)
        known = combine(incidents, summary)
        unresolved = (*summary.unresolved, *summary.maintenances)
        link = self._settings.hosts[0]
        whole = Reading(at + self._skew, incidents, unresolved, planned, summary.components, link)
        return _Reading(at, monotonic, self._skew, known, summary.components, len(incidents), whole)

    async def _maintenances(self, host: _Host) -> tuple[Incident, ...] | None:
        """Return the page's list of maintenances; None where there is no such list, as on compatible pages."""
        try:
            return await self._get(host, host.maintenances)
        except _MissingError:
            return None

    def _believe(self, incidents: tuple[Incident, ...], now: float) -> None:
        if incidents or self._last is None or not self._last.listed:
            self._empty_since = None
            return
        self._empty_since = now if self._empty_since is None else self._empty_since
        if now - self._empty_since < _EMPTY_BELIEVED_AFTER:
            raise StatusError(f"the page lists no incident at all, but {self._last.listed} before: not believed yet")

    async def _get(self, host: _Host, document: _Document[T]) -> T:
        """Return the document as it is now; raises `StatusError` or an error of httpx."""
        client, url = await self._http(), httpx.URL(document.url)
        for _ in range(_HOPS + 1):
            known = document.parsed if document.etag_url == str(url) else None
            mark = {} if known is None else {"If-None-Match": document.etag}
            async with client.stream("GET", url, headers=mark) as response:
                self._look_at_clock(response)
                if response.has_redirect_location:
                    url = self._redirected(url, response)
                    continue
                if response.status_code == HTTPStatus.NOT_MODIFIED and known is not None:
                    return known
                if response.status_code != HTTPStatus.OK:
                    host.retry_after = self._retry_after(response)
                    raise _refusal(response.status_code)
                parsed = document.parse(_decoded(await self._body(response)))
                _remember(document, parsed, str(url), response.headers.get("etag", ""))
                return parsed
        raise StatusError(f"redirected more than {_HOPS} times")

    async def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            # Loading certificates takes a tenth of a second: not on the loop, where other people's turns run.
            tls = await asyncio.to_thread(httpx.create_ssl_context)
            # Less than a host's share of the whole: a connection given up by httpx itself is closed at once, while one
            # cancelled during the TLS greeting stays open until it is garbage.
            patience = 0.8 * self._settings.timeout / len(self._hosts)
            self._client = httpx.AsyncClient(headers=_HEADERS, verify=tls, timeout=patience, follow_redirects=False)
        return self._client

    def _redirected(self, url: httpx.URL, response: httpx.Response) -> httpx.URL:
        target = url.join(response.headers["location"])
        if _origin(target) not in self._allowed or target.userinfo:
            raise StatusError(f"redirected to {target.scheme}://{target.host[:100]}, which is not a host of this page")
        return target.copy_with(fragment=None)

    async def _body(self, response: httpx.Response) -> bytes:
        body = Body(response.headers.get("content-encoding", ""), self._settings.size_limit)
        async for chunk in response.aiter_raw():
            body.feed(chunk)
        return body.finish()

    def _look_at_clock(self, response: httpx.Response) -> None:
        """Note how far the page's clock is ahead; a cache tells in `Age` how long ago it was asked for the `Date`."""
        date = _date(response.headers.get("date", ""))
        if date is not None:
            aged = response.headers.get("age", "")
            self._skew = date + (int(aged) if _is_number(aged) else 0) - self._wall()

    def _retry_after(self, response: httpx.Response) -> float:
        """Return the seconds this answer asks us to wait, from a number or a date; 0 when it does not."""
        value = response.headers.get("retry-after", "").strip()
        if _is_number(value):
            return min(float(value), _RETRY_AFTER_LIMIT)
        date = _date(value)
        wait = 0.0 if date is None else date - (self._wall() + self._skew)
        return min(max(wait, 0.0), _RETRY_AFTER_LIMIT)


def _host(base: str, settings: PageSettings) -> _Host:
    base = base.rstrip("/")
    links = frozenset(httpx.URL(host).host for host in settings.hosts)
    return _Host(
        base,
        _Document(base + _SUMMARY, partial(parse_summary, page_id=settings.page_id, hosts=links)),
        _Document(base + _INCIDENTS, partial(parse_incidents, page_id=settings.page_id, hosts=links)),
        _Document(
            base + _MAINTENANCES,
            partial(parse_incidents, page_id=settings.page_id, hosts=links, key="scheduled_maintenances"),
        ),
    )


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _remember(document: _Document[T], parsed: T, url: str, etag: str) -> None:
    usable = len(etag) <= _ETAG_LIMIT and etag.isascii() and etag.isprintable()
    document.etag = etag if usable else ""
    document.etag_url = url if document.etag else ""
    document.parsed = parsed if document.etag else None


def _decoded(raw: bytes) -> object:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        if raw.lstrip()[:1] == b"<":
            raise StatusChallenged(
                "answered with a web page instead of JSON (a challenge, or an error page)"
            ) from error
        raise StatusError("answered with something that is not JSON" if raw else "answered nothing") from error


def _refusal(status: int) -> StatusError:
    if status in _CHALLENGES:
        return StatusChallenged(f"answered {status} (wants proof of a human)")
    return _MissingError("answered 404") if status == HTTPStatus.NOT_FOUND else StatusError(f"answered {status}")


def _sentence(error: Exception) -> str:
    if isinstance(error, StatusError):
        return str(error)
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return "did not answer in time"
    return f"could not be read ({type(error).__name__}: {str(error)[:200]})"


def _date(value: str) -> float | None:
    try:
        return parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError):
        return None


def _is_number(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) < _NUMBER_LIMIT
