"""A proxy in the environment: everything that leaves the machine takes it, and one of no use is named."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.runtime.redial import Redial

SLACK = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1"}
DISCORD = {"DISCORD_TOKEN": "hunter2"}


@contextmanager
def proxy() -> Iterator[tuple[int, list[str]]]:
    """A proxy that leads nowhere; its port, and the hosts it was asked for."""
    asked: list[str] = []

    class Asked(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            asked.append(self.rfile.readline().decode().split()[1])
            self.wfile.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Asked) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1], asked
        finally:
            server.shutdown()
            thread.join()


def test_the_doctor_goes_out_through_the_proxy_and_names_it_without_its_password(redial: Redial) -> None:
    with proxy() as (port, asked):
        own = {"HTTPS_PROXY": f"http://bob:hunter3@127.0.0.1:{port}", "REDIAL_STATUS__HOSTS": "https://page.example"}
        redial.env |= {**SLACK, **DISCORD, **own}
        done = redial.run("doctor", code=1)
    assert {"page.example:443", "slack.com:443", "discord.com:443"} == set(asked)
    assert f"everything but the store goes through 127.0.0.1:{port} (HTTPS_PROXY)" in done.stdout
    assert "hunter" not in done.stdout
    assert "let this machine reach https://slack.com/api/ over HTTPS" in done.stdout


@pytest.mark.parametrize(("tokens", "host"), [(SLACK, "slack.com:443"), (DISCORD, "discord.com:443")])
@pytest.mark.parametrize("command", ["run", "drill --channel {}:1/2"])
def test_a_platform_is_reached_through_the_proxy(
    redial: Redial, tokens: dict[str, str], host: str, command: str
) -> None:
    with proxy() as (port, asked):
        redial.env |= {**tokens, "HTTPS_PROXY": f"http://127.0.0.1:{port}"}
        done = redial.run(*command.format(host.partition(".")[0]).split(), code=2)
    assert host in asked
    assert done.stderr.splitlines()[-1].endswith("`redial doctor` says what to do")


@pytest.mark.parametrize("address", ["proxy:8080", "socks5://127.0.0.1:1", "http://[bad", "http://"])
def test_a_proxy_of_no_use_is_named_by_its_variable(redial: Redial, address: str) -> None:
    redial.env |= {**SLACK, "HTTPS_PROXY": address}
    assert redial.run("run", code=2).stderr.startswith("redial: HTTPS_PROXY is no address of an HTTP proxy")
    assert "HTTPS_PROXY is no address" in redial.run("doctor", code=1).stdout


def test_a_socks_proxy_is_pointed_out(redial: Redial) -> None:
    redial.env["ALL_PROXY"] = "socks5://127.0.0.1:1"
    assert "ALL_PROXY names a SOCKS proxy" in redial.run("doctor").stdout
    assert "unknown" in redial.run("status", code=3).stdout
