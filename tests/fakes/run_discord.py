"""`redial run`, for which a server of this machine is Discord: its address stands in DISCORD_AT."""

from __future__ import annotations

import os

import discord
import yarl

from bot.cli import main

AT = yarl.URL(os.environ["DISCORD_AT"])
# The addresses of Discord are attributes of the library's classes; there is no other way to name others.
discord.http.Route.BASE = str(AT / "api/v10")
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = AT.with_scheme("ws")

if __name__ == "__main__":
    main()
