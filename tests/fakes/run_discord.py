"""`redial run`, for which a server of this machine is Discord: its address stands in DISCORD_AT."""

from __future__ import annotations

import os

from bot.cli import main
from tests.fakes.elsewhere import discord_at

if __name__ == "__main__":
    with discord_at(os.environ["DISCORD_AT"]):
        main()
