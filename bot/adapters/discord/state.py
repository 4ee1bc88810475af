"""What discord.py does with the gateway's words, and with its connections, where Redial needs it otherwise."""

from __future__ import annotations

from typing import Any

from discord import Interaction, InteractionType
from discord.gateway import DiscordWebSocket
from discord.state import AutoShardedConnectionState

from bot.adapters.discord.pressing import pressed

_PRESS = InteractionType.component.value


class State(AutoShardedConnectionState[Any]):
    """Hands presses over without a view, and knows the connections that nobody else does."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as the library has it
        """Take what the library gives."""
        self._sockets: dict[int | None, DiscordWebSocket] = {}
        super().__init__(*args, **kwargs)

    def parse_interaction_create(self, data: Any) -> None:  # noqa: ANN401 - as the library has it
        """Take a press, which is an event of its own; a command or a form is the library's business."""
        if data["type"] != _PRESS:
            super().parse_interaction_create(data)
        elif press := pressed(data):
            self.dispatch("press", Interaction(data=data, state=self), press)

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
