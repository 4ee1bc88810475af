"""A page that cannot be read, or should not be believed: always "unknown", never "fine"."""

from __future__ import annotations

import asyncio
import gc
import gzip
import json
import shutil
import ssl
import subprocess
import tracemalloc
import zlib
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.adapters.statuspage.body import Body
from bot.adapters.statuspage.client import StatusPage
from bot.adapters.statuspage.settings import PageSettings
from bot.core.errors import StatusError
from bot.core.status.incident import Health
from tests.adapters.statuspage.pageserver import FIXTURES, INCIDENTS, SUMMARY, Answer, PageServer, document

if TYPE_CHECKING:
    from pathlib import Path

    from tests.adapters.statuspage.pageserver import Clocks, Page, Serve

MEGABYTE = 1024 * 1024
CASES = [
    case
    for case in json.loads((FIXTURES / "http_cases.json").read_text(encoding="utf-8"))
    if case["name"] not in {"moved_302", "moved_301_elsewhere"}
]
GOOD = json.dumps(document("incidents_three_open.json")).encode()
GOOD_SUMMARY = json.dumps(document("summary_three_open.json")).encode()


def answer_of(case: dict[str, object]) -> Answer:
    file, body, status = case.get("body_file"), case.get("body", ""), case["status"]
    assert isinstance(status, int)
    headers = case["headers"]
    assert isinstance(headers, dict)
    return Answer(status, (FIXTURES / file).read_bytes() if isinstance(file, str) else str(body).encode(), headers)


def squeezed(data: bytes) -> bytes:
    return gzip.compress(data, compresslevel=9)


BAD = {case["name"]: answer_of(case) for case in CASES} | {
    "other_page": Answer(body=(FIXTURES / "other_page_id.json").read_bytes()),
    "a_list": Answer(body=b"[]"),
    "null": Answer(body=b"null"),
    "deep": Answer(body=b"[" * 100_000),
    "not_utf8": Answer(body=b'{"page": {"id": "\xff"}}'),
    "huge": Answer(body=b" " * (2 * MEGABYTE + 1)),
    "huge_without_length": Answer(raw=b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b" " * (3 * MEGABYTE)),
    "gzip_bomb": Answer(body=squeezed(b" " * (50 * MEGABYTE)), headers={"Content-Encoding": "gzip"}),
    "gzip_bomb_packed_large": Answer(body=b"\0" * (2 * MEGABYTE + 1), headers={"Content-Encoding": "identity"}),
    "gzip_cut": Answer(body=squeezed(GOOD)[:-20], headers={"Content-Encoding": "gzip"}),
    "gzip_not": Answer(body=GOOD, headers={"Content-Encoding": "gzip"}),
    "unasked_packing": Answer(body=GOOD, headers={"Content-Encoding": "br"}),
    "cut": Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n" + GOOD[:500]),
    "no_http": Answer(raw=b"\x16\x03\x01 hello\r\n\r\n"),
    "nothing": Answer(raw=b""),
    "redirect_without_target": Answer(302),
    "server_error": Answer(500, GOOD),
    "created": Answer(201, GOOD),
}


@pytest.mark.parametrize("name", BAD)
async def test_a_bad_answer_is_unknown_at_first_and_what_was_known_later(
    server: PageServer, page: Page, clocks: Clocks, name: str
) -> None:
    good = dict(server.answers)
    server.answers_all(BAD[name])
    reader = page(server)
    board = await reader.board()
    assert (board.health, board.read_at, board.incidents) == (Health.UNREADABLE, None, ())
    assert reader.last_error.startswith(f"{server.address}: ")

    server.answers = good
    clocks.forward(3600)
    read_at = clocks.wall
    assert (await reader.board()).health is Health.OK, "it recovers by itself"
    assert reader.last_error == ""

    server.answers_all(BAD[name])
    clocks.forward(60)
    board = await reader.board()
    assert (board.health, board.read_at, len(board.open)) == (Health.UNREADABLE, read_at, 3)
    assert not board.clear(frozenset({"yyzkbfz2thpt"}))


def test_what_a_packed_answer_unpacks_to_is_never_held_whole() -> None:
    bomb, body = squeezed(b" " * (64 * MEGABYTE)), Body("gzip", MEGABYTE)
    tracemalloc.start()
    try:
        with pytest.raises(StatusError, match="larger than"):
            body.feed(bomb)
        assert tracemalloc.get_traced_memory()[1] < 4 * MEGABYTE
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("bad", [INCIDENTS, SUMMARY])
async def test_half_a_page_is_not_a_reading(server: PageServer, page: Page, bad: str) -> None:
    server.answers[bad] = Answer(500)
    assert (await page(server).board()).health is Health.UNREADABLE


@pytest.mark.parametrize("pack", [squeezed, zlib.compress])
async def test_a_packed_answer_is_read(server: PageServer, page: Page, pack: type[bytes]) -> None:
    for answer in server.answers.values():
        answer.body = pack(answer.body)
        answer.headers["Content-Encoding"] = "gzip" if pack is squeezed else "deflate"
    assert len((await page(server).board()).open) == 3


# -- a second address ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["captcha", "challenge", "forbidden", "html_200", "rate_limited", "server_error"])
async def test_the_second_address_is_asked_when_the_first_is_challenged(
    serve: Serve, server: PageServer, page: Page, name: str
) -> None:
    walled = await serve()
    walled.answers_all(BAD[name])
    reader = page(walled, server)
    assert (await reader.board()).health is Health.OK
    assert reader.last_error.startswith(f"{walled.address}: answered "), "operators are told all the same"


async def test_the_first_address_is_left_alone_longer_each_time_and_then_used_again(
    serve: Serve, server: PageServer, page: Page, clocks: Clocks
) -> None:
    walled = await serve()
    walled.answers_all(BAD["captcha"])
    reader = page(walled, server)
    for _ in range(60):  # an hour
        assert (await reader.board()).health is Health.OK
        clocks.forward(60)
    assert len(walled.requests) == 9, "after 15, 30, 60, 120, 240, 480 s, then every 15 min, on the next full minute"
    walled.says("incidents_three_open.json")
    clocks.forward(900)
    before = len(server.requests)
    assert (await reader.board()).health is Health.OK
    assert len(server.requests) == before


async def test_marks_of_one_address_are_not_shown_to_another(serve: Serve, page: Page, clocks: Clocks) -> None:
    first, second = await serve(), await serve()
    for server in (first, second):
        server.says("incidents_three_open.json", ETag=f'"{server.address[-5:]}"')
    reader = page(first, second)
    await reader.board()
    first.answers_all(Answer(500))
    clocks.forward(60)
    await reader.board()
    clocks.forward(60)
    await reader.board()
    marks = [r.headers.get("if-none-match") for r in second.requests]
    assert marks == [None, None, *[f'"{second.address[-5:]}"'] * 2]


# -- when it is asked again ---------------------------------------------------------------------------------


async def test_an_unreadable_page_is_not_asked_by_everybody(server: PageServer, page: Page, clocks: Clocks) -> None:
    server.answers_all(Answer(500))
    reader = page(server)
    waits = []
    for second in range(3600):
        before = len(server.requests)
        async with asyncio.timeout(1):
            await reader.board()
        if len(server.requests) > before:
            waits.append(second)
        clocks.forward(1)
    assert waits == [0, 15, 45, 105, 225, 465, 945, 1845, 2745]
    server.says("incidents_three_open.json")
    clocks.forward(900)
    assert (await reader.board()).health is Health.OK
    server.answers_all(Answer(500))
    clocks.forward(60)
    await reader.board()
    before = len(server.requests)
    clocks.forward(15)
    await reader.board()
    assert len(server.requests) > before, "a new trouble starts with short waits again"


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "120"}, 120),
        ({"Retry-After": "Tue, 03 Nov 2026 14:05:00 GMT", "Date": "Tue, 03 Nov 2026 14:00:00 GMT"}, 300),
        ({"Retry-After": "Tue, 03 Nov 2026 15:05:00 GMT", "Date": "Tue, 03 Nov 2026 15:00:00 GMT"}, 300),
        ({"Retry-After": "99999999"}, 3600),
        ({"Retry-After": "9" * 5000}, 15),
        ({"Retry-After": "-5"}, 15),
        ({"Retry-After": "soon"}, 15),
        ({"Retry-After": "Mon, 02 Nov 2026 00:00:00 GMT"}, 15),
        ({}, 15),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
async def test_it_is_left_alone_as_long_as_it_asks_for(
    server: PageServer, page: Page, clocks: Clocks, headers: dict[str, str], wait: int, status: int
) -> None:
    server.answers_all(Answer(status, headers=headers))
    reader = page(server)
    await reader.board()
    clocks.forward(wait - 1)
    await reader.board()
    assert len(server.requests) == 1
    clocks.forward(1)
    await reader.board()
    assert len(server.requests) == 2


# -- redirects ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_to_a_known_address_is_followed(
    serve: Serve, server: PageServer, page: Page, clocks: Clocks, status: int
) -> None:
    old = await serve()
    for path in (INCIDENTS, SUMMARY):
        old.answers[path] = Answer(status, headers={"Location": server.address + path + "#top"})
        server.answers[path].headers["ETag"] = '"mark"'
    reader = page(old, redirect_hosts=(server.address,))
    assert len((await reader.board()).open) == 3
    assert len(old.requests) == 2
    clocks.forward(60)
    server.answers_all(Answer(304))
    assert (await reader.board()).health is Health.OK
    assert "if-none-match" not in old.requests[-1].headers, "the mark is that of the address it came from"


@pytest.mark.parametrize(
    "target",
    [
        "https://example.com/api/v2/incidents.json",
        "http://127.0.0.1:6379/",
        "http://169.254.169.254/latest/meta-data/",
        "//localhost/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://[::1",
        "http://user:word@{host}/api/v2/summary.json",
        "http://example.com\\@{host}/",
        "https://{host}/api/v2/summary.json",
        "\x01",
        "http://" + "a" * 5000,
    ],
)
async def test_a_redirect_to_anywhere_else_is_refused(server: PageServer, page: Page, target: str) -> None:
    host = server.address.removeprefix("http://")
    server.answers_all(Answer(302, headers={"Location": target.format(host=host)}))
    reader = page(server)
    assert (await reader.board()).health is Health.UNREADABLE
    assert len(server.requests) == 1
    assert len(reader.last_error) < 500


async def test_a_circle_of_redirects_ends(server: PageServer, page: Page) -> None:
    server.answers_all(Answer(302, headers={"Location": "/again"}))
    reader = page(server)
    assert (await reader.board()).health is Health.UNREADABLE
    assert len(server.requests) == 4
    assert reader.last_error.endswith("redirected more than 3 times")


# -- no connection ------------------------------------------------------------------------------------------


async def test_nobody_there_is_unknown_and_it_recovers(serve: Serve, page: Page, clocks: Clocks) -> None:
    server = await serve()
    await server.stop()
    reader = page(server)
    assert (await reader.board()).health is Health.UNREADABLE
    assert "ConnectError" in reader.last_error
    clocks.forward(15)
    back = await serve(port=int(server.address.rpartition(":")[2]))
    back.says("incidents_three_open.json")
    assert (await reader.board()).health is Health.OK


async def test_a_server_without_tls_is_not_spoken_to_in_the_open(server: PageServer, page: Page) -> None:
    server.speaks_first = Answer(body=GOOD).encoded()
    reader = page(server.address.replace("http:", "https:"))
    assert (await reader.board()).health is Health.UNREADABLE
    assert "SSL" in reader.last_error
    assert server.requests == []


async def test_a_greeting_that_never_ends_is_given_up_and_its_connection_closed(server: PageServer, page: Page) -> None:
    reader = page(server.address.replace("http:", "https:"), timeout=2)
    assert (await reader.board()).health is Health.UNREADABLE
    assert reader.last_error.endswith("did not answer in time")
    gc.collect()  # an unclosed connection would warn here, and a warning is an error


async def test_a_certificate_nobody_vouches_for_is_refused_and_one_that_is_trusted_is_taken(
    serve: Serve, page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("needs the openssl command to make a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    made += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)  # noqa: ASYNC221, S603 - before anything runs; fixed words
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = await serve(tls=context)
    server.says("incidents_three_open.json")
    reader = page(server)
    assert (await reader.board()).health is Health.UNREADABLE
    assert "CERTIFICATE_VERIFY_FAILED" in reader.last_error
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert (await page(server).board()).health is Health.OK


async def test_a_mistake_of_ours_is_unknown_too_and_is_told(
    server: PageServer, page: Page, clocks: Clocks, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    reader = page(server)
    assert (await reader.board()).health is Health.UNREADABLE
    assert "for a reason not foreseen: FileNotFoundError" in reader.last_error
    monkeypatch.delenv("SSL_CERT_FILE")
    assert (await reader.board()).health is Health.UNREADABLE, "no hot loop"
    clocks.forward(15)
    assert (await reader.board()).health is Health.OK


# -- whatever it answers ------------------------------------------------------------------------------------

STATUS = st.sampled_from([200, 200, 200, 200, 202, 204, 206, 301, 304, 403, 404, 405, 429, 500])
BODIES = st.one_of(
    st.sampled_from([GOOD, GOOD_SUMMARY, b"", b"{}", b"<html>", (FIXTURES / "other_page_id.json").read_bytes()]),
    st.binary(max_size=200),
    st.integers(1, len(GOOD_SUMMARY) - 1).map(lambda n: GOOD_SUMMARY[:n]),
    st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)).map(
        lambda at: GOOD[: at[0]] + bytes([at[1]]) + GOOD[at[0] + 1 :]
    ),
)
PACKING = st.sampled_from([{}, {}, {}, {"Content-Encoding": "gzip"}, {"Content-Encoding": "br"}, {"ETag": '"x"'}])


def is_of_the_page(answer: Answer, key: str) -> bool:
    """Say in other words than the reader's whether this is a document of the page."""
    if answer.status != 200 or answer.headers.get("Content-Encoding"):
        return False
    try:
        value = json.loads(answer.body.decode("utf-8"))
        return value["page"]["id"] == "tymt9n04zgry" and isinstance(value[key], list)
    except (ValueError, KeyError, TypeError):
        return False


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.tuples(STATUS, BODIES, PACKING), st.tuples(STATUS, BODIES, PACKING))
def test_only_valid_documents_of_the_page_make_it_ok(
    incidents: tuple[int, bytes, dict[str, str]], summary: tuple[int, bytes, dict[str, str]]
) -> None:
    async def read() -> Health:
        async with AsyncExitStack() as stack:
            server = PageServer()
            await server.start()
            stack.push_async_callback(server.stop)
            server.answers = {INCIDENTS: Answer(*incidents), SUMMARY: Answer(*summary)}
            reader = StatusPage(PageSettings(hosts=(server.address,), patience=10))
            stack.push_async_callback(reader.close)
            return (await reader.board()).health

    health = asyncio.run(read())
    good = is_of_the_page(Answer(*incidents), "incidents") and is_of_the_page(Answer(*summary), "components")
    assert good or health is Health.UNREADABLE
    if incidents == (200, GOOD, {}) and summary == (200, GOOD_SUMMARY, {}):
        assert health is Health.OK
