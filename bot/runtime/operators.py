"""What operators should hear of without reading a log: some of its lines, as sentences, in channels of theirs."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import structlog

from bot.core.messages import Messages
from bot.core.moments import clock, duration
from bot.core.status.announcement_view import Notice, Tone
from bot.core.status.subscription import Place
from bot.core.text import Text
from bot.core.view import View
from bot.ports.announcing import Channels, Failed

_MOST = 500
"""Most lines kept until they are said; what happens at once in many channels is one message."""

_log = structlog.get_logger(__name__)


class Operators:
    """Keeps the lines that have a sentence in `[operators]` of the messages, and says them in the operators' channels.

    Each process says what its own log says; the log has it in any case.
    """

    def __init__(self, messages: Messages, channels: Mapping[str, Channels], places: Sequence[Place]) -> None:
        self._say, self._channels, self._places = messages, channels, tuple(places)
        self._heard: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)

    def hear(self, line: Mapping[str, Any]) -> None:
        """Keep a line of the log, if there is a sentence for it."""
        key = f"operators.{str(line['event']).replace('.', '-').replace(' ', '-')}"
        if key in self._say and len(self._heard[key]) < _MOST:
            self._heard[key].append(dict(line))

    async def flush(self) -> None:
        """Say what was heard since; what a platform does not take stays in the log."""
        heard, self._heard = self._heard, defaultdict(list)
        for key, lines in heard.items():
            view = View(self._say.inline(key, **self._fields(key, lines)), (), self._page(lines[-1]))
            for place in self._places:
                channels = self._channels.get(place.platform)
                if channels is None:
                    continue
                await channels.turn(place)
                sent = await channels.post(place, secrets.token_hex(12), Notice(view, Tone.NONE))
                if isinstance(sent, Failed):
                    _log.info("operators.not-told", platform=place.platform, why=sent.why, detail=sent.detail)

    def _fields(self, key: str, lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return what the sentence names, in words; of several lines, what the last one says, and their number."""
        last = lines[-1]
        known: dict[str, Any] = {name: str(value) for name, value in last.items()}
        if isinstance(since := last.get("since"), int | float):
            known["since"] = clock(since)
        if isinstance(lasted := last.get("lasted"), int | float):
            known["lasted"] = duration(self._say, lasted)
        return {name: len(lines) if name == "n" else known.get(name, "?") for name in (*self._say.fields(key), "n")}

    def _page(self, line: Mapping[str, Any]) -> tuple[Text, ...]:
        link = str(line.get("link", ""))
        return (Text(self._say.inline("operators.page", link=link)),) if link else ()
