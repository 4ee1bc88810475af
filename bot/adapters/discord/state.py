"""What discord.py does with the gateway's words, and with its connections, where Redial needs it otherwise."""

from __future__ import annotations

from typing import Any

from discord.gateway import DiscordWebSocket
from discord.state import AutoShardedConnectionState

from bot.adapters.discord.pressing import alone


class State(AutoShardedConnectionState[Any]):
    """Reads of a pressed message only what was pressed, and knows the connections that nobody else does."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as the library has it
        """Take what the library gives."""
        self._sockets: dict[int | None, DiscordWebSocket] = {}
        super().__init__(*args, **kwargs)

    def parse_interaction_create(self, data: Any) -> None:  # noqa: ANN401 - as the library has it
        """Take a press, a command or a form."""
        alone(data)
        super().parse_interaction_create(data)

    async def hang_up(self) -> None:
        """Close connections that were broken off while they were being made.

        The library forgets them as they are: open, and with a thread that goes on telling Discord that we are there.
        """
        for socket in self._sockets.values():
            if socket.open:
                await socket.close()

    def _update_references(self, ws: DiscordWebSocket) -> None:
        # Where the library says that there is a connection, before it waits to be greeted.
        super()._update_references(ws)
        self._sockets[ws.shard_id] = ws
