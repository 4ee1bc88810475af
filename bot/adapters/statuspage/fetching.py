"""Documents of a page over HTTP: told from challenges, followed where they may lead, and not sent twice in vain.

Beside client.py the only module that knows httpx.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Generic, TypeVar

import httpx
import msgspec

from bot.adapters.statuspage.body import Body
from bot.adapters.statuspage.settings import PageSettings
from bot.core.errors import StatusChallenged, StatusError

_HEADERS = {"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "redial-status/1"}
_HOPS = 3
"""Redirects that are followed."""
_RETRY_AFTER_LIMIT = 3600.0
"""Most seconds a page may ask to be left alone for."""
_ETAG_LIMIT = 256
"""Longest mark that is sent back."""
_NUMBER_LIMIT = 10
"""Digits of a number in a header, and no more."""
# What the vendor's bot wall answers with; 202 is its silent challenge.
_CHALLENGES = frozenset({HTTPStatus.ACCEPTED, HTTPStatus.FORBIDDEN, HTTPStatus.METHOD_NOT_ALLOWED})

T = TypeVar("T")


@dataclass(slots=True)
class Document(Generic[T]):
    """One document of one host: its last good content, and the mark by which its address tells that it has changed."""

    url: str
    parse: Callable[[object], T]
    parsed: T | None = None
    etag: str = ""
    etag_url: str = ""


class MissingError(StatusError):
    """The host has no such document."""


class Fetcher:
    """Gets documents, one after the other.

    ahead: seconds the page's clock is ahead of ours; asked: seconds the last answer wanted to be left alone for.
    """

    def __init__(self, settings: PageSettings, wall: Callable[[], float]) -> None:
        """Take what is known of the page, and the clock its dates are compared with."""
        self._settings, self._wall = settings, wall
        self._allowed = {_origin(httpx.URL(host)) for host in (*settings.hosts, *settings.redirect_hosts)}
        self._client: httpx.AsyncClient | None = None
        self.ahead = self.asked = 0.0

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def get(self, document: Document[T]) -> T:
        """Return the document as it is now; raises `StatusError` or an error of httpx."""
        client, url, self.asked = await self._http(), httpx.URL(document.url), 0.0
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
                    self.asked = self._retry_after(response)
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
            patience = 0.8 * self._settings.timeout / len(self._settings.hosts)
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
            self.ahead = date + (int(aged) if _is_number(aged) else 0) - self._wall()

    def _retry_after(self, response: httpx.Response) -> float:
        """Return the seconds this answer asks us to wait, from a number or a date; 0 when it does not."""
        value = response.headers.get("retry-after", "").strip()
        if _is_number(value):
            return min(float(value), _RETRY_AFTER_LIMIT)
        date = _date(value)
        wait = 0.0 if date is None else date - (self._wall() + self.ahead)
        return min(max(wait, 0.0), _RETRY_AFTER_LIMIT)


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _remember(document: Document[T], parsed: T, url: str, etag: str) -> None:
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
    return MissingError("answered 404") if status == HTTPStatus.NOT_FOUND else StatusError(f"answered {status}")


def _date(value: str) -> float | None:
    try:
        return parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError):
        return None


def _is_number(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) < _NUMBER_LIMIT
