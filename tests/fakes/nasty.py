"""A chat platform that fails in every way one may, and replicas that die between any two steps."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from bot.core.status.announcement_view import Notice
from bot.core.status.subscription import Place
from bot.core.view import View
from bot.ports.announcing import Channels, Delivered, Delivery, Failed, Why
from bot.ports.pages import PageStore

LATEST = 29.0
"""Seconds after which no request lands any more: the bound everything is promised within."""


class Died(BaseException):
    """The process is killed here; nothing in it may catch this."""


@dataclass
class Message:
    """A message people can see; `shows` is all it ever showed."""

    ref: str
    place: Place
    key: str
    parent: str
    at: float
    shows: list[Notice] = field(default_factory=list)


@dataclass
class Nasty:
    """The platform. trouble: how often a request does not go well; blind: nobody may look for messages."""

    clock: Callable[[], float]
    chance: random.Random
    trouble: float = 0.0
    blind: bool = False
    messages: dict[str, Message] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)
    told: list[tuple[Place, str]] = field(default_factory=list)
    _coming: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    _count: int = 0

    def land(self) -> None:
        """What was under way and whose time has come takes effect, in the order of landing."""
        now = self.clock()
        due = sorted((c for c in self._coming if c[0] <= now), key=lambda c: c[0])
        self._coming = [c for c in self._coming if c[0] > now]
        for _, effect in due:
            effect()

    async def turn(self, place: Place) -> None:
        """Nobody has to wait."""

    async def post(self, place: Place, key: str, notice: Notice) -> Delivery:
        return self._put(place, "", key, notice)

    async def reply(self, place: Place, parent: str, key: str, notice: Notice) -> Delivery:
        if parent not in self.messages:
            return Failed(Why.GONE)
        return self._put(place, parent, key, notice)

    async def edit(self, place: Place, ref: str, key: str, notice: Notice) -> Delivery:
        message = self.messages.get(ref)
        if message is None:
            return Failed(Why.GONE)
        assert (message.place, message.key) == (place, key)
        return self._does(lambda: message.shows.append(notice), ref)

    async def find(self, place: Place, parent: str, key: str, since: float) -> tuple[str, ...] | Failed:
        self.land()
        if self.blind:
            return Failed(Why.CLOSED, detail="no right to read")
        if self.chance.random() < self.trouble / 3:
            return Failed(Why.UNKNOWN)
        mine = (m for m in self.messages.values() if (m.place, m.parent, m.key) == (place, parent, key))
        return tuple(m.ref for m in sorted(mine, key=lambda m: m.at) if m.at >= since)

    async def delete(self, place: Place, ref: str) -> Delivery:  # noqa: ARG002 - as the port says
        return Delivered(ref) if self.messages.pop(ref, None) else Failed(Why.GONE)

    async def tell(self, place: Place, user: str, view: View) -> Delivery:  # noqa: ARG002 - the same
        self.told.append((place, user))
        return Delivered("")

    def _put(self, place: Place, parent: str, key: str, notice: Notice) -> Delivery:
        if place.channel in self.closed:
            return Failed(Why.CLOSED, detail="the channel is gone")
        self._count += 1
        ref = f"m{self._count}"

        def lands() -> None:
            self.messages[ref] = Message(ref, place, key, parent, self.clock(), [notice])

        return self._does(lands, ref)

    def _does(self, effect: Callable[[], None], ref: str) -> Delivery:
        self.land()
        if self.chance.random() >= self.trouble:
            effect()
            return Delivered(ref)
        match self.chance.choice(["lost", "unanswered", "late", "late", "busy", "raises"]):
            case "unanswered":
                effect()
            case "late":
                self._coming.append((self.clock() + self.chance.uniform(0, LATEST), effect))
            case "busy":
                return Failed(Why.WAIT, wait=1.0)
            case "raises":
                raise OSError("a mistake of the adapter")
            case _:
                pass
        return Failed(Why.UNKNOWN, detail="no answer")


class Fragile:
    """Stands before a store or a platform of one replica: lets others go first, and dies when its steps are used up."""

    def __init__(self, inner: PageStore | Channels, chance: random.Random, life: Life) -> None:
        self._inner, self._chance, self._life = inner, chance, life

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        method: Callable[..., Awaitable[object]] = getattr(self._inner, name)

        async def call(*args: object) -> object:
            for _ in range(self._chance.randrange(4)):
                await asyncio.sleep(0)
            self._life.step()
            answer = await method(*args)
            # The other place to die: it was done, and nobody knows.
            self._life.step()
            return answer

        return call


@dataclass
class Life:
    """How many more steps a replica takes before it dies; None: it lives."""

    steps: int | None = None

    def step(self) -> None:
        """Take one."""
        if self.steps is not None:
            if self.steps == 0:
                raise Died
            self.steps -= 1
