"""Where an answer was shown is known only after the turn was stored: what every `ConversationStore` makes of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.adapters.store.redis_store import RedisConversations
from bot.core.event import Origin
from bot.core.guides.guide import Outcome
from bot.core.triage.conversation import Conversation
from bot.core.triage.placement import Where
from bot.ports.store import Conflict, Stored
from tests.contract.conversations import event, triage, turned, written

if TYPE_CHECKING:
    from tests.contract.conftest import Backend, Proxied

THREAD = "1764515000.000100"


@pytest.fixture
def top(place: Origin) -> Origin:
    """Where a slash command comes from: its answer opens the thread."""
    return replace(place, thread="")


def posted(
    conversation: Conversation, thread: str = THREAD, shown: str = "1764515000.000200", *, at: int = 0
) -> Conversation:
    """A conversation as it was shown; `at`: the revision that was, where it is an older one."""
    there = replace(conversation.origin, thread=thread)
    return replace(conversation, origin=there, shown=shown, shown_at=at or conversation.revision)


async def test_how_a_conversation_is_held_is_kept(
    store: RedisConversations, other: RedisConversations, place: Origin
) -> None:
    first = await written(store, triage(place, where=Where.THREAD, helpers=("U0HELP",), shown="m1"))
    assert await other.get(place, first.id) == first


async def test_free_text_in_the_thread_it_opened_finds_it(
    store: RedisConversations, other: RedisConversations, top: Origin, place: Origin
) -> None:
    first = await written(store, triage(top))
    assert await store.here(top) == first
    store.confirm(posted(first))
    assert await store.here(place) == posted(first), "known to this replica before it is written"
    assert await store.here(top) is None
    await store.flush()
    assert await other.here(place) == posted(first)
    assert await other.here(top) is None
    assert await other.of(place) == (posted(first),)


async def test_one_batch_tells_of_many(proxied: Proxied, other: RedisConversations, top: Origin, place: Origin) -> None:
    first = await written(proxied.store, triage(top))
    second = await written(proxied.store, triage(replace(top, user="U0BOB"), id="c2"))
    proxied.store.confirm(posted(first))
    proxied.store.confirm(posted(second))
    await proxied.store.flush()
    proxied.store.confirm(posted(first))
    proxied.store.confirm(posted(second))
    proxied.proxy.reset()
    await proxied.store.flush()
    assert proxied.proxy.trips == 1
    assert await other.here(place) == posted(first)


async def test_a_second_confirmation_before_the_batch_still_tells_the_thread(
    store: RedisConversations, other: RedisConversations, top: Origin, place: Origin
) -> None:
    first = await written(store, triage(top))
    store.confirm(posted(first))
    store.confirm(posted(first, shown="m2"))
    await store.flush()
    assert await other.here(place) == posted(first, shown="m2")


async def test_a_batch_says_less_of_who_stays_in_the_thread_the_turn_told_of(
    proxied: Proxied, top: Origin, place: Origin
) -> None:
    known = await written(proxied.store, triage(place))
    opened, sent = await written(proxied.store, triage(replace(top, user="U0BOB"), id="c2")), []
    for first in (known, opened):
        proxied.proxy.reset()
        proxied.store.confirm(posted(first))
        await proxied.store.flush()
        sent.append(proxied.proxy.sent)
    assert sent[0] < sent[1] - len("U0BOB") - len(THREAD)


async def test_the_next_turn_of_the_conversation_carries_it(
    proxied: Proxied, other: RedisConversations, top: Origin, place: Origin
) -> None:
    first = await written(proxied.store, triage(top))
    proxied.store.confirm(posted(first))
    second = await written(proxied.store, turned(posted(first), step="a"))
    assert await other.here(place) == second
    assert await other.owed(place, older_than=0) == (second,)
    proxied.proxy.reset()
    await proxied.store.flush()
    assert proxied.proxy.trips == 0, "nothing is left to write"


async def test_a_replica_that_has_not_heard_of_the_thread_does_not_lose_it(
    store: RedisConversations, other: RedisConversations, top: Origin, place: Origin
) -> None:
    first = await written(store, triage(top))
    assert await other.get(top, first.id) == first
    store.confirm(posted(first))
    await store.flush()
    second = turned(first, step="a")
    assert await other.commit(event(), second) == Stored(posted(second, at=1)), "and is told of it"
    for replica in (store, other):
        assert await replica.get(place, first.id, revision=2) == posted(second, at=1)
        assert await replica.here(place) == posted(second, at=1)


async def test_a_confirmation_that_comes_after_the_next_turn_still_tells_the_thread(
    store: RedisConversations, other: RedisConversations, top: Origin
) -> None:
    first = await written(store, triage(top))
    assert await other.get(top, first.id) == first
    second = await written(other, turned(first, step="a"))
    store.confirm(posted(first))
    await store.flush()
    assert await store.get(top, first.id, revision=2) == posted(second, at=1)
    assert await store.owed(top, older_than=0) == (posted(second, at=1),)
    late = turned(first, step="b")
    assert await store.commit(event(), late) == Conflict(posted(second, at=1))


async def test_an_older_answer_does_not_hide_a_newer_one(
    store: RedisConversations, other: RedisConversations, place: Origin
) -> None:
    first = await written(store, triage(place))
    assert await other.get(place, first.id) == first
    second = await written(other, turned(first))
    other.confirm(replace(second, shown="m2"))
    await other.flush()
    store.confirm(replace(first, shown="m1"))
    await store.flush()
    assert await store.get(place, first.id, revision=2) == replace(second, shown="m2", shown_at=2)


async def test_a_lost_confirmation_leaves_the_answer_owed_until_its_message_is_found(
    open_store: Callable[[], Awaitable[RedisConversations]], other: RedisConversations, top: Origin, place: Origin
) -> None:
    dies = await open_store()
    first = await written(dies, triage(top))
    dies.confirm(posted(first))  # and with it goes what only it knew
    assert await other.owed(top, older_than=0) == (first,)
    other.confirm(posted(first))
    await other.flush()
    assert await other.owed(top, older_than=0) == ()
    assert await other.here(place) == posted(first)


async def test_what_was_forgotten_does_not_come_back(
    store: RedisConversations, other: RedisConversations, top: Origin, place: Origin, backend: Backend
) -> None:
    first = await written(store, triage(top))
    await other.forget(top)
    store.confirm(posted(first))
    await store.flush()
    assert await other.get(place, first.id) is None
    assert await other.here(place) is None
    assert not [key for key in backend.keys(place.workspace) if ":claim:" not in key]


async def test_an_ended_one_stays_out_of_the_index(
    store: RedisConversations, other: RedisConversations, top: Origin, place: Origin
) -> None:
    first = await written(store, triage(top))
    ended = await written(store, turned(first, outcome=Outcome.LEFT))
    store.confirm(posted(ended))
    await store.flush()
    assert await other.here(place) is None
    assert await other.of(place) == ()


@pytest.mark.parametrize("name", ["a b", "x" * 300, "ünï ☎", "~", "%7E"], ids=ascii)
async def test_any_name_of_a_thread_or_message_is_kept(
    store: RedisConversations, other: RedisConversations, top: Origin, name: str
) -> None:
    first = await written(store, triage(top))
    store.confirm(posted(first, thread=name, shown=name))
    await store.flush()
    assert await other.here(replace(top, thread=name)) == posted(first, thread=name, shown=name)


async def test_a_short_claim_is_free_again_for_another_attempt(
    store: RedisConversations, other: RedisConversations, place: Origin, backend: Backend
) -> None:
    assert await store.claim("owed:c1:1", place, seconds=30)
    assert not await other.claim("owed:c1:1", place, seconds=30)
    (key,) = backend.keys(place.workspace)
    assert 0 < backend.admin.ttl(key) <= 30


async def test_workspaces_with_conversations_are_known_to_every_replica(
    proxied: Proxied, other: RedisConversations, place: Origin
) -> None:
    odd = replace(place, platform="disc ord", workspace=f"{place.workspace} {{x}}☎")
    for there in (place, odd):
        await written(proxied.store, triage(there))
    known = await other.workspaces()
    assert {Origin(p.platform, p.workspace, "", "") for p in (place, odd)} <= set(known)
    assert len(known) == len(set(known))
    (owed,) = await other.owed(next(w for w in known if w.workspace == odd.workspace), older_than=0)
    assert owed.origin == odd
