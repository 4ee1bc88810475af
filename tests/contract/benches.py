"""The chat platforms the contract suite runs on, a row each."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from tests.contract.bench import Bench
from tests.contract.bench_console import console
from tests.contract.bench_discord import discord_bench
from tests.contract.bench_room import room
from tests.contract.bench_slack import slack_bench

Opening = Callable[[Path], AbstractAsyncContextManager[Bench]]

BENCHES: dict[str, Opening] = {"console": console, "room": room, "discord": discord_bench, "slack": slack_bench}
