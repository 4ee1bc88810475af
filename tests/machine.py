"""What tests ask of the machine they run on: free ports, and to wait for what no event tells."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable

DEADLINE = 90.0
"""Seconds until a test that waits in vain says where, on a machine that does much else."""


def free_ports(count: int) -> list[int]:
    """Ports of loopback nobody listens at, all different."""
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def free_port() -> int:
    """One of them."""
    return free_ports(1)[0]


async def until(true: Callable[[], object], what: str = "", within: float = DEADLINE) -> None:
    """Wait until something is so; it may have to be asked for. what: what is waited for, for who waits in vain."""
    pause = 0.01
    try:
        async with asyncio.timeout(within) as bound:
            while True:
                found = true()
                if await found if isinstance(found, Awaitable) else found:
                    return
                # What takes long is not asked for more often than a tenth of a second.
                await asyncio.sleep(pause := min(0.1, pause * 1.3))
    except TimeoutError:
        if bound.expired():
            raise AssertionError(f"in vain for {within:.0f} s: {what or true}") from None
        raise
