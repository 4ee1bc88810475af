"""Random turns of several replicas against a model of a dozen lines: indexes and owed answers never drift apart."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from bot.adapters.store.redis_store import RedisConversations
from bot.core.event import Origin
from bot.core.guides.guide import Outcome
from bot.core.triage.conversation import Conversation
from bot.ports.store import Conflict, Stored
from tests.contract.conversations import event, triage

TURNS = 120


class Model:
    """What should be there."""

    def __init__(self) -> None:
        self.all: dict[str, Conversation] = {}
        self.owed: set[str] = set()

    def of(self, user: str) -> tuple[Conversation, ...]:
        """The person's open and waiting conversations, touched last first."""
        theirs = [c for c in self.all.values() if c.origin.user == user and (c.open or c.waiting)]
        return tuple(sorted(theirs, key=lambda c: c.touched, reverse=True))

    def here(self, place: Origin) -> Conversation | None:
        """The one that free text belongs to."""
        return next((c for c in self.of(place.user) if c.open and c.origin == place), None)

    def takes(self, new: Conversation) -> bool:
        """Say whether this turn must be stored."""
        before = self.all.get(new.id)
        if before is not None:
            return new.revision == before.revision + 1
        same = (new.origin.channel, new.guide)
        taken = [c for c in self.of(new.origin.user) if c.open and (c.origin.channel, c.guide) == same]
        return new.revision == 1 and not (new.open and new.guide and taken)

    def write(self, new: Conversation) -> None:
        """Store it."""
        self.all[new.id] = new
        self.owed.add(new.id)


def some_turn(chance: random.Random, model: Model, workspace: Origin, now: float) -> Conversation:
    """A new conversation, or a turn in one that is there, now and then based on an old revision."""
    place = replace(
        workspace, user=chance.choice("AB"), channel=chance.choice("XY"), thread=chance.choice(["", "1.0", "2.0"])
    )
    guide, outcome = chance.choice(["", "a", "b"]), chance.choice([None, None, None, *Outcome])
    known = [c for c in model.all.values() if c.origin.user == place.user]
    if known and chance.random() < 0.6:
        before = chance.choice(known)
        revision = before.revision + chance.choice([1, 1, 1, 1, 0, 2])
        place = replace(place, thread=place.thread or before.origin.thread)  # a thread that was opened stays
        return replace(before, revision=revision, guide=guide, outcome=outcome, touched=now, origin=place)
    return triage(place, guide=guide, touched=now)


@pytest.mark.parametrize("seed", range(4))
async def test_random_turns_of_three_replicas(
    seed: int, open_store: Callable[[], Awaitable[RedisConversations]], place: Origin
) -> None:
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    stores, model = [await open_store() for _ in range(3)], Model()
    for now in range(TURNS):
        turn, store = some_turn(chance, model, place, float(now)), chance.choice(stores)
        outcome = await store.commit(event(), turn)
        if model.takes(turn):
            assert outcome == Stored(turn)
            model.write(turn)
        else:
            assert isinstance(outcome, Conflict)
            assert outcome.current in model.all.values()
        if chance.random() < 0.3 and model.owed:
            shown = model.all[chance.choice(sorted(model.owed))]
            store.confirm(shown)
            await store.flush()
            model.owed.discard(shown.id)
        await agree(await open_store() if now % 20 == 0 else store, model, place)


async def agree(store: RedisConversations, model: Model, workspace: Origin) -> None:
    """A store says what the model says; one that was just opened remembers nothing."""
    for user in "AB":
        assert await store.of(replace(workspace, user=user)) == model.of(user)
    assert {c.id for c in await store.owed(workspace, older_than=0)} == model.owed
    assert {c.id for c in await store.waiting(workspace)} == {c.id for c in model.all.values() if c.waiting}
    fresh = RedisConversations(store._server)  # noqa: SLF001 - the same server without memory
    for user in "AB":
        for channel in "XY":
            for thread in ("", "1.0", "2.0"):
                there = replace(workspace, user=user, channel=channel, thread=thread)
                assert await fresh.here(there) == model.here(there)
